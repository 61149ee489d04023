"""Reading Responses: which item an event is about, what is authoritative, and that repeated text counts once."""

from collections.abc import Callable

import pytest
from msgspec import UNSET, Raw

from wirelab.model import Fragment
from wirelab.protocols.eventlog import Error, EventLog, Finish, Text, Thinking, Usage

Read = Callable[..., EventLog]
Json = dict[str, object]


def item(call: object = "call_1", **more: object) -> Json:
    return {"type": "function_call", "id": "fc_1", "call_id": call, "name": "f", "arguments": "", **more}


def message(text: str | None = None, **more: object) -> Json:
    content = [] if text is None else [{"type": "output_text", "text": text}]
    return {"type": "message", "id": "msg_1", "content": content, **more}


def added(payload: object, index: object = 0) -> Json:
    return {"type": "response.output_item.added", "output_index": index, "item": payload}


def done(payload: object, index: object = 0) -> Json:
    return {"type": "response.output_item.done", "output_index": index, "item": payload}


def delta(piece: object, item_id: object = "fc_1", index: object = 0, name: str = "function_call_arguments") -> Json:
    return {"type": f"response.{name}.delta", "item_id": item_id, "output_index": index, "delta": piece}


def text(piece: object, item_id: object = "msg_1", index: object = 0, part: object = 0) -> Json:
    return delta(piece, item_id, index, "output_text") | {"content_index": part}


def finished(event: str, item_id: object = "fc_1", index: object = 0, **more: object) -> Json:
    return {"type": f"response.{event}.done", "item_id": item_id, "output_index": index, **more}


def completed(*output: object, **more: object) -> Json:
    return {"type": "response.completed", "response": {"status": "completed", "output": list(output), **more}}


def keys(log: EventLog) -> list[object]:
    return [fragment.key for fragment in log.fragments]


def test_a_stream(read: Read) -> None:
    log = read(
        "responses",
        {"type": "response.created", "response": {"status": "in_progress", "output": []}},
        added(item()),
        delta('{"a":'),
        delta("1}"),
        finished("function_call_arguments", arguments='{"a":1}', name="f"),
        done(item(arguments='{"a":1}')),
        completed(item(arguments='{"a":1}'), usage={"input_tokens": 1, "output_tokens": 2}),
        "[DONE]",
    )
    assert log.events == [
        Fragment(1, 0, 1, "call_1", 0, "f", "", "delta", 0),
        Fragment(2, 0, 1, index=0, arguments='{"a":', key=0),
        Fragment(3, 0, 1, index=0, arguments="1}", key=0),
        Fragment(4, 0, 1, UNSET, 0, "f", '{"a":1}', "done", 0),
        Fragment(5, 0, 1, "call_1", 0, "f", '{"a":1}', "done", 0),
        Fragment(6, 0, 1, "call_1", 0, "f", '{"a":1}', "whole", 0),
        Usage(6, {"input_tokens": 1, "output_tokens": 2}, 2),
        Finish(6, "completed"),
    ]


def test_a_whole_answer(read: Read) -> None:
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    output = [thought, message("Hi"), None, item(arguments="{}"), {"type": "web_search_call", "id": "ws"}]
    answer = {"status": "completed", "output": output, "usage": {}}
    log = read("responses", answer, whole=True)
    assert [event for event in log.events if event not in log.notes] == [
        Thinking(0, "hm"),
        Text(0, "Hi"),
        Fragment(0, 3, 5, "call_1", UNSET, "f", "{}", "whole", 2),
        Finish(0, "completed"),
    ]
    assert [(note.code, note.position) for note in log.notes] == [("malformed-event", 2)]


