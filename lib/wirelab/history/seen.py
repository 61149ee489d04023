"""What is known of each part of a history that a model should see."""

from typing import Literal

import msgspec

Kind = Literal["system", "user", "text", "thinking", "call", "result"]
State = Literal["kept", "moved", "lost", "unknown"]
Tie = Literal["id", "name", "position"]


class Part(msgspec.Struct, frozen=True):
    """One part of a history: what it is, the position of its message, and what it is known by."""

    kind: Kind
    position: int
    text: str
    id: str | None = None
    name: str | None = None
    values: tuple[str, ...] = ()


class Seen(msgspec.Struct, frozen=True):
    """What became of a part. `start` and `end` are character offsets into the prompt, None where it is not there.

    `tie` says how the model can know whose result it is; `swapped`: by that it takes it for another call's.
    """

    part: Part
    state: State
    start: int | None = None
    end: int | None = None
    tie: Tie | None = None
    swapped: bool = False

    @property
    def is_gone(self) -> bool:
        """It is not in its place: lost, or moved elsewhere."""
        return self.state in ("lost", "moved")

    @property
    def is_loss(self) -> bool:
        """It did not arrive as it should: gone, or taken for another call's."""
        return self.is_gone or self.swapped
