"""What the decoders share: bytes kept until a frame ends, the size limit, and the verbs.

The body is cut at *separators* (a line end, a blank line) into *blocks*. What a block says is the subclass's business;
that it comes out the same however the body was cut into reads is this module's: blocks depend on the bytes alone, and
what is pending is searched only where new bytes could have made a separator.
"""

from collections.abc import Iterable, Iterator

from wirelab.errors import MisuseError, WirelabError
from wirelab.framing.run import Run
from wirelab.model import Frame

DEFAULT_LIMIT = 64 * 1024 * 1024
"""Bytes of one frame, its terminator included."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class FrameTooLargeError(WirelabError):
    """One frame passed the size limit. `size` counts its bytes as far as they were seen, `start` is its offset."""

    def __init__(self, size: int, limit: int, start: int) -> None:
        super().__init__(
            f"the frame at byte {start} has {size} bytes or more, over the limit of {limit}: pass a larger `limit`"
        )
        self.size = size
        self.limit = limit
        self.start = start


class Decoder:
    """The part of a decoder that knows no format. Subclasses say where a block ends and which frames it holds.

    Every byte belongs to the range of one frame; bytes that say nothing (blank lines, the LF of a CRLF whose CR had
    ended the event already) belong to the next one, so only such bytes can remain after the last frame.
    """

    _separator_size: int

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._position = 0
        """Where the pending bytes begin in the body."""
        self._start = 0
        """Where the range of the next frame begins: before `_position` when blank lines came between."""
        self._number = 0
        self._failure: WirelabError | str | None = None
        """What the next use raises: an error, or the text of a MisuseError."""

    def push(self, data: bytes) -> list[Frame]:
        """Take the next bytes of the body; the frames that they completed, in order.

        Raises `FrameTooLargeError` for a frame over the limit once all frames before it were returned (so, where this
        push completed some, from the next call), and `MisuseError` after that or after `close`.
        """
        parts = self.feed(data)
        return [frame for part in parts for frame in (part.frames() if isinstance(part, Run) else (part,))]

    def feed(self, data: bytes) -> list[Run | Frame]:
        """The same as `push`, for a reader in a hurry: runs of like frames are not made, only what is odd is."""
        if self._failure is not None:
            self._fail()
        if self._pending:
            if len(self._pending) > len(data):  # else looking at all of it costs no more than reading it did
                ended = self._holds_separator(bytes(self._pending[-1:]) + data)
                self._pending += data
                if not ended:
                    return self._checked([])
                data = b""
            data = bytes(self._pending) + data
            self._pending.clear()
        if len(data) > self._limit:
            return self._feed_much(data)
        parts, size = self._take(data)
        if size < len(data):
            self._pending += data[size:]
        return parts

    def close(self) -> list[Frame]:
        """The body has ended: what was left over, as frames with `terminated=False`. Nothing can be pushed after."""
        if self._failure is not None:
            self._fail()
        frames = self._leftover(bytes(self._pending)) if self._pending else []
        self._failure = "this decoder was closed: make a new one for the next body"
        return frames

    def snapshot(self) -> Frame | None:
        """What is pending now, read as if the body ended here. Changes nothing."""
        frames = self._leftover(bytes(self._pending))
        return frames[-1] if frames else None

    def _holds_separator(self, data: bytes, /) -> bool:
        """Whether a block ends somewhere in `data`, whose first byte was pending before."""
        raise NotImplementedError

    def _split(self, data: bytes) -> list[bytes]:
        """The blocks of `data` without their separators; the last one has not ended."""
        raise NotImplementedError

    def _take(self, data: bytes) -> tuple[list[Run | Frame], int]:
        """The parts of the blocks of `data` that have ended, and their bytes; nothing is pending."""
        raise NotImplementedError

    def _frames(self, block: bytes, number: int, start: int, position: int, *, terminated: bool) -> list[Frame]:
        """The frames of a block of any shape that stands at `position`; none of one that says nothing."""
        raise NotImplementedError

    def _leftover(self, rest: bytes) -> list[Frame]:
        """The frames of a block that has not ended; changes nothing."""
        return self._frames(rest, self._number, self._start, self._position, terminated=False)

    def _parts(self, data: bytes, pieces: Iterable[tuple[list[bytes], int]]) -> list[Run | Frame]:
        """The parts of ended blocks: of some with their payloads, of one that is odd without, and the bytes of each."""
        parts: list[Run | Frame] = []
        begin = 0
        for payloads, size in pieces:
            raw = data[begin : begin + size]
            begin += size
            if payloads:
                parts.append(self._run(payloads, raw))
            else:
                parts += self._odd(raw[: -self._separator_size])
        return parts

    def _run(self, payloads: list[bytes], raw: bytes) -> Run:
        number, position = self._number, self._position
        run = Run(number, payloads, raw, self._start, position, self._remake)
        self._number = number + len(payloads)
        self._start = self._position = position + len(raw)
        return run

    def _odd(self, block: bytes) -> list[Frame]:
        frames = self._frames(block, self._number, self._start, self._position, terminated=True)
        self._position += len(block) + self._separator_size
        if frames:
            self._number += len(frames)
            self._start = self._position
        return frames

    def _remake(self, raw: bytes, number: int, start: int, position: int) -> Iterator[Frame]:
        """The frames of a run; changes nothing."""
        for block in self._split(raw)[:-1]:
            end = position + len(block) + self._separator_size
            frames = self._frames(block, number, start, position, terminated=True)
            yield from frames
            number += len(frames)
            start = position = end

    def _feed_much(self, data: bytes) -> list[Run | Frame]:
        """More than one frame may have: each block is held against the limit."""
        *blocks, rest = self._split(data)
        parts: list[Run | Frame] = []
        for block in blocks:
            size = len(block) + self._separator_size
            if size > self._limit:
                self._failure = FrameTooLargeError(size, self._limit, self._position)
                return self._checked(parts)
            parts += self._odd(block)
        self._pending += rest
        return self._checked(parts)

    def _checked(self, parts: list[Run | Frame]) -> list[Run | Frame]:
        if self._failure is None and len(self._pending) > self._limit:
            self._failure = FrameTooLargeError(len(self._pending), self._limit, self._position)
        if self._failure is not None and not parts:
            self._fail()
        return parts

    def _fail(self) -> None:
        assert self._failure is not None
        failure = self._failure
        self._failure = "this decoder has ended: make a new one for the next body"
        self._pending.clear()
        raise MisuseError(failure) if isinstance(failure, str) else failure
