"""Which call a result answers: by id, else by tool name, first in first out; and the ids that Gemini leaves out."""

from collections import Counter, deque
from typing import Any, Generic, TypeVar

import msgspec

from wirelab.ids import IdAllocator
from wirelab.transcript import Call, Entry, HistoryFinding, Message, Recorded, Result, Transcript

T = TypeVar("T")


def is_usable(identifier: Any) -> bool:
    """Whether a wire's id can serve as one: a string that is not blank."""
    return isinstance(identifier, str) and bool(identifier.strip())


def ids_of(transcript: Transcript) -> set[str]:
    """Every usable id in a transcript, of calls and results alike."""
    used: set[str] = set()
    for entry in transcript.entries:
        candidates = (entry.id,) if isinstance(entry, Result) else (call.id for call in entry.calls)
        used.update(identifier for identifier in candidates if is_usable(identifier))
    return used


class Outstanding(Generic[T]):
    """Calls that wait for their results, oldest first. Every operation is constant, amortised."""

    def __init__(self) -> None:
        self._waiting: dict[int, T] = {}
        self._queues: dict[tuple[str, str | None], deque[int]] = {}
        self._counts: dict[tuple[str, str | None], int] = {}
        self._keys: dict[int, tuple[tuple[str, str | None], ...]] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, item: T, identifier: str, name: str | None) -> None:
        """A call arms its id."""
        keys = (("id", identifier), ("name", name), ("any", None))
        self._waiting[self._next] = item
        self._keys[self._next] = keys
        for key in keys:
            self._queues.setdefault(key, deque()).append(self._next)
            self._counts[key] = self._counts.get(key, 0) + 1
        self._next += 1

    def count(self, kind: str, value: str | None) -> int:
        """How many wait under an id or a name."""
        return self._counts.get((kind, value), 0)

    def take(self, kind: str, value: str | None) -> T | None:
        """A result consumes the oldest call under an id, a name, or any; None when none waits."""
        queue = self._queues.get((kind, value), deque())
        while queue:
            number = queue.popleft()
            if number in self._waiting:
                for key in self._keys.pop(number):
                    self._counts[key] -= 1
                return self._waiting.pop(number)
        return None


class _Known(msgspec.Struct):
    """A call by the id it was written with (`None`: it had none) and the id it goes by."""

    written: str | None
    id: str


class _Pairing:
    """One pass over Gemini contents: gives calls and responses their ids (specification 2, Gemini, rules 1 to 3)."""

    def __init__(self, transcript: Transcript, *, rename: bool) -> None:
        self.allocator = IdAllocator("call_", ids_of(transcript))
        self.rename = rename
        self.taken: set[str] = set()
        self.latest: dict[str, _Known] = {}
        self.open: Outstanding[_Known] = Outstanding()
        self.findings: list[HistoryFinding] = []

    def message(self, message: Message, claimed: Counter[str]) -> Message:
        """A message, its calls with ids. `claimed`: how many of the responses to it name each id."""
        calls = message.calls
        if not calls:
            return message
        self.open = Outstanding()
        named = iter([self._call(call, claimed) for call in calls])
        parts = tuple(next(named) if isinstance(part, Call) else part for part in message.parts)
        return msgspec.structs.replace(message, parts=parts)

    def _call(self, call: Call, claimed: Counter[str]) -> Call:
        usable = is_usable(call.id)
        if usable and (call.id not in self.taken or not self.rename):
            known = _Known(call.id, call.id)
        else:
            known = _Known(call.id if usable else None, self.allocator.allocate())
            code = "call-id-reused" if usable else "call-id-allocated"
            said = f"{call.id} was used before" if usable else "the call has no usable id"
            self._note(code, call.position, call.id if usable else known.id, f"{said}: it goes by {known.id}")
        self.taken.add(known.id)
        if known.written is not None:
            self.latest[known.written] = known
        name = call.name
        if known.written is not None and claimed[known.written]:
            claimed[known.written] -= 1
            name = None  # its own response is there: no other may guess it
        self.open.add(known, known.written or known.id, name)
        return msgspec.structs.replace(call, id=known.id, allocated=call.allocated or not usable)

    def result(self, result: Result) -> Result:
        written = result.id if is_usable(result.id) else None
        known = None if written is None else self.open.take("id", written) or self.latest.get(written)
        identifier = known.id if known else self._by_name(result, written)
        return msgspec.structs.replace(result, id=identifier)

    def _by_name(self, result: Result, written: str | None) -> str:
        several = self.open.count("name", result.name)
        known = None if result.name is None else self.open.take("name", result.name)
        if known is None:
            fresh = written or self.allocator.allocate()
            self._note("call-id-allocated", result.position, fresh, f"the response answers no call: it goes by {fresh}")
            return fresh
        if written is not None:
            said = f"no call has the id {written}: the response answers the oldest {result.name}"
            self._note("result-matched-by-name", result.position, written, said)
        if several > 1:
            said = f"{several} calls of {result.name} are open: the oldest, {known.id}, is a guess"
            self._note("ambiguous-pairing", result.position, known.id, said)
        return known.id

    def _note(self, code: str, position: int, identifier: str, detail: str) -> None:
        self.findings.append(HistoryFinding(code, position, identifier, detail))


def pair(transcript: Transcript, *, rename: bool = True) -> Recorded:
    """Give every call and response of Gemini contents an id. Without `rename` ids that were used before stay.

    A response is paired by id as the request wrote it, else with the oldest open call of its function that no other
    response names; one that answers nothing gets an id that collides with nothing, so that settling calls it an orphan.
    """
    pairing = _Pairing(transcript, rename=rename)
    claims = _claims(transcript)
    entries: list[Entry] = [
        pairing.result(entry) if isinstance(entry, Result) else pairing.message(entry, claims.get(number, Counter()))
        for number, entry in enumerate(transcript.entries)
    ]
    return Recorded(Transcript(tuple(entries), transcript.dialect), tuple(pairing.findings))


def _claims(transcript: Transcript) -> dict[int, Counter[str]]:
    """By the number of each message with calls: how many responses before the next such message name each id."""
    claims: dict[int, Counter[str]] = {}
    opened = -1
    for number, entry in enumerate(transcript.entries):
        if isinstance(entry, Result):
            if is_usable(entry.id):
                claims.setdefault(opened, Counter())[entry.id] += 1
        elif entry.calls:
            opened = number
    return claims
