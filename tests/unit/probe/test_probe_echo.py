"""What the next turn sends back, where the committed recordings show no example."""

from typing import Any

import msgspec
import pytest

from wirelab.capture.types import Capture, End, Framing, Head, Read, Request, Response, Source
from wirelab.probe.echo import reply


def capture(
    protocol: str, body: bytes, framing: Framing = "whole", *, status: int = 200, end: End | None = None
) -> Capture:
    head = Head(
        name=f"t/{protocol}/conversation-1.whole.m",
        scenario="conversation-1",
        protocol=protocol,
        framing=framing,
        recorded_at="2026-01-01T00:00:00Z",
        source=Source("synthetic"),
        request=Request(json={"messages": []}),
        response=Response(status),
    )
    return Capture(head, (Read(0.0, body),), end or End("complete"))


def encoded(**fields: Any) -> bytes:
    return msgspec.json.encode(fields)


MESSAGE = {
    "role": "assistant",
    "content": "",
    "extra": [1],
    "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}],
}


def test_a_whole_native_message_goes_back_as_it_came() -> None:
    answer = capture("native", encoded(message=MESSAGE, done=True, done_reason="stop"))
    assert reply(answer) == [MESSAGE, {"role": "tool", "tool_name": "f", "tool_call_id": "c", "content": "ok"}]


def test_a_whole_chat_message_without_calls_gets_another_question() -> None:
    message = {"role": "assistant", "content": "Hello.", "refusal": None}
    answer = capture("chat", encoded(choices=[{"index": 0, "message": message, "finish_reason": "stop"}]))
    assert reply(answer) == [message, {"role": "user", "content": "And in Bergen?"}]


def test_whole_messages_and_responses_go_back_as_they_came() -> None:
    block = {"type": "tool_use", "id": "t", "name": "get_time", "input": {}, "caller": {"type": "direct"}}
    answer = capture("messages", encoded(type="message", role="assistant", content=[block], stop_reason="tool_use"))
    result = {"type": "tool_result", "tool_use_id": "t", "content": "14:05"}
    assert reply(answer) == [{"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}]
    item = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "c",
        "name": "f",
        "arguments": "{}",
        "status": "completed",
    }
    answer = capture("responses", encoded(object="response", status="completed", output=[item]))
    assert reply(answer) == [item, {"type": "function_call_output", "call_id": "c", "output": "ok"}]


def test_the_signature_of_a_streamed_thought_goes_back() -> None:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    body = b"".join(
        b"event: %b\ndata: %b\n\n" % (str(each["type"]).encode(), msgspec.json.encode(each)) for each in events
    )
    found = reply(capture("messages", body, "sse"))
    assert found is not None
    assert found[0]["content"][0] == {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}


def test_a_call_without_an_id_gets_a_result_without_one() -> None:
    entry = {"function": {"name": "get_time", "arguments": {}}}
    line = encoded(message={"role": "assistant", "content": "", "tool_calls": [entry]}, done=True, done_reason="stop")
    found = reply(capture("native", line + b"\n", "ndjson"))
    assert found is not None
    assert found[0]["tool_calls"] == [entry]
    assert found[1] == {"role": "tool", "tool_name": "get_time", "content": "14:05"}


@pytest.mark.parametrize(
    "answer",
    [
        capture("native", b'{"error":"no"}', status=500),
        capture("native", b"", "ndjson", end=End("cut", by="server")),
        capture("native", b'{"error":"the model died"}\n', "ndjson"),
        capture("chat", b"\xff\xfe no json at all"),
        capture("chat", b"data: [DONE]\n\n", "sse", end=End("error")),
    ],
)
def test_an_answer_that_failed_gives_nothing_to_go_on_with(answer: Capture) -> None:
    assert reply(answer) is None
