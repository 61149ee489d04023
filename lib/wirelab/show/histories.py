"""Histories before and after settling: what was sent, what should be sent, and what the model got to see of both."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from wirelab.capture import Capture
from wirelab.capture.store import Store
from wirelab.claims.exhibit import Exhibit
from wirelab.history.replay import Replay, next_request, replay
from wirelab.history.settle import PLACEHOLDER
from wirelab.history.turns import read_turns, told
from wirelab.model import Json
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.show.tables import Table, table
from wirelab.show.text import visible
from wirelab.show.visibility import View, view_of
from wirelab.transcript import FIELD, MADE, HistoryError, HistoryFinding, Recorded, Transcript

_SETTLED = "rendered-settled-"
_UNSETTLED = "rendered-"
_STANDS_FOR = "(a placeholder: the outcome is unknown)"


class Settling(msgspec.Struct, frozen=True):
    """A history and what settling makes of it: `after` and `messages` are None and empty where it is an error."""

    before: Transcript
    after: Transcript | None
    messages: list[Json]
    findings: tuple[HistoryFinding, ...]
    error: HistoryError | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """The error's code alone, else the codes of all findings, each once."""
        if self.error is not None:
            return (self.error.code,)
        return tuple(dict.fromkeys(finding.code for finding in self.findings))


def settling(history: Json, choice: Replay) -> Settling:
    """Settle a request body or a list of messages as `choice` says; a history that cannot be sent is an answer too."""
    return _settling(read_history(history, choice.source), choice)


def settling_of(capture: Capture, choice: Replay | None = None) -> Settling:
    """The same for the history that a capture's request holds."""
    chosen = msgspec.structs.replace(choice or Replay(), source=capture.protocol)
    return settling(capture.request.json, chosen)


def settling_turns(turns: Json, choice: Replay | None = None) -> Settling:
    """The same for a history in neutral form, written as chat messages if nothing else is chosen."""
    return _settling(Recorded(read_turns(turns)), choice or Replay())


def _settling(recorded: Recorded, choice: Replay) -> Settling:
    before = recorded.transcript
    try:
        request = replay(recorded, choice)
    except HistoryError as error:
        return Settling(before, None, [], (), error)
    after = read_history(request.messages, request.dialect).transcript
    return Settling(before, after, request.messages, request.findings)


def entries_told(transcript: Transcript) -> list[str]:
    """A phrase an entry; a placeholder is named as one."""
    return [phrase.replace(PLACEHOLDER, _STANDS_FOR) for phrase in told(transcript)]


def settling_table(one: Settling) -> Table:
    """Two columns: the history as it was recorded, and as it is sent once settled."""
    before = [
        f"{_place(entry.position)} {phrase}" for entry, phrase in zip(one.before.entries, told(one.before), strict=True)
    ]
    after = [] if one.after is None else entries_told(one.after)
    longest = max(len(before), len(after))
    rows = [
        {"recorded": before[at] if at < len(before) else "", "settled": after[at] if at < len(after) else ""}
        for at in range(longest)
    ]
    return table(rows, ["recorded", "settled"])


def _place(position: int) -> str:
    return {FIELD: "system:", MADE: "made:"}.get(position, f"{position}:")


def changes_table(one: Settling) -> Table:
    """What settling reports: the error alone, or one row a finding."""
    columns = ["finding", "message", "id", "what"]
    if one.error is not None:
        return table([[one.error.code, one.error.position, one.error.id, f"error: {one.error.detail}"]], columns)
    return table([[each.code, each.position, each.id, each.detail] for each in one.findings], columns)


def battery(store: Store) -> dict[str, dict[str, Any]]:
    """The histories of the battery by their ids: each has a `title` and its `turns` in neutral form."""
    histories = msgspec.json.decode((store.root / "cases" / "history-battery.json").read_bytes())
    return {history["id"]: history for history in histories}


def wire_cases(store: Store) -> dict[str, dict[str, Any]]:
    """The cases after public reports by their ids: `frames` hold what was sent, `source` names the report."""
    lines = (store.root / "cases" / "wire-cases.jsonl").read_bytes().splitlines()
    return {case["id"]: case for case in map(msgspec.json.decode, filter(None, lines))}


