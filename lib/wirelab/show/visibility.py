"""What reaches the model, in tables: which parts of a history are lost, moved or swapped, and what settling cures."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from wirelab.capture import Capture
from wirelab.claims.exhibit import Exhibit
from wirelab.history.seen import Seen
from wirelab.show.tables import Table, table

_SETTLED = "settled-"


class View(msgspec.Struct, frozen=True):
    """One history and the prompt that a server made of it: what became of its parts.

    `scenario` is without its prefix; `settled`: it had been settled before it was sent.
    """

    capture: str
    server: str
    protocol: str
    scenario: str
    family: str
    settled: bool
    parts: tuple[Seen, ...]

    @property
    def losses(self) -> tuple[Seen, ...]:
        """The parts that did not arrive as they should."""
        return tuple(one for one in self.parts if one.is_loss)

    @property
    def word(self) -> str:
        """What happened, in a few words: `all arrive`, or what was lost, moved and swapped."""
        counted = Counter(
            f"{one.part.kind} swapped" if one.swapped else f"{one.part.kind} {one.state}" for one in self.losses
        )
        return ", ".join(f"{number} {what}" if number > 1 else what for what, number in counted.items()) or "all arrive"


def views(captures: Iterable[Capture]) -> list[View]:
    """Every capture of a history whose prompt was seen."""
    return [view for exhibit in map(Exhibit, captures) if (view := view_of(exhibit)) is not None]


def view_of(exhibit: Exhibit) -> View | None:
    """What of an exhibit's history stands in its prompt; None where there is no history, or nobody saw the prompt."""
    kind, _, rest = exhibit.scenario.partition("-")
    if kind not in ("history", "rendered") or not exhibit.parts:
        return None
    source = exhibit.capture.source
    return View(
        capture=exhibit.name,
        server=f"{source.server} {source.version}",
        protocol=exhibit.protocol,
        scenario=rest.removeprefix(_SETTLED),
        family=exhibit.family or "none",
        settled=rest.startswith(_SETTLED),
        parts=exhibit.parts,
    )


def parts_table(view: View) -> Table:
    """Every part of one history, in its order: what became of it, where it stands, and how its call is known."""
    rows = [
        {
            "message": one.part.position,
            "part": one.part.kind,
            "known by": " ".join((one.part.text, *one.part.values)),
            "id": one.part.id,
            "state": "swapped" if one.swapped else one.state,
            "from": one.start,
            "to": one.end,
            "tied by": one.tie,
        }
        for one in view.parts
    ]
    return table(rows, ["message", "part", "known by", "id", "state", "from", "to", "tied by"], width_limit=60)


def matrix_table(found: Sequence[View]) -> Table:
    """One row a family and server, one column a history: what happened to it."""
    cells: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for view in found:
        cells[view.family, view.server][view.scenario] = view.word
    scenarios = sorted({view.scenario for view in found})
    rows = [{"family": family, "server": server, **cells[family, server]} for family, server in sorted(cells)]
    return table(rows, ["family", "server", *scenarios], width_limit=60)


def cures_table(found: Sequence[View]) -> Table:
    """One row a history: how many families lose something of it, before and after settling."""
    rows = []
    for scenario in sorted({view.scenario for view in found}):
        raw = [view for view in found if view.scenario == scenario and not view.settled]
        settled = [view for view in found if view.scenario == scenario and view.settled]
        rows.append(
            {
                "history": scenario,
                "sent as it was": len(raw),
                "loses something": sum(bool(view.losses) for view in raw),
                "what": _most({view.word for view in raw if view.losses}),
                "sent settled": len(settled) or "",
                "loses something then": sum(bool(view.losses) for view in settled) if settled else "",
            }
        )
    return table(rows, width_limit=80)


def _most(words: Iterable[str]) -> str:
    return "; ".join(sorted(words))


def incurable(found: Sequence[View]) -> list[View]:
    """The well-formed histories of which a template loses something: what no settling can change."""
    whole = ("text_and_call", "thinking_and_call")
    return [view for view in found if view.scenario in whole and view.losses]


def incurable_table(found: Sequence[View]) -> Table:
    """One row a family, protocol and history: what the template drops or moves, and one capture that shows it."""
    groups: dict[tuple[str, ...], list[View]] = defaultdict(list)
    for view in found:
        groups[view.family, view.scenario, view.word].append(view)
    rows = [
        {
            "family": family,
            "history": scenario,
            "what": word,
            "answers": len(group),
            "on": ", ".join(sorted({view.protocol for view in group})),
            "shown by": group[0].capture,
        }
        for (family, scenario, word), group in sorted(groups.items())
    ]
    return table(rows)


def ties(found: Iterable[View]) -> dict[str, int]:
    """How the results that arrive are tied to their calls, counted: by id, by name, by position."""
    counted = Counter(one.tie for view in found for one in view.parts if one.tie is not None)
    return {how: counted[how] for how in ("id", "name", "position")}
