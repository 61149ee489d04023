"""Responses: the events about output items as they stood on the wire, and which key joins them.

Nothing here goes through the reader, but for the column that says what the reader made of it.
"""

from collections.abc import Iterable

import msgspec

from wirelab.capture import Capture, read_capture
from wirelab.model import Json
from wirelab.protocols.responses.items import FAMILIES
from wirelab.show.lanes import Piece
from wirelab.show.story import capture_lanes
from wirelab.show.tables import Table, table
from wirelab.show.verdict import call_words
from wirelab.show.wire import WireObject, mapping, text_of, wire_objects

_ABOUT = frozenset({"item", "item_id", "output_index"})
_FAMILIES = {"function_call": "call", "custom_tool": "call", "output_text": "message", "reasoning": "reasoning"}


class ItemEvent(msgspec.Struct, frozen=True):
    """One event about an output item, or a run of deltas of one item (`pieces` of them, the texts joined).

    `kind` is the event's type without `response.`; `family` is `call`, `message`, `reasoning`, or None.
    """

    frame: int
    seconds: float | None
    kind: str
    family: str | None
    item_id: str | None
    output_index: int | None
    call_id: str | None
    name: str | None
    text: str
    pieces: int = 1


def item_events(capture: Capture) -> list[ItemEvent]:
    """The events of a streamed answer that name an item, in the order they came."""
    return [_event(each) for each in wire_objects(capture) if _ABOUT & each.value.keys()]


def _event(found: WireObject) -> ItemEvent:
    value, item = found.value, mapping(found.value.get("item"))
    kind, index = text_of(value.get("type")).removeprefix("response."), value.get("output_index")
    said = (value.get("delta"), value.get("arguments"), value.get("text"), item.get("arguments"))
    return ItemEvent(
        frame=found.frame,
        seconds=found.seconds,
        kind=kind,
        family=FAMILIES.get(text_of(item.get("type"))) or _family(kind),
        item_id=_named(value, "item_id") or _named(item, "id"),
        output_index=index if isinstance(index, int) else None,
        call_id=_named(value, "call_id") or _named(item, "call_id"),
        name=_named(value, "name") or _named(item, "name"),
        text=next((text for text in said if isinstance(text, str)), ""),
    )


def _named(value: dict[str, Json], key: str) -> str | None:
    return text_of(value.get(key)) or None


def _family(kind: str) -> str | None:
    return next((family for start, family in _FAMILIES.items() if kind.startswith(start)), None)


def joined(events: Iterable[ItemEvent]) -> list[ItemEvent]:
    """The same with every run of deltas of one item as one event."""
    runs: list[ItemEvent] = []
    for event in events:
        if runs and event.kind.endswith(".delta") and _same_run(runs[-1], event):
            text, pieces = runs[-1].text + event.text, runs[-1].pieces + 1
            runs[-1] = msgspec.structs.replace(runs[-1], text=text, pieces=pieces)
        else:
            runs.append(event)
    return runs


def _same_run(one: ItemEvent, other: ItemEvent) -> bool:
    return (one.kind, one.item_id, one.output_index) == (other.kind, other.item_id, other.output_index)


def items_table(capture: Capture) -> Table:
    """One row an event about an item, a run of deltas as one row with their number."""
    columns = ["frame", "ms", "event", "item_id", "output_index", "call_id", "says"]
    return table([_row(event) for event in joined(item_events(capture))], columns, width_limit=60)


def _row(event: ItemEvent) -> dict[str, Json]:
    return {
        "frame": event.frame,
        "ms": None if event.seconds is None else round(event.seconds * 1000),
        "event": event.kind + (f" ({event.pieces})" if event.pieces > 1 else ""),
        "item_id": event.item_id,
        "output_index": event.output_index,
        "call_id": event.call_id,
        "says": " ".join(part for part in (event.name, event.text) if part),
    }


def item_lanes(capture: Capture) -> list[Piece]:
    """The events about items as lanes: the id is the item's, the index its output_index, the call what was read.

    Announcements, deltas and the ends of items are drawn; a message belongs to no call.
    """
    calls = {piece.frame: piece.call for piece in capture_lanes(capture)}
    return [_piece(event, calls.get(event.frame)) for event in joined(item_events(capture)) if _is_drawn(event)]


def _is_drawn(event: ItemEvent) -> bool:
    return event.kind.endswith(".delta") or event.kind.startswith("output_item.")


def _piece(event: ItemEvent, call: int | None) -> Piece:
    announced = event.kind == "output_item.added"
    what = (event.family or "item") if announced else event.kind.rpartition(".")[2]
    return Piece(
        call=call,
        frame=event.frame,
        position=0,
        entries=1,
        seconds=event.seconds,
        id=event.item_id,
        index=event.output_index,
        name=event.name if announced else None,
        arguments="" if announced and event.name else f"{what} {event.text}".strip(),
    )


def identities_table(captures: Iterable[Capture]) -> Table:
    """One row an answer: the ids that its events name their items by, in order, and what was read all the same."""
    return table([_identity(capture) for capture in captures], width_limit=90)


def _identity(capture: Capture) -> dict[str, Json]:
    events, reading = item_events(capture), read_capture(capture, strict=False)
    return {
        "capture": capture.name,
        "item ids": _steps([event.item_id for event in events]),
        "output indexes": _steps([event.output_index for event in events]),
        "call ids": _steps([event.call_id for event in events if event.call_id is not None]),
        "read as": call_words(reading),
        "ids": ", ".join(call.id for call in reading.calls),
        "findings": ", ".join(finding.code for finding in reading.findings),
    }


def _steps(names: Iterable[Json]) -> str:
    """`it_1 → it_2`: the names one after the other, each run of one as one."""
    runs: list[str] = []
    for name in names:
        shown = "none" if name is None else str(name)
        if runs[-1:] != [shown]:
            runs.append(shown)
    return " → ".join(runs)
