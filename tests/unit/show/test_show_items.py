"""Items of Responses answers as they stood on the wire: on small answers made here, one for each way to name an item."""

import json
from typing import Any

import pytest

from wirelab.capture import Capture, End, Head, Read, Request, Response, Source
from wirelab.show.itemkeys import (
    ends_table,
    item_streams,
    keys_table,
    read_by,
    readers_table,
    right_by_key,
    right_table,
    sharing_table,
)
from wirelab.show.items import identities_table, item_events, item_lanes, items_table, joined
from wirelab.show.wire import mapping, objects, recorder, share, text_of, version_order, wire_objects


def made(*events: dict[str, Any], name: str = "tiny-0.9/responses/parallel.stream", **more: Any) -> Capture:
    head = Head(
        name=name,
        scenario="parallel",
        protocol="responses",
        framing=more.get("framing", "sse"),
        recorded_at="2026-11-30T00:00:00Z",
        source=Source(more.get("kind", "recorded")),
        request=Request(path="/v1/responses"),
        response=Response(more.get("status", 200)),
    )
    reads = [Read(0.1 * at, b"data: " + json.dumps(event).encode() + b"\n\n") for at, event in enumerate(events, 1)]
    return Capture(head, tuple(reads), End("complete"))


def call(at: int, **item: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{at}", "call_id": f"call_{at}", "name": f"tool_{at}"} | item


def added(item: dict[str, Any], index: Any = 0) -> dict[str, Any]:
    return event("output_item.added", index, item=item)


def event(kind: str, index: Any = 0, **fields: Any) -> dict[str, Any]:
    placed = {} if index is None else {"output_index": index}
    return {"type": f"response.{kind}", **placed, **fields}


def pieces(at: int, *texts: str, index: Any = 0) -> list[dict[str, Any]]:
    return [event("function_call_arguments.delta", index, item_id=f"fc_{at}", delta=text) for text in texts]


def done(at: int, arguments: str = '{"n":1}', index: Any = 0) -> dict[str, Any]:
    return event("output_item.done", index, item=call(at, arguments=arguments))


def completed(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"status": "completed", "output": list(output)} | more}


MESSAGE = {"type": "message", "id": "msg_1"}
SAID = event("output_text.delta", item_id="msg_1", delta="Hi.")
FIRST = [added(call(1)), *pieces(1, '{"n":', "1}"), done(1)]
SECOND = [added(call(2)), *pieces(2, '{"n":', "1}"), done(2)]
SHARED = made(added(MESSAGE), SAID, *FIRST, *SECOND, completed(call(1), call(2)))
OWN = made(
    *FIRST,
    added(call(2), 1),
    *pieces(2, '{"n":', "1}", index=1),
    done(2, index=1),
    completed(call(1), call(2)),
    name="tiny-0.10/responses/parallel.stream",
)


def test_events_say_what_stood_on_the_wire_and_runs_of_deltas_are_one() -> None:
    events = item_events(SHARED)
    assert [one.family for one in events] == ["message", "message", *["call"] * 8]
    runs = joined(events)
    assert [(one.kind, one.pieces) for one in runs][3] == ("function_call_arguments.delta", 2)
    assert runs[3].text == '{"n":1}'
    assert runs[3].item_id == "fc_1"
    assert [one.call_id for one in runs] == [None, None, "call_1", None, "call_1", "call_2", None, "call_2"]
    text = items_table(SHARED).text()
    assert "function_call_arguments.delta (2)" in text
    assert 'tool_2 {"n":1}' in text


def test_what_has_no_type_no_index_and_no_time_is_shown_all_the_same() -> None:
    odd = made({"item_id": 5, "output_index": "0"}, {"type": "response.output_item.added", "item": {"type": "x"}})
    assert [(one.kind, one.family, one.item_id, one.output_index) for one in item_events(odd)] == [
        ("", None, None, None),
        ("output_item.added", None, None, None),
    ]
    assert [piece.arguments for piece in item_lanes(odd)] == ["item"]


def test_lanes_hold_the_item_id_the_index_and_the_call_that_was_read() -> None:
    lanes = item_lanes(SHARED)
    assert [(piece.call, piece.id, piece.index) for piece in lanes[:4]] == [
        (None, "msg_1", 0),
        (None, "msg_1", 0),
        (1, "fc_1", 0),
        (1, "fc_1", 0),
    ]
    assert [piece.name or piece.arguments for piece in lanes] == [
        "message",
        "delta Hi.",
        "tool_1",
        'delta {"n":1}',
        'done {"n":1}',
        "tool_2",
        'delta {"n":1}',
        'done {"n":1}',
    ]


def test_identities_are_told_in_the_order_they_came() -> None:
    rotating = made(
        added(call(1)),
        *pieces(7, '{"n":1}'),
        event("output_item.done", item=call(1, id=None, call_id="call_9", arguments='{"n":1}')),
        completed(),
    )
    (row,) = identities_table([rotating]).rows
    assert row[1:4] == ("fc_1 → fc_7 → none", "0", "call_1 → call_9")
    assert row[4:] == ('1 call: tool_1 {"n":1}', "call_9", "id-changed")


