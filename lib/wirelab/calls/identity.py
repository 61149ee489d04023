"""Which call an entry belongs to: the policy `id-first` (specification 1, identity).

The book keeps what identity is decided by: ids with their other names, slots with their occupants, the call that was
touched last. A frame has *touched* a call when an earlier entry of the same frame belonged to it.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

import msgspec

from wirelab.calls.entry import Entry
from wirelab.calls.opencall import NOT_JSON, OpenCall, decode, same_json

CallNoter = Callable[[str, OpenCall | None, str], None]
"""Called with a finding's code, the call it is about, and the detail."""


class Book(msgspec.Struct, eq=False):
    """All calls of a response in first-seen order, and every way to find one of them again."""

    calls: list[OpenCall] = []
    by_id: dict[str, OpenCall] = {}
    by_key: dict[str | int, OpenCall] = {}
    occupants: dict[int, OpenCall] = {}
    residents: dict[int, list[OpenCall]] = {}
    last: OpenCall | None = None
    last_at: dict[int, OpenCall] = {}

    def settle(self, call: OpenCall, entry: Entry) -> None:
        """The entry belongs to the call: remember where it stood, and that its frame touched the call."""
        fragment, slot = entry.fragment, entry.slot
        if slot >= 0 or entry.id is not None or entry.name is not None:
            self.occupants[slot] = call
        if slot not in call.slots:
            call.slots[slot] = None
            self.residents.setdefault(slot, []).append(call)
        if fragment.frame != call.last_frame:
            call.last_frame = fragment.frame
            call.frames.append(fragment.frame)
        self.last = call
        self.last_at[fragment.position] = call

    def incomplete(self) -> list[OpenCall]:
        """The calls whose arguments are no JSON object yet."""
        return [call for call in self.calls if not call.complete]


class IdFirst:
    """Id, then index, then position; late ids adopt; what could be two calls is never guessed.

    `note` hears of anomalies and violations; in a strict reconciler it raises for a violation.
    """

    def __init__(self, book: Book, rules: AbstractSet[str]) -> None:
        self._book = book
        self._rules = rules

    def find(self, entry: Entry, note: CallNoter) -> OpenCall | None:
        """The call of the entry, None for a new one."""
        if entry.id is not None:
            known = self._book.by_id.get(entry.id)
            return known if known is not None and "known-id" in self._rules else self._of_new_id(entry, note)
        if entry.name is not None:
            return self._of_name(entry, note)
        return self._of_continuation(entry, note)

    def _of_new_id(self, entry: Entry, note: CallNoter) -> OpenCall | None:
        for call in self._book.residents.get(entry.slot, ()):
            if call.id is None and "late-id-adopts" in self._rules and self._may_adopt(call, entry):
                if call.complete:
                    detail = f"the complete call of {call.name!r} was sent again, with the id {entry.id!r}"
                    _repeat(call, entry, detail, note)
                return call
        occupant = self._book.occupants.get(entry.slot)
        if (
            occupant is not None
            and entry.name is None
            and "second-id" in self._rules
            and not self._touched(occupant, entry)
            and not occupant.complete
        ):
            note("id-changed", occupant, f"the call {occupant.id!r} goes on under the id {entry.id!r}; the first stays")
            return occupant
        return None

    def _may_adopt(self, call: OpenCall, entry: Entry) -> bool:
        if self._touched(call, entry):
            return False
        if entry.name is not None and call.name is not None and entry.name != call.name:
            return False
        return not call.complete or equal_arguments(call, entry)

    def _of_name(self, entry: Entry, note: CallNoter) -> OpenCall | None:
        occupant = self._book.occupants.get(entry.slot)
        if occupant is None or self._touched(occupant, entry):
            return None
        if not occupant.complete:
            return occupant if "name-joins-incomplete" in self._rules else None
        if "complete-is-closed" not in self._rules:
            return occupant
        same = "repeat-is-one" in self._rules and entry.name == occupant.name and equal_arguments(occupant, entry)
        if same and occupant.id is not None:
            _repeat(occupant, entry, f"the complete call {occupant.id!r} was sent again without its id", note)
            return occupant
        code = "repeated-entry" if same else "index-reused"
        detail = (
            "an equal call without an id may be a repeat or a second call" if same else "its slot held a complete call"
        )
        note(code, occupant, f"a call of {entry.name!r} opened: {detail}")
        return None

    def _of_continuation(self, entry: Entry, note: CallNoter) -> OpenCall | None:
        found = self._continued(entry)
        if found is not None:
            return found
        open_calls = self._book.incomplete()
        if len(open_calls) == 1 and "stray-continuation" in self._rules:
            call = open_calls[0]
            note("stray-continuation", call, f"a fragment under {_place(entry)} joined the only open call")
            return call
        if open_calls and "ambiguous-identity" in self._rules:
            names = ", ".join(repr(call.id or call.name) for call in open_calls[:4])
            detail = f"a fragment under {_place(entry)} could belong to any of {len(open_calls)} open calls: {names}"
            note("ambiguous-identity", None, detail)
        else:
            detail = f"a fragment under {_place(entry)} continues a call that was never opened"
            note("continuation-without-call", None, detail)
        return None

    def _continued(self, entry: Entry) -> OpenCall | None:
        if entry.index is not None:
            return self._book.occupants.get(entry.index) if "continuation-by-index" in self._rules else None
        if entry.fragment.entries == 1:
            return self._book.last if "continuation-of-last" in self._rules else None
        return self._book.last_at.get(entry.fragment.position) if "continuation-by-position" in self._rules else None

    def _touched(self, call: OpenCall, entry: Entry) -> bool:
        return call.last_frame == entry.fragment.frame and "one-frame-two-calls" in self._rules


