"""Messages: the events about content blocks as they stood on the wire.

Nothing here goes through the reader, but for the call that a lane is said to belong to.
"""

from collections.abc import Iterable

import msgspec

from wirelab.capture import Capture
from wirelab.model import Json
from wirelab.show.lanes import Piece
from wirelab.show.story import capture_lanes
from wirelab.show.tables import Table, table
from wirelab.show.wire import mapping, text_of, wire_objects

_EVENTS = {"content_block_start": "start", "content_block_delta": "delta", "content_block_stop": "stop"}
_PIECES = ("text", "thinking", "partial_json")


class BlockEvent(msgspec.Struct, frozen=True):
    """One event about a content block, or a run of deltas of one block (`pieces` of them, the texts joined).

    `kind` is `start`, `delta` or `stop`; `type` is the block's (`text`, `tool_use`) or the delta's; `held` is the input
    that a start event holds as JSON text, None where it has none.
    """

    frame: int
    seconds: float | None
    kind: str
    index: Json
    type: str
    id: str | None
    name: str | None
    text: str
    held: str | None
    pieces: int = 1


def block_events(capture: Capture) -> list[BlockEvent]:
    """The events of a streamed answer about content blocks, in the order they came."""
    found = []
    for each in wire_objects(capture):
        kind = _EVENTS.get(text_of(each.value.get("type")))
        if kind is not None:
            found.append(_event(each.frame, each.seconds, kind, each.value))
    return found


def _event(frame: int, seconds: float | None, kind: str, value: dict[str, Json]) -> BlockEvent:
    said = mapping(value.get("content_block")) or mapping(value.get("delta"))
    return BlockEvent(
        frame=frame,
        seconds=seconds,
        kind=kind,
        index=value.get("index"),
        type=text_of(said.get("type")),
        id=text_of(said.get("id")) or None,
        name=text_of(said.get("name")) or None,
        text=next((said[key] for key in _PIECES if isinstance(said.get(key), str)), ""),
        held=msgspec.json.encode(said["input"]).decode() if "input" in said else None,
    )


def joined(events: Iterable[BlockEvent]) -> list[BlockEvent]:
    """The same with every run of deltas of one kind under one index as one event."""
    runs: list[BlockEvent] = []
    for event in events:
        if runs and event.kind == "delta" and (runs[-1].kind, runs[-1].index) == (event.kind, event.index):
            text, pieces = runs[-1].text + event.text, runs[-1].pieces + 1
            runs[-1] = msgspec.structs.replace(runs[-1], text=text, pieces=pieces)
        else:
            runs.append(event)
    return runs


def blocks_table(capture: Capture) -> Table:
    """One row an event about a block, a run of deltas as one row with their number."""
    return table(
        [
            {
                "frame": event.frame,
                "ms": None if event.seconds is None else round(event.seconds * 1000),
                "event": event.kind + (f" ({event.pieces})" if event.pieces > 1 else ""),
                "index": event.index,
                "type": event.type,
                "id": event.id,
                "says": " ".join(part for part in (event.name, event.text) if part),
                "input": event.held,
            }
            for event in joined(block_events(capture))
        ],
        ["frame", "ms", "event", "index", "type", "id", "says", "input"],
        width_limit=60,
    )


def block_lanes(capture: Capture) -> list[Piece]:
    """The events about blocks as lanes: the index is the block's, the id the call's or, without one, the block's type.

    A delta and a stop belong to the block that started last under their index.
    """
    calls = {piece.frame: piece.call for piece in capture_lanes(capture)}
    started: dict[str, tuple[BlockEvent, int | None]] = {}
    pieces = []
    for event in joined(block_events(capture)):
        if event.kind == "start":
            started[repr(event.index)] = event, calls.get(event.frame)
        start, call = started.get(repr(event.index), (event, None))
        pieces.append(_piece(event, start, call))
    return pieces


def _piece(event: BlockEvent, start: BlockEvent, call: int | None) -> Piece:
    said = event.type if event.kind == "start" and event.name is None else f"{event.kind} {event.text}".strip()
    return Piece(
        call=call,
        frame=event.frame,
        position=0,
        entries=1,
        seconds=event.seconds,
        id=start.id or start.type or None,
        index=event.index if isinstance(event.index, int | str) else None,
        name=event.name,
        arguments="" if event.name else said,
    )
