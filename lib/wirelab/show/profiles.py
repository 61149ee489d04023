"""Id profiles: which ids endpoints accept, what shows it, and the map of foreign ids there and back."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from wirelab.capture import Capture
from wirelab.capture.store import Store
from wirelab.claims.exhibit import Exhibit
from wirelab.errors import UnreadableInputError
from wirelab.history.profiles import PROFILES, Profile
from wirelab.history.replay import Replay, next_request
from wirelab.ids import IdMap
from wirelab.model import Json
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.show.histories import wire_cases
from wirelab.show.tables import Table, table
from wirelab.transcript import Message, Result, Transcript

CONTROL = "replay_one"
"""A history in good order: who refuses that refuses for reasons of its own."""

SCENARIOS = ("foreign_ids", "long_id", "reused_id", "unknown_id", "id_missing", "result_id_missing")
"""The recorded histories whose ids are out of the ordinary."""

_FAILED = 400


def calls_of(transcript: Transcript) -> list[tuple[str, str | None]]:
    """The ids of a history's calls with the names of their tools, in order."""
    calls = (call for entry in transcript.entries if isinstance(entry, Message) for call in entry.calls)
    return [(call.id, call.name) for call in calls if isinstance(call.id, str)]


def ids_sent(capture: Capture) -> list[tuple[str, str | None]]:
    """The same of the history in a capture's request; none where that is no history."""
    if capture.protocol not in DIALECTS:
        return []
    try:
        return calls_of(read_history(Exhibit(capture).request, capture.protocol).transcript)
    except UnreadableInputError:
        return []


def accepted_table(store: Store, pattern: str = "*") -> Table:
    """One row a server and protocol: the statuses of the recorded histories with unusual ids, and of one in order."""
    cells: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for entry in store.select(pattern, evidence="recorded"):
        kind = entry.scenario.removeprefix("history-")
        if kind in (CONTROL, *SCENARIOS) and entry.scenario != kind:
            cells[f"{entry.server} {entry.version}", entry.protocol][kind].add(str(entry.status))
    rows = [
        {"server": server, "protocol": protocol, **{kind: ", ".join(sorted(seen)) for kind, seen in cell.items()}}
        for (server, protocol), cell in sorted(cells.items())
    ]
    return table(rows, ["server", "protocol", CONTROL, *SCENARIOS])


def refusals(store: Store, pattern: str = "*") -> list[Exhibit]:
    """The answers that refuse an unusual id, of servers that take a history in good order."""
    shown = []
    for entry in store.select(pattern, evidence="recorded"):
        unusual = entry.scenario.removeprefix("history-") in SCENARIOS
        if unusual and (entry.status or 0) >= _FAILED and _takes_good_order(store, entry.name, entry.scenario):
            shown.append(Exhibit(store.load(entry.name)))
    return shown


def _takes_good_order(store: Store, name: str, scenario: str) -> bool:
    """Whether the same target, protocol and family takes some history in good order."""
    variants = [name.replace(f"/{scenario}.", f"/history-{good}.") for good in (CONTROL, "replay_parallel")]
    return any((entry.status or 0) < _FAILED for entry in store.entries if entry.name in variants)


def refusals_table(shown: Iterable[Exhibit]) -> Table:
    """One row a server, protocol and reason: what was refused, and why."""
    groups: dict[tuple[str, ...], list[Exhibit]] = defaultdict(list)
    for exhibit in shown:
        source = exhibit.capture.source
        reading = exhibit.reading
        said = reading.error.message if reading is not None and reading.error is not None else ""
        kind = exhibit.scenario.removeprefix("history-")
        groups[f"{source.server} {source.version}", exhibit.protocol, kind, said].append(exhibit)
    rows = [
        {"server": server, "protocol": protocol, "history": kind, "answers": len(group), "says": said}
        for (server, protocol, kind, said), group in sorted(groups.items())
    ]
    return table(rows, ["server", "protocol", "history", "answers", "says"], width_limit=120)


def every_id(store: Store) -> list[tuple[str, str | None]]:
    """The distinct ids of all recorded histories and conversations, with the names of their tools."""
    patterns = ("*/history-*", "*/conversation-*")
    histories = (capture for pattern in patterns for capture in store.captures(pattern, evidence="recorded"))
    return list(dict.fromkeys(call for capture in histories for call in ids_sent(capture)))


def ids_seen(captures: Iterable[Capture]) -> dict[str, int]:
    """How many ids were sent in histories whose prompt was seen, and how many of them stand in it."""
    sent = seen = 0
    for capture in captures:
        prompt = Exhibit(capture).prompt
        if isinstance(prompt, str):
            ids = [identifier for identifier, _ in ids_sent(capture)]
            sent += len(ids)
            seen += sum(identifier in prompt for identifier in ids)
    return {"ids sent": sent, "ids in the prompt": seen}


def profiles_table(profiles: Sequence[Profile] = PROFILES) -> Table:
    """One row a profile: which ids it allows, what becomes of others, and when that was seen."""
    rows = [
        {
            "profile": profile.name,
            "protocol": profile.dialect,
            "since": ".".join(map(str, profile.since)),
            "ids": profile.wire.ids,
            "pattern": "any" if profile.ids is None else profile.ids.pattern,
            "longest": "" if profile.ids is None else profile.ids.longest,
            "others are": "kept" if profile.ids is None else _MADE[profile.ids.make],
            "shown by": profile.shown.get("ids", ""),
            "dated": profile.dated,
        }
        for profile in profiles
    ]
    return table(rows, width_limit=90)


