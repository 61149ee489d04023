"""Newline-delimited JSON: one payload a line, ended by LF or CRLF (a CR alone is white space to JSON, not an end)."""

from wirelab.framing.decoder import BYTE_ORDER_MARK, Decoder
from wirelab.framing.run import Run
from wirelab.model import Frame, FrameKind

_LF = 0x0A
_VISIBLE = b"!"
"""What a line begins with at least, in the order of bytes: all white space is below it, as an empty line is."""


class NdjsonDecoder(Decoder):
    """Cuts a body into lines. Lines of white space are frames of kind IGNORED, empty lines are no frames."""

    _separator_size = 1

    def _holds_separator(self, data: bytes, /) -> bool:
        return _LF in data

    def _split(self, data: bytes) -> list[bytes]:
        return data.split(b"\n")

    def _take(self, data: bytes) -> tuple[list[Run | Frame], int]:
        lines = data.split(b"\n")
        rest = lines.pop()
        size = len(data) - len(rest)
        if rest:
            data = data[:size]
        if lines and min(lines) >= _VISIBLE and not data.startswith(BYTE_ORDER_MARK):
            return [self._run(lines, data)], size
        return self._parts(data, [(line if _is_plain(line) else None, len(line) + 1) for line in lines]), size

    def _frames(self, block: bytes, number: int, start: int, position: int, *, terminated: bool) -> list[Frame]:
        end = position + len(block) + terminated
        data = block.removesuffix(b"\r")
        if position == 0:
            data = data.removeprefix(BYTE_ORDER_MARK)
        if not data:
            return []
        kind = FrameKind.IGNORED if data.isspace() else FrameKind.DATA
        return [Frame(number, start, end, data, kind, None, terminated)]


def _is_plain(line: bytes) -> bool:
    return line >= _VISIBLE and not line.startswith(BYTE_ORDER_MARK)
