"""Runs: what most of a body is, frames of one shape after each other, told apart from the rest wholesale."""

from collections.abc import Callable

import msgspec

from wirelab.model import Frame

Cut = Callable[[list[bytes], list[Frame], int, int, int], int]
"""Appends the frames of blocks to a list, given number, start and position of the first; where the next one starts."""


class Run(msgspec.Struct, frozen=True, gc=False):
    """Frames with one JSON object on one line each, which are made only when someone asks for them.

    `payloads` holds the objects, one a line, beginning and ending with their braces, so that none can reach into the
    next line; whether they are valid JSON is not known. The frames are numbered from `number` on. `raw` is what the
    body has for them, at offset `position`, each ended by `separator`; the range of the first one begins at `start`.
    """

    number: int
    count: int
    payloads: bytes
    raw: bytes
    start: int
    position: int
    separator: bytes
    cut: Cut

    def frames(self) -> list[Frame]:
        """The frames themselves."""
        frames: list[Frame] = []
        self.cut(self.raw.split(self.separator)[:-1], frames, self.number, self.start, self.position)
        return frames
