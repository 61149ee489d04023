"""What the decoders share: bytes kept until a frame ends, the size limit, and the verbs.

The body is cut at *separators* (a line end, a blank line) into *blocks*. What a block says is the subclass's business;
that it comes out the same however the body was cut into reads is this module's: blocks depend on the bytes alone, and
what is pending is searched only where new bytes could have made a separator.
"""

from collections.abc import Callable, Iterable, Iterator

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

    def _parts(self, data: bytes, blocks: Iterable[tuple[bytes | None, int]]) -> list[Run | Frame]:
        """The parts of ended blocks, each with its payload (None where it is odd) and its bytes."""
        parts = self._collector(data)
        for payload, size in blocks:
            if payload is None:
                parts.odd(size)
            else:
                parts.alike([payload], size)
        return parts.close()[0]

    def _collector(self, data: bytes, more: int = 0) -> "Collector":
        return Collector(data, more, self._separator_size, self._run, self._odd)

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


class Collector:
    """Collects the parts of `data` in order: blocks that are as one expects go into one run, up to the next odd one.

    The first block has `more` bytes than its size says.
    """

    def __init__(
        self,
        data: bytes,
        more: int,
        separator_size: int,
        run: Callable[[list[bytes], bytes], Run],
        odd: Callable[[bytes], list[Frame]],
    ) -> None:
        self._data = data
        self._separator_size = separator_size
        self._run = run
        self._odd = odd
        self._parts: list[Run | Frame] = []
        self._payloads: list[bytes] = []
        self._taken = 0
        self._end = more

    def alike(self, payloads: list[bytes], size: int) -> None:
        """The next blocks, all as one expects, of so many bytes together."""
        self._payloads += payloads
        self._end += size

    def odd(self, size: int) -> None:
        """The next block, which is odd."""
        self._flush()
        self._end += size
        self._parts += self._odd(self._data[self._taken : self._end - self._separator_size])
        self._taken = self._end

    def others(self, size: int, take: Callable[[bytes], tuple[list[Run | Frame], int]]) -> None:
        """The next blocks, which something else takes; what it leaves goes to the block after them."""
        self._flush()
        self._end += size
        parts, taken = take(self._data[self._taken : self._end])
        self._parts += parts
        self._taken += taken

    def close(self) -> tuple[list[Run | Frame], int]:
        """All parts, and how many bytes they took."""
        self._flush()
        return self._parts, self._taken

    def _flush(self) -> None:
        if self._payloads:
            self._parts.append(self._run(self._payloads, self._data[self._taken : self._end]))
            self._payloads = []
            self._taken = self._end