class Keyed:
    """Where the protocol joins deltas by a key of its own (item, block, part): the key, then a known id, else new."""

    def __init__(self, book: Book, rules: AbstractSet[str]) -> None:
        self._book = book
        self._rules = rules

    def find(self, entry: Entry, note: CallNoter) -> OpenCall | None:
        """The call of the entry, None for a new one."""
        key = entry.fragment.key
        call = self._book.by_key.get(key) if key is not None and "known-key" in self._rules else None
        if call is None and entry.id is not None and "known-id" in self._rules:
            call = self._book.by_id.get(entry.id)
        if call is not None and entry.id is not None and call.id not in (None, entry.id):
            self._other_id(call, entry, note)
        return call

    def _other_id(self, call: OpenCall, entry: Entry, note: CallNoter) -> None:
        """A `done` event is authoritative; a terminal snapshot may confirm, never rename."""
        if entry.id in call.other_ids:
            return
        if entry.fragment.mode == "whole" and "snapshot-never-renames" in self._rules:
            detail = f"the final snapshot calls {call.id!r} {entry.id!r}; the streamed id stays"
            note("terminal-id-mismatch", call, detail)
        elif entry.fragment.mode == "done" and "done-renames" in self._rules:
            note("id-changed", call, f"the call {call.id!r} was completed as {entry.id!r}, which counts")
            call.other_ids[call.id or ""] = None
            call.id = entry.id
        else:
            note("id-changed", call, f"the call {call.id!r} goes on under the id {entry.id!r}; the first stays")


def _repeat(call: OpenCall, entry: Entry, detail: str, note: CallNoter) -> None:
    entry.repeat = True
    note("repeated-entry", call, detail)


def equal_arguments(call: OpenCall, entry: Entry) -> bool:
    """The entry's own arguments are the same JSON value as the call's so far."""
    if entry.value is not None:
        if entry.value == call.value:
            return True
        theirs = decode(entry.value)
    elif entry.text is not None:
        theirs = decode(entry.text)
    else:
        theirs = {} if call.shape == "object" else NOT_JSON
    return theirs is not NOT_JSON and same_json(theirs, call.arguments_value())


def _place(entry: Entry) -> str:
    return f"index {entry.index}" if entry.index is not None else f"position {entry.fragment.position}, with no index"
