"""What the decoders share: bytes kept until a frame ends, the size limit, and the three verbs.

The body is cut at *separators* (a line end, a blank line) into *blocks*. What a block says is the subclass's business;
that it comes out the same however the body was cut into reads is this module's: blocks depend on the bytes alone, and
what is pending is searched only where new bytes could have made a separator.
"""

from wirelab.errors import MisuseError, WirelabError
from wirelab.framing.run import Cut, Run
from wirelab.model import Frame

DEFAULT_LIMIT = 64 * 1024 * 1024
"""Bytes of one frame, its terminator included."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

RUN_BYTES = 1024
"""From so many bytes at a time on it pays to ask whether they are a run."""


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
        self._failure: WirelabError | None = None

    def push(self, data: bytes) -> list[Frame]:
        """Take the next bytes of the body; the frames that they completed, in order.

        Raises `FrameTooLargeError` for a frame over the limit once all frames before it were returned (so, where this
        push completed some, from the next call), and `MisuseError` after that or after `close`.
        """
        run, frames = self.feed(data)
        return frames if run is None else run.frames() + frames

    def feed(self, data: bytes) -> tuple[Run | None, list[Frame]]:
        """The same as `push`, for a reader in a hurry: a run of like frames, not made yet, and the frames after it."""
        if self._failure is not None:
            self._fail()
        if self._pending:
            ended = self._holds_separator(bytes(self._pending[-1:]) + data)
            self._pending += data
            if not ended:
                return None, self._checked([])
            data = bytes(self._pending)
            self._pending.clear()
        run = None
        if len(data) >= RUN_BYTES and len(data) <= self._limit and (run := self._run(data)) is not None:
            data = data[len(run.raw) :]
            self._position = self._start = run.position + len(run.raw)
            self._number = run.number + run.count
        frames: list[Frame] = []
        blocks = self._split(data)
        rest = blocks.pop()
        if len(data) > self._limit:
            blocks = self._within_limit(blocks)
        if blocks:
            self._start = self._cut(blocks, frames, self._number, self._start, self._position)
            self._number += len(frames)
            self._position += len(data) - len(rest)
        if rest or self._failure is not None:
            self._pending += rest
            return run, self._checked(frames)
        return run, frames

    def close(self) -> list[Frame]:
        """The body has ended: what was left over, as frames with `terminated=False`. Nothing can be pushed after."""
        if self._failure is not None:
            self._fail()
        frames = self._leftover(bytes(self._pending))
        self._failure = MisuseError("this decoder was closed: make a new one for the next body")
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

    _cut: Cut
    """How the frames of ended blocks are made."""

    def _run(self, data: bytes) -> Run | None:
        """The run that `data`, where nothing is pending, begins with; None where it begins otherwise."""
        raise NotImplementedError

    def _leftover(self, rest: bytes) -> list[Frame]:
        """The frames of a block that has not ended; changes nothing."""
        raise NotImplementedError

    def _within_limit(self, blocks: list[bytes]) -> list[bytes]:
        """The blocks before the first one that is too large; that one becomes the failure."""
        start = self._position
        for count, block in enumerate(blocks):
            size = len(block) + self._separator_size
            if size > self._limit:
                self._failure = FrameTooLargeError(size, self._limit, start)
                return blocks[:count]
            start += size
        return blocks

    def _checked(self, frames: list[Frame]) -> list[Frame]:
        if self._failure is None and len(self._pending) > self._limit:
            self._failure = FrameTooLargeError(len(self._pending), self._limit, self._position)
        if self._failure is not None and not frames:
            self._fail()
        return frames

    def _fail(self) -> None:
        assert self._failure is not None
        failure = self._failure
        self._failure = MisuseError("this decoder has ended: make a new one for the next body")
        self._pending.clear()
        raise failure
