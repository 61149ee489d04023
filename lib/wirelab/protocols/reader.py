"""What the five protocols' readers share: which frames are read, and what happens to those that are odd."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, TypeVar

import msgspec

from wirelab.model import Fragment, Frame, FrameKind, FrameRun, Json, Mode, Sink
from wirelab.protocols.decoding import (
    UNDECODABLE,
    Complaint,
    argument_value,
    decode_any,
    mend,
    quote,
    salvage,
)
from wirelab.protocols.errors import describe_error, error_in

_DATA: Final = FrameKind.DATA
_DONE: Final = b"[DONE]"
_ERROR_EVENT: Final = b"event: error"
Leftover = Literal["discard", "objects", "read"]
P = TypeVar("P", bound=msgspec.Struct)
C = TypeVar("C", bound="Choice")


@cache
def _decoder(payload: type[msgspec.Struct]) -> Any:
    """One decoder serves all readers of a payload: making it costs as much as reading a few frames."""
    return msgspec.json.Decoder(payload)


class Choice(Protocol):
    """One of several alternative answers."""

    index: Any


class FrameReader(Generic[P]):
    """Reads frames of one protocol in order and tells a sink what they say; never raises on what a server sent.

    A subclass names its payload struct, the keys that make a payload one of its protocol, and tells a decoded payload.
    An error object ends the stream: nothing after it is read.
    """

    payload: ClassVar[type[msgspec.Struct]]
    known: ClassVar[frozenset[str]]
    leftover: ClassVar[Leftover] = "discard"
    """What becomes of a payload without its terminator: discarded (SSE), read if an object (NDJSON), read (whole)."""
    mode: ClassVar[Mode] = "delta"
    done_marker_finishes: ClassVar[bool] = True
    """Whether `[DONE]` is a finish signal of its own."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._text = sink.text
        self._thinking = sink.thinking
        self._fragment = sink.fragment
        self._finish = sink.finish
        self._note = sink.note
        self._ended = False
        self._choice: Any = None
        self._others = False
        decoder = _decoder(self.payload)
        self._decode = decoder.decode
        self._decode_lines = decoder.decode_lines
        self._current: Frame | None = None
        self._run: FrameRun | None = None
        self._made: list[Frame] | None = None

    def read(self, frame: Frame) -> None:
        """Read one frame."""
        if frame.kind is not _DATA or self._ended:
            return
        if not frame.terminated or frame.event == "error":
            self._read_special(frame)
            return
        self._current = frame
        try:
            payload: P = self._decode(frame.data)
        except UNDECODABLE:
            self._read_odd(frame)
            return
        self._tell(frame.number, payload)

    def read_run(self, run: FrameRun) -> None:
        """Read the frames of a run: decoded all at once where they are as they should be, else one by one."""
        try:
            payloads = self._decode_lines(run.payloads)
        except UNDECODABLE:
            payloads = ()
        if len(payloads) != run.count or self._ended or _ERROR_EVENT in run.raw:
            for frame in run.frames():
                self.read(frame)
            return
        self._current, self._run, self._made = None, run, None
        tell = self._tell
        for number, payload in enumerate(payloads, run.number):
            tell(number, payload)
            if self._ended:
                return

    def close(self) -> None:
        """The body has ended."""

    def _tell(self, frame: int, payload: P) -> None:
        raise NotImplementedError

    def _at(self, number: int) -> Frame:
        """The frame that is being read; those of a run are made when the first of them is asked for."""
        if self._current is not None:
            return self._current
        assert self._run is not None
        if self._made is None:
            self._made = self._run.frames()
        return self._made[number - self._run.number]

    def _read_special(self, frame: Frame) -> None:
        """An error event, or a leftover without its terminator."""
        self._current = frame
        if frame.terminated:
            self._fail(frame.number, describe_error(frame.data))
        elif self.leftover == "read" or (self.leftover == "objects" and _is_object(frame.data)):
            self.read(msgspec.structs.replace(frame, terminated=True))
        else:
            what = f"frame {frame.number} at byte {frame.start} was not finished when the body ended"
            self._note("unterminated-event", frame.number, None, f"{what}: {quote(frame.data)}")

    def _read_odd(self, frame: Frame) -> None:
        """A payload that is not what the protocol has there: `[DONE]`, an error, another shape, no JSON."""
        if frame.data.strip() == _DONE:
            if self.done_marker_finishes:
                self._finish(frame.number, None)
            return
        data = mend(frame.data)
        if self._look_for_error(frame.number, data):
            return
        complaints: list[Complaint] = []
        payload = salvage(data, self.payload, complaints)
        for complaint in complaints:
            self._malformed(frame.number, None, f"{complaint.path} is not what it should be: {quote(complaint.data)}")
        if payload is not None:
            self._tell(frame.number, payload)  # type: ignore[arg-type]

    def _look_for_error(self, frame: int, data: bytes) -> bool:
        """Whether the payload is an error object under whatever key; told, if so."""
        try:
            fields = decode_any(data)
        except UNDECODABLE:
            return False
        message = error_in(fields, self.known) if isinstance(fields, dict) else None
        if message is not None:
            self._fail(frame, message)
        return message is not None

    def _fail(self, frame: int, message: str) -> None:
        self._ended = True
        self._sink.error(frame, message)

    def _malformed(self, frame: int, position: int | None, what: str, *, here: bool = True) -> None:
        """Note it; with the byte offset where the frame is the one `here`, that is being read."""
        place = f" at byte {self._at(frame).start}" if here else ""
        self._note("malformed-event", frame, position, f"frame {frame}{place}: {what}")

    def _choose(self, frame: int, choices: Sequence[C | None], name: str) -> C | None:
        """The frame's piece of the reported choice, which is the first one seen; the others are noted once."""
        ours = None
        for position, choice in enumerate(choices):
            if choice is None:
                self._malformed(frame, position, f"{name}[{position}] is no object")
            elif ours is None and (choice.index in (None, self._choice) or self._choice is None):
                ours = choice
                self._choice = choice.index if self._choice is None else self._choice
            elif not self._others:
                self._others = True
                detail = f"{name} {ascii(choice.index)[:20]} beside {ascii(self._choice)[:20]}, which is reported"
                self._note("other-choices", frame, position, detail)
        return ours

    def _tell_content(self, frame: int, content: Json) -> None:
        """Content that is no plain text: a list of parts (Mistral, gateways), or one part."""
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                self._text(frame, part)
            elif isinstance(part, dict):
                self._tell_part(frame, part)
            else:
                self._malformed(frame, None, f"content is neither text nor parts: {ascii(part)[:60]}")

    def _tell_part(self, frame: int, part: Mapping[str, Json]) -> None:
        for key in ("text", "refusal"):
            if isinstance(part.get(key), str):
                self._text(frame, part[key])
        for key in ("thinking", "reasoning"):
            if key in part:
                self._tell_thoughts(frame, part[key])

    def _tell_thoughts(self, frame: int, thoughts: Json) -> None:
        """Thinking as text, or as a list of text parts."""
        for thought in thoughts if isinstance(thoughts, list) else [thoughts]:
            piece = thought.get("text") if isinstance(thought, dict) else thought
            if isinstance(piece, str):
                self._thinking(frame, piece)

    def _tell_call(
        self,
        frame: int,
        position: int,
        entries: int,
        arguments: msgspec.Raw,
        *,
        id: Any,  # noqa: A002  as the wire and `Fragment` call it
        name: Any,
        index: Any = msgspec.UNSET,
        key: int | None = None,
    ) -> None:
        """A fragment whose arguments are still raw JSON."""
        value = self._object_arguments(frame, position, arguments)
        self._fragment(Fragment(frame, position, entries, id, index, name, value, self.mode, key))

    def _object_arguments(self, frame: int, position: int, arguments: msgspec.Raw, *, here: bool = True) -> Json:
        """What a fragment holds for raw arguments; what cannot be decoded is noted, and left out."""
        try:
            return argument_value(arguments)
        except UNDECODABLE:
            self._malformed(frame, position, f"arguments cannot be decoded: {quote(bytes(arguments))}", here=here)
            return msgspec.UNSET


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(decode_any(data), dict)
    except UNDECODABLE:
        return False


def output_tokens(counts: Mapping[str, Json], key: str) -> int | None:
    """A count out of a usage object, None where it is no integer."""
    value = counts.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