class TestItems:
    """Which item an event is about."""

    def test_rotating_ids_are_joined_by_output_index(self, read: Read) -> None:
        log = read("responses", added(item(id="a")), delta("{", "b"), delta("}", "c"), done(item(id="d")))
        assert keys(log) == [0, 0, 0, 0]
        assert log.notes == []

    def test_missing_item_ids(self, read: Read) -> None:
        log = read("responses", added(item(id=None)), delta("{}", None), done(item(id=None)), completed(item(id=None)))
        assert keys(log) == [0, 0, 0, 0]

    def test_neither_id_nor_index_is_the_last_open_item(self, read: Read) -> None:
        log = read("responses", added(item(id="a"), None), added(item("call_2", id="b"), None), delta("{}", None, None))
        assert keys(log) == [0, 1, 1]
        assert keys(read("responses", delta("{", None, None), delta("}", None, None))) == [0, 0]

    def test_an_item_id_used_twice_is_the_latest_item(self, read: Read) -> None:
        second = item("call_2", name="g", arguments="{}")
        log = read(
            "responses",
            added(item()),
            delta("{}"),
            done(item(arguments="{}")),
            added(second | {"arguments": ""}, 1),
            delta("{}", index=1),
            done(second, 1),
            completed(item(arguments="{}"), second),
        )
        assert keys(log) == [0, 0, 0, 1, 1, 1, 0, 1]

    def test_an_item_id_used_again_while_open_is_another_item(self, read: Read) -> None:
        assert keys(read("responses", added(item()), added(item("call_2"), 1), delta("{}", index=1))) == [0, 1, 1]

    def test_an_item_announced_again_is_the_same(self, read: Read) -> None:
        assert keys(read("responses", added(item()), added(item()), delta("{}"))) == [0, 0, 0]

    @pytest.mark.parametrize("announced", [{"id": "fc_1"}, {"id": "other"}, {"id": None}])
    def test_events_before_their_item(self, read: Read, announced: Json) -> None:
        log = read("responses", delta('{"a":'), delta("1}"), added(item(**announced)), done(item(**announced)))
        assert keys(log) == [0, 0, 0, 0]
        assert log.notes == []

    def test_done_without_added(self, read: Read) -> None:
        log = read("responses", done(item(arguments="{}")), done(item("call_2", id="b", arguments="{}"), 1))
        assert [(fragment.id, fragment.key, fragment.mode) for fragment in log.fragments] == [
            ("call_1", 0, "done"),
            ("call_2", 1, "done"),
        ]

    def test_done_is_joined_by_call_id(self, read: Read) -> None:
        log = read(
            "responses", added(item(id="a"), None), added(item("call_2", id="b"), None), done(item(id="c"), None)
        )
        assert keys(log) == [0, 1, 0]

    def test_done_with_another_call_id(self, read: Read) -> None:
        log = read("responses", added(item()), done(item("call_9")))
        assert [(fragment.id, fragment.key) for fragment in log.fragments] == [("call_1", 0), ("call_9", 0)]

    def test_done_with_other_ids_at_its_output_index(self, read: Read) -> None:
        assert keys(read("responses", added(item()), done(item("call_9", id="x")))) == [0, 0]
        assert keys(read("responses", added(item()), done(item("call_9", id="x", name="g")))) == [0, 1]

    def test_done_twice_with_another_call_id_is_another_item(self, read: Read) -> None:
        assert keys(read("responses", done(item()), done(item("call_2"), 1))) == [0, 1]

    def test_an_index_of_a_done_item_is_free(self, read: Read) -> None:
        log = read(
            "responses", added(item()), done(item(arguments="{}")), delta("{}", "x"), added(item("call_2", id="x"))
        )
        assert keys(log) == [0, 0, 1, 1]
        assert [(note.code, note.frame, note.call) for note in log.notes] == [("output-index-shared", 3, "call_2")]

    def test_a_message_and_a_call_share_an_output_index(self, read: Read) -> None:
        log = read("responses", added(message()), text("Hi"), added(item()), text("!"), delta("{}"), done(item()))
        assert [(note.code, note.frame, note.detail) for note in log.notes] == [
            ("output-index-shared", 2, "a message and a call have output_index 0")
        ]
        assert log.said == "Hi!"
        assert keys(log) == [1, 1, 1]

    def test_one_id_for_a_message_and_a_call(self, read: Read) -> None:
        log = read("responses", added(message(id="x")), delta("{}", "x", None), added(item(id="x"), None))
        assert keys(log) == [1, 1]

    def test_indexes_that_are_none(self, read: Read) -> None:
        log = read("responses", added(item(), "0"), added(item("call_2", id="b"), "0"), delta("{}", "fc_1", [1]))
        assert keys(log) == [0, 1, 0]
        assert log.notes == []


