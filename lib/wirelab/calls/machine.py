"""The whole way for one response: bytes in, reading out. The one code path, live and from a file."""

from typing import Any

import msgspec

from wirelab.calls.limits import Limits
from wirelab.calls.reconcile import Reconciler
from wirelab.errors import MisuseError, ProtocolViolationError
from wirelab.framing import (
    BYTE_ORDER_MARK,
    Decoder,
    FrameTooLargeError,
    NdjsonDecoder,
    Run,
    SseDecoder,
    WholeDecoder,
    is_json,
    lenient,
)
from wirelab.ids import IdAllocator
from wirelab.model import Asked, Frame, FrameKind, FrameRun, Reader, Reading, Sink
from wirelab.protocols.errors import describe_error
from wirelab.protocols.registry import PROTOCOLS, ProtocolEntry

BLOCK = 64 * 1024
"""Bytes pushed at a time when a whole body is at hand: more of them at once would only take more memory."""

HTTP_FAILURE = 400
_DECODERS: dict[str, type[Decoder]] = {"ndjson": NdjsonDecoder, "sse": SseDecoder}
_BLANK = b" \t\r\n"


class ResponseMachine:
    """Reads one response body as it arrives: `push(bytes)`, `close()`, and `snapshot()` at any time.

    `status` of 400 or more makes the body an error answer. `whole` says that the body is one JSON answer rather than a
    stream; None decides by the first byte that is no white space (always a stream on native, where both look alike).
    Strict (the default), `push` and `close` raise `ProtocolViolationError` at the first violation; after that, and
    after `close`, the machine is terminal: `MisuseError`. `MisuseError` too for an unknown protocol or policy.
    """

    def __init__(
        self,
        protocol: str,
        *,
        asked: Asked | None = None,
        policy: str = "id-first",
        strict: bool = True,
        limits: Limits | None = None,
        status: int = 200,
        whole: bool | None = None,
        allocator: IdAllocator | None = None,
    ) -> None:
        entry = PROTOCOLS.get(protocol)
        if entry is None:
            raise MisuseError(f"no protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
        self._entry: ProtocolEntry = entry
        if policy == "id-first":
            make: Any = Reconciler
        else:
            from wirelab.calls.policies import reconciler_of  # noqa: PLC0415  other clients: loaded when asked for

            make = reconciler_of(policy)
        self._reconciler: Reconciler = make(protocol, asked=asked, strict=strict, limits=limits, allocator=allocator)
        self._strict = strict
        self._status = status
        self._whole = whole
        self._decoder: Decoder | None = None
        self._reader: Reader
        self._feed: Any
        self._read_run: Any
        self._head = b""
        self._size = 0
        self._garbage: Frame | None = None
        self._heard = False
        """Whether any payload came."""
        self._ended = False

    def push(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        if self._ended:
            raise MisuseError("this response has ended; make a new machine for the next one")
        if self._decoder is None:
            data = self._begin(data)
            if self._decoder is None:
                return
        self._size += len(data)
        try:
            for part in self._feed(data):
                if part.__class__ is Run:
                    self._heard = True
                    self._read_run(part)
                else:
                    self._read_odd(part)
        except FrameTooLargeError as error:
            self._stop(error)
        except ProtocolViolationError:
            self._ended = True
            raise

    def close(self) -> Reading:
        """The body has ended: the reading."""
        if self._decoder is None and not self._ended:
            self._choose(b"")
            self.push(self._head)
        if self._ended:
            raise MisuseError("this response has ended; make a new machine for the next one")
        self._ended = True
        assert self._decoder is not None
        try:
            for frame in self._decoder.close():
                self._read_odd(frame)
            self._end()
        except FrameTooLargeError as error:
            self._stop(error)
        return self._reconciler.close(empty_body=self._size == 0)

    def snapshot(self) -> Reading:
        """The reading so far; after a violation, all that is known."""
        return self._reconciler.snapshot()

    def _begin(self, data: bytes) -> bytes:
        """All bytes so far; chooses a decoder when they tell a whole answer from a stream."""
        self._head += data
        start = self._head.removeprefix(BYTE_ORDER_MARK).lstrip(_BLANK)
        if self._whole is not None or (start and not BYTE_ORDER_MARK.startswith(start)):
            self._choose(start)
        return self._head

    def _choose(self, start: bytes) -> None:
        whole = self._whole
        if whole is None:
            whole = self._entry.framing == "sse" and start[:1] in (b"{", b"[")
        if self._status >= HTTP_FAILURE:
            self._decoder = WholeDecoder()
            self._reader = _ErrorReader(self._reconciler, self._status)
        else:
            self._decoder = WholeDecoder() if whole else _DECODERS[self._entry.framing]()
            make = self._entry.whole_reader if whole else self._entry.stream_reader
            self._reader = make(self._reconciler)
        self._feed = self._decoder.feed
        self._read_run = self._reader.read_run

    def _read_odd(self, part: Frame) -> None:
        """Read a frame that came alone."""
        for frame in [part] if self._strict else _leniently(part):
            self._reader.read(frame)
            if frame.kind is FrameKind.DATA:
                self._heard = True
            elif self._garbage is None and _is_garbage(frame):
                self._garbage = frame

    def _end(self) -> None:
        self._reader.close()
        if self._size == 0 and self._status >= HTTP_FAILURE:
            self._reconciler.error(None, "with an empty body", self._status)
        elif not self._heard and self._garbage is not None:
            frame = self._garbage
            detail = f"frame {frame.number} at byte {frame.start} is no event, and no event came"
            self._reconciler.note("malformed-event", frame.number, None, detail)

    def _stop(self, error: FrameTooLargeError) -> None:
        self._ended = True
        self._reconciler.note("frame-too-large", None, None, str(error))


class _ErrorReader:
    """Reads the answer of a failed request: whatever it is, it is what the server says of the failure."""

    def __init__(self, sink: Sink, status: int) -> None:
        self._sink = sink
        self._status = status

    def read(self, frame: Frame) -> None:
        self._sink.error(frame.number, describe_error(frame.data), self._status)

    def read_run(self, run: FrameRun) -> None:
        raise NotImplementedError("one answer is no run")

    def close(self) -> None:
        """Nothing is left to say."""


def _is_garbage(frame: Frame) -> bool:
    return frame.kind is FrameKind.IGNORED and not frame.data.isspace()


def _leniently(frame: Frame) -> list[Frame]:
    """What a lenient reader reads instead of a frame: a complete leftover counts."""
    if frame.terminated:
        return lenient(frame)
    return [msgspec.structs.replace(other, terminated=True) for other in lenient(frame)] or [frame]


def read_body(body: bytes, protocol: str, **options: Any) -> Reading:
    """Read a whole body: the same machine, fed in blocks. Options as for `ResponseMachine`.

    Never raises `ProtocolViolationError`: a strict reading that stopped says so in `error`, and its calls are what was
    known by then.
    """
    machine = ResponseMachine(protocol, **{"whole": _looks_whole(body, protocol), **options})
    try:
        for start in range(0, len(body), BLOCK):
            machine.push(body[start : start + BLOCK])
        return machine.close()
    except ProtocolViolationError:
        return machine.snapshot()


def _looks_whole(body: bytes, protocol: str) -> bool | None:
    """A native answer over several lines, pretty-printed, is a whole one; elsewhere the first byte tells."""
    entry = PROTOCOLS.get(protocol)
    if entry is None or entry.framing != "ndjson":
        return None
    text = body.lstrip()
    end = text.find(b"\n")
    return True if end >= 0 and not is_json(text[:end]) and is_json(text) else None
