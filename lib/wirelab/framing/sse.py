"""Server-sent events (WHATWG HTML, section 9.2.6, "Interpreting an event stream"), kept exact to the byte.

A line ends with LF, CRLF or CR; a blank line ends an event. So an event ends with two line ends, and where the second
is a CRLF it ends at its CR already: whether a LF follows need not be waited for. That makes the separator of events two
bytes in every case, `LF LF`, `LF CR` or `CR CR`, and a LF after it the beginning of the next block.
"""

import re
from functools import lru_cache

from wirelab.framing.decoder import BYTE_ORDER_MARK, Collector, Decoder
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
_NAMED = {
    2: re.compile(rb"\n\nevent: (?!error\n)[^\n]*\ndata: "),
    4: re.compile(rb"\r\n\r\nevent: (?!error\r\n)[^\r\n]*\r\ndata: "),
}
"""What stands before the payloads of events with a name, by the bytes of a blank line."""
_FEW = 1024
"""Below so many bytes it is not worth while to look for what blocks have in common."""


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
        if data.find(b"\n\n") == len(data) - 2 and (payload := _payload(data[:-2])) is not None:
            return [self._run([payload], data)], len(data)  # one block: what a live read brings
        crlf = _CR in data
        end = _end_of_last(data) if crlf else data.rfind(b"\n\n") + 2
        if end < 2:
            return [], 0
        if end < len(data):
            data = data[:end]
        blank = b"\r\n\r\n" if crlf else b"\n\n"
        lead = crlf and data.startswith(b"\n")
        text = data[lead:] + b"\n" if crlf else data
        body = text.removesuffix(blank)
        if len(body) == len(text) or body.endswith(b"\n"):
            return self._take_slowly(data)
        whole = blank + body
        pieces = _cut_alike(whole, blank) if len(body) >= _FEW else []
        if pieces and not pieces[0] and not _has_line_end(b"".join(pieces)):
            return [self._run(pieces[1:], data)], end
        if (crlf and _has_line_end(body.replace(b"\r\n", b""))) or not (pieces or _is_short(body)):
            return self._take_slowly(data)
        parts = self._collector(data, lead - crlf)
        if pieces:
            self._take_mixed(parts, whole, pieces, blank)
        else:
            self._take_between(parts, body, len(body) + len(blank), blank)
        return parts.close()

    def _take_mixed(self, parts: Collector, text: bytes, pieces: list[bytes], blank: bytes) -> None:
        """Blocks that begin alike, where `text` was cut, and what stands before and between them.

        A piece that holds more than a payload is found in `text` by itself and the blank line after it: nothing like
        that stands in a run.
        """
        begin, done, found = 1, len(pieces[0]), len(pieces[0])
        if pieces[0]:
            self._take_between(parts, pieces[0].removeprefix(blank), len(pieces[0]), blank)
        for at in [at for at, piece in enumerate(pieces) if _LF in piece and at]:
            piece = pieces[at]
            found = text.index(piece + blank, found) if at + 1 < len(pieces) else len(text) - len(piece)
            payload, _, others = piece.partition(blank)
            if _LF in payload:
                start = text.rindex(blank, 0, found)
                parts.alike(pieces[begin:at], start - done)
                done = found + len(piece)
                parts.others(done - start, self._take_slowly)
            else:
                parts.alike([*pieces[begin:at], payload], found + len(payload) - done)
                done = found + len(piece)
                self._take_between(parts, others, len(others) + len(blank), blank)
            found += len(piece)
            begin = at + 1
        parts.alike(pieces[begin:], len(text) - done)

    def _take_between(self, parts: Collector, others: bytes, size: int, blank: bytes) -> None:
        """Blocks of any kind, of `size` bytes."""
        if not _is_short(others):
            parts.others(size, self._take)
            return
        blocks = others.split(blank)
        payloads = [*map(_payload, blocks)]
        if None not in payloads:
            parts.alike(payloads, size)  # type: ignore[arg-type]
            return
        for block, payload in zip(blocks, payloads, strict=True):
            if payload is None:
                parts.odd(len(block) + len(blank))
            else:
                parts.alike([payload], len(block) + len(blank))

    def _take_slowly(self, data: bytes) -> tuple[list[Run | Frame], int]:
        """Where line ends are of several kinds, or blank lines follow each other."""
        *blocks, rest = self._split(data)
        return self._parts(data, [(None, len(block) + 2) for block in blocks]), len(data) - len(rest)

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


def _cut_alike(text: bytes, blank: bytes) -> list[bytes]:
    """The payloads of blocks that begin alike, with what follows them up to the next such block; none if none do.

    `text` has a blank line before each block. The block in the middle, or else the first one, tells how they begin.
    """
    middle = text.rfind(blank, 0, len(text) // 2) + len(blank)
    for start in (middle, len(blank)):
        pieces: list[bytes] = []
        if text.startswith(_DATA, start):
            pieces = text.split(blank + _DATA)
        elif text.startswith(_EVENT, start):
            pieces = _NAMED[len(blank)].split(text)
        if len(pieces) > 1:
            return pieces
    return []


def _payload(block: bytes) -> bytes | None:
    """The payload of a block that is as one expects; None where it is odd."""
    start = 0
    if not block.startswith(_DATA):
        start = block.find(b"\n") + 1
        if not _is_name(block[: max(0, start - 1)]) or not block.startswith(_DATA, start):
            return None
    return None if block.find(b"\n", start) >= 0 or block.find(b"\r", start) >= 0 else block[start + len(_DATA) :]


def _is_short(blocks: bytes) -> bool:
    """Whether blocks may be looked at one by one: they are few, and no blank line stands before or after them."""
    return len(blocks) < _FEW and not _has_line_end(blocks[:1] + blocks[-1:]) and blocks != b""


def _has_line_end(data: bytes) -> bool:
    return _LF in data or _CR in data


@lru_cache(256)
def _is_name(line: bytes) -> bool:
    """Whether it is the event line of an event that is no error; cached, since all streams together have few."""
    line = line.removesuffix(b"\r")
    return line.startswith(_EVENT) and line != _ERROR and not _has_line_end(line)


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
