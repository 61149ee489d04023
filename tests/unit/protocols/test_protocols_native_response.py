"""Reading the native protocol: lines of text, thinking and whole calls, and what servers get wrong in them."""

from collections.abc import Callable

import pytest
from msgspec import UNSET, Raw

from wirelab.model import Fragment
from wirelab.protocols.eventlog import Error, EventLog, Finish, Text, Thinking, Usage

Read = Callable[..., EventLog]
DONE = {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}


def line(**message: object) -> dict[str, object]:
    return {"model": "m", "message": {"role": "assistant", **message}, "done": False}


def test_text_thinking_counts_and_finish(read: Read) -> None:
    log = read("native", line(content="", thinking="hm"), line(content="Oslo"), DONE | {"eval_count": 7})
    assert log.events == [Thinking(0, "hm"), Text(1, "Oslo"), Usage(2, {"eval_count": 7}, 7), Finish(2, "stop")]


def test_a_message_is_read_before_its_done_flag(read: Read) -> None:
    entry = {"id": "call_1", "function": {"index": 0, "name": "drop", "arguments": {"a": [1, "ø"]}}}
    log = read("native", DONE | {"message": {"content": "x", "tool_calls": [entry]}})
    arguments = Raw('{"a": [1, "ø"]}'.encode())
    assert log.events == [
        Text(0, "x"),
        Fragment(0, 0, 1, "call_1", 0, "drop", arguments, "whole"),
        Finish(0, "stop"),
    ]


def test_absent_null_and_empty_stay_apart(read: Read) -> None:
    entries = [{}, {"id": None, "function": {"name": "", "arguments": None}}, {"function": {"arguments": ""}}]
    log = read("native", line(content="", tool_calls=entries))
    assert log.events == [
        Fragment(0, 0, 3, mode="whole"),
        Fragment(0, 1, 3, id=None, name="", arguments=None, mode="whole"),
        Fragment(0, 2, 3, arguments="", mode="whole"),
    ]


@pytest.mark.parametrize(("sent", "told"), [('"{}"', "{}"), ("[1]", [1]), ("3", 3), ("true", True)])
def test_arguments_that_are_no_object_are_told_decoded(read: Read, sent: str, told: object) -> None:
    log = read("native", '{"message":{"tool_calls":[{"function":{"arguments":' + sent + "}}]}}")
    assert log.fragments[0].arguments == told


@pytest.mark.parametrize("calls", [None, []])
def test_no_calls(read: Read, calls: object) -> None:
    assert read("native", line(content="a", tool_calls=calls)).events == [Text(0, "a")]


def test_entries_that_are_no_objects_are_named_and_keep_their_position(read: Read) -> None:
    log = read(
        "native", line(tool_calls=["x", {"id": "a", "function": {"name": "n"}}, None, {"id": "b", "function": 3}])
    )
    assert [(note.code, note.position) for note in log.notes] == [
        ("malformed-event", None),
        ("malformed-event", 0),
        ("malformed-event", 2),
    ]
    assert log.notes[0].detail == "frame 0 at byte 0: message.tool_calls[3].function is not what it should be: '3'"
    assert [(fragment.position, fragment.entries, fragment.id) for fragment in log.fragments] == [
        (1, 4, "a"),
        (3, 4, "b"),
    ]


def test_a_message_of_another_shape_is_named_and_the_rest_is_read(read: Read) -> None:
    log = read("native", {"message": "boom", "done": True, "done_reason": 5})
    assert log.notes[0].detail == "frame 0 at byte 0: message is not what it should be: '\"boom\"'"
    assert log.events[1:] == [Finish(0, None)]


def test_calls_that_are_no_list_are_named(read: Read) -> None:
    log = read("native", line(content="a", tool_calls={"id": "a"}))
    assert log.said == "a"
    assert "message.tool_calls is not what it should be" in log.notes[0].detail


def test_content_as_parts(read: Read) -> None:
    parts = ["a", {"type": "text", "text": "b"}, {"type": "thinking", "thinking": [{"text": "c"}, 5]}, 4]
    log = read("native", line(content=parts), line(content="", thinking=["d", {"text": "e"}]))
    assert (log.said, log.thought) == ("ab", "cde")
    assert log.notes[0].detail == "frame 0 at byte 0: content is neither text nor parts: 4"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"error": "boom"}, "boom"),
        ({"error": {"message": "boom", "code": 502}, "message": "text", "done": True}, "boom (502)"),
        ({"error": "boom", "message": {"content": "x"}}, "boom"),
        ({"error parsing tool call": "bad char 'c'"}, "error parsing tool call: bad char 'c'"),
        ({"last_error": {"message": "boom"}}, "boom"),
        ({"detail": "boom"}, "boom"),
        ({"object": "error", "model": "m"}, '{"object":"error","model":"m"}'),
    ],
)
def test_an_error_ends_the_stream(read: Read, sent: object, message: str) -> None:
    log = read("native", line(content="a"), sent, line(content="b"), DONE)
    assert log.events == [Text(0, "a"), Error(1, message)]


