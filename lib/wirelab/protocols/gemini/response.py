"""The Gemini protocol: chunks with candidates whose content is a list of parts, as server-sent events or as a list.

Every `functionCall` part is a call of its own with whole arguments. A part with `thought` is thinking. A prompt that
was blocked has no candidates: it is told as an error. Calls whose arguments are streamed (`partialArgs`) are not
understood and said to be malformed, so that none of them runs with half of its arguments.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec import UNSET, Raw, Struct, structs

from wirelab.model import Fragment, Json
from wirelab.protocols.decoding import UNDECODABLE, decode_list
from wirelab.protocols.errors import describe
from wirelab.protocols.reader import TEXT, THINKING, FrameReader, Leftover, output_tokens


class _FunctionCall(Struct, gc=False):
    id: Any = UNSET
    name: Any = UNSET
    args: Raw = Raw()
    partialArgs: Any = None  # noqa: N815
    willContinue: Any = None  # noqa: N815


class _Part(Struct, gc=False):
    text: Any = None
    thought: Any = None
    functionCall: _FunctionCall | None = None  # noqa: N815


class _Content(Struct, gc=False):
    parts: list[_Part | None] | None = None


class _Candidate(Struct, gc=False):
    content: _Content | None = None
    finishReason: Any = None  # noqa: N815
    index: Any = None


class _Feedback(Struct, gc=False):
    blockReason: Any = None  # noqa: N815


class _Chunk(Struct, gc=False):
    candidates: list[_Candidate | None] | None = None
    usageMetadata: Any = None  # noqa: N815
    promptFeedback: _Feedback | None = None  # noqa: N815
    error: Any = None


class StreamReader(FrameReader[_Chunk]):
    """Reads the chunks of a streamed answer."""

    payload = _Chunk
    known = frozenset({"candidates", "usageMetadata", "promptFeedback", "responseId", "modelVersion"})
    done_marker_finishes = False

    _keys = 0
    """How many calls came so far."""
    _usage: tuple[int, Json] | None = None
    """The latest counts and their frame; every chunk repeats them, so they are told once, at the end."""

    def _gather(self, payloads: Iterator[_Chunk], pieces: list[str]) -> _Chunk | None:
        ours, kind = self._choice, None
        for payload in payloads:
            candidates = payload.candidates
            if not candidates or len(candidates) > 1 or payload.error:
                return payload
            candidate = candidates[0]
            if candidate is None or candidate.index != ours or candidate.finishReason:
                return payload
            content = candidate.content
            if content is None or not content.parts or len(content.parts) > 1:
                return payload
            part = content.parts[0]
            if part is None or part.functionCall is not None:
                return payload
            piece, thought = part.text, part.thought
            if not piece or piece.__class__ is not str or (thought is not None and thought is not True):
                return payload
            this = THINKING if thought else TEXT
            if this is not kind:
                if pieces:
                    return payload
                kind = self._kind = this
            if payload.usageMetadata:
                self._usage = self._first + len(pieces), payload.usageMetadata
            pieces.append(piece)
        return None

    def _tell(self, frame: int, payload: _Chunk) -> None:
        if payload.error:
            self._fail(frame, describe(payload.error))
            return
        candidates = payload.candidates
        if candidates:
            candidate = candidates[0]
            if len(candidates) > 1 or candidate is None or candidate.index != self._choice:
                candidate = self._choose(frame, candidates, "candidates")
            if candidate is not None:
                self._tell_candidate(frame, candidate)
        elif payload.promptFeedback is not None and payload.promptFeedback.blockReason:
            self._fail(frame, f"the prompt was blocked: {describe(payload.promptFeedback.blockReason)}")
            return
        elif not payload.usageMetadata and self._look_for_error(frame, self._data_at(frame)):
            return
        if payload.usageMetadata:
            self._usage = frame, payload.usageMetadata

    def close(self) -> None:
        """The body has ended: the counts that came last hold."""
        if self._usage is not None and not self._ended:
            self._tell_usage(*self._usage)

    def _tell_candidate(self, frame: int, candidate: _Candidate) -> None:
        content = candidate.content
        if content is not None and content.parts:
            for position, part in enumerate(content.parts):
                if part is None:
                    self._malformed(frame, position, f"parts[{position}] is no object")
                elif part.text.__class__ is str and part.thought is None and part.functionCall is None:
                    if part.text:
                        self._text(frame, part.text)
                else:
                    self._tell_rich_part(frame, position, len(content.parts), part)
        reason = candidate.finishReason
        if reason and isinstance(reason, str):
            self._finish(frame, reason)

    def _tell_rich_part(self, frame: int, position: int, entries: int, part: _Part) -> None:
        """A part that is more than plain text."""
        if part.text:
            (self._tell_thoughts if part.thought is True else self._tell_content)(frame, part.text)
        if part.functionCall is not None:
            self._tell_function_call(frame, position, entries, part.functionCall)

    def _tell_function_call(self, frame: int, position: int, entries: int, call: _FunctionCall) -> None:
        if call.partialArgs or call.willContinue:
            self._malformed(frame, position, "the arguments of a call are streamed in pieces, which is not understood")
        key, self._keys = self._keys, self._keys + 1
        value = self._object_arguments(frame, position, call.args)
        self._fragment(Fragment(frame, position, entries, call.id, UNSET, call.name, value, "whole", key))

    def _tell_usage(self, frame: int, usage: Json) -> None:
        """Counts; the output is what candidates and thoughts took, as the limit counts both."""
        if isinstance(usage, dict):
            counted = [output_tokens(usage, key) for key in ("candidatesTokenCount", "thoughtsTokenCount")]
            numbers = [count for count in counted if count is not None]
            self._sink.usage(frame, usage, sum(numbers) if numbers else None)


class WholeReader(StreamReader):
    """Reads an answer that came as one object, or a stream that came as one list of chunks."""

    leftover: ClassVar[Leftover] = "read"

    def _read_odd(self, frame: int, data: bytes) -> None:
        try:
            chunks = decode_list(data)
        except UNDECODABLE:
            super()._read_odd(frame, data)
            return
        whole = self._at(frame)
        for chunk in chunks:
            self.read(structs.replace(whole, data=bytes(chunk)))
