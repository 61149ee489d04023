"""The bodies that are measured, each with the answer that a subject must give before its time counts.

*typical*: a stream that a server sent, its text frames repeated until it is as long as a real answer. *calls*: 128
calls at once, made here in each protocol's shape. *recorded*: all streams of a protocol exactly as they were recorded,
one after the other; they are short, so that what a response costs once weighs more than what a frame costs.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from wirelab.capture import Capture, load

RECORDED = Path(__file__).parent.parent / "captures" / "recorded"
PROTOCOLS = ("native", "chat", "responses", "messages", "gemini")
TEXT_FRAMES = 500
CALLS = 128

Call = tuple[str | None, str, Any]
"""Id (None: not to be compared), name and arguments."""


class Corpus(NamedTuple):
    """A body and what it says."""

    name: str
    protocol: str
    body: bytes
    text: str
    calls: tuple[Call, ...]


def cut(body: bytes, protocol: str) -> list[bytes]:
    """A well-formed body's frames with their terminators, the plainest way: what one read each brings."""
    end = b"\n" if protocol == "native" else b"\n\n"
    return [part + end for part in body.split(end) if part]


def frame(payload: Any, protocol: str) -> bytes:
    """A payload framed as the protocol's servers do."""
    text = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
    if protocol == "native":
        return text + b"\n"
    event = b"event: %s\n" % payload["type"].encode() if protocol in ("messages", "responses") else b""
    return event + b"data: " + text + b"\n\n"


@cache
def recorded(protocol: str) -> tuple[Capture, ...]:
    """All recorded streams of a protocol of which the truth is known: complete, with calls, nothing lost on the way."""
    captures = (load(path) for path in sorted(RECORDED.glob(f"*/{protocol}/*.stream*.jsonl")))
    return tuple(capture for capture in captures if _is_plain(capture))


def _is_plain(capture: Capture) -> bool:
    said = (capture.observed.model_said if capture.observed else None) or {}
    fine = capture.response.status == 200 and capture.end.kind == "complete"
    return fine and bool(said.get("calls")) and bool(said.get("text"))


