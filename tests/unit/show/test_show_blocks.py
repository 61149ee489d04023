"""Content blocks of Messages answers as they stood on the wire: on small answers made here."""

import json
from typing import Any

from wirelab.capture import Capture, End, Head, Read, Request, Response, Source, read_capture
from wirelab.show.blockkeys import (
    block_streams,
    indexes_table,
    null_contents,
    nulls_table,
    read_by_index,
    read_latest,
    read_one_open,
    readers_table,
    right_by_reader,
    right_table,
    said_by,
)
from wirelab.show.blocks import block_events, block_lanes, blocks_table, joined

PIECES = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


def made(*events: dict[str, Any], name: str = "tiny-0.9/messages/parallel.stream", **more: Any) -> Capture:
    head = Head(
        name=name,
        scenario="parallel",
        protocol="messages",
        framing=more.get("framing", "sse"),
        recorded_at="2026-11-30T00:00:00Z",
        source=Source("recorded"),
        request=Request(path="/v1/messages"),
        response=Response(more.get("status", 200)),
    )
    before, after = (b"data: ", b"\n\n") if head.framing == "sse" else (b"", b"")
    reads = [Read(0.1 * at, before + json.dumps(event).encode() + after) for at, event in enumerate(events, 1)]
    return Capture(head, tuple(reads), End("complete"))


def start(index: Any, kind: str, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **block}}


def call(index: Any, at: int, **block: Any) -> dict[str, Any]:
    return start(index, "tool_use", id=f"toolu_{at}", name=f"tool_{at}", **block)


def delta(index: Any, kind: str, piece: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, PIECES[kind]: piece}}


def stop(index: Any) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


END: list[dict[str, Any]] = [
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]
SIDE = made(
    start(0, "text", text="Let "),
    delta(0, "text_delta", "me."),
    call(1, 1, input={}),
    delta(1, "input_json_delta", '{"n":'),
    delta(1, "input_json_delta", "1}"),
    call(2, 2),
    stop(1),
    stop(2),
    *END,
)
RESTARTED = made(
    start(0, "text"),
    delta(0, "text_delta", "Hm"),
    start(0, "thinking"),
    delta(0, "thinking_delta", "no"),
    stop(0),
    call(0, 1, input={"n": 1}),
    stop(0),
    delta(7, "text_delta", "stray"),
    *END,
    name="tiny-0.10/messages/parallel.stream",
)


def test_events_say_what_stood_on_the_wire_and_runs_of_deltas_are_one() -> None:
    runs = joined(block_events(SIDE))
    assert [(run.kind, run.index, run.pieces) for run in runs] == [
        ("start", 0, 1),
        ("delta", 0, 1),
        ("start", 1, 1),
        ("delta", 1, 2),
        ("start", 2, 1),
        ("stop", 1, 1),
        ("stop", 2, 1),
    ]
    assert [(run.id, run.held) for run in runs if run.kind == "start"] == [
        (None, None),
        ("toolu_1", "{}"),
        ("toolu_2", None),
    ]
    assert "delta (2)" in blocks_table(SIDE).text()


def test_lanes_hold_the_index_the_id_or_the_type_and_the_call() -> None:
    lanes = block_lanes(SIDE)
    assert [(piece.call, piece.id, piece.index) for piece in lanes] == [
        (None, "text", 0),
        (None, "text", 0),
        (1, "toolu_1", 1),
        (1, "toolu_1", 1),
        (2, "toolu_2", 2),
        (1, "toolu_1", 1),
        (2, "toolu_2", 2),
    ]
    assert [piece.name or piece.arguments for piece in lanes[:4]] == ["text", "delta me.", "tool_1", 'delta {"n":1}']
    (stray,) = block_lanes(made(delta([1], "text_delta", "x")))
    assert (stray.id, stray.index, stray.call) == ("text_delta", None, None)


def test_streams_count_what_the_index_is_worth() -> None:
    side, restarted = block_streams([RESTARTED, SIDE, made(framing="whole"), made(status=400)])
    assert (side.types, side.counted, side.most_open) == (("text", "tool_use", "tool_use"), True, 3)
    assert (side.left_open, side.held, side.stray, side.ended) == (("text",), ("{}", "missing"), 0, True)
    assert (restarted.restarted, restarted.reused, restarted.stray, restarted.counted) == (1, 1, 1, False)
    assert "block-restarted" in restarted.codes
    cut = made(start(0, "text"), name="tiny-0.11/messages/cut.stream")
    rows = indexes_table([side, restarted, *block_streams([cut])]).rows
    assert rows[0] == ("tiny-0.9", "1", "1", "1 of 1", "0", "0", "1", "1", "0", "{}: 1, missing: 1")
    assert rows[1][3:7] == ("0 of 1", "1", "1", "0")
    assert rows[2][7:] == ("0", "1", "")


def test_plain_readers_take_the_index_for_too_much_or_too_little() -> None:
    events = block_events(SIDE)
    both = [("tool_1", {"n": 1}), ("tool_2", {})]
    assert read_by_index(events) == read_latest(events) == [("text", "Let me."), *both]
    assert read_one_open(events) == both[1:]
    events = block_events(RESTARTED)
    assert read_by_index(events) == [("tool_1", {"n": 1})]
    assert read_one_open(events) == [("thinking", "no"), ("tool_1", {"n": 1})]
    assert said_by(read_capture(RESTARTED, strict=False))[:2] == [("thinking", "no"), ("text", "Hmstray")]
    odd = block_events(made(delta(0, "text_delta", "x"), stop(0), start(0, "image"), call(1, 1)))
    assert read_by_index(odd) == read_latest(odd) == [("tool_1", {})]
    broken = block_events(made(call(0, 1), delta(0, "input_json_delta", '{"n'), stop(0)))
    assert read_one_open(broken) == [("tool_1", '{"n')]


def test_readers_are_shown_side_by_side_and_counted() -> None:
    assert [row[1].count("tool_") for row in readers_table(SIDE).rows] == [2, 2, 1, 2]
    counts = right_by_reader([RESTARTED, SIDE, made(start(0, "text"))])
    assert [list(row.values()) for row in counts.values()] == [[1, 1, 1, 0], [1, 0, 0, 0]]
    assert right_table(counts).rows[0] == ("tiny-0.9", "1", "1", "1", "0")


def test_a_content_that_is_null_is_found_and_read_as_nothing() -> None:
    answer = {"type": "message", "role": "assistant", "stop_reason": "end_turn", "usage": {"output_tokens": 3}}
    contents: list[dict[str, Any]] = [{"content": None}, {}, {"content": []}]
    answers = [made({**answer, **each}, framing="whole") for each in contents]
    assert null_contents([*answers, SIDE]) == answers[:1]
    (row,) = nulls_table(answers).rows
    assert row[1:4] == ("end_turn", "3", "0")
    assert row[4] == "content-null, contract-violation"
