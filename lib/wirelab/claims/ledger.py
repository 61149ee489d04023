"""The ledger: every claim, judged on all captures and on each group of them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import msgspec

from wirelab.capture.types import Capture
from wirelab.claims import answers, endpoints, identity, replay
from wirelab.claims.claim import Claim, Row, Seen, judge
from wirelab.claims.exhibit import Exhibit

CLAIMS: tuple[Claim, ...] = tuple(
    sorted((*identity.CLAIMS, *answers.CLAIMS, *replay.CLAIMS, *endpoints.CLAIMS), key=lambda claim: int(claim.id[1:]))
)
"""All claims, C1 first. A new claim is a function and a row in one of the four rooms."""

GROUPS: dict[str, Callable[[Exhibit], str]] = {
    "target": lambda exhibit: exhibit.target,
    "version": lambda exhibit: f"{exhibit.capture.source.server} {exhibit.capture.source.version}".strip(),
    "protocol": lambda exhibit: exhibit.protocol,
    "family": lambda exhibit: exhibit.family or "none",
}
"""By what verdicts can be split."""


class Ledger(msgspec.Struct, frozen=True):
    """The verdicts: one row a claim over all captures, and one a claim and group where it was tested."""

    claims: tuple[Claim, ...]
    overall: tuple[Row, ...]
    grouped: tuple[Row, ...]


def exhibits_of(captures: Iterable[Capture]) -> list[Exhibit]:
    """The captures as evidence, for several ledgers over the same: each is read once. Synthetic ones show nothing."""
    return [Exhibit(capture) for capture in captures if capture.source.kind != "synthetic"]


def ledger(captures: Iterable[Capture] | Sequence[Exhibit], by: Sequence[str] = ("version",)) -> Ledger:
    """Judge every claim, on captures or on exhibits already made of them.

    `by` names how to split (`target`, `version`, `protocol`, `family`); KeyError for another name.
    """
    given = list(captures)
    exhibits = [one for one in given if isinstance(one, Exhibit)]
    exhibits += exhibits_of(one for one in given if isinstance(one, Capture))
    keys = [GROUPS[name] for name in by]
    overall, grouped = [], []
    for claim in CLAIMS:
        seen = list(claim.check(exhibits))
        overall.append(judge(claim, seen))
        grouped += _split(claim, seen, keys)
    return Ledger(CLAIMS, tuple(overall), tuple(grouped))


def _split(claim: Claim, seen: Sequence[Seen], keys: Sequence[Callable[[Exhibit], str]]) -> list[Row]:
    groups: dict[tuple[str, ...], list[Seen]] = defaultdict(list)
    for one in seen:
        groups[tuple(key(one[0]) for key in keys)].append(one)
    return [judge(claim, groups[group], group) for group in sorted(groups)]