_MADE: Mapping[str, str] = {
    "sanitise": "cleaned, with a hash",
    "hash": "hashed",
    "numbered": "numbered",
}


class Proof(msgspec.Struct, frozen=True):
    """What a profile says and what shows it. `kind`: recording or report; `found`: it is among the project's own."""

    profile: str
    dialect: str
    says: str
    shown: str
    kind: str
    found: bool


def proofs(store: Store, profiles: Sequence[Profile] = PROFILES) -> list[Proof]:
    """Everything that profiles say, each looked up: a recording among the captures, a report among the cases."""
    names = [entry.name for entry in store.entries]
    reports = " ".join(case["source"] for case in wire_cases(store).values())
    return [
        _proof(profile, says, shown, names, reports) for profile in profiles for says, shown in profile.shown.items()
    ]


def _proof(profile: Profile, says: str, shown: str, names: Sequence[str], reports: str) -> Proof:
    evidence = shown.partition(": ")[0]
    report = "#" in evidence
    found = evidence in reports if report else any(fnmatchcase(name, evidence) for name in names)
    kind = "report" if report else "recording"
    return Proof(profile.name, profile.dialect, says, shown, kind, found)


def proofs_table(found: Iterable[Proof]) -> Table:
    """One row a statement of a profile, with what shows it."""
    rows = [[one.profile, one.dialect, one.says, one.kind, one.shown, one.found] for one in found]
    return table(rows, ["profile", "protocol", "says", "kind", "shown by", "among ours"], width_limit=130)


def strict_profiles() -> list[Profile]:
    """The profiles that do not allow every id, each name and protocol once."""
    return [profile for profile in PROFILES if profile.ids is not None]


def maps_table(calls: Sequence[tuple[str, str | None]]) -> Table:
    """One row an id, one column a strict profile: what the endpoint gets."""
    maps = {f"{each.name} {each.dialect}": IdMap(each.ids, calls) for each in strict_profiles()}
    rows = [
        {"id": identifier, **{name: each.there(identifier) for name, each in maps.items()}}
        for identifier in dict.fromkeys(identifier for identifier, _ in calls)
    ]
    return table(rows, ["id", *maps], width_limit=70)


def broken_maps(calls: Sequence[tuple[str, str | None]]) -> list[str]:
    """What is wrong with the maps of any strict profile over these ids; empty unless this project is at fault.

    Numbered ids may change when a later turn brings the very id that an earlier call was given; no others may.
    """
    found = []
    for profile in strict_profiles():
        ids = [identifier for identifier, _ in calls]
        mapping, rule = IdMap(profile.ids, calls), profile.ids
        shorter = IdMap(profile.ids, calls[: len(calls) // 2])
        there = {identifier: mapping.there(identifier) for identifier in ids}
        checks = {
            "is injective": len(set(there.values())) == len(there),
            "leads back": all(mapping.back(wire) == identifier for identifier, wire in there.items()),
            "gives allowed ids": rule is not None and all(map(rule.allows, there.values())),
            "keeps allowed ids": rule is not None and all(there[each] == each for each in ids if rule.allows(each)),
            "is the same in every turn": rule is not None
            and (rule.make == "numbered" or all(shorter.there(each) == there[each] for each in ids[: len(ids) // 2])),
        }
        found += [
            f"{profile.name} {profile.dialect}: {what} does not hold" for what, holds in checks.items() if not holds
        ]
    return found


class Mapped(msgspec.Struct, frozen=True):
    """A history written for a profile: the ids before and after, and whether every result still goes with its call."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    results: tuple[str, ...]
    back: tuple[str, ...]
    codes: tuple[str, ...]


def mapped(history: Json, choice: Replay) -> Mapped:
    """Write a history for an endpoint and look at the ids: `back` are the ones its answer would be read as."""
    before = calls_of(read_history(history, choice.source).transcript)
    request = next_request(history, choice)
    sent = read_history(request.messages, request.dialect).transcript
    after = tuple(identifier for identifier, _ in calls_of(sent))
    results = tuple(entry.id for entry in sent.entries if isinstance(entry, Result))
    return Mapped(
        before=tuple(identifier for identifier, _ in before),
        after=after,
        results=results,
        back=tuple(request.ids.back(identifier) for identifier in after),
        codes=tuple(finding.code for finding in request.findings),
    )


def mapped_table(named: Mapping[str, Mapped]) -> Table:
    """One row a call of each history: the id it had, the one the endpoint gets, and the way back."""
    rows = [
        {
            "history": name,
            "id": before,
            "sent as": after,
            "leads back": back == before,
            "result has it": after in one.results,
        }
        for name, one in named.items()
        for before, after, back in zip(one.before, one.after, one.back, strict=True)
    ]
    return table(rows, ["history", "id", "sent as", "leads back", "result has it"], width_limit=80)


def case_choices(store: Store, choices: Mapping[str, str]) -> dict[str, Mapped]:
    """Cases after public reports, each written for the profile that its report is about."""
    cases = wire_cases(store)
    found = {}
    for name, profile in choices.items():
        source = cases[name]["protocol"].removeprefix("history-")
        target = DIALECTS[source].name
        label = f"{name} for {profile} ({cases[name]['source'].split(' ')[0]})"
        found[label] = mapped(cases[name]["frames"], Replay(source=source, to=target, profile=profile))
    return found
