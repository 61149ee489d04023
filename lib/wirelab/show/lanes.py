"""The lanes of calls over time: every fragment with the call it belongs to, its id and its index as sent.

The figure (`diagrams.lanes_figure`), the table and the text are drawn from the same pieces.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from wirelab.calls.reconcile import Reconciler
from wirelab.framing import lenient
from wirelab.model import Fragment, Frame, Place, fragments_of
from wirelab.protocols.registry import PROTOCOLS
from wirelab.show.frames import TimedRead, frame_times, frames_of
from wirelab.show.tables import Table, table
from wirelab.show.text import shortened


class Piece(msgspec.Struct, frozen=True):
    """One fragment in its lane. `call` counts calls from 1 in first-seen order, None where it belongs to none."""

    call: int | None
    frame: int
    position: int
    entries: int
    seconds: float | None
    id: str | None
    index: int | str | None
    name: str | None
    arguments: str

    @property
    def moment(self) -> float:
        """Where the piece stands on an axis of frames: entries of one frame side by side within it."""
        return self.frame + self.position / max(1, self.entries)


class _Watched(Reconciler):
    """A lenient reconciler that keeps which call each fragment went to."""

    def __init__(self, protocol: str) -> None:
        super().__init__(protocol, strict=False)
        self.owners: list[tuple[Fragment, int | None]] = []

    def fragment(self, fragment: Fragment) -> None:
        super().fragment(fragment)
        last = self.book.last
        taken = last is not None and last.last_frame == fragment.frame and self.book.last_at[fragment.position] is last
        number = next((at for at, call in enumerate(self.book.calls, start=1) if call is last), None)
        self.owners.append((fragment, number if taken else None))

    def arguments(self, frames: Sequence[int], pieces: Sequence[str], places: Sequence[Place]) -> None:
        for fragment in fragments_of(frames, pieces, places):
            self.fragment(fragment)


def _plain(value: Any) -> str | None:
    if value is None or value is msgspec.UNSET or value == "":
        return None
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return bytes(value).decode() if isinstance(value, msgspec.Raw) else msgspec.json.encode(value).decode()


def _label(index: Any) -> int | str | None:
    return index if isinstance(index, int) and not isinstance(index, bool) else _plain(index)


def piece_of(fragment: Fragment, call: int | None, seconds: float | None) -> Piece:
    """A fragment for people."""
    return Piece(
        call=call,
        frame=fragment.frame,
        position=fragment.position,
        entries=fragment.entries,
        seconds=seconds,
        id=_plain(fragment.id),
        index=_label(fragment.index),
        name=_plain(fragment.name),
        arguments=_plain(fragment.arguments) or "",
    )


def lanes(body: bytes, protocol: str, reads: Iterable[TimedRead] = (), *, whole: bool = False) -> list[Piece]:
    """Every tool-call entry of a body and the call that `id-first` gives it to, in the order they came."""
    frames = frames_of(body, protocol, whole=whole)
    seconds = dict(zip((frame.number for frame in frames), frame_times(frames, reads), strict=True))
    owners = _owners(frames, protocol, whole=whole)
    return [piece_of(fragment, call, seconds.get(fragment.frame)) for fragment, call in owners]


def _owners(frames: Iterable[Frame], protocol: str, *, whole: bool) -> list[tuple[Fragment, int | None]]:
    entry = PROTOCOLS[protocol]
    watched = _Watched(protocol)
    reader = (entry.whole_reader if whole else entry.stream_reader)(watched)
    for frame in frames:
        for readable in lenient(frame):
            reader.read(readable)
    return watched.owners


def lanes_table(pieces: Sequence[Piece], *, title: str = "") -> Table:
    """One row a fragment: when, which call, and what it said of itself."""
    return table(
        [
            {
                "frame": piece.frame,
                "entry": piece.position,
                "ms": None if piece.seconds is None else round(piece.seconds * 1000),
                "call": piece.call,
                "id": piece.id,
                "index": piece.index,
                "name": piece.name,
                "arguments": piece.arguments,
            }
            for piece in pieces
        ],
        ["frame", "entry", "ms", "call", "id", "index", "name", "arguments"],
        title=title,
        width_limit=60,
    )


def piece_text(piece: Piece, limit: int = 40) -> str:
    """`call_1 #0 get_weather {"city":"Oslo"}`: what one fragment says, `-` for an id and an index it does not have."""
    said = [piece.id or "-", "#-" if piece.index is None else f"#{piece.index}", piece.name or ""]
    return " ".join(part for part in [*said, shortened(piece.arguments, limit)] if part)


def lanes_grid(pieces: Sequence[Piece], *, title: str = "") -> Table:
    """The lanes as text: a row a frame and entry, a column a call, the last one for what belongs to none."""
    calls: list[int | None] = [*sorted({piece.call for piece in pieces if piece.call is not None})]
    calls += [None] if any(piece.call is None for piece in pieces) else []
    columns = ["frame", *("no call" if call is None else f"call {call}" for call in calls)]
    rows = [
        [f"{piece.frame}.{piece.position}", *(piece_text(piece) if piece.call == call else "" for call in calls)]
        for piece in pieces
    ]
    return table(rows, columns, title=title)
