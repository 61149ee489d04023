"""The Responses protocol: named events about output items, ended by `response.completed`, `.incomplete` or `.failed`.

Text and thinking are told when their deltas come; the same text in the done events and in the terminal snapshot is told
only as far as it has not been. A refusal counts as text; summaries and raw reasoning both count as thinking. A custom
tool's input is told as the arguments of its call. `[DONE]` is no finish signal here.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

from msgspec import UNSET, Raw, Struct, UnsetType

from wirelab.model import Fragment, Json, Mode, Sink
from wirelab.protocols.errors import describe
from wirelab.protocols.reader import FrameReader, Leftover, output_tokens
from wirelab.protocols.responses.items import Item, ItemPayload, ItemTable

_TERMINAL: Final = ("completed", "incomplete", "failed", "cancelled")
_TEXTS: Final = {
    "output_text": "text",
    "refusal": "refusal",
    "reasoning_text": "reasoning",
    "reasoning": "reasoning",
    "reasoning_summary_text": "summary",
    "reasoning_summary": "summary",
}
_ARGUMENTS: Final = ("function_call_arguments", "custom_tool_call_input")
_PART_KINDS: Final = {
    "output_text": "text",
    "text": "text",
    "refusal": "refusal",
    "reasoning_text": "reasoning",
    "summary_text": "summary",
}
_SUCCESSFUL: Final = "completed"


class _Details(Struct, gc=False):
    reason: Any = None


class _Snapshot(Struct, gc=False):
    status: Any = None
    error: Any = None
    incomplete_details: _Details | None = None
    usage: Any = None
    output: list[ItemPayload | None] | None = None


class _Event(Struct, gc=False):
    type: Any = None
    item_id: Any = None
    output_index: Any = None
    content_index: Any = None
    summary_index: Any = None
    delta: Any = None
    text: Any = None
    refusal: Any = None
    call_id: Any = UNSET
    name: Any = UNSET
    arguments: str | UnsetType | None = UNSET
    input: str | UnsetType | None = UNSET
    part: Any = None
    item: ItemPayload | None = None
    response: _Snapshot | None = None
    error: Any = None


_READERS: Final[dict[str, tuple[str, ...]]] = {
    "response.output_item.added": ("_read_added",),
    "response.output_item.done": ("_read_done",),
    "response.content_part.done": ("_read_part",),
    "response.reasoning_summary_part.done": ("_read_part",),
    "response.done": ("_read_terminal", _SUCCESSFUL),
    **{f"response.{status}": ("_read_terminal", status) for status in _TERMINAL},
    **{f"response.{name}.delta": ("_read_text_delta", kind) for name, kind in _TEXTS.items()},
    **{f"response.{name}.done": ("_read_text_done", kind) for name, kind in _TEXTS.items()},
    **{f"response.{name}.delta": ("_read_call_delta",) for name in _ARGUMENTS},
    **{f"response.{name}.done": ("_read_call_done",) for name in _ARGUMENTS},
}
"""The method that reads each event, and what it is told besides."""

_Handler = Callable[[int, _Event], None]


class _ItemReader(FrameReader[Any]):
    """What streamed and whole answers share: telling what an item or a snapshot holds."""

    done_marker_finishes = False

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._table = ItemTable()

    def _tell_rest(self, frame: int, item: Item, kind: str, full: str, *, told: str, number: int = 0) -> None:
        """The rest of a text that was told in part; nothing where what was told is no beginning of it."""
        if full.startswith(told) and len(full) > len(told):
            self._tell_piece(frame, item, kind, number, full[len(told) :])

    def _tell_piece(self, frame: int, item: Item, kind: str, number: int, piece: str) -> None:
        item.parts[kind, number].append(piece)
        tell = self._text if kind in ("text", "refusal") else self._thinking
        tell(frame, piece)

    def _tell_snapshot(self, frame: int, snapshot: _Snapshot, find: Callable[[ItemPayload, int], Item]) -> None:
        """The items of a whole answer or terminal snapshot; of texts only those of which nothing was told yet."""
        output = snapshot.output or []
        for position, payload in enumerate(output):
            if payload is None:
                self._malformed(frame, position, f"output[{position}] is no object")
            elif payload.family == "call":
                item = find(payload, position)
                self._tell_item_call(frame, item, payload, "whole", position=position, entries=len(output))
            elif payload.family is not None:
                item = find(payload, position)
                for kind, text in texts_of(payload).items():
                    if text and not item.has_told(kind):
                        self._tell_piece(frame, item, kind, 0, text)

    def _tell_item_call(
        self, frame: int, item: Item, payload: ItemPayload, mode: Mode, *, position: int = 0, entries: int = 1
    ) -> None:
        """The call that an item is, with the arguments it holds."""
        arguments = payload.argument_text
        if item.argued and not arguments:
            arguments = UNSET
        item.argued = item.argued or bool(arguments)
        self._tell_fragment(
            frame,
            item,
            mode,
            arguments,
            call_id=payload.call_id,
            name=payload.name,
            position=position,
            entries=entries,
        )

    def _tell_fragment(
        self,
        frame: int,
        item: Item,
        mode: Mode,
        arguments: Any,
        *,
        call_id: Any = UNSET,
        name: Any = UNSET,
        position: int = 0,
        entries: int = 1,
    ) -> None:
        if isinstance(arguments, Raw):
            arguments = self._object_arguments(frame, position, arguments)
        index = UNSET if item.output_index is None else item.output_index
        self._fragment(Fragment(frame, position, entries, call_id, index, name, arguments, mode, item.key))

    def _tell_end(self, frame: int, snapshot: _Snapshot, status: str) -> None:
        """Usage, and the finish signal or failure that a status is."""
        if isinstance(snapshot.usage, dict) and snapshot.usage:
            self._sink.usage(frame, snapshot.usage, output_tokens(snapshot.usage, "output_tokens"))
        if _failed(snapshot, status):
            self._fail(frame, describe(snapshot.error) if snapshot.error else f"the response is {status}")
        elif status == "incomplete":
            reason = snapshot.incomplete_details.reason if snapshot.incomplete_details else None
            self._finish(frame, reason if isinstance(reason, str) and reason else status)
        else:
            self._finish(frame, status)


class StreamReader(_ItemReader):
    """Reads the events of a streamed answer."""

    payload = _Event
    known = frozenset({"type", "response", "item", "delta", "item_id", "output_index"})

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._last_id = ""
        self._last_number: Json = None
        """Item id and content index of the text delta before, whose pieces `_keep` keeps."""
        kept: list[str] = []
        self._keep = kept.append
        self._handlers: dict[str | None, _Handler] = {}

    def _tell(self, frame: int, payload: _Event) -> None:
        kind = payload.type
        if (
            kind == "response.output_text.delta"
            and payload.item_id == self._last_id
            and payload.content_index == self._last_number
            and payload.delta.__class__ is str
            and not payload.error
        ):
            self._keep(payload.delta)
            self._text(frame, payload.delta)
            return
        self._last_id = ""
        if payload.error:
            self._fail(frame, describe(payload.error))
            return
        name = kind if isinstance(kind, str) else self._at(frame).event
        handler = self._handlers.get(name) or self._handler(name)
        if handler is not None:
            handler(frame, payload)
        elif kind is None or kind == "error":
            self._look_for_error(frame, self._at(frame).data)

    def _handler(self, name: str | None) -> _Handler | None:
        """What reads the events of a name, None where nothing does; kept for the next one."""
        method, *kinds = _READERS.get(name or "", ("",))
        if not method:
            return None
        handler: _Handler = partial(getattr(self, method), *kinds)
        self._handlers[name] = handler
        return handler

    def close(self) -> None:
        """The body has ended: arguments that only an announcement held count, as no others came."""
        if not self._ended:
            self._release_held()

    def _read_added(self, frame: int, event: _Event) -> None:
        payload = event.item
        if payload is None or payload.family is None:
            return
        item, fresh = self._table.announce(payload, event.output_index)
        self._note_shared(frame, item, fresh=fresh)
        if payload.family == "call":
            arguments = payload.argument_text
            if arguments and not item.argued:
                item.held = (frame, arguments)
                arguments = UNSET
            self._tell_fragment(frame, item, "delta", arguments, call_id=payload.call_id, name=payload.name)

    def _read_done(self, frame: int, event: _Event) -> None:
        payload = event.item
        if payload is None or payload.family is None:
            return
        item, fresh = self._table.complete(payload, event.output_index)
        self._note_shared(frame, item, fresh=fresh)
        if payload.family == "call":
            self._tell_item_call(frame, item, payload, "done")
            return
        for kind, text in texts_of(payload).items():
            if text != item.told("summary"):
                self._tell_rest(frame, item, kind, text, told=item.told(kind))

    def _note_shared(self, frame: int, item: Item, *, fresh: bool) -> None:
        if fresh and item.shares is not None:
            what = f"a {item.shares.family} and a {item.family} have output_index {item.output_index}"
            call = item.call_id if isinstance(item.call_id, str) else None
            self._note("output-index-shared", frame, None, what, call)

    def _read_text_delta(self, kind: str, frame: int, event: _Event) -> None:
        piece = event.delta.get("text") if isinstance(event.delta, dict) else event.delta
        if not isinstance(piece, str):
            self._malformed(frame, None, f"a piece of {kind} is no text: {ascii(piece)[:60]}")
            return
        number = _number(event, kind)
        item = self._table.find(event.item_id, event.output_index, _family(kind))
        self._tell_piece(frame, item, kind, number, piece)
        if kind == "text" and event.item_id and isinstance(event.item_id, str):
            self._last_id, self._last_number = event.item_id, event.content_index
            self._keep = item.parts[kind, number].append

    def _read_text_done(self, kind: str, frame: int, event: _Event) -> None:
        text = event.refusal if event.text is None else event.text
        if isinstance(text, str):
            self._tell_whole_part(frame, event, kind, text)

    def _read_part(self, frame: int, event: _Event) -> None:
        kind, text = _part(event.part)
        if kind is not None:
            self._tell_whole_part(frame, event, kind, text)

    def _tell_whole_part(self, frame: int, event: _Event, kind: str, text: str) -> None:
        """A part that is done: what was not told of it."""
        number = _number(event, kind)
        item = self._table.find(event.item_id, event.output_index, _family(kind))
        self._tell_rest(frame, item, kind, text, told="".join(item.parts[kind, number]), number=number)

    def _read_call_delta(self, frame: int, event: _Event) -> None:
        item, piece = self._table.find(event.item_id, event.output_index, "call"), event.delta
        item.argued = item.argued or bool(piece)
        index = UNSET if item.output_index is None else item.output_index
        self._fragment(Fragment(frame, 0, 1, event.call_id, index, event.name, piece, "delta", item.key))

    def _read_call_done(self, frame: int, event: _Event) -> None:
        item = self._table.find(event.item_id, event.output_index, "call")
        arguments = event.arguments if event.input is UNSET else event.input
        if item.argued and not arguments:
            arguments = UNSET
        item.argued = item.argued or bool(arguments)
        self._tell_fragment(frame, item, "done", arguments, call_id=event.call_id, name=event.name)

    def _read_terminal(self, status: str, frame: int, event: _Event) -> None:
        snapshot = event.response or _Snapshot()
        if snapshot.status in _TERMINAL:
            status = snapshot.status
        self._release_held()
        if not _failed(snapshot, status):
            self._tell_snapshot(frame, snapshot, self._table.matcher().match)
        self._tell_end(frame, snapshot, status)

    def _release_held(self) -> None:
        for item in self._table.items:
            if item.held is not None and not item.argued:
                item.argued = True
                self._tell_fragment(item.held[0], item, "delta", item.held[1])


class WholeReader(_ItemReader):
    """Reads an answer that came as one response object."""

    payload = _Snapshot
    known = frozenset({"output", "status", "object", "id", "usage"})
    leftover: ClassVar[Leftover] = "read"

    def _tell(self, frame: int, payload: _Snapshot) -> None:
        if payload.output is None and payload.status is None and self._look_for_error(frame, self._at(frame).data):
            return
        status = _SUCCESSFUL if payload.status is None and payload.output is not None else payload.status
        if not _failed(payload, status):
            self._tell_snapshot(frame, payload, lambda item, _: self._table.fresh(item))
        if payload.error or status in _TERMINAL:
            self._tell_end(frame, payload, status)


def texts_of(payload: ItemPayload) -> dict[str, str]:
    """All text of a message or reasoning item, by kind: text, refusal, summary, reasoning.

    Whatever a reasoning item holds is thinking (LiteLLM sends it as `output_text`), once if the summary repeats it.
    """
    found: dict[str, str] = {}
    for parts in (payload.summary, payload.content):
        for part in parts if isinstance(parts, list) else [parts]:
            kind, text = _part(part)
            if kind is not None:
                kind = "reasoning" if kind == "text" and payload.family == "reasoning" else kind
                found[kind] = found.get(kind, "") + text
    if found.get("reasoning") == found.get("summary"):
        found.pop("reasoning", None)
    return found


def _part(part: Json) -> tuple[str | None, str]:
    """The kind and the text of a content part; the kind is None where it has no text."""
    if isinstance(part, str):
        return "text", part
    if not isinstance(part, dict):
        return None, ""
    kind = _PART_KINDS.get(str(part.get("type")))
    text = part.get("refusal" if kind == "refusal" else "text")
    return (kind, text) if isinstance(text, str) else (None, "")


def _family(kind: str) -> str:
    return "message" if kind in ("text", "refusal") else "reasoning"


def _number(event: _Event, kind: str) -> int:
    """The number of the part that an event is about; 0 where it does not say."""
    number = event.summary_index if kind == "summary" else event.content_index
    return number if isinstance(number, int) else 0


def _failed(snapshot: _Snapshot, status: Json) -> bool:
    return bool(snapshot.error) or status in ("failed", "cancelled")
