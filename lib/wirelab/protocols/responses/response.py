"""The Responses protocol: named events about output items, ended by `response.completed`, `.incomplete` or `.failed`.

Text and thinking are told when their deltas come; the same text in the done events and in the terminal snapshot is told
only as far as it has not been. A refusal counts as text; summaries and raw reasoning both count as thinking. A custom
tool's input is told as the arguments of its call. `[DONE]` is no finish signal here.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final

from msgspec import UNSET, Raw

from wirelab.model import Fragment, Mode, Sink
from wirelab.protocols.errors import describe
from wirelab.protocols.reader import FrameReader, Leftover, output_tokens
from wirelab.protocols.responses.events import (
    ANSWERS,
    ARGUMENTS,
    DELTAS,
    SUCCESSFUL,
    TERMINAL,
    TEXTS,
    Event,
    Snapshot,
    family_of,
    is_failure,
    is_piece,
    number_of,
)
from wirelab.protocols.responses.items import Item, ItemPayload, ItemTable, part_of, texts_of

_READERS: Final[dict[str | None, tuple[str, ...]]] = {
    "response.output_item.added": ("_read_added",),
    "response.output_item.done": ("_read_done",),
    "response.content_part.done": ("_read_part",),
    "response.reasoning_summary_part.done": ("_read_part",),
    "response.done": ("_read_terminal", SUCCESSFUL),
    **{f"response.{status}": ("_read_terminal", status) for status in TERMINAL},
    **{f"response.{name}.delta": ("_read_text_delta", kind) for name, kind in TEXTS.items()},
    **{f"response.{name}.done": ("_read_text_done", kind) for name, kind in TEXTS.items()},
    **{f"response.{name}.delta": ("_read_call_delta",) for name in ARGUMENTS},
    **{f"response.{name}.done": ("_read_call_done",) for name in ARGUMENTS},
}
"""The method that reads each event, and what it is told besides."""


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
        tell = self._text if kind in ANSWERS else self._thinking
        tell(frame, piece)

    def _tell_snapshot(self, frame: int, snapshot: Snapshot, find: Callable[[ItemPayload, int], Item]) -> None:
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
        index, key = item.place
        self._fragment(Fragment(frame, position, entries, call_id, index, name, arguments, mode, key))

    def _tell_end(self, frame: int, snapshot: Snapshot, status: str) -> None:
        """Usage, and the finish signal or failure that a status is."""
        if isinstance(snapshot.usage, dict) and snapshot.usage:
            self._sink.usage(frame, snapshot.usage, output_tokens(snapshot.usage, "output_tokens"))
        if is_failure(snapshot, status):
            self._fail(frame, describe(snapshot.error) if snapshot.error else f"the response is {status}")
        elif status == "incomplete":
            reason = snapshot.incomplete_details.reason if snapshot.incomplete_details else None
            self._finish(frame, reason if isinstance(reason, str) and reason else status)
        else:
            self._finish(frame, status)


class StreamReader(_ItemReader):
    """Reads the events of a streamed answer."""

    payload = Event
    known = frozenset({"type", "response", "item", "delta", "item_id", "output_index"})

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._head: Event
        """The first of the deltas that are gathered."""

    def _gather(self, payloads: Iterator[Event], pieces: list[str]) -> Event | None:
        head = next(payloads, None)
        if head is None or not is_piece(head):
            return head
        name, item_id, index, part, summary = (
            head.type,
            head.item_id,
            head.output_index,
            head.content_index,
            head.summary_index,
        )
        self._head = head
        pieces.append(head.delta)
        for payload in payloads:
            piece = payload.delta
            if (
                payload.item_id != item_id
                or payload.type != name
                or payload.output_index is not index
                or payload.content_index is not part
                or payload.summary_index is not summary
                or not piece
                or piece.__class__ is not str
                or payload.call_id is not UNSET
                or payload.name is not UNSET
                or payload.error
            ):
                return payload
            pieces.append(piece)
        return None

    def _tell_pieces(self, frames: Sequence[int], pieces: list[str]) -> None:
        head = self._head
        kind = DELTAS[head.type]
        item = self._table.find(head.item_id, head.output_index, family_of(kind))
        if kind == "call":
            item.argued = True
            self._sink.arguments(frames, pieces, [item.place] * len(pieces))
            return
        item.parts[kind, number_of(head, kind)] += pieces
        tell = self._sink.text if kind in ANSWERS else self._sink.thinking
        tell(frames, pieces)

    def _tell(self, frame: int, payload: Event) -> None:
        kind = payload.type
        if payload.error:
            self._fail(frame, describe(payload.error))
            return
        name = kind if isinstance(kind, str) else self._at(frame).event
        if name in _READERS:
            method, *kinds = _READERS[name]
            getattr(self, method)(*kinds, frame, payload)
        elif kind is None or kind == "error":
            self._look_for_error(frame, self._data_at(frame))

    def close(self) -> None:
        """The body has ended: arguments that only an announcement held count, as no others came."""
        if not self._ended:
            self._release_held()

    def _read_added(self, frame: int, event: Event) -> None:
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

    def _read_done(self, frame: int, event: Event) -> None:
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

    def _read_text_delta(self, kind: str, frame: int, event: Event) -> None:
        piece = event.delta.get("text") if isinstance(event.delta, dict) else event.delta
        if not isinstance(piece, str):
            self._malformed(frame, None, f"a piece of {kind} is no text: {ascii(piece)[:60]}")
            return
        number = number_of(event, kind)
        item = self._table.find(event.item_id, event.output_index, family_of(kind))
        self._tell_piece(frame, item, kind, number, piece)

    def _read_text_done(self, kind: str, frame: int, event: Event) -> None:
        text = event.refusal if event.text is None else event.text
        if isinstance(text, str):
            self._tell_whole_part(frame, event, kind, text)

    def _read_part(self, frame: int, event: Event) -> None:
        kind, text = part_of(event.part)
        if kind is not None:
            self._tell_whole_part(frame, event, kind, text)

    def _tell_whole_part(self, frame: int, event: Event, kind: str, text: str) -> None:
        """A part that is done: what was not told of it."""
        number = number_of(event, kind)
        item = self._table.find(event.item_id, event.output_index, family_of(kind))
        self._tell_rest(frame, item, kind, text, told=item.told_part(kind, number), number=number)

    def _read_call_delta(self, frame: int, event: Event) -> None:
        item, piece = self._table.find(event.item_id, event.output_index, "call"), event.delta
        item.argued = item.argued or bool(piece)
        index, key = item.place
        self._fragment(Fragment(frame, 0, 1, event.call_id, index, event.name, piece, "delta", key))

    def _read_call_done(self, frame: int, event: Event) -> None:
        item = self._table.find(event.item_id, event.output_index, "call")
        arguments = event.arguments if event.input is UNSET else event.input
        if item.argued and not arguments:
            arguments = UNSET
        item.argued = item.argued or bool(arguments)
        self._tell_fragment(frame, item, "done", arguments, call_id=event.call_id, name=event.name)

    def _read_terminal(self, status: str, frame: int, event: Event) -> None:
        snapshot = event.response or Snapshot()
        if snapshot.status in TERMINAL:
            status = snapshot.status
        self._release_held()
        if not is_failure(snapshot, status):
            self._tell_snapshot(frame, snapshot, self._table.matcher().match)
        self._tell_end(frame, snapshot, status)

    def _release_held(self) -> None:
        for item in self._table.items:
            if item.held is not None and not item.argued:
                item.argued = True
                self._tell_fragment(item.held[0], item, "delta", item.held[1])


class WholeReader(_ItemReader):
    """Reads an answer that came as one response object."""

    payload = Snapshot
    known = frozenset({"output", "status", "object", "id", "usage"})
    leftover: ClassVar[Leftover] = "read"

    def _tell(self, frame: int, payload: Snapshot) -> None:
        if payload.output is None and payload.status is None and self._look_for_error(frame, self._data_at(frame)):
            return
        status = SUCCESSFUL if payload.status is None and payload.output is not None else payload.status
        if not is_failure(payload, status):
            self._tell_snapshot(frame, payload, lambda item, _: self._table.fresh(item))
        if payload.error or status in TERMINAL:
            self._tell_end(frame, payload, status)
