"""Responses: which key joins the deltas of an answer, counted over many answers and tried out.

A server that is good to `output_index` today is not tomorrow: the counts are by server and version.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from wirelab.capture import Capture, read_capture
from wirelab.model import Json
from wirelab.protocols.decoding import UNDECODABLE
from wirelab.show.items import ItemEvent, item_events
from wirelab.show.tables import Table, table
from wirelab.show.wire import mapping, objects, recorder, share, version_order, wire_objects

Key = Literal["item_id", "output_index", "call_id"]
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ItemStream(msgspec.Struct, frozen=True):
    """One streamed answer by what its items are known by.

    `shared` names the families that meet under one output_index, once an index; `unfinished` the families of the items
    whose `output_item.done` never came; `snapshot` what the terminal event holds, compared with what was streamed.
    """

    capture: str
    server: str
    families: tuple[str, ...]
    shared: tuple[str, ...]
    indexless: int
    nameless: int
    unannounced: int
    argument_events: int
    call_ids: int
    unfinished: tuple[str, ...]
    snapshot: str
    codes: frozenset[str]

    @property
    def calls(self) -> int:
        """How many calls were announced."""
        return self.families.count("call")

    @property
    def mixed(self) -> bool:
        """Whether a text and a call were announced."""
        return "message" in self.families and self.calls > 0


def item_streams(captures: Iterable[Capture]) -> list[ItemStream]:
    """All streamed answers among the captures, in order of servers and their versions."""
    found = [_stream(one) for one in captures if one.framing == "sse" and one.response.status < 400]
    return sorted(found, key=lambda one: (version_order(one.server), one.capture))


def _stream(capture: Capture) -> ItemStream:
    events = item_events(capture)
    added = [event for event in events if event.kind == "output_item.added"]
    ended = {event.item_id for event in events if event.kind == "output_item.done"}
    arguments = [event for event in events if event.family == "call" and not event.kind.startswith("output_item.")]
    known = {event.item_id for event in added}
    return ItemStream(
        capture=capture.name,
        server=recorder(capture),
        families=tuple(event.family or "item" for event in added),
        shared=_shared(added),
        indexless=sum(event.output_index is None for event in events),
        nameless=sum(event.item_id is None for event in events),
        unannounced=sum(event.item_id is not None and event.item_id not in known for event in events),
        argument_events=len(arguments),
        call_ids=sum(event.call_id is not None for event in arguments),
        unfinished=tuple(event.family or "item" for event in added if event.item_id not in ended),
        snapshot=_snapshot(capture, added),
        codes=frozenset(finding.code for finding in read_capture(capture, strict=False).findings),
    )


def _shared(added: Iterable[ItemEvent]) -> tuple[str, ...]:
    """`message, call`: the families of the items that stand under one output_index."""
    under: dict[int, dict[Json, str]] = defaultdict(dict)
    for number, event in enumerate(added):
        if event.output_index is not None and event.family is not None:
            under[event.output_index].setdefault(event.item_id or number, event.family)
    return tuple(", ".join(families.values()) for families in under.values() if len(families) > 1)


def _snapshot(capture: Capture, added: Sequence[ItemEvent]) -> str:
    """What the terminal event holds beside what was streamed, told by the items' ids."""
    ends = [each.value for each in wire_objects(capture) if each.value.get("type") in _ENDS]
    if not ends:
        return "no terminal event"
    output = [item.get("id") for item in objects(mapping(ends[-1].get("response")).get("output"))]
    streamed = [event.item_id for event in added]
    if output == streamed:
        return "as streamed"
    if not output or not streamed:
        return "no items" if streamed else "items only there"
    if Counter(output) == Counter(streamed):
        return "other order"
    left = [event.family or "item" for event in added if event.item_id not in output]
    return "other ids" if set(output) - set(streamed) else f"without the {' and the '.join(left)}"


def keys_table(found: Sequence[ItemStream]) -> Table:
    """One row a server: in how many answers each key fails."""
    return table([_keys(server, group) for server, group in _by_server(found).items()])


def _by_server(found: Iterable[ItemStream]) -> dict[str, list[ItemStream]]:
    groups: dict[str, list[ItemStream]] = defaultdict(list)
    for one in found:
        groups[one.server].append(one)
    return groups


def _keys(server: str, group: Sequence[ItemStream]) -> dict[str, Json]:
    items = [one for one in group if one.families]
    return {
        "server": server,
        "answers": len(group),
        "with items": len(items),
        "output_index shared": sum(bool(one.shared) for one in items),
        "output_index missing": sum(one.indexless > 0 for one in items),
        "item id missing": sum(one.nameless > 0 for one in items),
        "item id unannounced": sum(one.unannounced > 0 for one in items),
        "call id in deltas": share(sum(one.call_ids for one in items), sum(one.argument_events for one in items)),
    }


