"""All small histories, and what settling must make of each, stated without the machine that does it.

Run as a script for the whole set (hundreds of thousands, some minutes):

    python tests/property/history_permutations.py

A history is a sequence of *steps*: `("batch", k)`, `("result", call, n)`, `("say", kind)`. The expectation below is told
by intervals on the step numbers, not by walking through the history, and shares no code with `settle`.
"""

import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from wirelab.history.settle import ResultOrder, settle
from wirelab.transcript import Call, Entry, HistoryError, Message, Result, Text, Transcript

Step = tuple[str, int | str, int]
SAYINGS = {
    "commentary": ("assistant", "still at it"),
    "user": ("user", "hurry"),
    "developer": ("developer", "answer in prose"),
    "system": ("system", "be brief"),
    "summary": ("user", "Summary of the conversation so far: two look-ups were asked for."),
}
SHAPES = ((1,), (2,), (3,), (1, 1), (1, 2), (2, 1))
"""How many calls each batch has."""


class Wanted(NamedTuple):
    """What must come out: labels in order, or the first error; and the findings as (code, step) or (code, call)."""

    labels: list[str]
    error: tuple[str, int] | None
    missing: set[int]
    held: set[int]


def calls_of(shape: tuple[int, ...]) -> list[int]:
    """The batch of each call."""
    return [batch for batch, size in enumerate(shape) for _ in range(size)]


def chain_sets(shape: tuple[int, ...], sayings: int) -> Iterator[list[list[Step]]]:
    """Every choice of results (none, one, or for one call two) and of at most `sayings` other messages.

    A choice is a list of chains: steps of one chain keep their order (the batches, and two results of one call).
    """
    batches: list[Step] = [("batch", number, 0) for number in range(len(shape))]
    counts = [c for c in itertools.product((0, 1, 2), repeat=sum(shape)) if c.count(2) <= 1]
    for count in counts:
        results: list[list[Step]] = [[("result", call, n) for n in range(many)] for call, many in enumerate(count)]
        for size in range(sayings + 1):
            for said in itertools.combinations(SAYINGS, size):
                sayings_too: list[list[Step]] = [[("say", kind, 0)] for kind in said]
                yield [batches, *filter(None, results), *sayings_too]


def interleavings(chains: list[list[Step]]) -> Iterator[list[Step]]:
    """Every order of the steps that keeps the order of each chain."""
    heads = [number for number, chain in enumerate(chains) if chain]
    if not heads:
        yield []
    for number in heads:
        first, *rest = chains[number]
        for others in interleavings([*chains[:number], rest, *chains[number + 1 :]]):
            yield [first, *others]


def transcript_of(shape: tuple[int, ...], steps: list[Step]) -> Transcript:
    """The history as settling gets it; positions are step numbers."""
    batch_of = calls_of(shape)
    entries: list[Entry] = []
    for at, (kind, which, n) in enumerate(steps):
        if kind == "batch":
            calls = tuple(
                Call(f"tool{call}", f"c{call}", {"n": call}, position=at)
                for call, batch in enumerate(batch_of)
                if batch == which
            )
            entries.append(Message("assistant", calls, at))
        elif kind == "result":
            entries.append(Result(f"c{which}", parts=(Text(f"r{which}.{n}", position=at),), position=at))
        else:
            role, text = SAYINGS[str(which)]
            entries.append(Message(role, (Text(text, position=at),), at))
    return Transcript(tuple(entries))


def labels_of(transcript: Transcript) -> list[str]:
    """An output in the expectation's words."""
    return [
        f"result {entry.id} {'?' if entry.placeholder else entry.text}"
        if isinstance(entry, Result)
        else "batch " + ",".join(call.id for call in entry.calls)
        if entry.calls
        else f"say {entry.position}"
        for entry in transcript.entries
    ]


