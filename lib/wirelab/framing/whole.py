"""An answer that is one JSON document: the body is the frame."""

from wirelab.framing.decoder import BYTE_ORDER_MARK, Decoder
from wirelab.framing.run import Run
from wirelab.model import Frame, FrameKind


class WholeDecoder(Decoder):
    """Gives the whole body as one frame when it has ended; nothing before, and nothing for an empty body.

    The end of the body is the terminator of this frame. A body of white space is of kind IGNORED.
    """

    _separator_size = 0

    def _holds_separator(self, _: bytes, /) -> bool:
        return False

    def _take(self, _: bytes, /) -> tuple[list[Run | Frame], int]:
        return [], 0

    def _split(self, data: bytes) -> list[bytes]:
        return [data]  # none ends before the body does, so there is nothing to cut

    def _leftover(self, rest: bytes) -> list[Frame]:
        data = rest.removeprefix(BYTE_ORDER_MARK)
        if not data:
            return []
        kind = FrameKind.IGNORED if data.isspace() else FrameKind.DATA
        return [Frame(0, 0, len(rest), data, kind)]