class TestArguments:
    """What of a call's arguments counts."""

    def test_arguments_of_the_announcement_count_if_no_others_come(self, read: Read) -> None:
        log = read("responses", added(item(arguments="{}")), completed())
        assert [(fragment.frame, fragment.arguments) for fragment in log.fragments] == [(0, UNSET), (0, "{}")]
        assert read("responses", added(item(arguments="{}"))).fragments[1].arguments == "{}"
        others = read("responses", added(item(arguments="{}")), delta("{}"), completed())
        assert [fragment.arguments for fragment in others.fragments] == [UNSET, "{}"]

    def test_arguments_repeated_by_a_second_announcement_are_not_held(self, read: Read) -> None:
        log = read("responses", added(item()), delta("{}"), added(item(arguments="{}")))
        assert [fragment.arguments for fragment in log.fragments] == ["", "{}", "{}"]

    def test_an_empty_done_event_takes_nothing_away(self, read: Read) -> None:
        log = read(
            "responses", added(item()), delta("{}"), finished("function_call_arguments", arguments=""), done(item())
        )
        assert [fragment.arguments for fragment in log.fragments] == ["", "{}", UNSET, UNSET]

    def test_done_only(self, read: Read) -> None:
        log = read("responses", finished("function_call_arguments", arguments="{}"), done(item(arguments=None)))
        assert [fragment.arguments for fragment in log.fragments] == ["{}", UNSET]

    def test_object_arguments(self, read: Read) -> None:
        log = read(
            "responses", added(item(arguments={"a": 1})), finished("function_call_arguments", arguments={"b": 2})
        )
        assert [fragment.arguments for fragment in log.fragments] == [UNSET, Raw(b'{"b": 2}')]
        assert read("responses", completed(item(arguments={"a": 1}))).fragments[0].arguments == Raw(b'{"a": 1}')

    def test_a_custom_tool_gives_its_input(self, read: Read) -> None:
        custom = {"type": "custom_tool_call", "id": "ct", "call_id": "c", "name": "sh", "input": "ls"}
        name = "custom_tool_call_input"
        log = read(
            "responses", added(custom | {"input": ""}), delta("l", "ct", name=name), finished(name, "ct", input="ls")
        )
        assert [fragment.arguments for fragment in log.fragments] == ["", "l", "ls"]