@pytest.mark.parametrize("sent", [{}, {"status": "ok"}, {"error": ""}, {"error": None, "model": "m"}, {"errors": []}])
def test_objects_that_say_nothing(read: Read, sent: object) -> None:
    assert read("native", sent).events == []


@pytest.mark.parametrize(
    "sent", ["{", "oops", "[1]", "null", '"text"', b'{"message":"\xff"}', "[" * 5000, '{"done": ' + "9" * 5000 + "}"]
)
def test_lines_that_are_no_object_are_named(read: Read, sent: object) -> None:
    log = read("native", line(content="a"), sent, line(content="b"))
    assert [note.code for note in log.notes] == ["malformed-event"]
    assert log.said == "ab"
    assert log.notes[0].frame == 1
    assert len(log.notes[0].detail) < 150


def test_arguments_that_are_not_utf8_are_named_and_left_out(read: Read) -> None:
    log = read("native", b'{"message":{"tool_calls":[{"id":"a","function":{"name":"n","arguments":{"a":"\xff"}}}]}}')
    assert [(note.code, note.position) for note in log.notes] == [("malformed-event", 0)]
    assert log.fragments == [Fragment(0, 0, 1, id="a", name="n", mode="whole")]


def test_a_leaf_that_is_no_json_is_named(read: Read) -> None:
    log = read("native", b'{"message":{"content":"\xff","tool_calls":[{"id":"a"}]}}')
    assert "message.content is not what it should be" in log.notes[0].detail
    assert [fragment.id for fragment in log.fragments] == ["a"]


def test_half_a_character_becomes_a_replacement(read: Read) -> None:
    log = read(
        "native", '{"message":{"content":"a\\ud83d"}}', '{"message":{"content":"\\ude00\\\\ud83d \\ud83d\\ude00"}}'
    )
    assert log.said == "a\ufffd\ufffd\\ud83d \U0001f600"
    assert log.notes == []


def test_duplicate_keys_and_huge_numbers_do_no_harm(read: Read) -> None:
    number = "9" * 400
    log = read("native", '{"message":{"content":"a","content":"b"},"done":true,"eval_count":' + number + "}")
    assert log.said == "b"
    assert log.events[-1] == Finish(0, None)


@pytest.mark.parametrize(
    ("tail", "said", "codes"),
    [
        (b'{"message":{"content":"b"}}', "ab", []),
        (b'{"message":{"conte', "a", ["unterminated-event"]),
        (b"[1]", "a", ["unterminated-event"]),
        (b" ", "a", []),
    ],
)
def test_what_is_left_over_is_read_if_it_is_an_object(read: Read, tail: bytes, said: str, codes: list[str]) -> None:
    log = read("native", line(content="a"), tail=tail)
    assert (log.said, [note.code for note in log.notes]) == (said, codes)


def test_a_rendered_prompt_is_a_finish(read: Read) -> None:
    answer = {
        "model": "m",
        "message": {"role": "", "content": ""},
        "done": False,
        "_debug_info": {"rendered_template": "p"},
    }
    log = read("native", answer, whole=True)
    assert log.events[-1] == Finish(0, None)
    assert [note.code for note in log.notes] == ["prompt-rendered"]


def test_generated_text(read: Read) -> None:
    log = read(
        "native", {"model": "m", "response": "a", "thinking": "t", "done": False}, {"response": "", "done": True}
    )
    assert log.events == [Thinking(0, "t"), Text(0, "a"), Finish(1, None)]


def test_a_whole_answer_that_stops_in_the_middle_is_malformed(read: Read) -> None:
    assert [note.code for note in read("native", '{"message":', whole=True).notes] == ["malformed-event"]


def test_counts_that_are_no_integers(read: Read) -> None:
    log = read("native", {"done": True, "eval_count": True, "prompt_eval_count": None})
    assert log.events[0] == Usage(0, {"prompt_eval_count": None, "eval_count": True}, None)


def test_index_stays_raw(read: Read) -> None:
    log = read(
        "native", line(tool_calls=[{"function": {"index": "1"}}, {"function": {"index": -1}}, {"function": None}])
    )
    assert [fragment.index for fragment in log.fragments] == ["1", -1, UNSET]


def test_a_call_without_its_function_is_named(read: Read) -> None:
    log = read("native", line(tool_calls=[{"name": "f", "arguments": {}}]))
    assert [(note.code, note.position) for note in log.notes] == [("malformed-event", 0)]
