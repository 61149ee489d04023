"""The chat completions protocol: server-sent events with `choices`, ended by a finish reason or `[DONE]`.

Reasoning comes as `reasoning_content`, `reasoning` or `thinking` (a server that sends several spellings of one piece is
read once), a refusal counts as text, and the legacy `function_call` is one call without a key: it is left alone where
the server also sends `tool_calls`. Several choices are several responses: the first one seen is read.
"""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET, Raw, Struct, UnsetType, field

from wirelab.model import Fragment, Json, Mode
from wirelab.protocols.errors import describe
from wirelab.protocols.reader import ABSENT, ARGUMENTS, TEXT, THINKING, FrameReader, output_tokens


class _Function(Struct, gc=False):
    name: Any = UNSET
    arguments: str | UnsetType | None = UNSET


class _Entry(Struct, gc=False):
    index: Any = UNSET
    id: Any = UNSET
    name: Any = UNSET
    function: _Function | None = None


class _Delta(Struct, gc=False):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    thinking: Any = None
    refusal: Any = None
    tool_calls: list[_Entry | None] | None = None
    function_call: _Function | None = None


class _Choice(Struct, gc=False):
    index: Any = None
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: Any = None


class _Chunk(Struct, gc=False):
    choices: list[_Choice | None] | None = None
    usage: Any = None
    error: Any = None
    debug_info: Any = field(default=UNSET, name="_debug_info")


_MISSING: Final = _Function()


class StreamReader(FrameReader[_Chunk]):
    """Reads the chunks of a streamed answer."""

    payload = _Chunk
    mode: Mode = "delta"
    known = frozenset({"choices", "usage", "id", "created"})

    _called = False
    """Whether `tool_calls` came, so that a `function_call` is only their echo."""
    _told = False
    """Whether anything came in deltas, so that a `message` is only their sum."""

    def _gather(self, payloads: Iterator[_Chunk], pieces: list[str]) -> _Chunk | None:
        ours, kind = self._choice, None
        for payload in payloads:
            choices = payload.choices
            if not choices or len(choices) > 1 or payload.usage or payload.error:
                return payload
            choice = choices[0]
            if choice is None or choice.index != ours or choice.finish_reason or (delta := choice.delta) is None:
                return payload
            if delta.tool_calls or delta.reasoning or delta.reasoning_content or delta.thinking or delta.refusal:
                this, piece, index = _piece_of(delta)
            else:
                this, piece = TEXT, delta.content
            if not piece or piece.__class__ is not str or delta.function_call is not None:
                return payload
            if this is not kind:
                if pieces:
                    return payload
                kind = self._kind = this
                self._places = []
                self._told = True
                self._called = self._called or kind == ARGUMENTS
            pieces.append(piece)
            if this is ARGUMENTS:
                self._places.append((index, None))
        return None

    def _tell(self, frame: int, payload: _Chunk) -> None:
        if payload.error:
            self._fail(frame, describe(payload.error))
            return
        choices = payload.choices
        if choices:
            choice = choices[0]
            if len(choices) > 1 or choice is None or choice.index != self._choice:
                choice = self._choose(frame, choices, "choices")
            if choice is not None:
                self._tell_choice(frame, choice)
        elif not payload.usage and self._look_for_error(frame, self._data_at(frame)):
            return
        if payload.usage:
            self._tell_usage(frame, payload.usage)

    def _tell_choice(self, frame: int, choice: _Choice) -> None:
        delta = choice.delta
        if delta is None and not self._told:
            delta = choice.message
        if delta is not None:
            content = delta.content
            if delta.reasoning_content or delta.reasoning or delta.thinking:
                self._tell_reasoning(frame, delta)
            if content:
                self._told = True
                if content.__class__ is str:
                    self._text(frame, content)
                else:
                    self._tell_content(frame, content)
            if delta.refusal:
                self._tell_content(frame, delta.refusal)
            if delta.tool_calls or delta.function_call is not None:
                self._tell_calls(frame, delta)
        reason = choice.finish_reason
        if reason and isinstance(reason, str):
            self._finish(frame, reason)

    def _tell_reasoning(self, frame: int, delta: _Delta) -> None:
        self._told = True
        told: list[Json] = []
        for thoughts in (delta.reasoning_content, delta.reasoning, delta.thinking):
            if thoughts and thoughts not in told:
                told.append(thoughts)
                self._tell_thoughts(frame, thoughts)

    def _tell_calls(self, frame: int, delta: _Delta) -> None:
        self._told = True
        if delta.tool_calls:
            self._called = True
            entries = len(delta.tool_calls)
            for position, entry in enumerate(delta.tool_calls):
                if entry is None:
                    self._malformed(frame, position, f"tool_calls[{position}] is no object")
                else:
                    self._tell_entry(frame, position, entries, entry)
        elif delta.function_call is not None and not self._called:
            self._tell_entry(frame, 0, 1, _Entry(function=delta.function_call))

    def _tell_entry(self, frame: int, position: int, entries: int, entry: _Entry) -> None:
        if entry.function is None and entry.name is not UNSET:
            self._malformed(frame, position, f"tool_calls[{position}] has its name outside of a function")
        function = entry.function or _MISSING
        arguments = function.arguments
        if isinstance(arguments, Raw):
            arguments = self._object_arguments(frame, position, arguments)
        self._fragment(Fragment(frame, position, entries, entry.id, entry.index, function.name, arguments, self.mode))

    def _tell_usage(self, frame: int, usage: Json) -> None:
        if isinstance(usage, dict):
            self._sink.usage(frame, usage, output_tokens(usage, "completion_tokens"))


def _piece_of(delta: _Delta) -> tuple[str, Any, int]:
    """The kind of the one thing that a delta is a piece of, the piece, and the index of its call; else no piece."""
    calls = delta.tool_calls
    if delta.content or delta.reasoning_content or delta.thinking or delta.refusal or (calls and delta.reasoning):
        return TEXT, None, 0
    if not calls:
        return THINKING, delta.reasoning, 0
    entry = calls[0]
    if len(calls) == 1 and entry is not None and entry.index.__class__ is int and entry.id in ABSENT:
        function = entry.function
        if function is not None and function.name in ABSENT:
            return ARGUMENTS, function.arguments, entry.index
    return ARGUMENTS, None, 0


class WholeReader(StreamReader):
    """Reads an answer that came as one object, its choices with a `message`; or a prompt that was asked for instead."""

    mode: Mode = "whole"
    leftover = "read"

    def _tell(self, frame: int, payload: _Chunk) -> None:
        if payload.debug_info is not UNSET:
            self._note("prompt-rendered", frame, None, "the answer is the prompt (`_debug_info`); no model ran")
            self._finish(frame, None)
        super()._tell(frame, payload)
