"""A claim, what was observed of it, and the verdict."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Literal

import msgspec

from wirelab.claims.exhibit import Exhibit

Seen = tuple[Exhibit, bool, str]
"""One observation: the exhibit, whether the claim holds in it, and what was seen, in a few words."""
Check = Callable[[Sequence[Exhibit]], Iterator[Seen]]


class Verdict(StrEnum):
    """What the captures say of a claim."""

    HOLDS = "holds"
    """Every capture that tests it agrees, or, for a claim that something can happen, one shows it."""
    DOES_NOT_HOLD = "does not hold"
    """No capture that tests it agrees."""
    MIXED = "mixed"
    """Some do, some do not."""
    NOT_TESTED = "not tested"
    """No capture tests it."""


class Claim(msgspec.Struct, frozen=True):
    """One statement about servers. `mode`: it is about every answer, or says that something can happen.

    `gap` says what is missing where no capture can test it.
    """

    id: str
    statement: str
    check: Check
    mode: Literal["every", "some"] = "every"
    source: str = "specification 3"
    gap: str = ""


class Row(msgspec.Struct, frozen=True):
    """The verdict on one claim, for one group of captures or for all. `shown` and `against` name one capture each."""

    claim: str
    group: tuple[str, ...]
    verdict: Verdict
    agreeing: int
    differing: int
    shown: str | None
    against: str | None
    detail: str
    kinds: tuple[str, ...]
    newest: str


def judge(claim: Claim, seen: Sequence[Seen], group: tuple[str, ...] = ()) -> Row:
    """The verdict of a claim on what was seen of it. `newest` is the date of the newest capture that tests it."""
    yes = [one for one in seen if one[1]]
    no = [one for one in seen if not one[1]]
    captures = [one[0].capture for one in seen]
    return Row(
        claim=claim.id,
        group=group,
        verdict=_verdict(claim, len(yes), len(no)),
        agreeing=len(yes),
        differing=len(no),
        shown=yes[0][0].name if yes else None,
        against=no[0][0].name if no else None,
        detail=(no or yes)[0][2] if seen else claim.gap,
        kinds=tuple(sorted({capture.source.kind for capture in captures})),
        newest=max((capture.recorded_at[:10] for capture in captures), default=""),
    )


def _verdict(claim: Claim, yes: int, no: int) -> Verdict:
    if not yes and not no:
        return Verdict.NOT_TESTED
    if not no or (yes and claim.mode == "some"):
        return Verdict.HOLDS
    return Verdict.MIXED if yes else Verdict.DOES_NOT_HOLD
