"""Reading chat completions: chunks, calls in pieces, legacy calls, several choices, and the many spellings of reasoning."""

from collections.abc import Callable

import pytest
from msgspec import UNSET, Raw

from wirelab.model import Fragment
from wirelab.protocols.eventlog import Error, EventLog, Finish, Text, Thinking, Usage

Read = Callable[..., EventLog]


def chunk(*, finish: object = None, index: object = 0, **delta: object) -> dict[str, object]:
    return {"id": "c", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def call(**function: object) -> dict[str, object]:
    return {"index": 0, "id": "call_1", "type": "function", "function": function}


def test_a_stream(read: Read) -> None:
    log = read(
        "chat",
        {"choices": [], "prompt_filter_results": []},
        chunk(role="assistant", content=""),
        chunk(content="Hi"),
        chunk(tool_calls=[call(name="f", arguments="{")]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": "}"}}]),
        chunk(finish="tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 9}},
        "[DONE]",
    )
    assert log.events == [
        Text(2, "Hi"),
        Fragment(3, 0, 1, "call_1", 0, "f", "{"),
        Fragment(4, 0, 1, index=0, arguments="}"),
        Finish(5, "tool_calls"),
        Usage(6, {"prompt_tokens": 1, "completion_tokens": 9}, 9),
        Finish(7, None),
    ]


def test_a_whole_answer(read: Read) -> None:
    message = {"content": "Hi", "reasoning": "hm", "tool_calls": [call(name="f", arguments="{}")]}
    answer = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"completion_tokens": None}}
    assert read("chat", answer, whole=True).events == [
        Thinking(0, "hm"),
        Text(0, "Hi"),
        Fragment(0, 0, 1, "call_1", 0, "f", "{}", "whole"),
        Finish(0, "stop"),
        Usage(0, {"completion_tokens": None}, None),
    ]


def test_the_delta_is_read_before_the_finish_reason(read: Read) -> None:
    log = read("chat", chunk(finish="tool_calls", tool_calls=[call(name="f", arguments="{}")]))
    assert [type(event) for event in log.events] == [Fragment, Finish]


def test_object_arguments_come_as_they_stood(read: Read) -> None:
    log = read("chat", '{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"arguments":{"a" : 1}}}]}}]}')
    assert log.events == [Fragment(0, 0, 1, index=-1, arguments=Raw(b'{"a" : 1}'))]


@pytest.mark.parametrize(("sent", "told"), [("null", None), ('""', ""), ("7", 7), ("[]", [])])
def test_other_arguments(read: Read, sent: str, told: object) -> None:
    log = read("chat", '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":' + sent + "}}]}}]}")
    assert log.fragments[0].arguments == told
    assert log.notes == []


def test_an_entry_without_function_or_arguments(read: Read) -> None:
    log = read("chat", chunk(tool_calls=[{"id": 5}, {"function": None}]))
    assert log.events == [Fragment(0, 0, 2, id=5), Fragment(0, 1, 2)]


@pytest.mark.parametrize("choices", [None, []])
def test_chunks_without_choices_have_only_usage(read: Read, choices: object) -> None:
    assert read("chat", {"choices": choices, "usage": {"total_tokens": 9}}).events == [
        Usage(0, {"total_tokens": 9}, None)
    ]


@pytest.mark.parametrize("usage", [None, {}, [], 7, "many"])
def test_usage_that_says_nothing(read: Read, usage: object) -> None:
    assert read("chat", chunk(content="a") | {"usage": usage}).events == [Text(0, "a")]


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning": "t"},
        {"reasoning_content": "t"},
        {"thinking": "t"},
        {"reasoning": "t", "reasoning_content": "t"},
        {"thinking": [{"type": "text", "text": "t"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}]},
        {"content": [{"type": "reasoning", "reasoning": "t"}]},
    ],
)
def test_spellings_of_reasoning(read: Read, delta: dict[str, object]) -> None:
    assert read("chat", chunk(**delta)).events == [Thinking(0, "t")]


def test_two_different_reasonings_are_both_told(read: Read) -> None:
    assert read("chat", chunk(reasoning="b", reasoning_content="a")).thought == "ab"


@pytest.mark.parametrize(
    "delta",
    [
        {"refusal": "no"},
        {"content": [{"type": "refusal", "refusal": "no"}]},
        {"content": {"type": "text", "text": "no"}},
        {"content": ["no"]},
        {"content": "no", "refusal": None},
    ],
)
def test_a_refusal_and_parts_are_text(read: Read, delta: dict[str, object]) -> None:
    assert read("chat", chunk(**delta)).events == [Text(0, "no")]


def test_content_that_is_no_text_is_named(read: Read) -> None:
    assert [note.code for note in read("chat", chunk(content=5)).notes] == ["malformed-event"]


def test_a_legacy_function_call_is_one_call(read: Read) -> None:
    log = read("chat", chunk(function_call={"name": "f", "arguments": "{"}), chunk(function_call={"arguments": "}"}))
    assert log.events == [Fragment(0, 0, 1, name="f", arguments="{"), Fragment(1, 0, 1, arguments="}")]


