"""Runs of like frames are decoded at once; whatever is odd in one must come out as it does frame by frame."""

import json
from typing import Any

import pytest

from wirelab import calls
from wirelab.calls import Limits, Reconciler, ResponseMachine, read_body
from wirelab.calls.rules import ALL_RULES
from wirelab.errors import MisuseError
from wirelab.framing import NdjsonDecoder, SseDecoder
from wirelab.model import Fragment, Reading
from wirelab.protocols.eventlog import EventLog
from wirelab.protocols.registry import PROTOCOLS

PLAIN: dict[str, Any] = {
    "native": {"message": {"content": "word "}},
    "chat": {"choices": [{"index": 0, "delta": {"content": "word "}}]},
    "messages": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word "}},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "word "}]}}]},
    "responses": {"type": "response.output_text.delta", "item_id": "m", "content_index": 0, "delta": "word "},
}
ODD = {
    "native": ['{"message": {"tool_calls": [null]}}', '{"message": }', '{"error": "no"}', '{"message": 7}', "[]", "{}"],
    "chat": [
        '{"choices": [null]}',
        '{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "name": "f"}]}}]}',
        '{"choices": }',
        '{"error": {"message": "no"}}',
        "[DONE]",
        '{"a": 1} {"b": 2}',
    ],
    "messages": ['{"type": "error", "error": {"message": "no"}}', '{"type": "content_block_delta", "delta": 7}', "{}"],
    "gemini": ['{"candidates": [null]}', '{"error": {"message": "no"}}', '{"unknown": {"code": 500}}'],
    "responses": ['{"type": "response.output_text.delta", "delta": 7}', '{"type": "error", "message": "no"}', "{}"],
}
CASES = [(protocol, odd) for protocol, payloads in ODD.items() for odd in payloads]


def framed(protocol: str, text: str, event: str | None = None) -> bytes:
    if protocol == "native":
        return text.encode() + b"\n"
    return (f"event: {event}\n" if event else "").encode() + b"data: " + text.encode() + b"\n\n"


def in_reads(protocol: str, body: bytes, size: int, limits: Limits | None = None) -> Reading:
    machine = ResponseMachine(protocol, strict=False, limits=limits)
    for start in range(0, len(body), size):
        machine.push(body[start : start + size])
    return machine.close()


@pytest.mark.parametrize(("protocol", "odd"), CASES)
@pytest.mark.parametrize("event", [None, "error", "x"])
def test_an_odd_frame_inside_of_a_run(protocol: str, odd: str, event: str | None) -> None:
    plain = framed(protocol, json.dumps(PLAIN[protocol]), event and "x")
    body = plain * 40 + framed(protocol, odd, event) + plain * 40
    frame_by_frame = in_reads(protocol, body, 64)
    assert in_reads(protocol, body, len(body)) == frame_by_frame
    assert read_body(body, protocol, strict=False) == frame_by_frame
    assert frame_by_frame.text.startswith("word " * 40)


def chat_piece(number: int, text: str, **more: Any) -> bytes:
    entry = {"index": number, "function": {"arguments": text}, **more}
    return framed("chat", json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}))


def opened(number: int) -> bytes:
    return chat_piece(number, "", id=f"call_{number}", function={"name": "f", "arguments": ""})


def test_pieces_of_two_calls_in_one_frame_and_pieces_that_are_not_plain() -> None:
    entries = [{"index": number, "function": {"arguments": "{"}} for number in (0, 1, 0)]
    both = framed("chat", json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": entries[:2]}}]}))
    twice = framed("chat", json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": entries[::2]}}]}))
    more = b"".join(chat_piece(0, text) for text in ('"ü": ', "", "1", "}}", "}"))
    body = opened(0) + opened(1) + both + twice + more
    assert in_reads("chat", body, 1) == in_reads("chat", body, len(body))


def test_a_piece_over_a_limit_is_dropped_and_said() -> None:
    body = opened(0) + chat_piece(0, '{"a": "') + chat_piece(0, "x" * 40) + chat_piece(0, '"}')
    reading = in_reads("chat", body, len(body), Limits(argument_bytes=20))
    assert reading.error is not None
    assert reading.error.code == "argument-budget"
    assert reading.calls[0].arguments_text == '{"a": "'


def test_text_for_a_call_of_objects_is_said_though_it_is_a_plain_piece() -> None:
    call = {"id": "a", "function": {"index": 0, "name": "f"}}
    piece = {"function": {"index": 0, "arguments": '{"a": 1}'}}
    lines = [{"message": {"tool_calls": [call]}}, {"message": {"tool_calls": [piece]}}, {"done": True}]
    reading = read_body(b"".join(framed("native", json.dumps(line)) for line in lines), "native", strict=False)
    assert "arguments-shape" in {finding.code for finding in reading.findings}


def test_a_new_id_beside_a_call_without_one_in_the_same_frame_is_another_call() -> None:
    entries = [{"index": 0, "function": {"name": "f"}}, {"index": 0, "id": "a", "function": {"name": "f"}}]
    body = framed("chat", json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": entries}}]}))
    assert len(read_body(body, "chat", strict=False).calls) == 2


def chat_delta(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta}]}


def messages_delta(index: int = 0, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def responses_delta(event: str, piece: Any, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{event}.delta", "item_id": f"i{index}", "output_index": index, "delta": piece, **more}


def gemini_part(**part: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [part]}}], "usageMetadata": {"candidatesTokenCount": 1}}


