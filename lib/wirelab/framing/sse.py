"""Server-sent events (WHATWG HTML, section 9.2.6, "Interpreting an event stream"), kept exact to the byte.

A line ends with LF, CRLF or CR; a blank line ends an event. So an event ends with two line ends, and where the second
is a CRLF it ends at its CR already: whether a LF follows need not be waited for. That makes the separator of events two
bytes in every case, `LF LF`, `LF CR` or `CR CR`, and a LF after it the beginning of the next block.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import repeat

from wirelab.framing.decoder import BYTE_ORDER_MARK, Decoder
from wirelab.framing.run import Run
from wirelab.model import Frame, FrameKind

_LF = 0x0A
_CR = 0x0D
"""As numbers: `0x0A in data` is several times faster than `b"\n" in data`."""
_BLANK_LINE = re.compile(rb"\n[\r\n]|\r\r")
_COMMENT = re.compile(rb"[\r\n]*: ?([^\r\n]*)(\r\n?|\n)?")
_DATA = b"data: "
_EVENT = b"event: "
_ERROR = b"event: error"
_WINDOW = 64
"""So many blocks are looked at together where some are odd."""


class SseDecoder(Decoder):
    """Cuts a body into events. The `data` of an event is its data lines joined with LF.

    Comment lines before an event are frames of kind COMMENT; one inside an event lies in the event's range. A block
    without a data line is of kind IGNORED and has its lines as `data`. `id` and `retry` are not kept: no LLM server
    means anything by them.

    As one expects is an event of one `data: ` line, or of an `event: ` line and a `data: ` line; named errors are odd.
    """

    _separator_size = 2

    def _holds_separator(self, data: bytes, /) -> bool:
        return b"\n\n" in data or (_CR in data and _BLANK_LINE.search(data) is not None)

    def _split(self, data: bytes) -> list[bytes]:
        return _BLANK_LINE.split(data) if _CR in data else data.split(b"\n\n")

    def _take(self, data: bytes) -> tuple[list[Run | Frame], int]:
        crlf = _CR in data
        end = _end_of_last(data) if crlf else data.rfind(b"\n\n") + 2
        if end < 2:
            return [], 0
        if end < len(data):
            data = data[:end]
        lead = crlf and data.startswith(b"\n")
        lines = (data[lead:] + b"\n").split(b"\r\n") if crlf else data.split(b"\n")
        if lines.pop() or (crlf and _has_line_end(b"".join(lines))):
            return self._take_slowly(data)
        size = 3 if lines[0].startswith(_EVENT) else 2
        payloads = _alike(lines, size)
        if len(payloads) * size == len(lines):
            return [self._run(payloads, data)], end
        pieces = [*_pieces(lines, payloads, 2 if crlf else 1, lead - crlf)]
        parts, taken = self._parts(data, pieces), sum(piece[1] for piece in pieces)
        if taken < end:
            others, more = self._take_slowly(data[taken:])
            return parts + others, taken + more
        return parts, end

    def _take_slowly(self, data: bytes) -> tuple[list[Run | Frame], int]:
        """Where line ends are of several kinds, or blank lines follow each other."""
        *blocks, rest = self._split(data)
        return self._parts(data, (([], len(block) + 2) for block in blocks)), len(data) - len(rest)

    def _frames(self, block: bytes, number: int, start: int, position: int, *, terminated: bool) -> list[Frame]:
        end = position + len(block) + 2 * terminated
        offset = len(BYTE_ORDER_MARK) if position == 0 and block.startswith(BYTE_ORDER_MARK) else 0
        frames: list[Frame] = []
        while comment := _COMMENT.match(block, offset):
            offset = comment.end()
            stop = end if offset == len(block) else position + offset
            ended = terminated or comment[2] is not None
            frames.append(Frame(number + len(frames), start, stop, comment[1], FrameKind.COMMENT, None, ended))
            start = stop
        if lines := block[offset:].strip(b"\r\n"):
            frames.append(_event(lines, number + len(frames), start, end, terminated=terminated))
        return frames


def _alike(lines: list[bytes], size: int) -> list[bytes]:
    """The payloads of the first blocks of so many lines, as far as they are as one expects.

    `lines` are those of ended blocks, a blank one after each. Every step is one for all blocks.
    """
    if len(lines) == size:  # one block: what a live read brings
        line = lines[-2]
        return [line[len(_DATA) :]] if line.startswith(_DATA) and (size == 2 or _is_name(lines[0])) else []
    blank, begun = lines[size - 1 :: size], lines[size - 2 :: size]
    if any(blank):
        del begun[[*map(bool, blank)].index(True) :]
    names = lines[: (size - 2) * size * len(begun) : size]
    for name in set(names):
        if not _is_name(name):
            del begun[names.index(name) :]
    payloads = [*map(bytes.removeprefix, begun, repeat(_DATA))]
    if len(b"".join(begun)) - len(b"".join(payloads)) < len(_DATA) * len(payloads):  # one began otherwise
        del payloads[[*map(bytes.startswith, begun, repeat(_DATA))].index(False) :]
    return payloads


def _pieces(lines: list[bytes], payloads: list[bytes], line_end: int, more: int) -> Iterator[tuple[list[bytes], int]]:
    """Payloads of blocks that are alike, none of one that is odd, and their bytes; until blank lines follow each other.

    `payloads` are the first ones. A line ends with `line_end` bytes; the first block has `more` than its lines have.
    """
    begin = 0
    while begin < len(lines):
        size = 3 if lines[begin].startswith(_EVENT) else 2
        if begin:
            odd = size == 2 and not lines[begin].startswith(_DATA)
            payloads = [] if odd else _alike(lines[begin : begin + size * _WINDOW], size)
        taken = size * len(payloads) or lines.index(b"", begin) + 1 - begin
        if taken == 1:
            return
        yield payloads, sum(map(len, lines[begin : begin + taken])) + taken * line_end + more
        begin, more = begin + taken, 0


def _has_line_end(data: bytes) -> bool:
    return _LF in data or _CR in data


@lru_cache(256)
def _is_name(line: bytes) -> bool:
    """Whether it is the event line of an event that is no error; cached, since all streams together have few."""
    return line.startswith(_EVENT) and line != _ERROR


def _end_of_last(data: bytes) -> int:
    """Where the last separator ends; below 2 where there is none."""
    place = data.rfind(b"\n\r")
    for separator in (b"\n\n", b"\r\r"):
        place = max(place, data.rfind(separator, max(0, place)))
    return place + 2


def _event(lines: bytes, number: int, start: int, end: int, *, terminated: bool) -> Frame:
    """The frame of an event's lines; line ends stand between them only."""
    if _CR in lines:
        lines = lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data: list[bytes] = []
    event = b""
    for line in lines.split(b"\n"):
        if line.startswith(b"data: "):
            data.append(line[6:])
        elif line.startswith(b"event: "):
            event = line[7:]
        else:
            field, _, value = line.partition(b":")
            if field == b"data":
                data.append(value)
            elif field == b"event":
                event = value
    name = event.decode("utf-8", "replace") or None
    if not data:
        return Frame(number, start, end, lines, FrameKind.IGNORED, name, terminated)
    return Frame(number, start, end, b"\n".join(data), FrameKind.DATA, name, terminated)