def wanted(shape: tuple[int, ...], steps: list[Step], order: ResultOrder, *, repair: bool) -> Wanted:
    """The rules, told over intervals of steps."""
    batch_of = calls_of(shape)
    began = {int(which): at for at, (kind, which, _) in enumerate(steps) if kind == "batch"}
    ended = [began.get(batch + 1, len(steps)) for batch in range(len(shape))]
    results = [(at, int(which), n) for at, (kind, which, n) in enumerate(steps) if kind == "result"]
    answer: dict[int, tuple[int, str]] = {}
    for call, batch in enumerate(batch_of):
        timely = [
            (at, f"r{call}.{n}") for at, which, n in results if which == call and began[batch] < at < ended[batch]
        ]
        if timely:
            answer[call] = min(timely)
    errors = []
    stand_in: dict[int, str] = {}
    for at, call, n in results:
        begin, end = began[batch_of[call]], ended[batch_of[call]]
        if at < begin:
            errors.append((at, "orphan-result"))
        elif call in answer and at > answer[call][0]:
            errors.append((at, "duplicate-result"))
        elif at > end:
            errors.append((at, "late-result"))
            stand_in.setdefault(call, f"r{call}.{n}")
    if errors and not repair:
        at, code = min(errors)
        return Wanted([], (code, at), set(), set())
    rows: list[tuple[tuple[int, int, int, int], str]] = []
    held = set()
    for batch, begin in sorted(began.items()):
        members = [call for call, its in enumerate(batch_of) if its == batch]
        rows.append(((begin, 0, 0, 0), "batch " + ",".join(f"c{call}" for call in members)))
        for rank, call in enumerate(members):
            text = answer[call][1] if call in answer else stand_in.get(call, "?")
            came = (0, answer[call][0]) if call in answer else (1, rank)
            rows.append(((begin, 1, *((0, rank) if order == "call" else came)), f"result c{call} {text}"))
    for at, (kind, _, _) in enumerate(steps):
        if kind != "say":
            continue
        key = (at, 0, 0, 0)
        for batch, begin in began.items():
            members = [call for call, its in enumerate(batch_of) if its == batch]
            whole = all(call in answer for call in members)
            closes = max(answer[call][0] for call in members) if whole else ended[batch]
            if begin < at < closes:
                key = (begin, 2, at, 0)
                if any(call in answer and answer[call][0] > at for call in members):
                    held.add(at)
        rows.append((key, f"say {at}"))
    missing = {call for call in range(len(batch_of)) if call not in answer and call not in stand_in}
    return Wanted([label for _, label in sorted(rows)], None, missing, held)


def faults(shape: tuple[int, ...], steps: list[Step], order: ResultOrder, *, repair: bool) -> list[str]:
    """In what settling differs from the statement of the rules; empty when in nothing."""
    source = transcript_of(shape, steps)
    want = wanted(shape, steps, order, repair=repair)
    try:
        settled = settle(source, result_order=order, repair=repair)
    except HistoryError as error:
        found = (error.code, error.position)
        return [] if found == want.error else [f"error {found}, wanted {want.error}"]
    if want.error is not None:
        return [f"no error, wanted {want.error}"]
    told = []
    if labels_of(settled.transcript) != want.labels:
        told.append(f"{labels_of(settled.transcript)}, wanted {want.labels}")
    if {int(str(f.id)[1:]) for f in settled.findings if f.code == "missing-result"} != want.missing:
        told.append(f"missing-result: {settled.findings}, wanted {want.missing}")
    if {f.position for f in settled.findings if f.code == "held-back"} != want.held:
        told.append(f"held-back: {settled.findings}, wanted {want.held}")
    if (settled.transcript is source) != (not settled.findings):
        told.append(
            f"findings {settled.findings} for {'the very input' if settled.transcript is source else 'a change'}"
        )
    again = settle(settled.transcript, result_order=order)
    if again.transcript is not settled.transcript or again.findings:
        told.append(f"settling again: {again.findings}")
    return told


def check(shape: tuple[int, ...], chains: list[list[Step]]) -> int:
    """Check every order of one choice of steps, in both result orders, and repaired where it cannot be sent."""
    count = 0
    for steps in interleavings(chains):
        count += 1
        failing = wanted(shape, steps, "call", repair=False).error is not None
        runs: list[tuple[ResultOrder, bool]] = [("call", False), ("call", True) if failing else ("arrival", False)]
        for order, repair in runs:
            told = faults(shape, steps, order, repair=repair)
            assert not told, f"{shape} {steps} {order} repair={repair}: {told}"
    return count


def main() -> int:
    """The whole set, on all cores; prints the count of each shape."""
    total = 0
    with ProcessPoolExecutor() as pool:
        for shape in SHAPES:
            count = sum(pool.map(check, itertools.repeat(shape), chain_sets(shape, 2), chunksize=8))
            total += count
            sys.stdout.write(f"{shape}: {count:,} histories\n")
            sys.stdout.flush()
    sys.stdout.write(f"{total:,} histories settle as the rules say\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