CHANGING: dict[str, list[dict[str, Any]]] = {
    "native": [
        {"message": {"thinking": "hm "}},
        {"message": {"content": "so ", "thinking": "and "}},
        {"message": {"content": "word "}},
        {"message": {"content": "word "}},
        {"message": {"thinking": "hm "}},
        {"message": {"content": ""}},
    ],
    "chat": [
        chat_delta(reasoning="hm "),
        chat_delta(reasoning="hm ", reasoning_content="hm "),
        chat_delta(content="word ", reasoning="and "),
        chat_delta(content="word "),
        chat_delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]),
        chat_delta(tool_calls=[{"index": 0, "function": {"arguments": "{"}}]),
        chat_delta(tool_calls=[{"index": 0, "function": {"arguments": "}"}}]),
        chat_delta(tool_calls=[{"index": 0, "function": {"arguments": ""}}]),
        chat_delta(tool_calls=[{"index": 0, "function": {}}, {"index": 1}]),
        chat_delta(content="word "),
        chat_delta(function_call={"arguments": "no"}),
    ],
    "messages": [
        messages_delta(thinking="hm "),
        messages_delta(text="word "),
        messages_delta(text="word "),
        messages_delta(partial_json="{"),
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "f"}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "b", "name": "g"}},
        messages_delta(1, partial_json="{"),
        messages_delta(2, partial_json="{}"),
        messages_delta(1, partial_json="}"),
        {**messages_delta(partial_json="}"), "index": 1.0},
        messages_delta(1, partial_json=""),
    ],
    "gemini": [
        gemini_part(text="hm ", thought=True),
        gemini_part(text="word "),
        gemini_part(text="word ", thought="odd"),
        gemini_part(text="word "),
        gemini_part(functionCall={"name": "f", "args": {}}),
        {"candidates": [{"index": 0}]},
        {"candidates": [{"index": 0, "content": {"parts": [{"text": "a"}, {"text": "b"}]}}]},
    ],
    "responses": [
        responses_delta("reasoning_summary_text", "hm ", summary_index=0),
        responses_delta("output_text", "word ", 1, content_index=0),
        responses_delta("output_text", "word ", 1, content_index=0),
        responses_delta("output_text", "word ", 1, content_index=1),
        responses_delta("output_text", "word ", 1, content_index=1.0),
        {
            "type": "response.output_text.done",
            "item_id": "i1",
            "output_index": 1,
            "content_index": 0,
            "text": "word word !",
        },
        responses_delta("function_call_arguments", "{", 2),
        responses_delta("function_call_arguments", "}", 2, name="f"),
        responses_delta("function_call_arguments", "{}", 3),
    ],
}


@pytest.mark.parametrize("protocol", CHANGING)
def test_pieces_of_several_kinds_in_one_run(protocol: str) -> None:
    bodies = [framed(protocol, json.dumps(payload)) for payload in CHANGING[protocol]]
    plain = framed(protocol, json.dumps(PLAIN[protocol]))
    body = b"".join([plain, *bodies, plain, *bodies])
    frame_by_frame, in_runs = EventLog(), EventLog()
    entry = PROTOCOLS[protocol]
    decoder: Any = NdjsonDecoder if protocol == "native" else SseDecoder
    reader = entry.stream_reader(frame_by_frame)
    for frame in decoder().push(body):
        reader.read(frame)
    reader.close()
    reader = entry.stream_reader(in_runs)
    (run,) = decoder().feed(body)
    reader.read_run(run)
    reader.close()
    assert in_runs.events == frame_by_frame.events
    assert in_reads(protocol, body, 1) == in_reads(protocol, body, len(body))


def opened_by(reconciler: Reconciler) -> Reconciler:
    reconciler.fragment(Fragment(0, 0, 1, "a", 0, "f", ""))
    return reconciler


def test_pieces_that_are_told_in_a_row() -> None:
    reconciler = opened_by(Reconciler("chat"))
    reconciler.arguments((0, 1, 1), ("{", '"a"', ": 1}"), [(0, None)] * 3)
    assert reconciler.snapshot().calls[0].frames == (0, 1)
    assert reconciler.snapshot().calls[0].arguments == {"a": 1}


def test_pieces_go_the_long_way_where_a_rule_is_off() -> None:
    reconciler = opened_by(Reconciler("chat", rules=ALL_RULES - {"continuation-by-index"}, strict=False))
    reconciler.arguments((1,), ("{}",), [(0, None)])
    assert [finding.code for finding in reconciler.snapshot().findings] == ["stray-continuation"]


def test_no_piece_is_taken_after_the_end() -> None:
    reconciler = opened_by(Reconciler("chat"))
    reconciler.finish(1, "stop")
    reconciler.arguments((1,), ("{}",), [(0, None)])
    reconciler.close()
    with pytest.raises(MisuseError):
        reconciler.arguments((2,), ("{}",), [(0, None)])


def test_the_end_says_that_the_frame_before_was_too_large() -> None:
    machine = ResponseMachine("chat", strict=False)
    plain = framed("chat", json.dumps(PLAIN["chat"]))
    machine.push(plain)
    machine._decoder._limit = len(plain)  # type: ignore[union-attr]
    machine.push(plain + b"x" * len(plain) * 2)
    assert [finding.code for finding in machine.close().findings][:1] == ["frame-too-large"]


def test_what_is_loaded_later_is_there_all_the_same() -> None:
    assert set(dir(calls)) >= {"POLICIES", "compare_policies", "make_reconciler"}
    assert calls.make_reconciler("id-then-index", "chat").policy == "id-then-index"
    assert calls.make_reconciler("id-first", "chat").policy == "id-first"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        calls.nothing  # noqa: B018


def test_a_piece_of_text_for_a_call_of_objects_is_said() -> None:
    reconciler = opened_by(Reconciler("native"))
    reconciler.arguments((1,), ("{}",), [(0, None)])
    assert [finding.code for finding in reconciler.snapshot().findings] == ["arguments-shape"]