def typical(protocol: str) -> Corpus:
    """The longest recorded stream with text and calls, each of its text frames repeated in place."""
    capture = max(recorded(protocol), key=lambda one: (_has_words(one), one.source.server == "ollama", len(one.body)))
    frames = cut(capture.body, protocol)
    texts = sum(bool(text_of(part, protocol)) for part in frames)
    times = max(1, TEXT_FRAMES // texts)
    longer = [copy for part in frames for copy in [part] * (times if text_of(part, protocol) else 1)]
    text = "".join(text_of(part, protocol) for part in longer)
    said = capture.observed.model_said["calls"]  # type: ignore[union-attr,index]
    calls = tuple((None, call["name"], call["arguments"]) for call in said)
    return Corpus(f"typical {protocol}", protocol, b"".join(longer), text, calls)


def _has_words(capture: Capture) -> bool:
    """The stream brings the whole text that the model said, frame by frame."""
    frames = cut(capture.body, capture.protocol)
    words = [text_of(part, capture.protocol) for part in frames]
    said = capture.observed.model_said["text"]  # type: ignore[union-attr,index]
    return "".join(words) == said and sum(map(bool, words)) > 3


def text_of(part: bytes, protocol: str) -> str:
    """The piece of answer text in a frame; empty where there is none."""
    payload = part.split(b"data: ", 1)[-1].strip()
    if not payload.startswith(b"{"):
        return ""
    return _TEXT[protocol](json.loads(payload)) or ""


def _chat_text(chunk: Any) -> Any:
    return chunk["choices"][0]["delta"].get("content") if chunk.get("choices") else ""


def _gemini_text(chunk: Any) -> Any:
    parts = chunk["candidates"][0]["content"]["parts"]
    return "".join(part.get("text", "") for part in parts)


_TEXT: dict[str, Callable[[Any], Any]] = {
    "native": lambda line: line["message"].get("content"),
    "chat": _chat_text,
    "responses": lambda event: event["delta"] if event["type"] == "response.output_text.delta" else "",
    "messages": lambda event: event["delta"].get("text") if event["type"] == "content_block_delta" else "",
    "gemini": _gemini_text,
}


def many_calls(protocol: str, calls: int = CALLS, pieces: int = 12, words: int = 12) -> Corpus:
    """A stream of `calls` calls, their argument text in `pieces` pieces where the protocol has pieces."""
    wanted = tuple((f"call_{number:04}", f"tool_{number % 5}", _arguments(number, words)) for number in range(calls))
    payloads = _MAKERS[protocol](wanted, pieces)
    body = b"".join(frame(payload, protocol) for payload in payloads)
    if protocol == "chat":
        body += b"data: [DONE]\n\n"
    return Corpus(f"{calls} calls {protocol}", protocol, body, "", wanted)


def _arguments(number: int, words: int) -> dict[str, Any]:
    return {"city": f"Oslo {number}", "days": number, "note": "rain " * words, "tags": ["a", "b"]}


def _pieces(arguments: Any, count: int) -> list[str]:
    text = json.dumps(arguments, separators=(",", ":"))
    step = -(-len(text) // count)
    return [text[start : start + step] for start in range(0, len(text), step)]


def _native(calls: tuple[Call, ...], _pieces_of_each: int) -> Iterator[Any]:
    for index, (identifier, name, arguments) in enumerate(calls):
        function = {"index": index, "name": name, "arguments": arguments}
        yield _native_line({"content": "", "tool_calls": [{"id": identifier, "function": function}]})
    yield _native_line({"content": ""}) | {
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 9,
        "eval_count": 99,
    }


def _native_line(message: Any) -> dict[str, Any]:
    when = "2026-11-30T17:10:54.777Z"
    return {"model": "m", "created_at": when, "message": {"role": "assistant", **message}, "done": False}


def _chat(calls: tuple[Call, ...], count: int) -> Iterator[Any]:
    for index, (identifier, name, _) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        yield chat_chunk({"tool_calls": [{"index": index, "id": identifier, "type": "function", "function": function}]})
    texts = [_pieces(arguments, count) for _, _, arguments in calls]
    for turn in range(max(map(len, texts))):
        for index, pieces in enumerate(texts):
            if turn < len(pieces):
                yield chat_chunk({"tool_calls": [{"index": index, "function": {"arguments": pieces[turn]}}]})
    yield chat_chunk({}, "tool_calls")


def chat_chunk(delta: Any, reason: str | None = None) -> dict[str, Any]:
    """One chunk of a chat stream."""
    choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1796058654, "model": "m"}
    return {**head, "system_fingerprint": "fp_ollama", "choices": choices}


def _messages(calls: tuple[Call, ...], count: int) -> Iterator[Any]:
    usage = {"input_tokens": 9, "output_tokens": 0}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}}
    for index, (identifier, name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": identifier, "name": name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in _pieces(arguments, count):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 99}}
    yield {"type": "message_stop"}


def _responses(calls: tuple[Call, ...], count: int) -> Iterator[Any]:
    for number, event in enumerate(_response_events(calls, count)):
        yield {**event, "sequence_number": number}


def _response_events(calls: tuple[Call, ...], count: int) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": _response("in_progress", [])}
    output = []
    for index, (identifier, name, arguments) in enumerate(calls):
        place = {"item_id": f"fc_{index}", "output_index": index}
        text = json.dumps(arguments, separators=(",", ":"))
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": identifier, "name": name}
        begun = {**item, "arguments": "", "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": begun}
        for piece in _pieces(arguments, count):
            yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
        yield {"type": "response.function_call_arguments.done", **place, "arguments": text}
        output.append({**item, "arguments": text, "status": "completed"})
        yield {"type": "response.output_item.done", "output_index": index, "item": output[-1]}
    yield {"type": "response.completed", "response": _response("completed", output)}


def _response(status: str, output: list[Any]) -> dict[str, Any]:
    details = {"cached_tokens": 0}, {"reasoning_tokens": 0}
    usage = {"input_tokens": 9, "output_tokens": 99, "total_tokens": 108}
    usage |= {"input_tokens_details": details[0], "output_tokens_details": details[1]}  # type: ignore[dict-item]
    head = {"id": "resp_1", "object": "response", "created_at": 1796058654, "model": "m", "error": None}
    more = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True, "usage": usage}
    return {**head, **more, "status": status, "output": output}


def _gemini(calls: tuple[Call, ...], _pieces_of_each: int) -> Iterator[Any]:
    for identifier, name, arguments in calls:
        part = {"functionCall": {"id": identifier, "name": name, "args": arguments}}
        yield {"candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}], "modelVersion": "m"}
    end = {"content": {"parts": [], "role": "model"}, "finishReason": "STOP", "index": 0}
    yield {"candidates": [end], "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 99}}


_MAKERS: dict[str, Callable[[tuple[Call, ...], int], Iterator[Any]]] = {
    "native": _native,
    "chat": _chat,
    "messages": _messages,
    "responses": _responses,
    "gemini": _gemini,
}
