"""Settling: every batch of calls directly followed by its results, nothing lost, every change reported.

Theory of operation (specification 2, rules). An assistant message with new calls opens a *batch*. While calls of it are
unanswered, messages without new calls are *held back* and results are collected. The batch closes when the last call is
answered, when the next batch opens, or when the history ends: then the calls, their results (placeholders for those
that are missing) and what was held back are written in that order. A call *arms* its id, a result consumes it: results
are matched against outstanding calls only, the latest call of an id counts.
"""

from typing import Final, Literal

import msgspec

from wirelab.history.checks import arguments_of, checked_id, checked_role, is_empty, mismatched
from wirelab.history.pairing import Outstanding, ids_of
from wirelab.ids import IdAllocator
from wirelab.model import Json
from wirelab.transcript import MADE, Call, Entry, HistoryError, HistoryFinding, Message, Part, Result, Text, Transcript

ResultOrder = Literal["arrival", "call"]
ReusedIds = Literal["rename", "error", "keep"]

PLACEHOLDER: Final = "The result of this call is unknown: it may or may not have run."
"""What stands in for a result that the history does not hold."""


class Settled(msgspec.Struct, frozen=True):
    """A settled transcript (the very input when there was nothing to do) and all that was changed, by position."""

    transcript: Transcript
    findings: tuple[HistoryFinding, ...] = ()


class _Armed(msgspec.Struct, gc=False):
    """A call of a batch, under the id it was `written` with, and what is known about its result.

    `arguments` are known as long as the batch is open, `slot` is where the result stands in the output after that,
    `made` tells a placeholder of this run.
    """

    call: Call
    written: str
    arguments: dict[str, Json] | None
    result: Result | None = None
    made: bool = False
    slot: int | None = None

    @property
    def genuine(self) -> bool:
        return self.result is not None and not is_placeholder(self.result)

    def repeats(self, call: Call, arguments: dict[str, Json] | None) -> bool:
        return self.call.name == call.name and self.arguments == arguments


class _Batch:
    """The open batch: its message, its calls, the results in order of arrival, the messages that wait."""

    __slots__ = ("armed", "arrived", "held", "message", "outstanding")

    def __init__(self, message: Message, armed: dict[str, _Armed]) -> None:
        self.message = message
        self.armed = armed
        self.arrived: list[_Armed] = []
        self.held: list[tuple[Message, int]] = []
        self.outstanding: Outstanding[_Armed] | None = None

    def waiting(self) -> Outstanding[_Armed]:
        """The unanswered calls by id and name; kept from the first result without id on."""
        if self.outstanding is None:
            self.outstanding = Outstanding()
            for each in self.armed.values():
                if each.result is None:
                    self.outstanding.add(each, each.written, each.call.name)
        return self.outstanding

    def answer(self, armed: _Armed) -> bool:
        """One more result has arrived; whether it was the last."""
        self.arrived.append(armed)
        if self.outstanding is not None:
            self.outstanding.take("id", armed.written)
        return len(self.arrived) == len(self.armed)

    def in_order(self, order: ResultOrder) -> list[_Armed]:
        """The calls in the order their results are written; one without a result at its place, or at the end."""
        if order == "call":
            return list(self.armed.values())
        return self.arrived + [each for each in self.armed.values() if each.result is None]


def is_placeholder(result: Result) -> bool:
    """Whether a result is one that settling wrote, now or in an earlier run."""
    return result.placeholder or result.text == PLACEHOLDER


def settle(
    transcript: Transcript,
    *,
    result_order: ResultOrder = "arrival",
    reused_ids: ReusedIds = "rename",
    repair: bool = False,
    allocator: IdAllocator | None = None,
) -> Settled:
    """Settle a transcript; raises the HistoryError of the first message that no settling can place.

    `reused_ids`: what becomes of an id that is used again after its batch was settled. `repair` drops orphan and
    duplicate results and puts a late one in the place of its placeholder. The input is never changed.
    """
    run = _Settling(transcript, result_order, reused_ids, allocator, repair=repair)
    for entry in transcript.entries:
        if isinstance(entry, Result):
            run.result(entry)
        else:
            run.message(entry)
    return run.finish()