def test_streams_count_what_each_key_is_worth() -> None:
    shared, own = item_streams([OWN, SHARED, made(framing="whole"), made(status=400)])
    assert (shared.server, own.server) == ("tiny-0.9", "tiny-0.10")
    assert (shared.families, shared.shared, own.shared) == (("message", "call", "call"), ("message, call, call",), ())
    assert (shared.calls, shared.mixed, own.mixed) == (2, True, False)
    assert (shared.unfinished, shared.snapshot, own.snapshot) == (("message",), "without the message", "as streamed")
    assert shared.codes == {"output-index-shared"}
    assert keys_table([shared, own]).rows[0] == ("tiny-0.9", "1", "1", "1", "0", "0", "0", "0 of 4")
    assert sharing_table([shared, own]).rows == (
        ("tiny-0.9", "1 of 1", "1 of 1", "1 of 1"),
        ("tiny-0.10", "", "0 of 1", ""),
    )
    assert ends_table([shared, own]).rows == (
        ("tiny-0.9", "1 of 1", "1 of 1", "0", "without the message: 1", "0"),
        ("tiny-0.10", "1 of 1", "", "0", "as streamed: 1", "0"),
    )


def test_an_item_announced_twice_shares_its_index_with_nobody() -> None:
    twice = item_streams([made(added(call(1)), *FIRST, added({"type": "other"}), completed(call(1)))])
    assert (twice[0].shared, twice[0].codes) == ((), frozenset())


@pytest.mark.parametrize(
    ("events", "snapshot"),
    [
        (FIRST, "no terminal event"),
        ([*FIRST, completed()], "no items"),
        ([*FIRST, completed(output=None)], "no items"),
        ([completed(call(1))], "items only there"),
        ([completed()], "as streamed"),
        ([*FIRST, completed(call(5))], "other ids"),
        ([*FIRST, *SECOND, completed(call(2), call(1))], "other order"),
        ([*FIRST, *SECOND, completed(call(2))], "without the call"),
    ],
)
def test_the_terminal_event_is_compared_with_what_was_streamed(events: list[dict[str, Any]], snapshot: str) -> None:
    assert [one.snapshot for one in item_streams([made(*events)])] == [snapshot]


def test_missing_and_unannounced_names_are_counted() -> None:
    (one,) = item_streams([made(added(call(1), None), *pieces(7, "{}", index=None), event("x", item_id=None))])
    assert (one.indexless, one.nameless, one.unannounced, one.argument_events, one.call_ids) == (2, 1, 1, 1, 0)


def test_plain_readers_know_one_key_and_no_more() -> None:
    events = item_events(SHARED)
    both = [("tool_1", {"n": 1}), ("tool_2", {"n": 1})]
    assert read_by(events, "item_id") == both
    assert read_by(events, "output_index") == both[1:]
    assert read_by(events, "output_index", latest=True) == both
    assert read_by(events, "call_id") == both
    undone = item_events(made(added(call(1, name=None)), *pieces(1, '{"n":'), event("output_item.done", item={})))
    assert read_by(undone, "call_id") == [(None, {})]
    assert read_by(undone, "item_id") == [(None, '{"n":')]
    kept = item_events(made(added(call(1)), *pieces(1, "{}"), done(1, arguments="")))
    assert read_by(kept, "item_id") == [("tool_1", {})]


def test_readers_are_shown_side_by_side_and_counted() -> None:
    assert [row[1].count("tool_") for row in readers_table(SHARED).rows] == [2, 1, 2, 2, 2]
    counts = right_by_key([OWN, SHARED, made(completed())])
    assert list(counts) == ["tiny-0.9", "tiny-0.10"]
    assert list(counts["tiny-0.9"].values()) == [1, 1, 0, 1, 1]
    assert right_table(counts).rows[1] == ("tiny-0.10", "1", "1", "1", "1", "1")


def test_wire_objects_are_what_is_an_object_with_its_place() -> None:
    capture = made({"a": 1})
    odd = Capture(capture.head, (*capture.reads, Read(0.5, b"data: [1]\n\ndata: {\n\n: hi\n\n")), End("complete"))
    assert [(one.frame, one.seconds, one.value) for one in wire_objects(odd)] == [(0, 0.1, {"a": 1})]
    assert (mapping([1]), objects({}), objects([1, {}]), text_of(None)) == ({}, [], [{}], "")
    assert (recorder(capture), recorder(made(kind="documented"))) == ("tiny-0.9", "documented")
    assert (share(1, 2), share(0, 0)) == ("1 of 2", "")
    names = ["ollama-0.12.10", "ollama-0.12.9-x", "ollama-0.12.9", "litellm-1"]
    assert sorted(names, key=version_order) == ["litellm-1", "ollama-0.12.9", "ollama-0.12.9-x", "ollama-0.12.10"]