def said_by(turns: Sequence[Mapping[str, Any]], position: int, role: str) -> list[dict[str, Any]]:
    """The same turns with the one at a position said by another role."""
    return [{**turn, "role": role} if at == position else dict(turn) for at, turn in enumerate(turns)]


def roles_table(turns: Sequence[Mapping[str, Any]], position: int, roles: Iterable[str]) -> Table:
    """One history with a message between call and result, told by one role after the other: where it stands then."""
    rows = []
    for role in roles:
        one = settling_turns(said_by(turns, position, role))
        after = [] if one.after is None else entries_told(one.after)
        rows.append({"said by": role, "settled": " · ".join(after), "findings": ", ".join(one.codes)})
    return table(rows)


def settlings_table(named: Mapping[str, Settling]) -> Table:
    """One row a history: as it was, as it is sent, and what was found."""
    rows = [
        {
            "history": name,
            "recorded": " · ".join(told(one.before)),
            "settled": "not sent" if one.after is None else " · ".join(entries_told(one.after)),
            "findings": ", ".join(one.codes),
        }
        for name, one in named.items()
    ]
    return table(rows, ["history", "recorded", "settled", "findings"], width_limit=200)


def conversation_shown(capture: Capture) -> str:
    """The end of the prompt that a server made, from the line before the history's first words, safe to print."""
    exhibit = Exhibit(capture)
    view, prompt = view_of(exhibit), exhibit.prompt
    if view is None or not isinstance(prompt, str):
        return "(nobody saw the prompt)"
    starts = [one.start for one in view.parts if one.start is not None]
    line = prompt.rfind("\n", 0, min(starts, default=0))
    return visible(prompt[prompt.rfind("\n", 0, max(line, 0)) + 1 :].rstrip(), keep_lines=True)


class Twins(msgspec.Struct, frozen=True):
    """One history sent to one server and model family as it was, and again settled. `same`: it is what we send."""

    history: str
    before: View
    after: View
    same: bool


def twins(store: Store, pattern: str) -> list[Twins]:
    """Every settled recording that a pattern selects, with the unsettled one of the same server and family."""
    known = {entry.name for entry in store.entries}
    found = [capture for capture in store.captures(pattern) if capture.scenario.startswith(_SETTLED)]
    pairs = [(capture.name.replace(_SETTLED, _UNSETTLED), capture) for capture in found]
    return [
        pair for name, capture in pairs if name in known and (pair := _twins(store.load(name), capture)) is not None
    ]


def _twins(unsettled: Capture, settled: Capture) -> Twins | None:
    before, after = view_of(Exhibit(unsettled)), view_of(Exhibit(settled))
    if before is None or after is None:
        return None
    return Twins(before.scenario, before, after, sends_the_same(unsettled, settled))


def sends_the_same(unsettled: Capture, settled: Capture) -> bool:
    """Whether settling the one gives the messages of the other, word for word."""
    request = next_request(unsettled.request.json, Replay(source=unsettled.protocol))
    sent: Any = settled.request.json
    return bool(request.messages == sent[DIALECTS[settled.protocol].list_key])


def twins_table(found: Sequence[Twins]) -> Table:
    """One row a history and what became of it: how many families, before and after, and whether we send the same."""
    groups: dict[tuple[str, str], list[Twins]] = defaultdict(list)
    for pair in found:
        groups[pair.history, pair.before.word].append(pair)
    rows = [
        {
            "history": history,
            "sent as it was": word,
            "sent settled": ", ".join(sorted({pair.after.word for pair in group})),
            "families": len(group),
            "we send the same": f"{sum(pair.same for pair in group)} of {len(group)}",
            "which": _named(pair.before.family for pair in group),
        }
        for (history, word), group in sorted(groups.items())
    ]
    columns = ["history", "sent as it was", "sent settled", "families", "we send the same", "which"]
    return table(rows, columns, width_limit=180)


def _named(families: Iterable[str]) -> str:
    return ", ".join(sorted(set(families)))
