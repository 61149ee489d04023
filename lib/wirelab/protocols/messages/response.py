"""The Messages protocol: content blocks under an index, each with a start, deltas and a stop.

Blocks may be open side by side and may stay open until the end. The input that a start event holds counts where no
delta follows. Blocks that the server itself executes (`server_tool_use`) are no calls of ours; signatures and redacted
thinking are passed over.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from msgspec import UNSET, Raw, Struct, UnsetType

from wirelab.model import Fragment, Json, Place, Sink
from wirelab.protocols.errors import describe
from wirelab.protocols.reader import ARGUMENTS, TEXT, THINKING, FrameReader, Leftover, output_tokens

_LABELS: Final = (int, str)
_NOTHING: Final = Raw()
_EMPTY: Final = (b"", b"{}", b"null", b'""')


class _Block(Struct, gc=False):
    type: Any = None
    id: Any = UNSET
    name: Any = UNSET
    input: Raw = Raw()
    text: Any = None
    thinking: Any = None


class _Delta(Struct, gc=False):
    type: Any = None
    text: Any = None
    thinking: Any = None
    partial_json: Any = None
    stop_reason: Any = None


class _Message(Struct, gc=False):
    usage: Any = None


class _Event(Struct, gc=False):
    type: Any = None
    index: Any = None
    delta: _Delta | None = None
    content_block: _Block | None = None
    message: _Message | None = None
    usage: Any = None
    error: Any = None


class _Answer(Struct, gc=False):
    type: Any = None
    content: list[_Block | None] | UnsetType | None = UNSET
    stop_reason: Any = None
    usage: Any = None
    error: Any = None


class _Open(Struct, gc=False):
    """A block as far as it has come."""

    key: int
    index: Any
    kind: Json
    frame: int
    held: Raw
    stopped: bool = False

    @property
    def place(self) -> Place:
        """Where its pieces of arguments go."""
        return self.index, self.key


class StreamReader(FrameReader[_Event]):
    """Reads the events of a streamed answer."""

    payload = _Event
    known = frozenset({"type", "index", "delta", "content_block", "message"})
    done_marker_finishes = False

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._blocks: dict[Json, _Open] = {}
        self._keys = 0
        self._counts: dict[str, Json] = {}

    def _gather(self, payloads: Iterator[_Event], pieces: list[str]) -> _Event | None:
        kind = block = index = None
        for payload in payloads:
            delta = payload.delta
            if delta is None or payload.type != "content_block_delta" or payload.error:
                return payload
            if piece := delta.text:
                this = TEXT
            elif piece := delta.thinking:
                this = THINKING
            else:
                this, piece = ARGUMENTS, delta.partial_json
            if not piece or piece.__class__ is not str:
                return payload
            if this is not kind:
                if pieces:
                    return payload
                kind = self._kind = this
                self._places = []
            if this is ARGUMENTS:
                if block is None or payload.index is not index:  # 1.0 equals 1, and is no index
                    index = payload.index
                    block = self._blocks.get(index) if index.__class__ is int else None
                    if block is None or block.kind != "tool_use":
                        return payload
                    block.held = _NOTHING
                    place = block.place
                self._places.append(place)
            pieces.append(piece)
        return None

    def _tell(self, frame: int, payload: _Event) -> None:
        delta = payload.delta
        kind = self._at(frame).event if payload.type is None else payload.type
        if payload.error or kind == "error":
            self._fail(frame, describe(payload.error) if payload.error else "the server sent an error event")
        elif kind == "content_block_delta":
            if delta is not None:
                self._tell_delta(frame, payload.index, delta)
        elif kind == "content_block_start":
            self._start(frame, payload)
        elif kind == "content_block_stop":
            self._stop(payload.index)
        elif kind == "message_delta":
            self._tell_usage(frame, payload.usage)
            if delta is not None and isinstance(delta.stop_reason, str):
                self._finish(frame, delta.stop_reason)
        elif kind == "message_start":
            self._tell_usage(frame, payload.message.usage if payload.message is not None else None)
        elif kind == "message_stop":
            self._finish(frame, None)
        elif payload.type is None:
            self._look_for_error(frame, self._data_at(frame))

    def close(self) -> None:
        """The body has ended: blocks that are still open end with it."""
        if not self._ended:
            for block in self._blocks.values():
                self._release(block)

    def _tell_delta(self, frame: int, index: Json, delta: _Delta) -> None:
        if delta.text:
            self._tell_content(frame, delta.text)
        elif delta.thinking:
            self._tell_thoughts(frame, delta.thinking)
        elif delta.partial_json is not None:
            self._tell_input(frame, index, delta.partial_json)

    def _tell_input(self, frame: int, index: Json, text: Json) -> None:
        """A piece of a call's arguments."""
        block = self._blocks.get(_label(index))
        if block is not None and block.kind == "tool_use" and text.__class__ is str:
            if text:
                block.held = _NOTHING
            self._fragment(Fragment(frame, 0, 1, UNSET, block.index, UNSET, text, "delta", block.key))
        elif block is None or block.kind in ("text", "thinking"):
            what = "never opened" if block is None else f"a {block.kind} block"
            detail = f"an input delta in frame {frame} for block {ascii(index)[:20]}, {what}"
            self._note("continuation-without-call", frame, None, detail)
        elif not isinstance(text, str):
            self._malformed(frame, None, f"partial_json is no text: {ascii(text)[:60]}")

    def _start(self, frame: int, event: _Event) -> None:
        label, started = _label(event.index), event.content_block
        before = self._blocks.get(label)
        if before is not None and not before.stopped:
            detail = f"block {ascii(event.index)[:20]} started again in frame {frame} before it was stopped"
            self._note("block-restarted", frame, None, detail)
            self._release(before)
        if started is None:
            return
        self._keys += 1
        index = UNSET if label is None else label
        block = self._blocks[label] = _Open(self._keys - 1, index, started.type, frame, started.input)
        if started.type == "tool_use":
            self._fragment(Fragment(frame, 0, 1, started.id, block.index, started.name, key=block.key))
            return
        block.held = _NOTHING
        self._tell_block(frame, started)

    def _tell_block(self, frame: int, block: _Block) -> None:
        """What text or thinking block holds."""
        if block.type == "text" and block.text:
            self._tell_content(frame, block.text)
        elif block.type == "thinking" and block.thinking:
            self._tell_thoughts(frame, block.thinking)

    def _stop(self, index: Json) -> None:
        block = self._blocks.get(_label(index))
        if block is not None:
            block.stopped = True
            self._release(block)

    def _release(self, block: _Open) -> None:
        """Tell the input that a start event held, if no delta came in its place."""
        held, block.held = block.held, _NOTHING
        if held is not _NOTHING and bytes(held).replace(b" ", b"") not in _EMPTY:
            arguments = self._object_arguments(block.frame, 0, held, here=False)
            self._fragment(Fragment(block.frame, 0, 1, UNSET, block.index, UNSET, arguments, "whole", block.key))

    def _tell_usage(self, frame: int, usage: Json) -> None:
        """Counts of the start and of the end, merged: the later number of each."""
        if isinstance(usage, dict) and usage:
            self._counts |= {key: count for key, count in usage.items() if count is not None}
            self._sink.usage(frame, self._counts, output_tokens(self._counts, "output_tokens"))


