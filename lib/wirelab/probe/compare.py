"""Comparing two recordings of the same scenarios: what moved between servers, versions, models or days.

A *fact* is one thing that an answer shows, as a value that can be compared; the table below names each with its grade.
What chance moves (words, ids themselves, times) is no fact; that it is there, or of which form it is, can be one.
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum

import msgspec

from wirelab.capture.reading import is_readable, read_capture
from wirelab.capture.types import Capture
from wirelab.claims.failures import decoded
from wirelab.model import Json, Reading
from wirelab.probe.run import failure_of


class Grade(StrEnum):
    """How much a change matters to a client that worked before it."""

    CRITICAL = "critical"
    """Calls, their identity, or whether there is an answer at all."""
    WARNING = "warning"
    """What a careful client looks at: finish, findings, usage, the form of ids."""
    INFO = "info"
    """What is new, gone or worded otherwise, and breaks nothing."""


class Change(msgspec.Struct, frozen=True):
    """One fact of one exchange that differs. `exchange` is protocol, scenario and variant."""

    grade: Grade
    exchange: str
    fact: str
    before: Json
    after: Json


class Comparison(msgspec.Struct, frozen=True):
    """All changes, gravest first, and how many exchanges were on both sides."""

    compared: int
    changes: tuple[Change, ...]

    def of(self, grade: Grade) -> list[Change]:
        """The changes of one grade."""
        return [change for change in self.changes if change.grade is grade]


class _Seen(msgspec.Struct, frozen=True):
    """A capture, and what it says where a reader applies."""

    capture: Capture
    reading: Reading | None


def compare(before: Iterable[Capture], after: Iterable[Capture]) -> Comparison:
    """What moved from one recording to another.

    Exchanges are matched by protocol, scenario and variant. Where each side has recorded one model only, the part of
    the variant that names it is left out, so that two models can be compared.
    """
    left, right = list(before), list(after)
    tagged = max(len(_tags(left)), len(_tags(right))) > 1
    old, new = _by_exchange(left, tagged=tagged), _by_exchange(right, tagged=tagged)
    both = [exchange for exchange in old if exchange in new]
    changes = [change for exchange in both for change in _changes(exchange, old[exchange], new[exchange])]
    changes += [
        Change(Grade.WARNING, exchange, "exchange", "recorded", None) for exchange in old if exchange not in new
    ]
    changes += [Change(Grade.INFO, exchange, "exchange", None, "recorded") for exchange in new if exchange not in old]
    order = list(Grade)
    return Comparison(
        len(both), tuple(sorted(changes, key=lambda change: (order.index(change.grade), change.exchange)))
    )


def exchange_of(capture: Capture, *, tagged: bool = False) -> str:
    """What names an exchange on every server: `<protocol>/<scenario>.<mode>` and the repeat, with or without model."""
    mode, tag, repeat = _variant(capture)
    return ".".join([f"{capture.protocol}/{capture.scenario}", mode, *([tag] if tagged and tag else []), *repeat])


def _variant(capture: Capture) -> tuple[str, str, list[str]]:
    """Mode, model and repeat of a variant; that something was asked again is left out."""
    parts = re.sub(r"\.again-\d+$", "", capture.variant).split(".")
    repeat = [parts.pop()] if len(parts) > 1 and re.fullmatch(r"x\d+", parts[-1]) else []
    return parts[0], ".".join(parts[1:]), repeat


def _tags(captures: Iterable[Capture]) -> set[str]:
    return {tag for capture in captures if (tag := _variant(capture)[1])}


def _by_exchange(captures: Iterable[Capture], *, tagged: bool) -> dict[str, Capture]:
    """The first capture of each exchange that came to an end; one that died only where there is no other."""
    found: dict[str, Capture] = {}
    for capture in captures:
        exchange = exchange_of(capture, tagged=tagged)
        if exchange not in found or found[exchange].end.by == "recorder":
            found[exchange] = capture
    return found


def _changes(exchange: str, before: Capture, after: Capture) -> list[Change]:
    old, new = _seen(before), _seen(after)
    pairs = [(name, grade, fact(old), fact(new)) for name, grade, fact in _FACTS]
    return [
        Change(grade, exchange, name, was, now)
        for name, grade, was, now in pairs
        if was != now and not (name in _OF_CALLS and (was is None or now is None))
    ]


def _seen(capture: Capture) -> _Seen:
    return _Seen(capture, read_capture(capture, strict=False) if is_readable(capture) else None)


def _outcome(seen: _Seen) -> Json:
    return "answered" if seen.capture.response.status < 400 else "refused"


def _calls(seen: _Seen) -> Json:
    return None if seen.reading is None else [[call.name, call.arguments] for call in seen.reading.calls]


def _identity(seen: _Seen) -> Json:
    """Whether the calls have ids, and whether those are all different."""
    if seen.reading is None or not seen.reading.calls:
        return None
    sources = sorted({call.id_source for call in seen.reading.calls})
    return [
        *sources,
        "distinct" if len({call.id for call in seen.reading.calls}) == len(seen.reading.calls) else "shared",
    ]


def _violation(seen: _Seen) -> Json:
    return seen.reading.error.code if seen.reading is not None and seen.reading.error is not None else None


def _end(seen: _Seen) -> Json:
    end = seen.capture.end
    return end.kind if end.kind == "complete" else f"{end.kind} by {end.by}"


def _failure(seen: _Seen) -> Json:
    failure = failure_of(seen.capture)
    return None if failure is None else str(failure.kind)


def _findings(seen: _Seen) -> Json:
    return [] if seen.reading is None else sorted({finding.code for finding in seen.reading.findings})


def _id_forms(seen: _Seen) -> Json:
    """The ids with what chance picks taken out: letters and digits of the last part become `*`, the length stays."""
    if seen.reading is None or not seen.reading.calls:
        return None
    issued = [call.id for call in seen.reading.calls if call.id_source != "allocated"]
    return sorted({re.sub(r"[A-Za-z0-9]{6,}", lambda found: f"*{len(found.group())}", each) for each in issued})


def _indexes(seen: _Seen) -> Json:
    """The indexes that each call was known by."""
    if seen.reading is None or not seen.reading.calls:
        return None
    return [[alias for alias in call.aliases if isinstance(alias, int)] for call in seen.reading.calls]


def _parts(seen: _Seen) -> Json:
    if seen.reading is None:
        return []
    return [name for name in ("text", "thinking", "usage") if getattr(seen.reading, name)]


def _keys(seen: _Seen) -> Json:
    """Every place in the answer's JSON, list positions left out."""
    body = seen.capture.body
    lines = [body] if seen.capture.framing == "whole" else [line.removeprefix(b"data:") for line in body.splitlines()]
    places: set[str] = set()
    for line in lines:
        _collect(decoded(line.strip()), "", places)
    return sorted(places)