class TestTexts:
    """That repeated text counts once, and lost text is made up for."""

    def test_deltas_count_and_repetitions_do_not(self, read: Read) -> None:
        part = {"type": "output_text", "text": "Hi!"}
        log = read(
            "responses",
            added(message()),
            text("Hi"),
            text("!"),
            finished("output_text", "msg_1", text="Hi!"),
            finished("content_part", "msg_1", part=part),
            done(message("Hi!")),
            completed(message("Hi!")),
        )
        assert log.events == [Text(1, "Hi"), Text(2, "!"), Finish(6, "completed")]

    @pytest.mark.parametrize(
        "event",
        [
            finished("output_text", "msg_1", text="Hi!"),
            finished("content_part", "msg_1", part={"type": "output_text", "text": "Hi!"}),
            done(message("Hi!")),
        ],
    )
    def test_lost_deltas_are_made_up_for(self, read: Read, event: Json) -> None:
        assert read("responses", added(message()), text("Hi"), event, completed(message("Hi!"))).said == "Hi!"
        assert read("responses", added(message()), event, completed(message("Hi!"))).said == "Hi!"
        assert read("responses", event).said == "Hi!"

    def test_text_that_only_the_snapshot_has(self, read: Read) -> None:
        assert read("responses", completed(message("Hi"), message("!", id="msg_2"))).said == "Hi!"

    def test_text_that_contradicts_its_deltas_is_left(self, read: Read) -> None:
        assert read("responses", text("Hi"), done(message("Ho ho")), completed(message("Ho ho"))).said == "Hi"

    def test_parts_without_their_number(self, read: Read) -> None:
        both = message() | {"content": [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]}
        log = read("responses", text("a", part=None), text("b", part=None), done(both), completed(both))
        assert log.said == "ab"

    def test_two_parts(self, read: Read) -> None:
        both = message() | {"content": [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]}
        assert read("responses", text("a"), text("b", part=1), done(both)).said == "ab"
        assert read("responses", text("a"), done(both)).said == "ab"

    def test_two_messages_in_turn(self, read: Read) -> None:
        log = read("responses", text("a"), text("b", "msg_2", 1), text("c"), done(message("ac")))
        assert log.said == "abc"

    def test_a_refusal_is_text(self, read: Read) -> None:
        part = {"type": "refusal", "refusal": "no"}
        refused = message() | {"content": [part]}
        log = read(
            "responses", delta("n", "msg_1", name="refusal"), finished("refusal", "msg_1", refusal="no"), done(refused)
        )
        assert log.said == "no"
        assert read("responses", completed(refused)).said == "no"
        assert read("responses", finished("content_part", "msg_1", part=part)).said == "no"

    def test_thinking_counts_once(self, read: Read) -> None:
        summary = [{"type": "summary_text", "text": "hm"}]
        thought = {"type": "reasoning", "id": "rs", "summary": summary, "content": None}
        as_text = {"type": "reasoning", "id": "rs", "content": [{"type": "output_text", "text": "hm"}]}
        name = "reasoning_summary_text"
        log = read(
            "responses",
            added(thought | {"summary": []}),
            delta("h", "rs", name=name) | {"summary_index": 0},
            delta("m", "rs", name=name) | {"summary_index": 0},
            finished(name, "rs", text="hm", summary_index=0),
            finished("reasoning_summary_part", "rs", part=summary[0], summary_index=0),
            done(thought),
            done(as_text),
            completed(as_text),
        )
        assert (log.thought, log.said) == ("hm", "")
        assert read("responses", completed(thought | {"content": as_text["content"]})).thought == "hm"
        assert read("responses", done(as_text), completed(thought)).thought == "hm"

    def test_raw_reasoning_beside_another_summary(self, read: Read) -> None:
        content = [{"type": "reasoning_text", "text": "raw"}]
        thought = {
            "type": "reasoning",
            "id": "rs",
            "summary": [{"type": "summary_text", "text": "sum "}],
            "content": content,
        }
        assert read("responses", done(thought), completed(thought)).thought == "sum raw"
        assert read("responses", delta("raw", "rs", name="reasoning_text"), done(thought)).thought == "rawsum "

    def test_content_of_other_kinds(self, read: Read) -> None:
        odd = message() | {"content": ["a", 5, {"type": "image"}, {"type": "output_text", "text": None}]}
        assert read("responses", done(odd)).said == "a"
        assert read("responses", done(message() | {"content": "b"})).said == "b"
        assert read("responses", finished("content_part", "msg_1", part=3)).events == []

    def test_deltas_that_are_no_text(self, read: Read) -> None:
        log = read(
            "responses", text({"text": "a"}), text(5), text("b"), text(7), finished("output_text", "msg_1", text=1)
        )
        assert log.said == "ab"
        assert [(note.code, note.frame) for note in log.notes] == [("malformed-event", 1), ("malformed-event", 3)]

    def test_ids_that_are_no_text(self, read: Read) -> None:
        assert read("responses", text("a", 5), text("b", 5), text("c", None), text("d", None)).said == "abcd"


class TestSnapshot:
    """How items of the terminal snapshot are matched to the stream."""

    def test_by_call_id_although_the_item_id_was_used_twice(self, read: Read) -> None:
        log = read("responses", added(item()), added(item("call_2"), 1), completed(item("call_2"), item()))
        assert keys(log) == [0, 1, 1, 0]

    def test_by_item_id(self, read: Read) -> None:
        assert keys(read("responses", added(item()), completed(item("other")))) == [0, 0]

    def test_by_position_then_by_order(self, read: Read) -> None:
        first, second = item("call_1", id="a"), item("call_2", id="b")
        log = read("responses", added(first, 0), added(second, 1), completed(message("Hi"), item("x", id="x")))
        assert keys(log) == [0, 1, 1]
        log = read("responses", added(first, 5), added(second, 7), completed(item("x", id="x"), item("y", id="y")))
        assert keys(log) == [0, 1, 0, 1]

    def test_another_name_is_another_call(self, read: Read) -> None:
        assert keys(read("responses", added(item()), completed(item("x", id="x", name="g")))) == [0, 1]

    def test_the_same_call_twice_in_the_snapshot(self, read: Read) -> None:
        assert keys(read("responses", added(item()), completed(item(), item()))) == [0, 0, 1]

    def test_a_call_id_of_another_family(self, read: Read) -> None:
        log = read("responses", added(message(call_id="call_1")), completed(item(id="x")))
        assert keys(log) == [1]

    def test_output_null_and_no_response(self, read: Read) -> None:
        answer = {"type": "response.completed", "response": {"output": None}}
        assert read("responses", answer).events == [Finish(0, "completed")]
        assert read("responses", {"type": "response.completed"}).events == [Finish(0, "completed")]


