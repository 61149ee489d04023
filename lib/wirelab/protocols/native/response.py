"""Ollama's native protocol (`/api/chat`, and the text of `/api/generate`): NDJSON lines, or one object.

Every line holds a piece of text or thinking and whole tool calls; the last one says `done` and counts tokens. An error
is a line with an `error` key; Ollama 0.11 sent lines whose key was the error's text. `_debug_info` is a prompt that was
asked for in place of an answer.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from msgspec import UNSET, Raw, Struct, UnsetType, field

from wirelab.model import Fragment
from wirelab.protocols.errors import describe
from wirelab.protocols.reader import TEXT, THINKING, FrameReader, Leftover, output_tokens

_COUNTS: Final = ("prompt_eval_count", "eval_count")


class _Function(Struct, gc=False):
    index: Any = UNSET
    name: Any = UNSET
    arguments: Raw = Raw()


class _Entry(Struct, gc=False):
    id: Any = UNSET
    name: Any = UNSET
    function: _Function | None = None


class _Message(Struct, gc=False):
    content: Any = None
    thinking: Any = None
    tool_calls: list[_Entry | None] | None = None


class _Line(Struct, gc=False):
    message: _Message | None = None
    done: Any = None
    done_reason: Any = None
    prompt_eval_count: Any = UNSET
    eval_count: Any = UNSET
    response: Any = None
    thinking: Any = None
    error: Any = None
    debug_info: Any | UnsetType = field(default=UNSET, name="_debug_info")


_MISSING: Final = _Function()


class StreamReader(FrameReader[_Line]):
    """Reads the lines of a streamed answer."""

    payload = _Line
    known = frozenset({"message", "response", "done", "_debug_info", "model", "created_at", "thinking"})
    leftover: ClassVar[Leftover] = "objects"

    def _gather(self, payloads: Iterator[_Line], pieces: list[str]) -> _Line | None:
        kind = None
        for payload in payloads:
            message = payload.message
            if message is None or message.tool_calls or payload.done or payload.error:
                return payload
            this, piece = TEXT, message.content
            if thought := message.thinking:
                if piece:
                    return payload
                this, piece = THINKING, thought
            if not piece or piece.__class__ is not str or payload.debug_info is not UNSET:
                return payload
            if this is not kind:
                if pieces:
                    return payload
                kind = self._kind = this
            pieces.append(piece)
        return None

    def _tell(self, frame: int, payload: _Line) -> None:
        message = payload.message
        if payload.error:
            self._fail(frame, describe(payload.error))
            return
        if message is None:
            self._tell_generated(frame, payload)
        else:
            if message.thinking:
                self._tell_thoughts(frame, message.thinking)
            content = message.content
            if content:
                if content.__class__ is str:
                    self._text(frame, content)
                else:
                    self._tell_content(frame, content)
            if message.tool_calls:
                self._tell_entries(frame, message.tool_calls)
        if payload.done is True or payload.debug_info is not UNSET:
            self._tell_end(frame, payload)

    def _tell_generated(self, frame: int, line: _Line) -> None:
        """A line without a message: text of `/api/generate`, or an error under a key of its own."""
        if line.done is None and line.response is None and self._look_for_error(frame, self._data_at(frame)):
            return
        if line.thinking:
            self._tell_thoughts(frame, line.thinking)
        if line.response:
            self._tell_content(frame, line.response)

    def _tell_entries(self, frame: int, entries: list[_Entry | None]) -> None:
        count = len(entries)
        for position, entry in enumerate(entries):
            if entry is None:
                self._malformed(frame, position, f"tool_calls[{position}] is no object")
                continue
            function = entry.function
            if function is None:
                function = _MISSING
                if entry.name is not UNSET:
                    self._malformed(frame, position, f"tool_calls[{position}] has its name outside of a function")
            value = self._object_arguments(frame, position, function.arguments)
            self._fragment(Fragment(frame, position, count, entry.id, function.index, function.name, value, "whole"))

    def _tell_end(self, frame: int, line: _Line) -> None:
        if line.debug_info is not UNSET:
            self._note("prompt-rendered", frame, None, "the answer is the prompt (`_debug_info`); no model ran")
        pairs = zip(_COUNTS, (line.prompt_eval_count, line.eval_count), strict=True)
        counts = {key: count for key, count in pairs if count is not UNSET}
        if counts:
            self._sink.usage(frame, counts, output_tokens(counts, "eval_count"))
        self._finish(frame, line.done_reason if isinstance(line.done_reason, str) else None)


class WholeReader(StreamReader):
    """Reads an answer that came as one object; a native one is a single line."""

    leftover = "read"