class WholeReader(FrameReader[_Answer]):
    """Reads an answer that came as one message."""

    payload = _Answer
    known = frozenset({"type", "content", "role", "stop_reason", "usage"})
    leftover: ClassVar[Leftover] = "read"

    def _tell(self, frame: int, payload: _Answer) -> None:
        if (payload.error or payload.content is UNSET) and self._look_for_error(frame, self._data_at(frame)):
            return
        if payload.content is None:
            self._note("content-null", frame, None, "the content of the answer is null, read as empty")
        for position, block in enumerate(payload.content or []):
            if block is None:
                self._malformed(frame, position, f"content[{position}] is no object")
            else:
                self._tell_block(frame, position, len(payload.content or []), block)
        if isinstance(payload.usage, dict) and payload.usage:
            self._sink.usage(frame, payload.usage, output_tokens(payload.usage, "output_tokens"))
        if isinstance(payload.stop_reason, str):
            self._finish(frame, payload.stop_reason)

    def _tell_block(self, frame: int, position: int, entries: int, block: _Block) -> None:
        if block.type == "tool_use":
            value = self._object_arguments(frame, position, block.input)
            self._fragment(Fragment(frame, position, entries, block.id, UNSET, block.name, value, "whole", position))
        elif block.type == "text" and block.text:
            self._tell_content(frame, block.text)
        elif block.type == "thinking" and block.thinking:
            self._tell_thoughts(frame, block.thinking)


def _label(index: Json) -> Json:
    """A block's index as a key of the table; whatever cannot be one is no index."""
    return index if isinstance(index, _LABELS) else None
