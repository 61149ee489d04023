from wirelab.show.diagrams import COLORS, NO_ID, cut, lanes_figure, lanes_picture, safe_label
from wirelab.show.lanes import Piece


def piece(number: int, **more: object) -> Piece:
    fields = {"id": f"call_{number}", "index": 0, "name": "get_weather", "arguments": "{}"} | more
    return Piece(call=number, frame=number, position=0, entries=1, seconds=0.1 * number, **fields)  # type: ignore[arg-type]


def labels(pieces: list[Piece]) -> list[list[str]]:
    return [[text.get_text() for text in axes.get_yticklabels()] for axes in lanes_figure(pieces).axes]


def test_two_ids_under_one_index_share_the_upper_lane_and_not_the_lower() -> None:
    pieces = [piece(1), piece(2, name="get_time")]
    assert labels(pieces) == [["index 0"], ["call 1: get_weather\ncall_1", "call 2: get_time\ncall_2"]]
    above = lanes_figure(pieces).axes[0]
    assert [text.get_text() for text in above.texts] == ["call_1\nindex 0\nget_weather", "call_2\nindex 0\nget_time"]
    assert len({patch.get_facecolor() for patch in above.patches}) == 2


def test_what_has_no_id_or_index_or_call_is_grey_and_says_so() -> None:
    nothing = Piece(None, 0, 0, 1, None, None, None, None, "")
    assert labels([nothing]) == [["no index"], ["no call"]]
    assert NO_ID not in COLORS


def test_the_picture_is_the_same_twice_and_has_its_content_as_text() -> None:
    pieces = [piece(1), piece(2)]
    first, second = lanes_picture(pieces, title="a $x$ title"), lanes_picture(pieces, title="a $x$ title")
    assert first == second
    bundle = first._repr_mimebundle_()
    assert set(bundle) == {"image/png", "text/plain"}
    assert "call_2 #0 get_weather {}" in bundle["text/plain"]
    assert b"Software" not in first.png


def test_hundreds_of_fragments_and_none_can_be_drawn() -> None:
    many = [piece(1, id=None, name=None) for _ in range(400)]
    figure = lanes_figure(many)
    assert "the first 150 of 400 fragments" in figure.axes[0].get_title(loc="left")
    assert figure.axes[0].texts[0].get_text() == "#0"
    assert lanes_picture([]).png.startswith(b"\x89PNG")


def test_labels_hold_nothing_hidden_and_no_mathematics() -> None:
    assert safe_label("\x1b[2J $\\frac$\nnext", 40) == "\\x1b[2J \\$\\frac\\$\nnext"
    assert cut("abcdef", 4) == "abc…"


def test_letters_that_the_font_lacks_are_drawn_without_a_warning() -> None:
    assert "東京 #0 雪 {}" in lanes_picture([piece(1, id="東京", name="雪")], title="東京").text
