"""Messages: what a block's index is worth, counted over many answers and tried out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from wirelab.capture import Capture, read_capture
from wirelab.model import Json, Reading
from wirelab.protocols.decoding import UNDECODABLE
from wirelab.show.blocks import BlockEvent, block_events
from wirelab.show.tables import Table, table
from wirelab.show.text import shortened
from wirelab.show.wire import recorder, share, version_order, wire_objects

_UNENDED = frozenset({"stream-cut", "upstream-error", "empty-stream"})


class BlockStream(msgspec.Struct, frozen=True):
    """One streamed answer by its blocks.

    `counted`: the indexes are 0, 1, 2 …; `most_open` counts blocks open at once; `restarted` those that started under
    the index of an open one, `reused` under that of a stopped one; `left_open` those that no stop ended; `held` what
    the start events of calls held; `stray` deltas and stops under an index that was not open.
    """

    capture: str
    server: str
    types: tuple[str, ...]
    counted: bool
    most_open: int
    restarted: int
    reused: int
    left_open: tuple[str, ...]
    held: tuple[str, ...]
    stray: int
    codes: frozenset[str]

    @property
    def ended(self) -> bool:
        """Whether the answer came to its end."""
        return not self.codes & _UNENDED


class _Walk:
    """Which blocks are open, event by event."""

    def __init__(self) -> None:
        self.open: dict[str, str] = {}
        self.seen: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.most = 0

    def take(self, event: BlockEvent) -> None:
        """One event."""
        label = repr(event.index)
        if event.kind == "start":
            self.counts["restarted"] += label in self.open
            self.counts["reused"] += label in self.seen and label not in self.open
            self.open[label] = event.type
            self.seen.add(label)
            self.most = max(self.most, len(self.open))
        else:
            self.counts["stray"] += label not in self.open
            if event.kind == "stop":
                self.open.pop(label, None)


def block_streams(captures: Iterable[Capture]) -> list[BlockStream]:
    """All streamed answers among the captures, in order of servers and their versions."""
    found = [_stream(one) for one in captures if one.framing == "sse" and one.response.status < 400]
    return sorted(found, key=lambda one: (version_order(one.server), one.capture))


def _stream(capture: Capture) -> BlockStream:
    events, walk = block_events(capture), _Walk()
    for event in events:
        walk.take(event)
    starts = [event for event in events if event.kind == "start"]
    return BlockStream(
        capture=capture.name,
        server=recorder(capture),
        types=tuple(event.type for event in starts),
        counted=[event.index for event in starts] == list(range(len(starts))),
        most_open=walk.most,
        restarted=walk.counts["restarted"],
        reused=walk.counts["reused"],
        left_open=tuple(walk.open.values()),
        held=tuple(event.held or "missing" for event in starts if event.type == "tool_use"),
        stray=walk.counts["stray"],
        codes=frozenset(finding.code for finding in read_capture(capture, strict=False).findings),
    )


def indexes_table(found: Sequence[BlockStream]) -> Table:
    """One row a server: how its answers count blocks, open them side by side, and leave them open."""
    groups: dict[str, list[BlockStream]] = defaultdict(list)
    for one in found:
        groups[one.server].append(one)
    return table([_indexes(server, group) for server, group in groups.items()])


def _indexes(server: str, group: Sequence[BlockStream]) -> dict[str, Json]:
    blocks, ended = [one for one in group if one.types], [one for one in group if one.ended]
    return {
        "server": server,
        "answers": len(group),
        "with blocks": len(blocks),
        "counted from 0": share(sum(one.counted for one in blocks), len(blocks)),
        "index used again": sum(one.reused > 0 for one in group),
        "restarted while open": sum(one.restarted > 0 for one in group),
        "open side by side": sum(one.most_open > 1 for one in group),
        "not stopped, answer ended": sum(bool(one.left_open) for one in ended),
        "not stopped, answer cut": sum(bool(one.left_open) for one in group if not one.ended),
        "input of the start": ", ".join(f"{what}: {number}" for what, number in _held(group)),
    }


def _held(group: Iterable[BlockStream]) -> list[tuple[str, int]]:
    return Counter(shortened(held, 20) for one in group for held in one.held).most_common()


Said = list[tuple[str, Json]]
"""What a reader got: `text`, `thinking` or a tool's name, and the text or the arguments."""


