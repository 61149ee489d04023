"""Newline-delimited JSON: one payload a line, ended by LF or CRLF (a CR alone is white space to JSON, not an end)."""

from wirelab.framing.decoder import BYTE_ORDER_MARK, Decoder
from wirelab.framing.run import Run
from wirelab.model import Frame, FrameKind

_LF = 0x0A


class NdjsonDecoder(Decoder):
    """Cuts a body into lines. Lines of white space are frames of kind IGNORED, empty lines are no frames."""

    _separator_size = 1

    def _holds_separator(self, data: bytes, /) -> bool:
        return _LF in data

    def _split(self, data: bytes) -> list[bytes]:
        return data.split(b"\n")

    @staticmethod
    def _cut(lines: list[bytes], frames: list[Frame], number: int, start: int, position: int) -> int:
        for line in lines:
            end = position + len(line) + 1
            if line.startswith(b"{") and line.endswith(b"}"):
                frames.append(Frame(number, start, end, line))
            elif (frame := _frame(line, number, start, end, first=position == 0, terminated=True)) is not None:
                frames.append(frame)
            else:
                position = end
                continue
            number += 1
            start = position = end
        return start

    def _run(self, data: bytes) -> Run | None:
        raw = data[: data.rfind(b"\n") + 1]
        count = raw.count(b"\n")
        if raw.startswith(b"{") and raw.endswith(b"}\n") and raw.count(b"}\n{") == count - 1:
            return Run(self._number, count, raw, raw, self._start, self._position, b"\n", self._cut)
        return None

    def _leftover(self, rest: bytes) -> list[Frame]:
        end = self._position + len(rest)
        frame = _frame(rest, self._number, self._start, end, first=self._position == 0, terminated=False)
        return [] if frame is None else [frame]


def _frame(line: bytes, number: int, start: int, end: int, *, first: bool, terminated: bool) -> Frame | None:
    """The frame of a line of any shape; None for an empty one. `first`: a byte order mark may stand before it."""
    if first:
        line = line.removeprefix(BYTE_ORDER_MARK)
    data = line.removesuffix(b"\r")
    if not data:
        return None
    kind = FrameKind.IGNORED if data.isspace() else FrameKind.DATA
    return Frame(number, start, end, data, kind, None, terminated)
