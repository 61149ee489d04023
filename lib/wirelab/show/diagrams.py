"""Figures, drawn without a display and the same on every run; each has a table with the same content beside it."""

import base64
import warnings
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from PIL import Image

from wirelab.show.lanes import Piece, lanes_grid
from wirelab.show.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#77aadd", "#ee8866", "#44bb99", "#eedd88", "#ffaabb", "#99ddff", "#bbcc33", "#aaaa00")
"""Paul Tol's light scheme: colour-blind readers can tell them apart, and black text can be read on them."""
NO_ID = "#dddddd"
_WIDTH = 9.5
"""Inches of a figure."""
_MARGIN = 0.9
"""Inches of it beside the names of the lanes."""
_AXIS = "frames that hold tool calls"
_PALETTE = 48
_MOST_TICKS = 11
_MOST_DRAWN = 150
_CHARACTER = 0.076
"""Inches that a character takes at the size that boxes and lanes are written in."""


class Picture(msgspec.Struct, frozen=True):
    """A drawn figure for a notebook: an image where one can be shown, and its content as text."""

    png: bytes
    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What Jupyter asks for; which of the two it draws is its own choice."""
        del include, exclude
        return {"image/png": base64.b64encode(self.png).decode(), "text/plain": self.text}


def picture(figure: Figure, text: str, *, dpi: int = 110) -> Picture:
    """A figure as a picture; nothing in the file says when or by which version it was drawn."""
    buffer = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # a box is drawn; the text beside it has the letter
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return Picture(_smaller(buffer), text)


def _smaller(png: BytesIO) -> bytes:
    """The same picture with a palette: half the bytes or less, and no difference to see."""
    small = BytesIO()
    Image.open(png).convert("RGB").quantize(_PALETTE, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return small.getvalue()


def lanes_picture(pieces: Sequence[Piece], *, title: str = "", axis: str = _AXIS) -> Picture:
    """The lanes figure, with the lanes as text beside it."""
    return picture(lanes_figure(pieces, title=title, axis=axis), lanes_grid(pieces, title=title).text())


def safe_label(text: str, limit: int) -> str:
    """Text for a figure: nothing hidden, nothing that matplotlib takes for mathematics."""
    return visible(cut(text, limit), keep_lines=True).replace("$", r"\$")


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, an ellipsis in the place of the last one where there were more."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"


def lanes_figure(pieces: Sequence[Piece], *, title: str = "", axis: str = _AXIS) -> Figure:
    """Two panels over the same frames: above, what stands under each index; below, the calls that these are.

    Colour is the id. Two colours in one upper lane are two calls that a reader who goes by the index merges. Of more
    than 150 fragments the first are drawn.
    """
    shown = pieces[:_MOST_DRAWN]
    above_names = [_index_name(piece) for piece in shown]
    below_names = [_call_name(piece, shown) for piece in shown]
    rows = (len(set(above_names)) or 1, len(set(below_names)) or 1)
    figure = Figure(figsize=(_WIDTH, 1.1 + 0.6 * sum(rows)), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[row + 0.4 for row in rows])
    room = _room(shown, [*above_names, *below_names])
    _draw(above, shown, above_names, "as sent, by index", room)
    _draw(below, shown, below_names, "as read, by call", room)
    _name_moments(below, shown, axis)
    left_out = f" (the first {len(shown)} of {len(pieces)} fragments)" if len(shown) < len(pieces) else ""
    above.set_title(safe_label(title + left_out, 100), fontsize=10, loc="left")
    return figure


def _colors(pieces: Sequence[Piece]) -> dict[str | None, str]:
    """One colour an id, in the order they came."""
    ids = _numbered([piece.id for piece in pieces if piece.id is not None])
    return {None: NO_ID} | {identifier: COLORS[number % len(COLORS)] for identifier, number in ids.items()}


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _index_name(piece: Piece) -> str:
    return "no index" if piece.index is None else f"index {piece.index}"


def _call_name(piece: Piece, pieces: Sequence[Piece]) -> str:
    if piece.call is None:
        return "no call"
    own = [each for each in pieces if each.call == piece.call]
    name = next((each.name for each in own if each.name), "no name")
    identifier = next((each.id for each in own if each.id), "no id")
    return f"call {piece.call}: {cut(name, 24)}\n{cut(identifier, 24)}"


def _box_text(piece: Piece, room: int) -> str:
    """The id, the index, and what the fragment adds, as far as `room` characters let them be read."""
    index = "-" if piece.index is None else piece.index
    if room < len("index 0"):
        return f"#{index}"
    lines = [
        piece.id or "no id",
        "no index" if piece.index is None else f"index {index}",
        piece.name or piece.arguments,
    ]
    return "\n".join(cut(line, room) for line in lines if line)


def _room(pieces: Sequence[Piece], names: Sequence[str]) -> int:
    """How many characters a box has room for beside the names of the lanes."""
    longest = max((len(line) for name in names for line in name.split("\n")), default=0)
    span = max(_moments(pieces), default=0) + 1
    return int((_WIDTH - _MARGIN - longest * _CHARACTER) / span / _CHARACTER)


def _draw(axes: "Axes", pieces: Sequence[Piece], names: Sequence[str], label: str, room: int) -> None:
    """One panel: a lane for each name in first-seen order, every piece a box in the lane of its name."""
    lanes, colors, moments = _numbered(names), _colors(pieces), _moments(pieces)
    span = max(moments, default=0) + 1
    for piece, start, name in zip(pieces, moments, names, strict=True):
        shape, row = "round,pad=0,rounding_size=0.06", lanes[name]
        box = FancyBboxPatch((start, row - 0.4), 0.94, 0.8, shape, fc=colors[piece.id], ec="black", lw=0.5)
        axes.add_patch(box)
        axes.text(start + 0.47, row, safe_label(_box_text(piece, room), 90), ha="center", va="center", fontsize=7)
    axes.set_xlim(-0.1, span + 0.1)
    axes.set_ylim(max(1, len(lanes)) - 0.4, -0.6)
    _name_lanes(axes, list(lanes), label)


def _moments(pieces: Sequence[Piece]) -> list[float]:
    """Where each piece begins on the axis: one step a fragment, a little more between frames."""
    moments: list[float] = []
    at = 0.0
    for number, piece in enumerate(pieces):
        if number and piece.frame != pieces[number - 1].frame:
            at += 0.25
        moments.append(at)
        at += 1.0
    return moments


def _name_lanes(axes: "Axes", names: Sequence[str], label: str) -> None:
    axes.set_yticks(range(len(names)), [safe_label(name, 60) for name in names], fontsize=8)
    axes.set_ylabel(label, fontsize=8)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _name_moments(axes: "Axes", pieces: Sequence[Piece], label: str) -> None:
    """A tick a frame, with its number and the time it came."""
    firsts = [number for number, piece in enumerate(pieces) if not number or piece.frame != pieces[number - 1].frame]
    firsts = firsts[:: 1 + len(firsts) // _MOST_TICKS]
    moments = _moments(pieces)
    axes.set_xticks(
        [moments[number] + 0.47 for number in firsts], [_tick(pieces[number]) for number in firsts], fontsize=7
    )
    axes.set_xlabel(label, fontsize=8)


def _tick(piece: Piece) -> str:
    time = "" if piece.seconds is None else f"\n{piece.seconds * 1000:.0f} ms"
    return f"frame {piece.frame}{time}"