class _Settling:
    """One pass over a transcript."""

    def __init__(
        self,
        transcript: Transcript,
        order: ResultOrder,
        reused: ReusedIds,
        allocator: IdAllocator | None,
        *,
        repair: bool,
    ) -> None:
        self.source = transcript
        self.lenient = transcript.dialect == "native"
        self.order: ResultOrder = order
        self.reused = reused
        self.repair = repair
        self.allocator = allocator
        self.reserved = False
        self.out: list[Entry] = []
        self.findings: list[HistoryFinding] = []
        self.batch: _Batch | None = None
        self.latest: dict[str, _Armed] = {}
        self.made: list[_Armed] = []

    def finish(self) -> Settled:
        """Close the last batch and compare what came out with what went in."""
        self._close()
        for armed in self.made:
            if armed.made:
                said = f"no result of {armed.call.name} came: a placeholder says that its outcome is unknown"
                self._note("missing-result", armed.call.position, armed.call.id, said)
        findings = tuple(sorted(self.findings, key=lambda each: each.position or 0))
        source = self.source.entries
        same = len(self.out) == len(source) and all(new is old for new, old in zip(self.out, source, strict=True))
        return Settled(self.source if same else Transcript(tuple(self.out), self.source.dialect), findings)

    def message(self, message: Message) -> None:
        """A message: hold it back, place it, or open a batch with it."""
        checked_role(message)
        if message.role == "assistant" and any(isinstance(part, Call) for part in message.parts):
            self._calls(message)
        else:
            self._place(message)

    def _place(self, message: Message) -> None:
        if message.role == "assistant" and is_empty(message):
            self._note("empty-assistant-dropped", message.position, None, "the assistant's message holds nothing")
        elif self.batch is None:
            self.out.append(message)
        else:
            self.batch.held.append((message, len(self.batch.arrived)))

    def _calls(self, message: Message) -> None:
        armed: dict[str, _Armed] = {}
        parts: list[Part | _Armed] = []
        clones: list[_Armed] = []
        new = False
        for part in message.parts:
            if not isinstance(part, Call):
                parts.append(part)
                continue
            each = self._arm(part)
            if self._folds(each, armed.get(each.written)):
                continue
            clones.append(each)
            if new or not self._is_clone(each):
                new = True
                self._check_reuse(clones)
                clones.clear()
            armed[each.written] = each
            parts.append(each)
        if new:
            self._close()
            self._open(message, parts, armed)
        else:
            self._fold_all(message, armed)

    def _arm(self, call: Call) -> _Armed:
        """Check one call; give it an id where its dialect may leave it out."""
        identifier = checked_id(call.id, call.position, "call", lenient=self.lenient)
        arguments, blank = arguments_of(call)
        if blank:
            said = f"the arguments of {call.name} are blank: sent as {{}}"
            self._note("blank-arguments", call.position, identifier, said)
            call = msgspec.structs.replace(call, arguments={})
        if identifier is None:
            identifier = self._allocate()
            call = msgspec.structs.replace(call, id=identifier, allocated=True)
            self._note("call-id-allocated", call.position, identifier, f"a call of {call.name} has no id")
        return _Armed(call, identifier, arguments)

    def _folds(self, each: _Armed, twin: _Armed | None) -> bool:
        """Whether the message itself has this call already."""
        if twin is None:
            return False
        if not twin.repeats(each.call, each.arguments):
            said = f"two different calls of one batch have the id {each.written}"
            raise HistoryError("duplicate-call-id", each.call.position, each.written, said)
        self._note("duplicate-call-folded", each.call.position, each.written, "the call stands there twice")
        return True

    def _is_clone(self, each: _Armed) -> bool:
        """Whether the open batch has this very call."""
        twin = None if self.batch is None else self.batch.armed.get(each.written)
        return twin is not None and twin.repeats(each.call, each.arguments)

    def _check_reuse(self, several: list[_Armed]) -> None:
        """Refuse calls of a new batch whose ids were used before, where the caller asked for that."""
        each = next((each for each in several if self.reused == "error" and each.written in self.latest), None)
        if each is not None:
            raise HistoryError("call-id-reused", each.call.position, each.written, f"{each.written} was used before")

    def _fold_all(self, message: Message, clones: dict[str, _Armed]) -> None:
        """All calls of a message are the open batch's own: what else it says is commentary."""
        for each in clones.values():
            self._note("duplicate-call-folded", each.call.position, each.written, "the open batch has this call")
        rest = tuple(part for part in message.parts if not isinstance(part, Call))
        if rest:
            self._place(msgspec.structs.replace(message, parts=rest))

    def _open(self, message: Message, parts: list[Part | _Armed], armed: dict[str, _Armed]) -> None:
        for each in armed.values():
            if each.written in self.latest and self.reused == "rename":
                fresh = self._allocate()
                said = f"{each.written} was used before: this call goes by {fresh}"
                self._note("call-id-reused", each.call.position, each.written, said)
                each.call = msgspec.structs.replace(each.call, id=fresh)
            self.latest[each.written] = each
        now = tuple(part.call if isinstance(part, _Armed) else part for part in parts)
        if len(now) != len(message.parts) or any(a is not b for a, b in zip(now, message.parts, strict=True)):
            message = msgspec.structs.replace(message, parts=now)
        self.batch = _Batch(message, armed)

    def result(self, result: Result) -> None:
        """A result: match it with an outstanding call, else say what is wrong with it."""
        identifier = checked_id(result.id, result.position, "result", lenient=self.lenient or self.batch is None)
        if identifier is None:
            self._nameless(result)
            return
        armed = self.latest.get(identifier)
        if armed is None:
            self._refuse("orphan-result", result, identifier, f"no earlier call has the id {identifier}")
        elif armed.genuine:
            said = f"the call {identifier} has its result already"
            self._refuse("duplicate-result", result, identifier, said)
        elif armed.result is not None:
            self._late(armed, result)
        else:
            mismatched(result, armed.call)
            self._answer(armed, result)

    def _nameless(self, result: Result) -> None:
        """A result without id, where the dialect allows that (rule 6)."""
        if self.batch is None:
            self._refuse("orphan-result", result, None, "the result has no id, and no call is open")
            return
        waiting = self.batch.waiting()
        named = 0 if result.name is None else waiting.count("name", result.name)
        several = named or len(waiting)
        armed = waiting.take("name", result.name) if named else waiting.take("any", None)
        assert armed is not None, "a batch is open as long as a call of it waits"
        how = f"the oldest open call of {result.name}" if named else "the oldest open call"
        self._note("result-matched-by-name", result.position, armed.call.id, f"no id: the result answers {how}")
        if several > 1:
            self._note("ambiguous-pairing", result.position, armed.call.id, "several open calls could be meant")
        self._answer(armed, msgspec.structs.replace(result, name=result.name if named else None))

    def _answer(self, armed: _Armed, result: Result) -> None:
        assert self.batch is not None, "only an open batch has calls without results"
        armed.result = renamed(result, armed)
        if self.batch.answer(armed):
            self._close()

    def _late(self, armed: _Armed, result: Result) -> None:
        """The call was settled with a placeholder; with `repair` the result takes its place."""
        if not self.repair:
            said = f"the call {armed.written} was settled with a placeholder before"
            raise HistoryError("late-result", result.position, armed.written, said)
        mismatched(result, armed.call)
        armed.result = renamed(result, armed)
        armed.made = False
        if armed.slot is not None:
            self.out[armed.slot] = armed.result
        self._note("late-result-placed", result.position, armed.written, "it stands where its placeholder stood")

    def _refuse(self, code: str, result: Result, identifier: str | None, said: str) -> None:
        """A result that answers nothing: an error, or dropped by `repair`."""
        if not self.repair:
            raise HistoryError(code, result.position, identifier, said)
        self._note(f"{code.removesuffix('-result')}-dropped", result.position, identifier, said)

    def _close(self) -> None:
        """Write the open batch: its calls, their results, what was held back."""
        batch, self.batch = self.batch, None
        if batch is None:
            return
        self.out.append(batch.message)
        ordered = batch.in_order(self.order)
        self._report_order([each for each in ordered if each.result is not None], batch.arrived)
        for armed in ordered:
            if armed.result is None:
                armed.result = placeholder(armed.call)
                armed.made = True
                self.made.append(armed)
            armed.slot = len(self.out)
            armed.arguments = None
            self.out.append(armed.result)
        for message, answered in batch.held:
            if answered < len(batch.arrived):
                said = "it stood between calls and their results: it comes after them"
                self._note("held-back", message.position, None, said)
            self.out.append(message)

    def _report_order(self, written: list[_Armed], arrived: list[_Armed]) -> None:
        moved = next((old for new, old in zip(written, arrived, strict=True) if new is not old), None)
        if moved is not None and moved.result is not None:
            said = "results came in another order than their calls: they are in call order now"
            self._note("results-reordered", moved.result.position, moved.call.id, said)

    def _allocate(self) -> str:
        if self.allocator is None:
            self.allocator = IdAllocator()
        if not self.reserved:
            self.reserved = True
            for identifier in ids_of(self.source):
                self.allocator.reserve(identifier)
        return self.allocator.allocate()

    def _note(self, code: str, position: int, identifier: str | None, detail: str) -> None:
        self.findings.append(HistoryFinding(code, position, identifier, detail))


def placeholder(call: Call) -> Result:
    """The result that stands in for one that the history does not hold."""
    text = Text(PLACEHOLDER, plain=True, position=MADE)
    return Result(id=call.id, parts=(text,), placeholder=True, position=MADE)


def renamed(result: Result, armed: _Armed) -> Result:
    """The result under the id its call goes by; the same object where that is its id."""
    return result if result.id == armed.call.id else msgspec.structs.replace(result, id=armed.call.id)
