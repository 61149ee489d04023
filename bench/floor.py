"""Floor (a): msgspec decodes each payload of a body into the smallest typed struct that holds an answer; no more.

The payloads are cut out beforehand, and what is decoded is dropped: nothing that reads the answer can cost less.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Raw, Struct


class _NativeFunction(Struct, gc=False):
    name: str = ""
    arguments: Raw = Raw()


class _NativeCall(Struct, gc=False):
    function: _NativeFunction
    id: str = ""


class _NativeMessage(Struct, gc=False):
    content: str = ""
    thinking: str = ""
    tool_calls: list[_NativeCall] = []


class _NativeLine(Struct, gc=False):
    message: _NativeMessage
    done: bool = False
    done_reason: str | None = None
    eval_count: int = 0


class _ChatFunction(Struct, gc=False):
    name: str | None = None
    arguments: str = ""


class _ChatCall(Struct, gc=False):
    function: _ChatFunction
    index: int = 0
    id: str | None = None


class _ChatDelta(Struct, gc=False):
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_ChatCall] | None = None


class _ChatChoice(Struct, gc=False):
    delta: _ChatDelta
    finish_reason: str | None = None


class _ChatChunk(Struct, gc=False):
    choices: list[_ChatChoice] = []


class _Item(Struct, gc=False):
    type: str
    id: str = ""
    call_id: str = ""
    name: str = ""
    arguments: str = ""


class _Response(Struct, gc=False):
    status: str = ""
    output: list[_Item] = []


class _ResponsesEvent(Struct, gc=False):
    type: str
    item_id: str = ""
    delta: str = ""
    item: _Item | None = None
    response: _Response | None = None


class _Block(Struct, gc=False):
    type: str
    id: str = ""
    name: str = ""


class _MessagesDelta(Struct, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _MessagesEvent(Struct, gc=False):
    type: str
    index: int = 0
    content_block: _Block | None = None
    delta: _MessagesDelta | None = None


class _FunctionCall(Struct, gc=False):
    name: str
    args: Raw = Raw()
    id: str = ""


class _Part(Struct, gc=False, rename="camel"):
    text: str = ""
    function_call: _FunctionCall | None = None


class _Content(Struct, gc=False):
    parts: list[_Part] = []


class _Candidate(Struct, gc=False, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _GeminiChunk(Struct, gc=False):
    candidates: list[_Candidate] = []


STRUCTS: dict[str, type[Struct]] = {
    "native": _NativeLine,
    "chat": _ChatChunk,
    "responses": _ResponsesEvent,
    "messages": _MessagesEvent,
    "gemini": _GeminiChunk,
}


def payloads(body: bytes, protocol: str) -> list[bytes]:
    """The JSON payloads of a well-formed body, cut out the plainest way."""
    if protocol == "native":
        return [line for line in body.split(b"\n") if line]
    lines = body.replace(b"\r\n", b"\n").split(b"\n")
    return [line[6:] for line in lines if line.startswith(b"data: {")]


def floor(body: bytes, protocol: str) -> Callable[[], Any]:
    """The floor of a body, ready to be run."""
    return floor_of(payloads(body, protocol), protocol)


def floor_of(lines: list[bytes], protocol: str) -> Callable[[], Any]:
    """The floor of payloads that were cut out already."""
    decode = msgspec.json.Decoder(STRUCTS[protocol]).decode

    def run() -> None:
        for line in lines:
            decode(line)

    return run
