"""Which call an entry belongs to, as other clients decide it: one small class a key (specification 1, policies)."""

from collections.abc import Hashable
from typing import Protocol

from wirelab.calls.entry import Entry
from wirelab.calls.identity import Book
from wirelab.calls.opencall import OpenCall
from wirelab.calls.policy import Key, Policy

LEFT_OUT = OpenCall("text")
"""The entry belongs to no call and opens none."""

Choice = OpenCall | None
"""A call, None for a new one, or `LEFT_OUT`."""


class Chooser(Protocol):
    """Keeps what a client remembers of earlier entries, and decides by it."""

    def find(self, entry: Entry, place: Hashable) -> Choice:
        """The entry's call. `place` is its slot, None where it has none."""

    def took(self, call: OpenCall, entry: Entry, place: Hashable) -> None:
        """The entry went to this call."""


def place_of(policy: Policy, entry: Entry) -> Hashable:
    """The slot of an entry; None where this policy gives it none."""
    fragment = entry.fragment
    if fragment.key is not None and (policy.blocks == "key" or entry.index is None):
        return ("key", fragment.key)
    if entry.index is not None:
        return entry.index
    if policy.missing_index == "position":
        return ("position", fragment.position)
    if policy.missing_index == "one-slot":
        return "none" if policy.index_base is None else policy.index_base
    return None


class ByPlace:
    """The index, and nothing else."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._at: dict[Hashable, OpenCall] = {}
        self._ids: dict[str, OpenCall] = {}

    def find(self, entry: Entry, place: Hashable) -> Choice:  # noqa: ARG002  the id does not matter here
        """The call at the entry's place."""
        return self._at.get(place)

    def took(self, call: OpenCall, entry: Entry, place: Hashable) -> None:
        """The latest call at a place is the one there."""
        if place is not None:
            self._at[place] = call
        if entry.id is not None:
            self._ids[entry.id] = call


class ByPlaceElseId(ByPlace):
    """The index, else the id."""

    def find(self, entry: Entry, place: Hashable) -> Choice:
        """The call at the entry's place, else the one with its id."""
        return self._at.get(place) or (self._ids.get(entry.id) if entry.id is not None else None)


class IdThenPlace(ByPlace):
    """The id, else the index, else the position, and nothing more."""

    def find(self, entry: Entry, place: Hashable) -> Choice:
        """An id decides alone, even an unknown one."""
        return self._ids.get(entry.id) if entry.id is not None else self._at.get(place)


class IdOrLast(ByPlace):
    """The id, else the last call."""

    def find(self, entry: Entry, place: Hashable) -> Choice:  # noqa: ARG002
        """Without an id, whatever came last."""
        return self._ids.get(entry.id) if entry.id is not None else self._book.last


class ByPlaceAndId:
    """The index, unless the ids contradict: the first call there whose id is not another one."""

    def __init__(self, book: Book) -> None:  # noqa: ARG002
        self._at: dict[Hashable, list[OpenCall]] = {}

    def find(self, entry: Entry, place: Hashable) -> Choice:
        """The first that fits."""
        return next((call for call in self._at.get(place, ()) if entry.id is None or call.id in (None, entry.id)), None)

    def took(self, call: OpenCall, entry: Entry, place: Hashable) -> None:  # noqa: ARG002
        """A place keeps all its calls."""
        there = self._at.setdefault(place, [])
        if place is not None and call not in there:
            there.append(call)


class OneOpen:
    """One call is open at a time: another index closes it for good."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._open_at: Hashable = None

    def find(self, entry: Entry, place: Hashable) -> Choice:  # noqa: ARG002
        """The last call while the place stays the same."""
        return self._book.last if place == self._open_at else None

    def took(self, call: OpenCall, entry: Entry, place: Hashable) -> None:  # noqa: ARG002
        """The place of the open call."""
        self._open_at = place


class EachEntry:
    """Every entry is a call."""

    def __init__(self, book: Book) -> None:
        pass

    def find(self, entry: Entry, place: Hashable) -> Choice:  # noqa: ARG002
        """Always a new one."""
        return None

    def took(self, call: OpenCall, entry: Entry, place: Hashable) -> None:
        """Nothing is remembered."""


class EqualOnce:
    """Every entry is a call, unless an equal one came before."""

    def __init__(self, book: Book) -> None:  # noqa: ARG002
        self._seen: set[tuple[str | None, str | bytes | None]] = set()

    def find(self, entry: Entry, place: Hashable) -> Choice:  # noqa: ARG002
        """A new one, or none at all."""
        return LEFT_OUT if _content(entry) in self._seen else None

    def took(self, call: OpenCall, entry: Entry, place: Hashable) -> None:  # noqa: ARG002
        """Name and arguments, whatever the id."""
        self._seen.add(_content(entry))


def _content(entry: Entry) -> tuple[str | None, str | bytes | None]:
    return entry.name, entry.text if entry.value is None else entry.value


class ByFrame(ByPlace):
    """The number of the frame: entries of one frame are one call."""

    def find(self, entry: Entry, place: Hashable) -> Choice:
        """The call of this frame."""
        del place
        return self._at.get(entry.fragment.frame)

    def took(self, call: OpenCall, entry: Entry, place: Hashable) -> None:
        """The call of this frame."""
        del place
        self._at[entry.fragment.frame] = call


class Evidence(ByPlace):
    """Id, index and name together, and whether a complete value precedes; what stays unclear is left out."""

    def find(self, entry: Entry, place: Hashable) -> Choice:
        """The call that all evidence allows; where the protocol has a key, that is evidence enough."""
        if entry.fragment.key is not None:
            return self._at.get(place)
        known = self._ids.get(entry.id) if entry.id is not None else None
        if known is not None:
            return known if _same_name(known, entry) else None
        there = self._at.get(place)
        if there is not None:
            return there if self._continues(there, entry) else None
        if entry.id is not None or entry.name is not None:
            return None
        unfinished = self._book.incomplete()
        return unfinished[0] if len(unfinished) == 1 else LEFT_OUT

    def _continues(self, call: OpenCall, entry: Entry) -> bool:
        if entry.id is not None and call.other_ids.keys() | {call.id} != {None}:
            return False
        fresh = entry.value is not None or (entry.text or "").lstrip().startswith("{")
        return _same_name(call, entry) and not (fresh and call.complete)


def _same_name(call: OpenCall, entry: Entry) -> bool:
    return entry.name is None or call.name in (None, entry.name)


CHOOSERS: dict[Key, type[Chooser]] = {
    "id-then-index": IdThenPlace,
    "index": ByPlace,
    "index-else-id": ByPlaceElseId,
    "index-and-id": ByPlaceAndId,
    "id-or-last": IdOrLast,
    "one-open": OneOpen,
    "entry": EachEntry,
    "content": EqualOnce,
    "frame": ByFrame,
    "evidence": Evidence,
}


def make_chooser(policy: Policy, book: Book) -> Chooser:
    """The chooser of a policy's key."""
    return CHOOSERS[policy.key](book)  # type: ignore[call-arg]
