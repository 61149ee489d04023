"""One capture told: on small captures made here, of every kind of event and ending."""

import json
from typing import Any

import msgspec

from wirelab.capture import Capture, End, Head, Observed, Read, Request, Response, Source, read_capture
from wirelab.show.identity import (
    answer_of,
    answers_table,
    differing,
    policies_table,
    shape_of,
    shapes,
    shapes_table,
    sharing,
    summary,
    version_key,
    versions_table,
)
from wirelab.show.story import (
    about_table,
    broken_invariants,
    calls_said,
    capture_frames,
    capture_lanes,
    events_table,
    read_in_pieces,
    said_table,
)


def made(frames: list[Any], **more: Any) -> Capture:
    lines = [json.dumps(frame).encode() if isinstance(frame, dict) else frame for frame in frames]
    head = Head(
        name=more.get("name", "tiny/chat/parallel.stream.made"),
        scenario="parallel",
        protocol=more.get("protocol", "chat"),
        framing=more.get("framing", "sse"),
        recorded_at="2026-11-30T17:14:26Z",
        source=Source("synthetic", server="tiny", version=more.get("version", "0.12.10"), note="made up"),
        request=Request(path="/v1/chat/completions", json=more.get("asked", {"stream": True})),
        response=Response(more.get("status", 200)),
        observed=more.get("observed"),
    )
    before, after = {"sse": (b"data: ", b"\n\n"), "whole": (b"", b""), "ndjson": (b"", b"\n")}[head.framing]
    reads = [Read(0.1 * number, before + line + after) for number, line in enumerate(lines, 1)]
    return Capture(head, tuple(reads), End("complete"))


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call(identifier: str | None, index: Any, name: str | None, arguments: str = "{}") -> dict[str, Any]:
    return {"id": identifier, "index": index, "function": {"name": name, "arguments": arguments}}


TWO = made(
    [
        delta(content="I will "),
        delta(content="look."),
        delta(reasoning_content="Hm."),
        delta(tool_calls=[call("a", 0, "get_weather", '{"city":"Oslo"}')]),
        delta(tool_calls=[call("b", 0, "get_time")]),
        delta(finish="tool_calls"),
        {"choices": [], "usage": {"completion_tokens": 7}},
        b"[DONE]",
    ],
    asked={"stream": True, "max_tokens": 50, "parallel_tool_calls": True, "tools": []},
    observed=Observed(
        model_said={
            "calls": [
                {"name": "get_weather", "arguments": {"city": "Oslo"}},
                {"name": "get_time", "arguments": {}},
                {"name": "get_time", "arguments": {}},
            ],
            "text": "I will look.",
        }
    ),
)


def test_where_a_capture_is_from_and_what_was_asked() -> None:
    facts = {name: value for name, value in about_table(TWO).rows}  # noqa: C416 - for the type checker
    assert facts["evidence"] == "synthetic, 2026-11-30"
    assert facts["server"] == "tiny 0.12.10"
    assert facts["asked"] == "stream; tools: none; parallel calls: yes; at most 50 tokens"
    assert facts["body"].endswith("in 8 reads, complete")
    (asked,) = (value for name, value in about_table(made([], asked={})).rows if name == "asked")
    assert asked == "stream or not: not said; tools: not said"


def test_events_fold_runs_of_text() -> None:
    rows = events_table(TWO).rows
    assert rows[0] == ("0-1", "text", "I will look.")
    assert rows[1] == ("2", "thinking", "Hm.")
    assert rows[2] == ("3", "tool call", 'a #0 get_weather {"city":"Oslo"}')
    assert ("6", "usage", "completion_tokens 7") in rows
    assert ("5", "finish", "tool_calls") in rows
    assert rows[-1] == ("7", "finish", "(without a reason)")


def test_errors_and_notes_are_events_too() -> None:
    rows = events_table(made([b"{]", {"error": {"message": "no room"}}])).rows
    assert [row[1] for row in rows] == ["note", "error"]
    assert "no room" in rows[1][2]


def test_a_failed_request_has_one_frame_and_no_events() -> None:
    failed = made([{"error": {"message": "no such model"}}], status=404, framing="whole")
    assert events_table(failed).rows == ()
    assert capture_lanes(failed) == []
    assert len(capture_frames(failed)) == 1
    assert broken_invariants(failed, read_capture(failed), capture_frames(failed)) == []