def test_a_function_call_beside_tool_calls_is_their_echo(read: Read) -> None:
    echo = {"name": "f", "arguments": "{}"}
    log = read("chat", chunk(tool_calls=[call(**echo)], function_call=echo), chunk(tool_calls=None, function_call=echo))
    assert [fragment.id for fragment in log.fragments] == ["call_1"]


@pytest.mark.parametrize("finish", [None, "", 3, False])
def test_finish_reasons_that_are_none(read: Read, finish: object) -> None:
    assert read("chat", chunk(content="a", finish=finish)).events == [Text(0, "a")]


def test_the_first_choice_seen_is_reported_and_others_named_once(read: Read) -> None:
    log = read("chat", chunk(index=1, content="a"), chunk(index=0, content="x"), chunk(index=2, content="y"))
    assert log.said == "a"
    assert [(note.code, note.frame) for note in log.notes] == [("other-choices", 1)]
    assert log.notes[0].detail == "choices 0 beside 1, which is reported"


def test_several_choices_in_one_frame(read: Read) -> None:
    choices = [None, {"message": {"content": "a"}, "finish_reason": "stop"}, {"message": {"content": "b"}}, {}]
    log = read("chat", {"choices": choices}, whole=True)
    assert log.said == "a"
    assert [(note.code, note.position) for note in log.notes] == [("malformed-event", 0), ("other-choices", 2)]


def test_a_choice_without_index_is_the_reported_one(read: Read) -> None:
    log = read("chat", chunk(content="a"), chunk(content="b", index=None), chunk(content="c"), {"choices": [None]})
    assert log.said == "abc"
    assert [note.code for note in log.notes] == ["malformed-event"]


def test_a_message_in_a_stream_counts_if_no_delta_came(read: Read) -> None:
    message = {"choices": [{"index": 0, "message": {"content": "ab"}, "finish_reason": "stop"}]}
    assert read("chat", message, message).said == "ab"
    assert read("chat", chunk(content="a"), chunk(content="b"), message).said == "ab"
    assert read("chat", chunk(reasoning="a"), message).said == ""
    assert read("chat", chunk(tool_calls=[call(name="f")]), message).said == ""
    assert read("chat", {"choices": [{"index": 0, "finish_reason": "stop"}]}).events == [Finish(0, "stop")]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"choices": [], "error": {"code": 502, "message": "worker limit"}}, "worker limit (502)"),
        ({"choices": [{"delta": {"content": "x"}}], "error": "boom"}, "boom"),
        ({"object": "error", "message": "boom", "code": 400}, "boom (400)"),
        ({"error_message": "boom"}, "boom"),
        ({"choices": 5, "error": "boom"}, "boom"),
        (("error", "it broke"), "it broke"),
        (("error", {"message": "boom"}), "boom"),
    ],
)
def test_an_error_ends_the_stream(read: Read, sent: object, message: str) -> None:
    log = read("chat", chunk(content="a"), sent, chunk(content="b"), "[DONE]")
    assert log.events == [Text(0, "a"), Error(1, message)]


@pytest.mark.parametrize("sent", [{"id": "c"}, {"choices": None}, {"ping": 1}, ("ping", {}), ("x", {"choices": []})])
def test_chunks_that_say_nothing(read: Read, sent: object) -> None:
    assert read("chat", sent).events == []


def test_entries_that_are_no_objects_are_named(read: Read) -> None:
    log = read("chat", chunk(tool_calls=[3, call(name="f", arguments="{}")]), chunk(tool_calls=[None]))
    assert [(note.code, note.frame, note.position) for note in log.notes] == [
        ("malformed-event", 0, 0),
        ("malformed-event", 1, 0),
    ]
    assert [(fragment.position, fragment.entries) for fragment in log.fragments] == [(1, 2)]


def test_a_delta_of_another_shape_is_named_and_the_rest_read(read: Read) -> None:
    log = read("chat", {"choices": [{"index": 0, "delta": "text", "finish_reason": "stop"}]})
    assert log.notes[0].detail == "frame 0 at byte 0: choices[0].delta is not what it should be: '\"text\"'"
    assert log.events[1:] == [Finish(0, "stop")]


def test_arguments_that_are_not_utf8(read: Read) -> None:
    sent = b'{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"\xff"}}]}}]}'
    log = read("chat", sent)
    assert "choices[0].delta.tool_calls[0].function.arguments is not what it should be" in log.notes[0].detail
    assert log.fragments == [Fragment(0, 0, 1, id="a", name="f", arguments=UNSET)]


def test_comments_and_an_unfinished_event(read: Read) -> None:
    log = read("chat", b"x", tail=b': ping\n\ndata: {"choices":[]}\n')
    assert [note.code for note in log.notes] == ["malformed-event", "unterminated-event"]
    assert log.notes[1].detail.startswith("frame 2 at byte ")


def test_done_with_blanks_around(read: Read) -> None:
    assert read("chat", " [DONE] ").events == [Finish(0, None)]


def test_a_call_without_its_function_is_named(read: Read) -> None:
    log = read("chat", chunk(tool_calls=[{"index": 0, "name": "f", "arguments": "{}"}]))
    assert log.notes[0].detail == "frame 0 at byte 0: tool_calls[0] has its name outside of a function"