class TestEnd:
    """Finish signals and failures."""

    @pytest.mark.parametrize(
        ("name", "response", "reason"),
        [
            ("completed", {"status": "in_progress"}, "completed"),
            ("done", {}, "completed"),
            ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, "max_output_tokens"),
            ("incomplete", {"incomplete_details": {"reason": None}}, "incomplete"),
            ("incomplete", {}, "incomplete"),
            ("completed", {"status": "incomplete"}, "incomplete"),
        ],
    )
    def test_finish(self, read: Read, name: str, response: Json, reason: str) -> None:
        log = read("responses", {"type": f"response.{name}", "response": response})
        assert log.events == [Finish(0, reason)]

    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"type": "response.failed", "response": {"error": {"message": "boom", "code": "c"}}}, "boom (c)"),
            ({"type": "response.failed"}, "the response is failed"),
            ({"type": "response.cancelled", "response": {}}, "the response is cancelled"),
            ({"type": "response.completed", "response": {"status": "failed"}}, "the response is failed"),
            ({"type": "response.completed", "response": {"error": "boom", "output": [message("x")]}}, "boom"),
            ({"type": "error", "code": "server_error", "message": "boom"}, "boom (server_error)"),
            ({"type": "error"}, '{"type":"error"}'),
            ({"type": "response.output_text.delta", "delta": "x", "error": "boom"}, "boom"),
            ({"error": {"message": "boom"}}, "boom"),
            ({"detail": "boom"}, "boom"),
            (("error", {"message": "boom"}), "boom"),
        ],
    )
    def test_an_error_ends_the_stream(self, read: Read, sent: object, said: str) -> None:
        log = read("responses", added(item(arguments="{}")), sent, text("x"), completed())
        assert log.errors == [Error(1, said)]
        assert log.said == ""
        assert not any(isinstance(event, Finish) for event in log.events)

    @pytest.mark.parametrize(
        ("answer", "events"),
        [
            ({"status": "failed", "error": {"message": "boom"}, "output": [message("x")]}, [Error(0, "boom")]),
            ({"status": "completed", "output": None, "error": None}, [Finish(0, "completed")]),
            ({"output": [message("x")]}, [Text(0, "x"), Finish(0, "completed")]),
            ({"status": "queued", "output": []}, []),
            ({"status": "incomplete", "incomplete_details": {"reason": "r"}}, [Finish(0, "r")]),
            ({"detail": "boom"}, [Error(0, "boom")]),
            ({"error": "boom"}, [Error(0, "boom")]),
            ({"object": "response"}, []),
        ],
    )
    def test_whole(self, read: Read, answer: Json, events: list[object]) -> None:
        assert read("responses", answer, whole=True).events == events

    def test_the_done_marker_is_no_finish(self, read: Read) -> None:
        assert read("responses", "[DONE]").events == []


@pytest.mark.parametrize(
    "sent",
    [
        {"type": "response.unheard_of"},
        {"type": 5},
        {},
        added(None),
        done(None),
        added({"type": "web_search_call", "id": "ws"}),
        done({"type": ["function_call"]}),
        ("response.in_progress", {"response": {}}),
    ],
)
def test_events_that_say_nothing(read: Read, sent: object) -> None:
    assert read("responses", sent).events == []


def test_the_name_of_the_event_stands_in_for_a_missing_type(read: Read) -> None:
    assert read("responses", ("response.output_text.delta", {"delta": "a"})).said == "a"


def test_items_of_another_shape_are_named(read: Read) -> None:
    log = read("responses", added("x"), completed() | {"response": {"output": "x", "status": "completed"}})
    assert [note.detail for note in log.notes] == [
        "frame 0 at byte 0: item is not what it should be: '\"x\"'",
        f"frame 1 at byte {log.notes[1].detail.split()[4].rstrip(':')}: response.output is not what it should be: '\"x\"'",
    ]
    assert log.events[-1] == Finish(1, "completed")
