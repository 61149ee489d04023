"""Reading as other clients do: the same events, the same record, another policy.

The reconciler's own rules for identity and folding are replaced by the policy's; its judgement at the end stays, so
that a reading says both what such a client would hold and run, and whether it could have known.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from wirelab.calls.choosing import LEFT_OUT, make_chooser, place_of
from wirelab.calls.closing import Closed, is_beginning
from wirelab.calls.contradictions import Watch
from wirelab.calls.entry import Entry, read_entry
from wirelab.calls.limits import Limits
from wirelab.calls.opencall import OpenCall, decode
from wirelab.calls.otherfold import fold_arguments, fold_id, fold_name, settling
from wirelab.calls.policy import Policy
from wirelab.calls.reconcile import Reconciler
from wirelab.calls.rules import ALL_RULES
from wirelab.errors import MisuseError
from wirelab.ids import IdAllocator
from wirelab.model import Asked, Fragment, Place, Reading, Severity, fragments_of

OWN_RULES = frozenset({"snapshots", "double-encoded"})
"""Rules of closing that only this package follows: others take the text as it is."""

_LEADING = json.JSONDecoder()


class OtherClient(Reconciler):
    """Folds one response's events as a policy says. Same verbs and errors as `Reconciler`.

    A contradiction is an anomaly here: such a client goes on. Only the codes of `Policy.stops_at` are violations: at
    those it stops with an error and runs nothing. `executable` lists what it would run, broken arguments included.
    """

    def __init__(
        self,
        policy: Policy,
        protocol: str,
        *,
        asked: Asked | None = None,
        strict: bool = True,
        limits: Limits | None = None,
        allocator: IdAllocator | None = None,
    ) -> None:
        super().__init__(
            protocol, asked=asked, strict=strict, limits=limits, allocator=allocator, rules=ALL_RULES - OWN_RULES
        )
        self.policy = policy.name
        self._choices = policy
        self._stops_at = policy.stops_at
        self._chooser = make_chooser(policy, self.book)
        self._watch = Watch(self.asked.tools, self._note_call)
        self._slots = 0
        self._unread: dict[str | int | None, Entry] = {}
        """The latest entry under each key whose mode this client does not read."""

    def severity(self, code: str) -> Severity:
        """A violation is what such a client stops at; all else it could only have noticed."""
        return Severity.VIOLATION if code in self._stops_at else Severity.ANOMALY

    def arguments(self, frames: Sequence[int], pieces: Sequence[str], places: Sequence[Place]) -> None:
        """Fold pieces of argument text, as the fragments they are."""
        for fragment in fragments_of(frames, pieces, places):
            self.fragment(fragment)

    def fragment(self, fragment: Fragment) -> None:
        """Fold one tool-call entry. Raises ProtocolViolationError when strict, MisuseError after the end."""
        if self._ended:
            raise MisuseError("this reconciler has ended; make a new one for the next response")
        self._fragment = fragment
        entry = read_entry(fragment, self._note_entry)
        if fragment.mode not in self._choices.modes:
            self._unread[fragment.key] = entry
            return
        if entry.is_nothing and (fragment.key is None or fragment.mode == "delta"):
            return
        if self._choices.first_entry_only and fragment.position > 0:
            self._watch.left_out(entry, "this policy reads the first entry of a frame only")
            return
        self._give(entry, self._as_seen(entry))

    def _as_seen(self, entry: Entry) -> Entry:
        """The entry without the fields that this client does not look at."""
        choices = self._choices
        if choices.reads_id and choices.reads_index:
            return entry
        seen = {"id": entry.id if choices.reads_id else None, "index": entry.index if choices.reads_index else None}
        return msgspec.structs.replace(entry, **seen)

    def _give(self, entry: Entry, seen: Entry) -> None:
        choices = self._choices
        if seen.index is None and seen.fragment.key is None and choices.missing_index in ("drop", "raise"):
            self._note_entry("missing-index", "an entry without an index: this policy has nowhere to put it")
            return
        place = place_of(choices, seen)
        call = self._chooser.find(seen, place)
        if call is LEFT_OUT:
            self._watch.left_out(entry, f"an entry of {entry.id or entry.name!r} is left out")
            return
        opens = call is None
        call = call or self._open_at(entry, place)
        if call is None:
            return
        known = self._is_known(call, entry)
        (self._watch.opened if opens else self._watch.joined)(call, entry, known=known)
        self.book.settle(call, entry)
        self._chooser.took(call, seen, place)
        if seen.id is None and entry.id is not None:
            self._note_call("id-changed", call, f"the id {entry.id!r} was sent, and such a client does not look at it")
        self._put_in(call, seen, settling(choices, entry, known=known), opens=opens)

    def _is_known(self, call: OpenCall, entry: Entry) -> bool:
        """Whether the protocol's own key gives the entry to this call; a key belongs to the call that had it first."""
        key = entry.fragment.key
        return key is not None and self.book.by_key.setdefault(key, call) is call

    def _open_at(self, entry: Entry, place: Any) -> OpenCall | None:
        """A new call; where indexes are places in a list, the places before it must be there."""
        base = self._choices.index_base
        if base is not None and type(place) is int:
            if place > base + self._slots:
                self._note_entry("index-gap", f"index {place} came where {base + self._slots} is the next free one")
                self._pad(entry, base + self._slots, place)
            self._slots = max(self._slots, place - base + 1)
        return self._open(entry)

    def _pad(self, entry: Entry, start: int, end: int) -> None:
        """Empty calls in the places that were left out, as far as the limit on calls goes."""
        pad = self._choices.gap == "pad"
        while pad and start < end and (call := self._open(entry)) is not None:
            call.frames.append(entry.fragment.frame)
            self._chooser.took(call, msgspec.structs.replace(entry, id=None), start)
            start += 1

    def _put_in(self, call: OpenCall, entry: Entry, choices: Policy, *, opens: bool) -> None:
        if entry.id is not None:
            taken = self.book.by_id.setdefault(entry.id, call) is not call
            fold_id(choices, call, entry.id, self._note_call, opens=opens, taken=taken)
            self._allocator.reserve(entry.id)
        if entry.name is not None:
            fold_name(choices, call, entry.name, self._note_call)
        if self._within_limits(call, entry):
            fold_arguments(choices, call, entry, self._note_call)

    def judge_end(self, *, empty_body: bool) -> None:
        """Judge as ever; then make of each call what the client would hand over."""
        super().judge_end(empty_body=empty_body)
        for key, entry in self._unread.items():
            self._watch.unread(self.book.by_key.get(key) if key is not None else None, entry)
        self.book.calls = [call for call in self.book.calls if self._hand_over(call)]

    def _hand_over(self, call: OpenCall) -> bool:
        """Whether the call is handed over. Its arguments then are what the client would give."""
        frame = call.frames[-1]
        closed: Closed = call.closed
        value = decode(call.value if call.value is not None else closed.text) if closed.text.strip() else {}
        call.executable = True
        if not isinstance(value, dict):
            value = self._mend(call, closed.text)
            if value is LEFT_OUT:
                self.note_of("call-dropped", frame, call, f"{call.id or call.name!r} is left out: its arguments broke")
                return False
        call.closed = msgspec.structs.replace(closed, arguments=value)
        if call.id is None and self._choices.missing_id != "allocate":
            self.note_of("missing-id", frame, call, f"the call of {call.name!r} never got an id")
            call.id, call.id_source = "", "provider"
            return self._choices.missing_id == "keep"
        return True

    def _mend(self, call: OpenCall, text: str) -> Any:
        """What the client makes of arguments that are no object: None hands the text over as it is."""
        choice = self._choices.broken
        if choice == "drop":
            return LEFT_OUT
        if choice == "flag":
            call.executable = False
        if choice == "leading":
            found = leading_object(text)
            return LEFT_OUT if found is None else found
        return {} if choice == "empty" else None

    def snapshot(self) -> Reading:
        """The reading so far, as the client would hold it."""
        reading = super().snapshot()
        if reading.error is not None or not self._ended:
            return msgspec.structs.replace(reading, executable=())
        pairs = zip(reading.calls, self.book.calls, strict=True)
        return msgspec.structs.replace(reading, executable=tuple(call.id for call, kept in pairs if kept.executable))


def leading_object(text: str) -> dict[str, Any] | None:
    """The first object of the text; `{}` for the beginning of one, None where there is neither."""
    try:
        value, _ = _LEADING.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return {} if is_beginning(text) else None
    return value if isinstance(value, dict) else None
