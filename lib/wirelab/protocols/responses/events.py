"""What the events of a streamed Responses answer hold, and which of them say what."""

from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from wirelab.model import Json
from wirelab.protocols.responses.items import ItemPayload

TERMINAL: Final = ("completed", "incomplete", "failed", "cancelled")
"""The statuses that end a response."""
TEXTS: Final = {
    "output_text": "text",
    "refusal": "refusal",
    "reasoning_text": "reasoning",
    "reasoning": "reasoning",
    "reasoning_summary_text": "summary",
    "reasoning_summary": "summary",
}
"""The kinds of text, by the names of their events."""
ANSWERS: Final = ("text", "refusal")
"""The kinds that are answer text; the others are thinking."""
ARGUMENTS: Final = ("function_call_arguments", "custom_tool_call_input")
"""The names of the events with a call's arguments."""
DELTAS: Final = {f"response.{name}.delta": kind for name, kind in (TEXTS | dict.fromkeys(ARGUMENTS, "call")).items()}
"""The kind of each delta: of text, or a call's."""
SUCCESSFUL: Final = "completed"


class _Details(Struct, gc=False):
    reason: Any = None


class Snapshot(Struct, gc=False):
    """The response itself: what a terminal event holds, and what a whole answer is."""

    status: Any = None
    error: Any = None
    incomplete_details: _Details | None = None
    usage: Any = None
    output: list[ItemPayload | None] | None = None


class Event(Struct, gc=False):
    """An event of any name. Its fields are in the order in which Ollama sends them, which is found fastest."""

    arguments: str | UnsetType | None = UNSET
    call_id: Any = UNSET
    content_index: Any = None
    delta: Any = None
    error: Any = None
    input: str | UnsetType | None = UNSET
    item: ItemPayload | None = None
    item_id: Any = None
    name: Any = UNSET
    output_index: Any = None
    part: Any = None
    refusal: Any = None
    response: Snapshot | None = None
    summary_index: Any = None
    text: Any = None
    type: Any = None


def is_piece(event: Event) -> bool:
    """Whether an event is a piece of text or arguments, says clearly of what, and nothing else."""
    kind = DELTAS.get(event.type) if event.type.__class__ is str else None
    number = 0 if kind == "call" else event.summary_index if kind == "summary" else event.content_index
    named = event.item_id.__class__ is str and event.output_index.__class__ is int and number.__class__ is int
    alone = event.call_id is UNSET and event.name is UNSET and not event.error
    return kind is not None and named and alone and event.delta.__class__ is str and event.delta != ""


def family_of(kind: str) -> str:
    """The family of the items that a kind of delta is about."""
    return "message" if kind in ANSWERS else "call" if kind == "call" else "reasoning"


def number_of(event: Event, kind: str) -> int:
    """The number of the part that an event is about; 0 where it does not say."""
    number = event.summary_index if kind == "summary" else event.content_index
    return number if isinstance(number, int) else 0


def is_failure(snapshot: Snapshot, status: Json) -> bool:
    """Whether the server says that it failed."""
    return bool(snapshot.error) or status in ("failed", "cancelled")