def _collect(value: Json, place: str, places: set[str]) -> None:
    if isinstance(value, dict):
        for name, part in value.items():
            _collect(part, f"{place}.{name}" if place else name, places)
    elif isinstance(value, list):
        for part in value:
            _collect(part, f"{place}[]", places)
    elif place:
        places.add(place)


_OF_CALLS = {"identity of calls", "form of ids", "indexes"}
"""Facts that only answers with calls have: that the calls are gone is told by `calls`."""

_FACTS: tuple[tuple[str, Grade, Callable[[_Seen], Json]], ...] = (
    ("outcome", Grade.CRITICAL, _outcome),
    ("calls", Grade.CRITICAL, _calls),
    ("identity of calls", Grade.CRITICAL, _identity),
    ("violation", Grade.CRITICAL, _violation),
    ("end of body", Grade.CRITICAL, _end),
    ("status", Grade.WARNING, lambda seen: seen.capture.response.status),
    ("kind of failure", Grade.WARNING, _failure),
    ("finish reason", Grade.WARNING, lambda seen: seen.reading.finish_reason if seen.reading else None),
    ("findings", Grade.WARNING, _findings),
    ("form of ids", Grade.WARNING, _id_forms),
    ("indexes", Grade.WARNING, _indexes),
    ("parts", Grade.WARNING, _parts),
    ("raw finish reason", Grade.INFO, lambda seen: seen.reading.raw_finish_reason if seen.reading else None),
    ("text", Grade.INFO, lambda seen: seen.reading.text if seen.reading else None),
    ("fields", Grade.INFO, _keys),
    ("content type", Grade.INFO, lambda seen: seen.capture.response.headers.get("content-type")),
)
"""Every fact that is compared: its name, its grade, and how it is read."""
