"""Runs: what most of a body is, frames of one shape after each other, cut out wholesale."""

from collections.abc import Callable, Iterator

import msgspec

from wirelab.model import Frame

Remake = Callable[[bytes, int, int, int], Iterator[Frame]]
"""The frames of a piece of the body, given number, start and position of the first."""


class Run(msgspec.Struct, frozen=True, gc=False):
    """Frames of kind DATA, ended and of no error event, whose other properties are only made when someone asks.

    `payloads` is the data of each, with white space around it at most; they are numbered from `number` on. `raw` is
    what the body has for them, at offset `position`; the range of the first one begins at `start`.
    """

    number: int
    payloads: list[bytes]
    raw: bytes
    start: int
    position: int
    remake: Remake

    def frames(self) -> list[Frame]:
        """The frames themselves."""
        return list(self.remake(self.raw, self.number, self.start, self.position))
