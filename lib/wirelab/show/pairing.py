"""Gemini's calls and responses, tied to each other: by id, by name, or not at all; and what that costs in a prompt."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from wirelab.capture import Capture
from wirelab.claims.exhibit import Exhibit
from wirelab.history.pairing import is_usable, pair
from wirelab.history.replay import Replay, next_request
from wirelab.model import Json
from wirelab.protocols.dialects import read_history
from wirelab.protocols.histories import argument_text
from wirelab.show.histories import settling_of
from wirelab.show.tables import Table, table
from wirelab.show.visibility import View, view_of
from wirelab.transcript import Call, Recorded, Result, Transcript

_NO_IDS = ".no-ids"

Noted = AbstractSet[tuple[str, int | None, str | None]]
"""Findings by code, position and id."""


class Step(msgspec.Struct, frozen=True):
    """A call or a response in Gemini contents: the id it was sent with, the one it goes by, and why that one."""

    content: int
    kind: str
    name: str | None
    says: str
    written: str | None
    id: str
    how: str


def steps(contents: Json) -> list[Step]:
    """Every call and response of a request body or of its contents, in order."""
    raw = read_history(contents, "gemini").transcript
    paired = pair(raw)
    return list(_steps(raw, paired))


def _steps(raw: Transcript, paired: Recorded) -> Iterator[Step]:
    noted = {(finding.code, finding.position, finding.id) for finding in paired.findings}
    called: set[str] = set()
    for before, after in zip(raw.entries, paired.transcript.entries, strict=True):
        if isinstance(before, Result) and isinstance(after, Result):
            yield _response_step(before, after, called, noted)
        elif not isinstance(before, Result) and not isinstance(after, Result):
            yield from (_call_step(*calls) for calls in zip(before.calls, after.calls, strict=True))
            called.update(call.id for call in after.calls)


def _written(identifier: Any) -> str | None:
    return identifier if is_usable(identifier) else None


def _call_step(before: Call, after: Call) -> Step:
    written = _written(before.id)
    how = "none was sent: ours" if written is None else "its own" if written == after.id else "used before: ours"
    return Step(after.position, "call", after.name, argument_text(after.arguments), written, after.id, how)


def _response_step(before: Result, after: Result, called: set[str], noted: Noted) -> Step:
    written = _written(before.id)
    if after.id not in called:
        how = "answers no call"
    elif ("ambiguous-pairing", after.position, after.id) in noted:
        how = "by name, a guess"
    elif written is None or ("result-matched-by-name", after.position, written) in noted:
        how = "by name"
    else:
        how = "by id"
    return Step(after.position, "response", after.name, after.text, written, after.id, how)


def steps_table(found: Iterable[Step]) -> Table:
    """One row a call or response: `goes by` is the same where the two belong together."""
    rows = [[one.content, one.kind, one.name, one.says, one.written, one.id, one.how] for one in found]
    return table(rows, ["content", "part", "function", "says", "sent with id", "goes by", "how"], width_limit=60)


def pairs(contents: Json) -> list[tuple[str, str]]:
    """Each answered call as `name(arguments)`, with its response's text: what must survive any translation."""
    called: dict[str, str] = {}
    found = []
    for step in steps(contents):
        if step.kind == "call":
            called[step.id] = f"{step.name}({step.says})"
        elif step.id in called:
            found.append((called[step.id], step.says))
    return sorted(found)


def through_chat(contents: Json) -> list[Json]:
    """The contents after a way to chat messages and back."""
    messages = next_request(contents, Replay(source="gemini", to="chat")).messages
    return next_request(messages, Replay(source="chat", to="gemini")).messages


def sent_back(contents: Json) -> list[Json]:
    """The contents as they go back to Gemini: settled, and otherwise as they came."""
    return next_request(contents, Replay(source="gemini")).messages


def signatures(contents: Iterable[Json]) -> dict[str, str]:
    """Every `thoughtSignature` by the place of its part, such as `contents[0].parts[1]`."""
    return {
        f"contents[{at}].parts[{number}]": part["thoughtSignature"]
        for at, content in enumerate(contents)
        for number, part in enumerate(content["parts"])
        if "thoughtSignature" in part
    }


def signatures_table(contents: Sequence[Json]) -> Table:
    """One row a signed part: the signature it came with, the one that goes back, and what another protocol gets."""
    came, back = signatures(contents), signatures(sent_back(contents))
    chat = signatures(through_chat(contents))
    rows = [[place, came.get(place), back.get(place), chat.get(place, "none")] for place in sorted({*came, *back})]
    return table(rows, ["part", "came with", "goes back with", "after a way through chat"])


class Route(msgspec.Struct, frozen=True):
    """A Gemini history behind a gateway: with ids or without, by which of the server's protocols, and its fate."""

    history: str
    ids: bool
    route: str
    codes: tuple[str, ...]
    view: View


def routes(captures: Iterable[Capture]) -> list[Route]:
    """Every recording of a Gemini history whose prompt was seen behind the gateway."""
    return [route for capture in captures if (route := _route(capture)) is not None]


def _route(capture: Capture) -> Route | None:
    exhibit = Exhibit(capture)
    view = view_of(exhibit)
    if view is None:
        return None
    ids = not exhibit.family.endswith(_NO_IDS)
    return Route(view.scenario, ids, exhibit.family.partition("-")[0], settling_of(capture).codes, view)


def routes_table(found: Sequence[Route]) -> Table:
    """One row a history, with ids and without: what settling does with it, and what arrived by each route."""
    cells: dict[tuple[str, bool], dict[str, str]] = defaultdict(dict)
    for one in found:
        cells[one.history, one.ids] |= {"findings": ", ".join(one.codes), f"by {one.route}": one.view.word}
    ways = sorted({f"by {one.route}" for one in found})
    rows = [
        {"history": history, "ids": "with" if ids else "without", **cell}
        for (history, ids), cell in sorted(cells.items())
    ]
    return table(rows, ["history", "ids", "findings", *ways])


def ties_by_route(found: Iterable[Route]) -> Mapping[str, dict[str, int]]:
    """By route: how the results that arrived are tied to their calls, counted."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        counted[one.route].update(part.tie for part in one.view.parts if part.tie is not None)
    return {route: dict(sorted(counted[route].items())) for route in sorted(counted)}
