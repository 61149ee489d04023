"""Parts of Gemini answers as they stood on the wire, and what goes back: on small answers made here."""

import json
from typing import Any

from wirelab.capture import Capture, End, Head, Read, Request, Source
from wirelab.show.parts import (
    answers_of,
    beside_table,
    call_text,
    chunks,
    contents_table,
    conversation_table,
    empty_answers,
    ids_table,
    next_contents,
    parts_table,
    strayed,
)


def made(*values: Any, framing: Any = "sse", asked: Any = None, target: str = "tiny-0.9") -> Capture:
    head = Head(
        name=f"{target}/gemini/parallel.stream",
        scenario="parallel",
        protocol="gemini",
        framing=framing,
        recorded_at="2026-11-30T00:00:00Z",
        source=Source("recorded"),
        request=Request(json=asked),
    )
    before, after = (b"data: ", b"\n\n") if framing == "sse" else (b"", b"")
    reads = [Read(0.1 * at, before + json.dumps(value).encode() + after) for at, value in enumerate(values, 1)]
    return Capture(head, tuple(reads), End("complete"))


def chunk(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": finish}], **more}


def call(name: str, number: int, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {"n": number}, **more}}


MIXED = made(
    chunk({"text": "Hm", "thought": True}, {"text": "Yes."}, call("tap", 1), call("tap", 2, id="theirs")),
    chunk(call("look", 3), call("tap", 4)),
    chunk(finish="STOP"),
    {"usageMetadata": {"candidatesTokenCount": 5}},
)


def test_chunks_and_parts_are_told_as_they_stood() -> None:
    assert [(one.frame, len(one.parts), len(one.calls), one.finish) for one in chunks(MIXED)] == [
        (0, 4, 2, None),
        (1, 2, 2, None),
        (2, 0, 0, "STOP"),
        (3, 0, 0, None),
    ]
    rows = parts_table(MIXED).rows
    assert [row[2:5] for row in rows[:4]] == [
        ("1 of 4", "thought", ""),
        ("2 of 4", "text", ""),
        ("3 of 4", "functionCall", ""),
        ("4 of 4", "functionCall", "theirs"),
    ]
    assert rows[6][2:] == ("none", "", "", "", "STOP")
    assert parts_table(made(chunk({"inlineData": {}}))).rows[0][3] == "inlineData"


def test_ids_and_places_of_calls_are_counted() -> None:
    whole = made(chunk(call("tap", 1), finish="STOP"), framing="whole")
    rows = ids_table([MIXED, whole, made(chunk({"text": "x"}, finish="STOP"))]).rows
    assert rows == (
        ("tiny-0.9", "streamed", "2", "1", "1 of 4", "2", "1 of 1"),
        ("tiny-0.9", "whole", "1", "1", "0 of 1", "1", "0 of 1"),
    )


def test_one_allocator_names_the_calls_of_a_conversation() -> None:
    rows = conversation_table([MIXED, made(chunk(call("tap", 1), finish="STOP"), framing="whole")]).rows
    assert [row[0] + row[3] for row in rows] == ["1wirelab_1", "1theirs", "1wirelab_2", "1wirelab_3", "2wirelab_4"]
    assert rows[0][4] == "wirelab (server sent none)"


def test_results_go_back_without_ids_of_ours_and_find_their_calls() -> None:
    contents = next_contents(MIXED)
    rows = contents_table(contents).rows
    assert [row[2] for row in rows if row[1].startswith("function")] == ["", "theirs", "", "", "", "", "theirs", ""]
    assert [row[4] for row in rows][-4:] == ['tap {"n":1}', 'look {"n":3}', 'tap {"n":2}', 'tap {"n":4}']
    assert strayed(contents) == []
    assert contents[0]["parts"] == [{"text": "(a question)"}]
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}], "tools": [{"functionDeclarations": []}]}
    assert next_contents(made(chunk({"text": "x"}, finish="STOP"), asked=asked))[0]["parts"] == [{"text": "q"}]


def test_a_result_that_goes_to_another_call_is_told() -> None:
    contents = next_contents(made(chunk(call("tap", 1), call("tap", 2), finish="STOP")))
    contents[-1]["parts"].reverse()
    assert answers_of(contents) == ['tap {"n":1}', 'tap {"n":2}']
    assert strayed(contents) == ['of tap {"n":2}', 'of tap {"n":1}']
    contents[-1]["parts"].append({"functionResponse": {"name": "nobody", "response": {}}})
    assert answers_of(contents)[2] == "no call"
    assert call_text(None, None) == "no name null"


def test_what_was_delivered_is_told_beside_and_empty_answers_are_counted() -> None:
    nothing = made(chunk(finish="STOP", usageMetadata={"candidatesTokenCount": 8}))
    rows = beside_table([MIXED, nothing, made(chunk({"text": "x"}, finish="STOP"))]).rows
    assert rows[0][2:5] == ("Yes.", "Hm", "5")
    assert rows[1][1:] == ("no calls", "", "", "8", "contract-violation")
    assert rows[2][4] == ""
    assert empty_answers([MIXED, nothing]) == {"parallel": 1}