def test_what_the_model_said_is_set_beside_what_was_read() -> None:
    reading = read_capture(TWO, strict=False)
    calls, text, thinking = said_table(TWO, reading).rows
    assert calls[3] == "no"
    assert calls[2] == 'get_weather {"city":"Oslo"}, get_time {}'
    assert text[3] == "yes"
    assert thinking[1:] == ("", "Hm.", "no")
    unseen = made([delta(finish="stop", content="Hi")])
    assert said_table(unseen, read_capture(unseen)).rows == ()
    assert calls_said(unseen) is None
    assert len(calls_said(TWO) or []) == 3


def test_a_capture_in_pieces_reads_the_same_and_faults_are_named() -> None:
    reading = read_capture(TWO, strict=False)
    assert read_in_pieces(TWO) == reading
    assert broken_invariants(TWO, reading, capture_frames(TWO)) == []
    wrong = msgspec.structs.replace(reading, calls=(reading.calls[0],) * 2, executable=("x",))
    gap = [capture_frames(TWO)[0], capture_frames(TWO)[2]]
    assert broken_invariants(TWO, wrong, gap) == [
        "frames follow each other without a gap",
        "ids are distinct",
        "only complete calls may be executed",
    ]


def test_the_shape_of_an_answer_says_how_calls_are_told_apart() -> None:
    shape = shape_of(TWO)
    assert shape is not None
    assert (shape.frames, shape.ids, shape.indexes, shape.sharing) == ("one frame each", "one each", "all 0", 2)
    assert (shape.calls, shape.streamed, shape.family, shape.version) == (2, True, "made", "0.12.10")
    assert shape_of(made([delta(tool_calls=[call("a", 0, "get_time")]), b"[DONE]"])) is None


def test_shapes_of_every_kind() -> None:
    def kinds(*entries: dict[str, Any]) -> tuple[str, str, str, int]:
        shape = shape_of(made([delta(tool_calls=list(entries[:2])), *(delta(tool_calls=[e]) for e in entries[2:])]))
        assert shape is not None
        return shape.frames, shape.ids, shape.indexes, shape.sharing

    a, b, c = call("a", 0, "f"), call("b", 1, "g"), call(None, 2, "h")
    assert kinds(a, b) == ("all in one frame", "one each", "0, 1, 2 …", 0)
    assert kinds(a, b, c) == ("some in one frame", "some", "0, 1, 2 …", 0)
    assert kinds(call(None, None, "f"), call(None, None, "g")) == ("all in one frame", "none", "none", 0)
    assert kinds(a, call("b", 3, "g"), call("a", 0, "f")) == ("some in one frame", "repeated", "0, 3, 0", 0)


def test_tables_over_many_captures_go_from_old_to_new() -> None:
    old = made(
        [delta(tool_calls=[call("a", 0, "f"), call("b", 1, "g")])],
        version="0.9.0",
        name="tiny/chat/parallel.stream.old",
    )
    found = shapes([TWO, old])
    assert [shape.version for shape in found] == ["0.9.0", "0.12.10"]
    assert [row[0] for row in shapes_table(found).rows] == [old.name, TWO.name]
    assert versions_table(found).rows[1] == ("tiny", "0.12.10", "one frame each", "one each", "all 0", "yes", "1")
    assert summary(found) == "1 of 2 answers with several calls put distinct ids under one index."
    assert [shape.capture for shape in sharing(found)] == [TWO.name]
    assert version_key("b10.2") == (10, 2)


def test_what_a_gateway_left_of_the_calls() -> None:
    answers = [answer_of(TWO), answer_of(made([{"error": "gone"}], status=502, framing="whole"))]
    assert [(answer.said, answer.read) for answer in answers] == [(3, 2), (None, 0)]
    assert "502" in answers[1].error
    assert [row[1:4] for row in answers_table(answers).rows] == [("3", "2", "0"), ("", "0", "0")]
    assert [answer.capture for answer in differing(answers)] == [TWO.name]


def test_how_policies_read_the_same_answer() -> None:
    empty = made([delta(content="Hi", finish="stop")], name="tiny/chat/none.stream.made")
    rows = policies_table([TWO, empty], ["id-first", "index-first-strict", "index-concat"]).rows
    assert rows[0][1:3] == ("2 calls: get_weather + get_time", "stops: id-changed")
    assert rows[0][3].startswith("1 call: get_weatherget_time")
    assert rows[1][1] == "no calls"
