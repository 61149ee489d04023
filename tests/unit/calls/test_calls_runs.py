"""Runs of like frames are decoded at once; whatever is odd in one must come out as it does frame by frame."""

import json
from typing import Any

import pytest

from wirelab.calls import Limits, ResponseMachine, read_body
from wirelab.model import Reading

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
