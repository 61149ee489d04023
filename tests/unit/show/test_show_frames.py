import json

import msgspec

from wirelab.model import Fragment, Frame
from wirelab.show.frames import frame_rows, frame_times, frames_table
from wirelab.show.lanes import Piece, lanes, lanes_grid, lanes_table, piece_text


class Read(msgspec.Struct, frozen=True):
    t: float
    data: bytes


def native(*messages: object) -> list[bytes]:
    return [json.dumps(message, separators=(",", ":")).encode() + b"\n" for message in messages]


def entry(name: str, city: str, **more: object) -> dict[str, object]:
    return {
        "id": more.get("id"),
        "function": {"index": more.get("index", 0), "name": name, "arguments": {"city": city}},
    }


TWO = native(
    {"message": {"tool_calls": [entry("get_weather", "Oslo", id="a"), entry("get_time", "Oslo", id="b")]}},
    {"message": {"content": ""}, "done": True, "done_reason": "stop"},
)


def test_a_frame_comes_when_its_last_byte_came() -> None:
    body = b"".join(TWO)
    reads = [Read(0.1, body[:10]), Read(0.2, body[10 : len(TWO[0])]), Read(0.3, body[len(TWO[0]) :])]
    rows = frame_rows(body, "native", reads)
    assert [(row.frame, row.start, row.end, row.seconds, row.state) for row in rows] == [
        (0, 0, len(TWO[0]), 0.2, "whole"),
        (1, len(TWO[0]), len(body), 0.3, "whole"),
    ]
    assert frame_times([Frame(0, 0, 5, b""), Frame(1, 5, 9, b"")], [Read(0.5, b"123456789")]) == [0.5, 0.5]
    assert frame_times([Frame(0, 0, 5, b"")], []) == [None]


def test_what_is_wrong_with_a_frame_is_marked() -> None:
    body = b': hello\n\ndata: {"a":1}\n\ndata: {"a":\n\nevent: ping\n\ndata: [DONE]\n\ndata: {"b"'
    rows = frame_rows(body, "chat")
    assert [(row.kind, row.state) for row in rows] == [
        ("comment", "whole"),
        ("data", "whole"),
        ("data", "malformed"),
        ("ignored", "whole"),
        ("data", "end"),
        ("data", "pending"),
    ]
    assert {row.seconds for row in rows} == {None}
    assert frames_table(rows).rows[2] == ("2", f"{rows[2].start}-{rows[2].end}", "", "data", "malformed", '{"a":')


def test_two_json_lines_in_one_event_are_not_malformed() -> None:
    (row,) = frame_rows(b'data: {"a":1}\ndata: {"b":2}\n\n', "chat")
    assert row.state == "whole"


def test_a_whole_answer_is_one_frame() -> None:
    (row,) = frame_rows(b'{\n "choices": []\n}', "chat", whole=True)
    assert (row.start, row.end, row.state) == (0, 18, "whole")


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    (row,) = frame_rows(b"\xff\xfe{\n", "native")
    assert (row.state, row.data) == ("malformed", "\\xff\\xfe{")


def test_each_fragment_stands_in_the_lane_of_its_call() -> None:
    pieces = lanes(b"".join(TWO), "native", [Read(0.25, b"".join(TWO))])
    assert [(piece.call, piece.frame, piece.position, piece.id, piece.index) for piece in pieces] == [
        (1, 0, 0, "a", 0),
        (2, 0, 1, "b", 0),
    ]
    assert lanes_table(pieces).rows[1] == ("0", "1", "250", "2", "b", "0", "get_time", '{"city":"Oslo"}')
    assert lanes_grid(pieces).rows == (
        ("0.0", 'a #0 get_weather {"city":"Oslo"}', ""),
        ("0.1", "", 'b #0 get_time {"city":"Oslo"}'),
    )


def test_a_fragment_without_a_call_stands_in_no_lane() -> None:
    delta = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 3, "function": {"arguments": "{}"}}]}}]}
    (piece,) = lanes(b"data: " + json.dumps(delta).encode() + b"\n\n", "chat")
    assert (piece.call, piece.index, piece.arguments) == (None, 3, "{}")
    assert lanes_grid([piece]).rows == (("0.0", "- #3 {}"),)


def test_odd_ids_and_indexes_are_shown_as_sent() -> None:
    piece = Piece(1, 4, 1, 2, None, None, None, None, "")
    assert piece_text(piece) == "- #-"
    assert piece.moment == 4.5
    body = b"".join(native({"message": {"tool_calls": [entry("f", "x", id=7, index="0")]}, "done": True}))
    (odd,) = lanes(body, "native")
    assert (odd.id, odd.index) == ("7", "0")
    assert Fragment(0, 0, 1).id is msgspec.UNSET
