"""Ids: issuing fresh ones that collide with nothing."""

from collections.abc import Iterable


class IdAllocator:
    """Issues `prefix1`, `prefix2`, … and never an id that was reserved or issued before.

    One allocator serves a whole conversation, so no id is issued twice across responses and none collides with a
    provider's (specification 1, closing; specification 2, rule 1).
    """

    def __init__(self, prefix: str = "wirelab_", reserved: Iterable[str] = ()) -> None:
        self._prefix = prefix
        self._taken = set(reserved)
        self._next = 1

    def reserve(self, identifier: str) -> None:
        """Keep an id that someone else issued from being issued here."""
        self._taken.add(identifier)

    def allocate(self) -> str:
        """A fresh id."""
        while (candidate := f"{self._prefix}{self._next}") in self._taken:
            self._next += 1
        self._taken.add(candidate)
        return candidate
