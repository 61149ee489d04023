"""The reconciler: events in, a reading out. See `rules` for the theory of operation."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import msgspec
from msgspec import UNSET

from wirelab.calls.entry import Entry, read_entry
from wirelab.calls.fold import Conflict, Fold
from wirelab.calls.identity import Book, IdFirst, Keyed
from wirelab.calls.limits import Limits, utf8_length
from wirelab.calls.opencall import OpenCall, Shape
from wirelab.calls.rules import ALL_RULES, RULES
from wirelab.calls.verdict import Heard, judge, reading
from wirelab.codes import CODES
from wirelab.errors import MisuseError, ProtocolViolationError
from wirelab.ids import IdAllocator
from wirelab.model import Asked, Finding, Fragment, Json, Place, Reading, Severity

SHAPES: dict[str, Shape] = {"native": "object", "gemini": "object", "messages": "either"}
"""What each protocol has as arguments; text where it is not named."""

_NONE: frozenset[str] = frozenset()
_LIMITS = Limits()
_NOTHING_ASKED = Asked()
_READING_RULES = {code: rule.id for rule in RULES if rule.step == "reading" for code in rule.codes}


class Row(msgspec.Struct, frozen=True):
    """A finding while its call may still get another id."""

    code: str
    frame: int | None
    position: int | None
    call: OpenCall | str | None
    detail: str


class Reconciler:
    """Folds one response's events into calls, text, thinking and findings. A `Sink`; feed it, close it, ask it.

    Strict (the default), it stops at the first violation with `ProtocolViolationError` and is terminal from then on;
    lenient, it records the violation and goes on. `snapshot` works at any time. `rules` is for tests that switch one
    off. After `close` or an error every event raises `MisuseError`.
    """

    def __init__(
        self,
        protocol: str,
        *,
        asked: Asked | None = None,
        strict: bool = True,
        limits: Limits | None = None,
        allocator: IdAllocator | None = None,
        rules: AbstractSet[str] = ALL_RULES,
    ) -> None:
        self.protocol = protocol
        self.policy = "id-first"
        self.asked = asked or _NOTHING_ASKED
        self.rows: list[Row] = []
        self.book = Book()
        self.heard = Heard()
        self._strict = strict
        self._limits = limits or _LIMITS
        self._allocator = allocator or IdAllocator()
        self._rules = rules
        self._shape: Shape = SHAPES.get(protocol, "text")
        self._total = 0
        self._without: AbstractSet[str] = _NONE if rules is ALL_RULES else ALL_RULES - rules
        self._fragment: Fragment | None = None
        self._ended = False
        self._fold = Fold(rules, self.asked.tools)
        self._id_first = IdFirst(self.book, rules)
        self._keyed = Keyed(self.book, rules)

    def text(self, frames: Sequence[int], pieces: Sequence[str]) -> None:  # noqa: ARG002  a Sink hears the frames
        """Pieces of answer text."""
        self.heard.text += pieces

    def thinking(self, frames: Sequence[int], pieces: Sequence[str]) -> None:  # noqa: ARG002
        """Pieces of reasoning."""
        self.heard.thinking += pieces

    def usage(self, frame: int, counts: Mapping[str, Json], output_tokens: int | None) -> None:  # noqa: ARG002
        """Token counts; later ones complete or replace earlier ones, key by key."""
        self.heard.usage = {**(self.heard.usage or {}), **counts}
        if output_tokens is not None:
            self.heard.output_tokens = output_tokens

    def finish(self, frame: int, reason: str | None) -> None:
        """A finish signal. Of two different reasons the first stays."""
        heard = self.heard
        if heard.finish_frame is None:
            heard.finish_frame = frame
        if heard.reason is None:
            heard.reason = reason
        elif reason not in (None, heard.reason) and "first-finish" in self._rules:
            self.note("second-finish", frame, None, f"finished with {heard.reason!r}, and then with {reason!r}")
        elif reason is not None:
            heard.reason = reason

    def error(self, frame: int | None, message: str, status: int | None = None) -> None:
        """The server says that it failed: nothing after this counts. Raises ProtocolViolationError when strict."""
        if "failure-is-said" not in self._rules:
            return
        self.heard.failed = True
        detail = f"HTTP status {status}: {message}" if status is not None else message
        self.note("upstream-error", frame, None, detail)

    def note(self, code: str, frame: int | None, position: int | None, detail: str, call: str | None = None) -> None:
        """Record a finding. Raises ProtocolViolationError for a violation when strict, MisuseError after the end."""
        self._record(Row(code, frame, position, call, detail))

    def note_of(self, code: str, frame: int, call: OpenCall, detail: str) -> None:
        """Record a finding about a call that is still open here."""
        self._record(Row(code, frame, None, call, detail))

    def fragment(self, fragment: Fragment) -> None:
        """Fold one tool-call entry. Raises ProtocolViolationError when strict, MisuseError after the end."""
        if self._ended:
            raise MisuseError("this reconciler has ended; make a new one for the next response")
        self._fragment = fragment
        entry = read_entry(fragment, self._note_entry)
        if entry.name is None and entry.is_nothing and (fragment.key is None or fragment.mode == "delta"):
            return
        heard = self.heard
        finish, violations = heard.finish_frame, heard.violations
        if finish is not None and fragment.frame > finish and fragment.mode != "whole":
            self._note_late()
        finder = self._id_first if fragment.key is None else self._keyed
        call = finder.find(entry, self._note_call)
        if call is None:
            if violations != heard.violations:
                return  # lenient: nobody knows whose fragment this is, and it was said
            call = self._open(entry)
            if call is None:
                return
        self._take(call, entry)

    def _note_late(self) -> None:
        if "after-finish" in self._rules:
            self._note_entry("after-finish", "a tool-call entry came after the finish signal; it counts all the same")

    def arguments(self, frames: Sequence[int], pieces: Sequence[str], places: Sequence[Place]) -> None:
        """Fold pieces of argument text: straight into a call that is known by its place, else as fragments.

        Raises like `fragment`.
        """
        limits, book, call, before = self._limits, self.book, None, None
        known: dict[Place, OpenCall] = {}
        for frame, piece, place in zip(frames, pieces, places, strict=True):
            if place is not before:
                before, call = place, known.get(place)
                if call is None:
                    call = self._continued(place)
                    if call is not None:
                        known[place] = call
                if call is not None:
                    book.occupants[place[0]] = book.last = book.last_at[0] = call
            size = len(piece) if piece.isascii() else utf8_length(piece)
            if (
                call is None
                or call.argument_bytes + size > limits.argument_bytes
                or self._total + size > limits.total_bytes
            ):
                before = None
                known.clear()
                self.fragment(Fragment(frame, 0, 1, UNSET, place[0], UNSET, piece, "delta", place[1]))
                continue
            call.argument_bytes += size
            self._total += size
            call.parts.append(piece)
            if frame != call.last_frame:
                call.last_frame = frame
                call.frames.append(frame)

    def _continued(self, place: Place) -> OpenCall | None:
        """The call that pieces of argument text belong to, if all rules say just that: join it, append the text."""
        index, key = place
        book = self.book
        call = book.occupants.get(index) if key is None else book.by_key.get(key)
        if call is None or call.value is not None or index not in call.slots or self.heard.finish_frame is not None:
            return None
        if self._without or self._ended:
            return None  # with a rule switched off all goes the long way
        if call.metadata_bytes > self._limits.metadata_bytes or (call.shape == "object" and not call.parts):
            return None
        return call

    def _open(self, entry: Entry) -> OpenCall | None:
        calls = self.book.calls
        if len(calls) >= self._limits.calls and "limits" in self._rules:
            self._note_entry("too-many-calls", f"more than {self._limits.calls} calls; this one is dropped")
            return None
        call = OpenCall(self._shape)
        if entry.id is None and self._shape == "text":
            call.echo = self._says_a_name_again(entry)
        calls.append(call)
        if len(calls) > 1 and self.asked.parallel is False and "parallel-off" in self._rules:
            detail = f"call {len(calls)} ({entry.name!r}) came although the request said no parallel tool calls"
            self._note_call("parallel-calls-disabled", call, detail)
        return call

    def _says_a_name_again(self, entry: Entry) -> bool:
        """A name without arguments, after a call of that name that has an id: a new call only if arguments follow."""
        occupant = self.book.occupants.get(entry.slot)
        if occupant is None or occupant.id is None or occupant.last_frame == entry.fragment.frame:
            return False
        return entry.name == occupant.name and not entry.text and entry.value is None

    def _take(self, call: OpenCall, entry: Entry) -> None:
        """The entry is the call's: its id, name and arguments go in, its place is remembered."""
        self.book.settle(call, entry)
        if entry.fragment.key is not None:
            self.book.by_key[entry.fragment.key] = call
        if entry.id is not None:
            self._identify(call, entry.id)
        try:
            if call.name is None:
                call.name = entry.name
            elif entry.name is not None:
                self._fold.name(call, entry.name)
            if self._within_limits(call, entry) and not entry.repeat:
                self._fold.arguments(call, entry, self._note_call)
        except Conflict as conflict:
            self._conflict(call, entry, conflict)

    def _identify(self, call: OpenCall, identifier: str) -> None:
        if self.book.by_id.get(identifier, call) is not call:
            return  # another call's id, sent for this one too: that was said, and this one gets an allocated id
        if call.id is None:
            call.id = identifier
            call.id_source = "adopted" if len(call.frames) > 1 else "provider"
        elif identifier != call.id:
            call.other_ids[identifier] = None
        self.book.by_id[identifier] = call
        self._allocator.reserve(identifier)

    def _within_limits(self, call: OpenCall, entry: Entry) -> bool:
        """Count what the entry adds; False when its arguments must be dropped."""
        size = len(entry.value) if entry.value is not None else utf8_length(entry.text) if entry.text else 0
        added, counted = 0, call.metadata
        if entry.id is not None and entry.id not in counted:
            counted.add(entry.id)
            added = utf8_length(entry.id)
        if entry.name is not None and entry.name not in counted:
            counted.add(entry.name)
            added += utf8_length(entry.name)
        call.metadata_bytes += added
        call.argument_bytes += size
        self._total += added + size
        limits = self._limits
        fits = call.argument_bytes <= limits.argument_bytes and self._total <= limits.total_bytes
        if (fits and call.metadata_bytes <= limits.metadata_bytes) or "limits" not in self._rules:
            return True
        self._over(call)
        return False

    def _over(self, call: OpenCall) -> None:
        limits = self._limits
        if call.metadata_bytes > limits.metadata_bytes:
            code, size, most = "metadata-budget", call.metadata_bytes, limits.metadata_bytes
        elif call.argument_bytes > limits.argument_bytes:
            code, size, most = "argument-budget", call.argument_bytes, limits.argument_bytes
        else:
            code, size, most = "total-budget", self._total, limits.total_bytes
        self._note_call(
            code, call, f"{size} bytes for {call.id or call.name!r}, the limit is {most}; the rest is dropped"
        )

    def _conflict(self, call: OpenCall, entry: Entry, conflict: Conflict) -> None:
        """Strict: stop. Lenient: another name opens a new call; other arguments spoil this one."""
        self._note_call(conflict.code, call, conflict.detail)
        if conflict.code != "name-changed":
            return
        other = self._open(entry)
        if other is not None:
            self.book.settle(other, entry)
            if entry.fragment.key is not None:
                self.book.by_key[entry.fragment.key] = other
            other.name = entry.name
            other.broken = True
            self._fold.arguments(other, entry, self._note_call)

    def _note_entry(self, code: str, detail: str) -> None:
        fragment = self._fragment
        assert fragment is not None
        if _READING_RULES.get(code, "") not in self._without:
            self._record(Row(code, fragment.frame, fragment.position, None, detail))

    def _note_call(self, code: str, call: OpenCall | None, detail: str) -> None:
        fragment = self._fragment
        frame, position = (fragment.frame, fragment.position) if fragment is not None else (None, None)
        self._record(Row(code, frame, position, call, detail))

    def _record(self, row: Row) -> None:
        if self._ended:
            raise MisuseError("this reconciler has ended; make a new one for the next response")
        self.rows.append(row)
        if self.severity(row.code) is not Severity.VIOLATION:
            return
        self.heard.violations += 1
        if self.heard.failure is None:
            self.heard.failure = (row.code, self._message(row))
        if isinstance(row.call, OpenCall) and row.code != "parallel-calls-disabled":
            row.call.broken = True
        if self._strict:
            self._ended = True
            raise ProtocolViolationError(self._finding(row))

    def _message(self, row: Row) -> str:
        place = "" if row.frame is None else f" (frame {row.frame})"
        return f"{row.detail}{place}"

    def _finding(self, row: Row) -> Finding:
        call = (row.call.id or row.call.given) if isinstance(row.call, OpenCall) else row.call
        return Finding(row.code, self.severity(row.code), row.frame, row.position, call, row.detail)

    def severity(self, code: str) -> Severity:
        """How much a finding weighs here: by its code; other clients' policies weigh otherwise."""
        return CODES[code].severity

    def judge_end(self, *, empty_body: bool) -> None:
        """Note what only the end can tell."""
        judge(self, self._rules, empty_body=empty_body)

    def close(self, *, empty_body: bool = False) -> Reading:
        """The stream has ended: judge it, then its calls in order. Raises ProtocolViolationError when strict.

        Everything is judged and recorded before the first violation is raised: the person who looks for the fault
        needs all of it.
        """
        self._fragment = None
        strict, self._strict = self._strict, False
        self.judge_end(empty_body=empty_body)
        self._ended = True
        if strict and self.heard.violations:
            failing = [row for row in self.rows if self.severity(row.code) is Severity.VIOLATION]
            raise ProtocolViolationError(self._finding(failing[0]))
        return self.snapshot()

    def snapshot(self) -> Reading:
        """The reading so far. Calls without an id get one here, the same one each time."""
        for call in self.book.calls:
            if call.id is None and call.given is None:
                call.given = self._allocator.allocate()
        findings = tuple(map(self._finding, self.rows)) if self.rows else ()
        return reading(self, self._rules, findings, ended=self._ended)
