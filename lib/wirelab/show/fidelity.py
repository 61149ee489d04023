"""Fidelity in tables: what the model said, what arrived, and who lost the rest."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from wirelab.capture import Capture
from wirelab.claims.exhibit import Exhibit
from wirelab.claims.fidelity import Difference, compare
from wirelab.show.tables import Table, table

_ROUTE = re.compile(r"^(?:(?:native|chat|messages|old|new)-)+")


class Fidelity(msgspec.Struct, frozen=True):
    """One answer whose model was seen: where it is from, and in what the reading differs from what was said.

    `family` is the syntax of the model; for a gateway `route` names the way to the server behind it.
    """

    capture: str
    server: str
    protocol: str
    scenario: str
    family: str
    route: str
    streamed: bool
    differences: tuple[Difference, ...]

    @property
    def faithful(self) -> bool:
        """Everything arrived as it was said."""
        return not self.differences


class Loss(msgspec.Struct, frozen=True):
    """One kind of loss: a part of a scenario in one family's syntax, how it was lost, by whom, and who kept it."""

    part: str
    how: str
    scenario: str
    family: str
    blame: str
    losers: tuple[str, ...]
    keepers: tuple[str, ...]
    captures: tuple[str, ...]


def fidelities(captures: Iterable[Capture]) -> list[Fidelity]:
    """Every capture whose model was seen, judged."""
    return [_fidelity(Exhibit(capture)) for capture in captures if _was_seen(capture)]


def _was_seen(capture: Capture) -> bool:
    return capture.observed is not None and capture.observed.model_said is not None


def _fidelity(exhibit: Exhibit) -> Fidelity:
    capture, observed = exhibit.capture, exhibit.capture.observed
    assert exhibit.reading is not None
    assert observed is not None
    said = observed.model_said or {}
    found = compare(exhibit.reading, said, observed.model_output, capture.source.server, capture.body)
    return Fidelity(
        capture=capture.name,
        server=f"{capture.source.server} {capture.source.version}",
        protocol=capture.protocol,
        scenario=capture.scenario,
        family=_ROUTE.sub("", exhibit.family) or "none",
        route=(_ROUTE.match(exhibit.family) or [""])[0].strip("-"),
        streamed=exhibit.streamed,
        differences=tuple(found),
    )


def shares_table(found: Sequence[Fidelity]) -> Table:
    """By server and protocol: how many answers arrived as they were said, and what became of the others."""
    groups: dict[tuple[str, str], list[Fidelity]] = defaultdict(list)
    for one in found:
        groups[one.server, one.protocol].append(one)
    return table([_share(server, protocol, group) for (server, protocol), group in sorted(groups.items())])


def _share(server: str, protocol: str, group: Sequence[Fidelity]) -> dict[str, object]:
    parts = Counter(part for one in group for part in {difference.part for difference in one.differences})
    kept = sum(one.faithful for one in group)
    return {
        "server": server,
        "protocol": protocol,
        "answers": len(group),
        "as said": kept,
        "share": f"{100 * kept / len(group):.0f} %",
        "calls differ": parts["calls"] or "",
        "text differs": parts["text"] or "",
        "thinking differs": parts["thinking"] or "",
    }


def losses(found: Sequence[Fidelity]) -> list[Loss]:
    """Every kind of loss, with the servers that lose the part and those that keep it, the most frequent first."""
    groups: dict[tuple[str, ...], list[Fidelity]] = defaultdict(list)
    for one in found:
        for difference in one.differences:
            groups[difference.part, difference.how, one.scenario, one.family, difference.blame].append(one)
    return sorted((_loss(key, group, found) for key, group in groups.items()), key=lambda loss: -len(loss.captures))


def _loss(key: tuple[str, ...], group: Sequence[Fidelity], found: Sequence[Fidelity]) -> Loss:
    part, how, scenario, family, blame = key
    alike = [one for one in found if (one.scenario, one.family) == (scenario, family)]
    kept = {_place(one) for one in alike if part not in {difference.part for difference in one.differences}}
    lost = {_place(one) for one in group}
    names = tuple(sorted(one.capture for one in group))
    return Loss(part, how, scenario, family, blame, tuple(sorted(lost)), tuple(sorted(kept - lost)), names)


def _place(one: Fidelity) -> str:
    return f"{one.server} {one.protocol}" + (f" by {one.route}" if one.route else "")


def losses_table(found: Iterable[Loss]) -> Table:
    """One row a kind of loss, who lost it, and one capture that shows it."""
    return table([_row(loss) for loss in found], _COLUMNS)


_COLUMNS = ("part", "how", "scenario", "family", "by", "answers", "lost by", "kept by", "shown by")


def _row(loss: Loss) -> dict[str, object]:
    return {
        "part": loss.part,
        "how": loss.how,
        "scenario": loss.scenario,
        "family": loss.family,
        "by": loss.blame,
        "answers": len(loss.captures),
        "lost by": _some(loss.losers),
        "kept by": _some(loss.keepers),
        "shown by": loss.captures[0],
    }


def _some(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "") if names else "nobody recorded"


def only(found: Sequence[Loss], words: str) -> list[Loss]:
    """The losses that every loser shares a word with (`ollama 0.32`, `litellm`) and that somebody else keeps."""
    return [loss for loss in found if all(words in name for name in loss.losers) and loss.keepers]


def blames(found: Sequence[Fidelity]) -> dict[str, int]:
    """How many differences are the server's, a gateway's, the reader's; all three are named, zero included."""
    counted = Counter(difference.blame for one in found for difference in one.differences)
    return {who: counted[who] for who in ("server", "gateway", "reader")}
