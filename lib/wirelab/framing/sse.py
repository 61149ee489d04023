"""Server-sent events (WHATWG HTML, section 9.2.6, "Interpreting an event stream"), kept exact to the byte.

A line ends with LF, CRLF or CR; a blank line ends an event. So an event ends with two line ends, and where the second
is a CRLF it ends at its CR already: whether a LF follows need not be waited for. That makes the separator of events two
bytes in every case, `LF LF`, `LF CR` or `CR CR`, and a LF after it the beginning of the next block.
"""

import re
from functools import lru_cache
from itertools import repeat

from wirelab.framing.decoder import BYTE_ORDER_MARK, Decoder
from wirelab.model import Frame, FrameKind

_LF = 0x0A
_CR = 0x0D
"""As numbers: `0x0A in data` is several times faster than `b"\n" in data`."""
_BLANK_LINE = re.compile(rb"\n[\r\n]|\r\r")
_COMMENT = re.compile(rb"[\r\n]*: ?([^\r\n]*)(\r\n?|\n)?")
_DATA = b"data: "
_EVENT = b"event: "
_ERROR = b"event: error"
_LONG = 2048
"""So many bytes hold enough blocks for looking at all of them at once."""


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

    def _cut(self, data: bytes) -> tuple[list[bytes], int]:
        end = _end_of_last(data) if _CR in data else data.rfind(b"\n\n") + 2
        if end < 2:
            return [], 0
        if end > _LONG:
            return self._payloads(data[:end]), end
        payloads = []
        for block in self._split(data[: end - 2]):
            payload = self._payload(block)
            if payload is None:
                return [], end
            payloads.append(payload)
        return payloads, end

    def _payload(self, block: bytes) -> bytes | None:
        if _CR in block:
            block = block.strip(b"\r\n").replace(b"\r\n", b"\n")
        if not block.startswith(_DATA):
            name, _, block = block.partition(b"\n")
            if not _is_name(name) or not block.startswith(_DATA):
                return None
        return None if _LF in block or _CR in block else block[len(_DATA) :]

    def _payloads(self, data: bytes) -> list[bytes]:
        """The same of many blocks, each step for all of them at once; empty where any is odd."""
        if _CR in data:
            data = (data + b"\n").replace(b"\r\n", b"\n").removeprefix(b"\n")
            if _CR in data:
                return []
        lines = data.split(b"\n")
        lines.pop()
        named = data.startswith(_EVENT)
        size = 3 if named else 2
        blank = lines[size - 1 :: size]
        if any(blank) or len(blank) * size != len(lines):
            return []
        names = lines[::3] if named else []
        if not all(map(_is_name, set(names))):
            return []
        payloads = [*map(bytes.removeprefix, lines[size - 2 :: size], repeat(_DATA))]
        # as many bytes are gone as there would be if each had its `data: `
        gone = len(data) - len(b"".join(payloads)) - len(b"".join(names))
        return payloads if gone == (size + len(_DATA)) * len(payloads) else []

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