def read_by_index(events: Iterable[BlockEvent]) -> Said:
    """A reader that keeps one block for each index, and looks at them at the end."""
    kept: dict[str, tuple[BlockEvent, list[str]]] = {}
    for event in events:
        if event.kind == "start":
            kept[repr(event.index)] = event, [event.text]
        elif event.kind == "delta" and repr(event.index) in kept:
            kept[repr(event.index)][1].append(event.text)
    return _together(kept.values())


def read_latest(events: Iterable[BlockEvent]) -> Said:
    """A reader that takes no index: every delta belongs to the block that started last."""
    kept: list[tuple[BlockEvent, list[str]]] = []
    for event in events:
        if event.kind == "start":
            kept.append((event, [event.text]))
        elif event.kind == "delta" and kept:
            kept[-1][1].append(event.text)
    return _together(kept)


def read_one_open(events: Iterable[BlockEvent]) -> Said:
    """A reader with one open block, which counts once it is stopped; a start before that forgets it."""
    kept: list[tuple[BlockEvent, list[str]]] = []
    current: tuple[BlockEvent, list[str]] | None = None
    for event in events:
        if event.kind == "start":
            current = event, [event.text]
        elif event.kind == "delta" and current is not None:
            current[1].append(event.text)
        elif event.kind == "stop" and current is not None:
            kept.append(current)
            current = None
    return _together(kept)


READERS = {
    "a block for each index": read_by_index,
    "the block that started last": read_latest,
    "one open block, taken at its stop": read_one_open,
}


def _together(blocks: Iterable[tuple[BlockEvent, list[str]]]) -> Said:
    """Thinking and text as one each, then the calls in order, as a reading has them."""
    prose: dict[str, str] = {"thinking": "", "text": ""}
    calls: Said = []
    for start, pieces in blocks:
        text = "".join(pieces)
        if start.type == "tool_use":
            calls.append((start.name or "", _value(text or start.held or "{}")))
        elif start.type in prose:
            prose[start.type] += text
    return [*((kind, text) for kind, text in prose.items() if text), *calls]


def _value(text: str) -> Json:
    try:
        return msgspec.json.decode(text)
    except UNDECODABLE:
        return text


def said_by(reading: Reading) -> Said:
    """A reading in the same form."""
    prose: Said = [(kind, text) for kind, text in (("thinking", reading.thinking), ("text", reading.text)) if text]
    return [*prose, *((call.name or "", _value(call.arguments_text or "{}")) for call in reading.calls)]


def readers_table(capture: Capture) -> Table:
    """One answer as plain readers get it, a row each, and as this project does."""
    events = block_events(capture)
    rows = [[name, _words(read(events))] for name, read in READERS.items()]
    return table([*rows, ["wirelab", _words(said_by(read_capture(capture, strict=False)))]], ["reader", "gets"])


def _words(said: Said) -> str:
    return " + ".join(f"{what} {shortened(msgspec.json.encode(value).decode(), 40)}" for what, value in said)


def right_by_reader(captures: Iterable[Capture]) -> dict[str, dict[str, int]]:
    """By server: how many streamed answers came to their end, and how many of them each plain reader reads the same."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for capture in captures:
        reading = read_capture(capture, strict=False)
        if capture.framing == "sse" and not {finding.code for finding in reading.findings} & _UNENDED:
            events, count = block_events(capture), counts[recorder(capture)]
            count["answers that end"] += 1
            for name, read in READERS.items():
                count[name] += read(events) == said_by(reading)
    return {server: dict(counts[server]) for server in sorted(counts, key=version_order)}


def right_table(counts: dict[str, dict[str, int]]) -> Table:
    """`right_by_reader` as a table: a row a server, a column a way to read."""
    return table([{"server": server, **row} for server, row in counts.items()])


def null_contents(captures: Iterable[Capture]) -> list[Capture]:
    """The whole answers whose content is null."""
    whole = (capture for capture in captures if capture.framing == "whole" and capture.response.status < 400)
    return [one for one in whole if any(each.value.get("content", 0) is None for each in wire_objects(one))]


def nulls_table(captures: Iterable[Capture]) -> Table:
    """One row an answer whose content is null: how the server ended it, and what it is read as."""
    rows = [(capture, read_capture(capture, strict=False)) for capture in null_contents(captures)]
    return table(
        [
            {
                "capture": capture.name,
                "stop reason": reading.raw_finish_reason,
                "output tokens": (reading.usage or {}).get("output_tokens"),
                "calls": len(reading.calls),
                "findings": ", ".join(finding.code for finding in reading.findings),
            }
            for capture, reading in rows
        ],
        ["capture", "stop reason", "output tokens", "calls", "findings"],
    )
