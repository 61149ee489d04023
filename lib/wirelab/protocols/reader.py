"""What the five protocols' readers share: which frames are read, and what happens to those that are odd."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, TypeVar

import msgspec

from wirelab.model import Frame, FrameKind, FrameRun, Json, Place, Sink
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
TEXT: Final = "text"
THINKING: Final = "thinking"
ARGUMENTS: Final = "arguments"
ABSENT: Final = (None, msgspec.UNSET)
"""Where a field says nothing."""
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
    done_marker_finishes: ClassVar[bool] = True
    """Whether `[DONE]` is a finish signal of its own."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._fragment = sink.fragment
        self._finish = sink.finish
        self._note = sink.note
        self._ended = False
        self._choice: Any = None
        self._others = False
        self._decode = _decoder(self.payload).decode
        self._current: Frame | None = None
        self._run: FrameRun | None = None
        self._made: list[Frame] | None = None
        self._first = 0
        self._kind = TEXT
        self._places: list[Place] = []
        """Of the pieces that are gathered: the first one's frame, their kind, and the places of arguments."""

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
            self._read_odd(frame.number, frame.data)
            return
        self._tell(frame.number, payload)

    def read_run(self, run: FrameRun) -> None:
        """Read the frames of a run: pieces of one kind are told at once, all else by itself.

        A payload is decoded when its turn comes, and gone when the next one is: that is twice as fast as decoding all.
        """
        self._run, self._made = run, None
        frame, end = run.number, run.number + len(run.payloads)
        payloads = map(self._decode, run.payloads)
        while frame < end and not self._ended:
            pieces: list[str] = []
            self._current = odd = None
            self._first = frame
            try:
                odd = self._gather(payloads, pieces)
                decoded = True
            except UNDECODABLE:
                decoded = False
            if pieces:
                begin, frame = frame, frame + len(pieces)
                self._tell_pieces(range(begin, frame), pieces)
            if odd is not None:
                self._tell(frame, odd)
            elif not decoded:
                self._read_odd(frame, run.payloads[frame - run.number])
            frame += 1

    def close(self) -> None:
        """The body has ended."""

    def _gather(self, payloads: Iterator[P], pieces: list[str]) -> P | None:
        """Append the pieces that payloads are while they are nothing else; the first that is more, None at the end.

        The first piece sets `_kind`, and that of the others is the same; none is empty. Arguments go to `_places`.
        """
        raise NotImplementedError

    def _tell_pieces(self, frames: Sequence[int], pieces: list[str]) -> None:
        if self._kind == TEXT:
            self._sink.text(frames, pieces)
        elif self._kind == THINKING:
            self._sink.thinking(frames, pieces)
        else:
            self._sink.arguments(frames, pieces, self._places)

    def _tell(self, frame: int, payload: P) -> None:
        """Tell one payload of any shape."""
        raise NotImplementedError

    def _text(self, frame: int, piece: str) -> None:
        self._sink.text((frame,), (piece,))

    def _thinking(self, frame: int, piece: str) -> None:
        self._sink.thinking((frame,), (piece,))

    def _at(self, number: int) -> Frame:
        """The frame that is being read; those of a run are made when the first of them is asked for."""
        if self._current is not None:
            return self._current
        assert self._run is not None
        if self._made is None:
            self._made = self._run.frames()
        return self._made[number - self._run.number]

    def _data_at(self, number: int) -> bytes:
        """The payload that is being read."""
        if self._current is not None:
            return self._current.data
        assert self._run is not None
        return self._run.payloads[number - self._run.number]

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

    def _read_odd(self, frame: int, data: bytes) -> None:
        """A payload that is not what the protocol has there: `[DONE]`, an error, another shape, no JSON."""
        if data.strip() == _DONE:
            if self.done_marker_finishes:
                self._finish(frame, None)
            return
        data = mend(data)
        if self._look_for_error(frame, data):
            return
        complaints: list[Complaint] = []
        payload = salvage(data, self.payload, complaints)
        for complaint in complaints:
            self._malformed(frame, None, f"{complaint.path} is not what it should be: {quote(complaint.data)}")
        if payload is not None:
            self._tell(frame, payload)  # type: ignore[arg-type]

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