def sharing_table(found: Sequence[ItemStream]) -> Table:
    """One row a server: which items meet under one output_index, of the answers in which they could."""
    return table([_meetings(server, group) for server, group in _by_server(found).items()])


def _meetings(server: str, group: Sequence[ItemStream]) -> dict[str, Json]:
    mixed, several = [one for one in group if one.mixed], [one for one in group if one.calls > 1]
    return {
        "server": server,
        "text and call": share(sum(_meet(one, "message") for one in mixed), len(mixed)),
        "several calls": share(sum(_meet(one, "call, call") for one in several), len(several)),
        "noticed": share(
            sum("output-index-shared" in one.codes for one in group), sum(bool(one.shared) for one in group)
        ),
    }


def _meet(one: ItemStream, families: str) -> bool:
    return any(families in shared for shared in one.shared)


def ends_table(found: Sequence[ItemStream]) -> Table:
    """One row a server: the items whose end never came in an answer that did end, and what its terminal event holds."""
    return table([_ends(server, group) for server, group in _by_server(found).items()])


def _ends(server: str, group: Sequence[ItemStream]) -> dict[str, Json]:
    ended = [one for one in group if one.snapshot != "no terminal event"]
    unfinished = [one for one in ended if one.unfinished]
    kinds = Counter(one.snapshot for one in group)
    return {
        "server": server,
        "answers that end": share(len(ended), len(group)),
        "message without its done event": share(_left_open(unfinished, "message"), sum(one.mixed for one in ended)),
        "call without its done event": _left_open(unfinished, "call"),
        "the terminal event holds the items": ", ".join(f"{kind}: {number}" for kind, number in kinds.most_common()),
        "other call id there": sum("terminal-id-mismatch" in one.codes for one in group),
    }


def _left_open(found: Iterable[ItemStream], family: str) -> int:
    return sum(family in one.unfinished for one in found)


def read_by(events: Iterable[ItemEvent], key: Key, *, latest: bool = False) -> list[tuple[str | None, Json]]:
    """The calls that a reader gets who knows one key only, as names and arguments.

    It keeps one call for each value of the key, a missing value being a value too; with `latest` an announcement
    always opens a call, and the key names the latest one. What belongs to no announced call is dropped.
    """
    calls: list[list[str]] = []
    named: dict[Json, list[str]] = {}
    for event in events:
        at = getattr(event, key)
        if event.kind == "output_item.added" and event.family == "call":
            if at in named and not latest:
                calls.remove(named[at])
            named[at] = [event.name or "", event.text]
            calls.append(named[at])
        elif event.family == "call" and at in named:
            named[at][1] = named[at][1] + event.text if event.kind.endswith(".delta") else event.text or named[at][1]
    return [(name or None, _value(text)) for name, text in calls]


def _value(text: str) -> Json:
    try:
        return msgspec.json.decode(text or "{}")
    except UNDECODABLE:
        return text


_READERS: dict[str, tuple[Key, bool]] = {
    "by item_id": ("item_id", False),
    "by output_index, one call each": ("output_index", False),
    "by output_index, the latest call": ("output_index", True),
    "by call_id": ("call_id", False),
}


def readers_table(capture: Capture) -> Table:
    """One answer as plain readers get it, a row each, and as this project does."""
    events = item_events(capture)
    rows = [[name, _calls(read_by(events, key, latest=latest))] for name, (key, latest) in _READERS.items()]
    reading = read_capture(capture, strict=False)
    own = _calls([(call.name, _value(call.arguments_text)) for call in reading.calls])
    return table([*rows, ["wirelab", own]], ["reader", "calls"])


def _calls(calls: Iterable[tuple[str | None, Json]]) -> str:
    return " + ".join(f"{name or 'no name'} {msgspec.json.encode(value).decode()}" for name, value in calls)


def right_by_key(captures: Iterable[Capture]) -> dict[str, dict[str, int]]:
    """By server: how many streamed answers have calls, and in how many each plain reader gets the same ones."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for capture in captures:
        reading = read_capture(capture, strict=False)
        if capture.framing == "sse" and reading.calls:
            want = [(call.name, _value(call.arguments_text)) for call in reading.calls]
            events, count = item_events(capture), counts[recorder(capture)]
            count["with calls"] += 1
            for name, (key, latest) in _READERS.items():
                count[name] += read_by(events, key, latest=latest) == want
    return {server: dict(counts[server]) for server in sorted(counts, key=version_order)}


def right_table(counts: dict[str, dict[str, int]]) -> Table:
    """`right_by_key` as a table: a row a server, a column a way to read."""
    return table([{"server": server, **row} for server, row in counts.items()])
