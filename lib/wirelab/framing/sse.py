"""Server-sent events (WHATWG HTML, section 9.2.6, "Interpreting an event stream"), kept exact to the byte.

A line ends with LF, CRLF or CR; a blank line ends an event. So an event ends with two line ends, and where the second
is a CRLF it ends at its CR already: whether a LF follows need not be waited for. That makes the separator of events two
bytes in every case, `LF LF`, `LF CR` or `CR CR`, and a LF after it the beginning of the next block.
"""

import re
from functools import lru_cache

from wirelab.framing.decoder import BYTE_ORDER_MARK, Decoder
from wirelab.framing.run import Run
from wirelab.model import Frame, FrameKind

_LF = 0x0A
_CR = 0x0D
"""As numbers: `0x0A in data` is several times faster than `b"\n" in data`."""
_BLANK_LINE = re.compile(rb"\n[\r\n]|\r\r")
_SHAPES = {
    (2, False): re.compile(rb"^data: (\{.*\})\n\n", re.MULTILINE).findall,
    (3, False): re.compile(rb"^event: .*\ndata: (\{.*\})\n\n", re.MULTILINE).findall,
    (2, True): re.compile(rb"^data: (\{.*\})\r\n\r", re.MULTILINE).findall,
    (3, True): re.compile(rb"^event: .*\r\ndata: (\{.*\})\r\n\r", re.MULTILINE).findall,
}
"""The payloads of the common events, by their number of lines and whether these end with CRLF."""
_COMMENT = re.compile(rb"[\r\n]*: ?([^\r\n]*)(\r\n?|\n)?")


class SseDecoder(Decoder):
    """Cuts a body into events. The `data` of an event is its data lines joined with LF.

    Comment lines before an event are frames of kind COMMENT; one inside an event lies in the event's range. A block
    without a data line is of kind IGNORED and has its lines as `data`. `id` and `retry` are not kept: no LLM server
    means anything by them.
    """

    _separator_size = 2

    def _holds_separator(self, data: bytes, /) -> bool:
        return b"\n\n" in data or (_CR in data and _BLANK_LINE.search(data) is not None)

    def _split(self, data: bytes) -> list[bytes]:
        return _BLANK_LINE.split(data) if _CR in data else data.split(b"\n\n")

    @staticmethod
    def _cut(blocks: list[bytes], frames: list[Frame], number: int, start: int, position: int) -> int:
        for block in blocks:
            end = position + len(block) + 2
            name, data = None, block
            if not block.startswith(b"data: ") or block.endswith(b"\r"):
                data = block.strip(b"\r\n")
                if data.startswith(b"event: "):
                    head, _, data = data.partition(b"\n")
                    name = _name(head.removesuffix(b"\r"))
            if data.startswith(b"data: ") and _LF not in data and _CR not in data:
                frames.append(Frame(number, start, end, data[6:], FrameKind.DATA, name))
                number += 1
                start = end
            elif found := _frames(block, number, start, position, terminated=True):
                frames += found
                number += len(found)
                start = end
            position = end
        return start

    def _run(self, data: bytes) -> Run | None:
        crlf = _CR in data
        separator = b"\n\r" if crlf else b"\n\n"
        lead = crlf and data.startswith(b"\n")
        lines = 3 if data.startswith(b"event: ", lead) else 2
        size = data.rfind(separator) + 2
        payloads = _SHAPES[lines, crlf](data)
        if not _is_all(data, size, lines * len(payloads), crlf=crlf, lead=lead):
            size = data.rfind(separator, 0, max(0, size - 2)) + 2  # the last event is often `[DONE]`: all but that one
            payloads = _SHAPES[lines, crlf](data, 0, size)
            if not _is_all(data, size, lines * len(payloads), crlf=crlf, lead=lead):
                return None
        text = b"\n".join(payloads)
        return Run(self._number, len(payloads), text, data[:size], self._start, self._position, separator, self._cut)

    def _leftover(self, rest: bytes) -> list[Frame]:
        return _frames(rest, self._number, self._start, self._position, terminated=False)


def _is_all(data: bytes, size: int, lines: int, *, crlf: bool, lead: bool) -> bool:
    """Whether matches that hold so many lines, each match beginning a line, are all that `data` has up to `size`.

    They are where every line end is inside of one; of a CRLF that ends an event only the CR is, and its LF before the
    next one. `lead`: the first of these, of an event before, is there.
    """
    ends = data.count(b"\n", 0, size)
    if crlf:
        return lines > 0 and data.count(b"\r", 0, size) == lines and ends == lines - 1 + lead
    return lines > 0 and ends == lines


@lru_cache(256)
def _name(line: bytes) -> str | None:
    """The event's name, of its `event: ` line; cached, since a stream has few."""
    return line[7:].decode("utf-8", "replace") or None


def _frames(block: bytes, number: int, start: int, position: int, *, terminated: bool) -> list[Frame]:
    """The frames of a block of any shape that stands at `position`: comments, then an event; none of a blank one."""
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
