"""Writing a capture while it is recorded: lines are only ever appended, and each read is flushed as it arrives.

What was written stays readable if the recording dies at any byte: a file without an end line reads as `cut`.
"""

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from wirelab.capture.format import (
    MAX_BODY,
    MAX_READS,
    SEPARATORS,
    VERSION,
    VERSION_KEY,
    EndLine,
    FrameLine,
    PieceLine,
    event_prefix,
    line_decoder,
    nests_too_deep,
)
from wirelab.capture.types import End, Framing, Head
from wirelab.errors import MisuseError
from wirelab.framing.decoder import Decoder, FrameTooLargeError
from wirelab.framing.ndjson import NdjsonDecoder
from wirelab.framing.sse import SseDecoder
from wirelab.model import Frame, FrameKind

_KINDS = {FrameKind.COMMENT: "comment", FrameKind.IGNORED: "ignored", FrameKind.DATA: "text"}


class Target(Protocol):
    """Where the lines go: a binary file, or anything that takes bytes."""

    def write(self, data: bytes, /) -> Any:
        """Take some whole lines."""

    def flush(self) -> Any:
        """Make sure that they are kept."""


class CaptureWriter:
    """Turns a head and the reads, as they arrive, into the lines of a capture.

    The writer does not redact: give it what `capture.redact` made of head and reads. Raises MisuseError when it is
    used after `end`, or fed more than a capture may hold.
    """

    def __init__(self, target: Target, head: Head) -> None:
        self._target = target
        self._pieces = _Pieces(head.framing)
        self._hash = hashlib.sha256()
        self._size = 0
        self._reads = 0
        self._ended = False
        self._write([encode_head(head)])

    def read(self, t: float, data: bytes) -> None:
        """Append what one transport read gave, `t` seconds after the request was sent."""
        self._check_open()
        self._reads += 1
        self._size += len(data)
        if self._size > MAX_BODY or self._reads > MAX_READS:
            raise MisuseError(f"a capture holds at most {MAX_BODY} bytes in {MAX_READS} reads")
        self._hash.update(data)
        time: float | None = t
        lines = []
        for line in self._pieces.of_read(data):
            lines.append(line.encode(time))
            time = None
        self._write(lines)

    def end(self, end: End) -> None:
        """Append the end line; nothing can be written after."""
        self._check_open()
        self._ended = True
        line = EndLine(end.kind, end.t, end.by, end.detail, end.redacted, self._size, self._hash.hexdigest())
        self._write([msgspec.json.encode(line)])

    def _check_open(self) -> None:
        if self._ended:
            raise MisuseError("this capture has ended: make a new writer for the next exchange")

    def _write(self, lines: list[bytes]) -> None:
        self._target.write(b"".join([line + b"\n" for line in lines]))
        self._target.flush()


def encode_head(head: Head) -> bytes:
    """The head line, without its line end. What is None is left out, everything else stands there."""
    fields = {name: _told(value) for name, value in msgspec.structs.asdict(head).items() if value is not None}
    return msgspec.json.encode({VERSION_KEY: VERSION, **fields})


def _told(value: Any) -> Any:
    if not isinstance(value, msgspec.Struct):
        return value
    return {name: each for name, each in msgspec.structs.asdict(value).items() if each is not None}


class _Piece(msgspec.Struct, frozen=True):
    """Bytes that one line holds: in full, and the payload among them where a frame is known."""

    data: bytes
    framing: Framing
    kind: str = "part"
    payload: bytes | None = None
    event: str | None = None

    def encode(self, t: float | None) -> bytes:
        """The line: spliced where the payload is a clean JSON object, else text, else base64."""
        time = msgspec.json.encode(t)
        if self.payload is not None and (spliced := self._spliced(time, self.payload)) is not None:
            return spliced
        try:
            return msgspec.json.encode(PieceLine(t, self.kind, self.data.decode()))
        except UnicodeDecodeError:
            return msgspec.json.encode(PieceLine(t, self.kind, base64=b64encode(self.data).decode()))

    def _spliced(self, time: bytes, payload: bytes) -> bytes | None:
        if not payload.startswith(b"{") or b"\n" in payload or b"\r" in payload or nests_too_deep(payload):
            return None
        before, found, after = self.data.partition(payload)
        try:
            payload.decode()
            line = b"[%b,%b%b]" % (time, payload, self._wrap(before, after))
            decoded = line_decoder.decode(line)
        except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
            return None
        clean = found and isinstance(decoded, FrameLine) and bytes(decoded.payload) == payload
        return line if clean else None

    def _wrap(self, before: bytes, after: bytes) -> bytes:
        """The line's third element: nothing for the usual wrapping, the event's name, or both sides as they came."""
        usual = SEPARATORS[self.framing]
        if (before, after) == usual:
            return b""
        if self.event is not None and (before, after) == (event_prefix(self.event), usual[1]):
            return b"," + msgspec.json.encode(self.event)
        return b"," + msgspec.json.encode((before.decode(), after.decode()))


class _Pieces:
    """Cuts reads where frames end, so that no line holds parts of two reads or of two frames."""

    def __init__(self, framing: Framing) -> None:
        self._framing: Framing = framing
        self._decoder = _decoder(framing)
        self._position = 0
        self._inside = False

    def of_read(self, data: bytes) -> Iterator[_Piece]:
        """The pieces of one read; an empty read is one empty piece."""
        base = self._position
        self._position += len(data)
        cursor = 0
        for frame in self._frames(data):
            stop = frame.end - base
            yield self._piece(data[cursor:stop], frame)
            cursor = stop
            self._inside = False
        if cursor < len(data) or not data:
            yield self._rest(data[cursor:])

    def _frames(self, data: bytes) -> list[Frame]:
        if self._decoder is None:
            return []
        try:
            return self._decoder.push(data)
        except FrameTooLargeError:
            self._decoder = None  # from here on the reads are kept as they come
            return []

    def _piece(self, data: bytes, frame: Frame) -> _Piece:
        if self._inside:
            return _Piece(data, self._framing)
        payload = frame.data if frame.kind is FrameKind.DATA else None
        return _Piece(data, self._framing, _KINDS[frame.kind], payload, frame.event)

    def _rest(self, data: bytes) -> _Piece:
        """What a read holds after its last frame: often the start of a frame, sometimes all but its terminator."""
        if self._inside:
            return _Piece(data, self._framing)
        if self._decoder is None:
            return _Piece(data, self._framing, payload=data.strip() or None)
        pending = self._decoder.snapshot()
        self._inside = pending is not None
        return _Piece(data, self._framing, payload=pending.data if pending is not None else None)


def _decoder(framing: Framing) -> Decoder | None:
    """The decoder that finds the ends of frames; a whole answer has no inner ones."""
    if framing == "sse":
        return SseDecoder()
    return NdjsonDecoder() if framing == "ndjson" else None
