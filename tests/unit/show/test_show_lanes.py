"""The lanes figure, the table beside it and its text say the same, whatever the pieces."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from wirelab.show.diagrams import lanes_figure, lanes_picture
from wirelab.show.lanes import Piece, lanes_grid, lanes_table

ids = st.none() | st.sampled_from(["a", "b", "c"])
indexes = st.none() | st.integers(0, 2)
names = st.none() | st.sampled_from(["tap", "look"])
drawn = st.tuples(st.none() | st.integers(1, 3), ids, indexes, names, st.sampled_from(["", "{}", '{"n":1}']))


def piece(frame: int, fields: tuple[int | None, str | None, int | None, str | None, str]) -> Piece:
    call, identifier, index, name, arguments = fields
    return Piece(call, frame, 0, 1, frame / 10, identifier, index, name, arguments)


def boxed(piece: Piece) -> str:
    """What a box with room for all says."""
    index = "no index" if piece.index is None else f"index {piece.index}"
    return "\n".join(part for part in (piece.id or "no id", index, piece.name or piece.arguments) if part)


@settings(max_examples=15, deadline=None)
@given(st.lists(drawn, min_size=1, max_size=5))
def test_figure_table_and_text_hold_the_same_pieces(
    fields: list[tuple[int | None, str | None, int | None, str | None, str]],
) -> None:
    pieces = [piece(frame, each) for frame, each in enumerate(fields)]
    figure = lanes_figure(pieces)
    for axes in figure.axes:
        assert Counter(text.get_text() for text in axes.texts) == Counter(map(boxed, pieces))
    above, below = ([label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes)
    lanes = {f"index {each.index}" if each.index is not None else "no index" for each in pieces}
    calls = {"no call" if each.call is None else f"call {each.call}" for each in pieces}
    assert set(above) == lanes
    assert {label.partition(":")[0] for label in below} == calls
    grid = lanes_grid(pieces)
    assert set(grid.columns[1:]) == calls
    assert [sum(bool(cell) for cell in row[1:]) for row in grid.rows] == [1] * len(pieces)
    rows = lanes_table(pieces).rows
    assert [(row[3], row[4], row[5], row[6], row[7]) for row in rows] == [
        tuple("" if value is None else str(value) for value in (one.call, one.id, one.index, one.name, one.arguments))
        for one in pieces
    ]
    for one, row in zip(pieces, grid.rows, strict=True):
        cell = row[grid.columns.index("no call" if one.call is None else f"call {one.call}")]
        said = [one.id or "-", "#-" if one.index is None else f"#{one.index}", one.name, one.arguments]
        assert cell == " ".join(part for part in said if part)


def test_the_lane_of_a_piece_is_that_of_its_index_above_and_of_its_call_below() -> None:
    pieces = [
        piece(0, (1, "a", 0, "tap", "{}")),
        piece(1, (None, "b", 0, None, "x")),
        piece(2, (2, "c", 1, "look", "")),
    ]
    rows = [[round(text.get_position()[1]) for text in axes.texts] for axes in lanes_figure(pieces).axes]
    assert rows == [[0, 0, 1], [0, 1, 2]]
    colors = [[patch.get_facecolor() for patch in axes.patches] for axes in lanes_figure(pieces).axes]
    assert colors[0] == colors[1]
    assert len(set(colors[0])) == 3


def test_the_picture_names_its_axis_and_carries_the_grid_as_text() -> None:
    pieces = [piece(0, (None, "msg", 1, None, "message")), piece(1, (1, "fc", 1, "tap", ""))]
    assert lanes_figure(pieces, axis="events").axes[1].get_xlabel() == "events"
    assert lanes_figure(pieces).axes[1].get_xlabel() == "frames that hold tool calls"
    assert lanes_picture(pieces, title="t").text == lanes_grid(pieces, title="t").text()
    assert lanes_grid(pieces).columns == ("frame", "call 1", "no call")


def test_boxes_have_less_room_beside_long_names() -> None:
    short, long = [piece(at, (1, "a" * 24, 0, "tap", "")) for at in range(8)], "t" * 24
    wide = [piece(at, (1, "a" * 24, 0, long, "")) for at in range(8)]
    first = [lanes_figure(pieces).axes[0].texts[0].get_text().split("\n")[0] for pieces in (short[:1], short, wide)]
    assert first[0] == "a" * 24
    assert len(first[1]) > len(first[2]) >= 5
