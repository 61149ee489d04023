"""Reading Gemini: parts of text, thoughts and whole calls, streamed as events or sent as one list."""

import json
from collections.abc import Callable

import pytest
from msgspec import UNSET, Raw

from wirelab.model import Fragment
from wirelab.protocols.eventlog import Error, EventLog, Finish, Text, Thinking, Usage

Read = Callable[..., EventLog]
Json = dict[str, object]


def chunk(*parts: object, finish: object = None, **more: object) -> Json:
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish, "index": 0}],
        **more,
    }


def call(**more: object) -> Json:
    return {"functionCall": {"name": "f", "args": {"a": 1}, **more}}


CHUNKS = [
    chunk({"text": "hm", "thought": True}, {"text": "Hi"}),
    chunk(call(), call(id="call_9"), usageMetadata={"candidatesTokenCount": 3, "thoughtsTokenCount": 2}),
    chunk(call(args=None), finish="STOP"),
]


def test_a_stream(read: Read) -> None:
    assert read("gemini", *CHUNKS).events == [
        Thinking(0, "hm"),
        Text(0, "Hi"),
        Fragment(1, 0, 2, UNSET, UNSET, "f", Raw(b'{"a": 1}'), "whole", 0),
        Fragment(1, 1, 2, "call_9", UNSET, "f", Raw(b'{"a": 1}'), "whole", 1),
        Fragment(2, 0, 1, UNSET, UNSET, "f", None, "whole", 2),
        Finish(2, "STOP"),
        Usage(1, {"candidatesTokenCount": 3, "thoughtsTokenCount": 2}, 5),
    ]


def test_a_whole_answer_and_a_list_of_chunks(read: Read) -> None:
    assert read("gemini", CHUNKS[2], whole=True).events == [
        Fragment(0, 0, 1, UNSET, UNSET, "f", None, "whole", 0),
        Finish(0, "STOP"),
    ]
    log = read("gemini", json.dumps(CHUNKS), whole=True)
    assert (log.said, log.thought) == ("Hi", "hm")
    assert [(fragment.frame, fragment.key) for fragment in log.fragments] == [(0, 0), (0, 1), (0, 2)]
    assert log.events[-2] == Finish(0, "STOP")


def test_a_list_with_other_things_in_it(read: Read) -> None:
    log = read("gemini", [chunk({"text": "a"}), 5, {"error": {"code": 500, "message": "boom"}}, CHUNKS[0]], whole=True)
    assert [note.code for note in log.notes] == ["malformed-event"]
    assert log.said == "a"
    assert log.errors == [Error(0, "boom (500)")]


def test_the_finish_may_come_later(read: Read) -> None:
    assert read("gemini", {"candidates": [{"finishReason": "MAX_TOKENS"}]}).events == [Finish(0, "MAX_TOKENS")]


def test_arguments_that_are_missing(read: Read) -> None:
    assert read("gemini", chunk({"functionCall": {"name": "f"}})).fragments[0].arguments is UNSET


@pytest.mark.parametrize("more", [{"partialArgs": [{"jsonPath": "$.a"}]}, {"willContinue": True}])
def test_streamed_arguments_are_not_understood(read: Read, more: Json) -> None:
    log = read("gemini", chunk(call(**more)))
    assert [(note.code, note.position) for note in log.notes] == [("malformed-event", 0)]
    assert len(log.fragments) == 1


def test_a_blocked_prompt_is_an_error(read: Read) -> None:
    log = read("gemini", {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}})
    assert log.events == [Error(0, "the prompt was blocked: SAFETY")]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}, "overloaded (503)"),
        ({"candidates": [], "error": "boom"}, "boom"),
        ({"detail": "boom"}, "boom"),
    ],
)
def test_an_error_ends_the_stream(read: Read, sent: object, message: str) -> None:
    assert read("gemini", sent, CHUNKS[0]).events == [Error(0, message)]


@pytest.mark.parametrize(
    "sent",
    [
        chunk(),
        chunk({}, {"text": ""}, {"executableCode": {}}),
        {"candidates": None},
        {"candidates": [{"content": {}}]},
        {"candidates": [{"content": None, "finishReason": 3}]},
        {"promptFeedback": {}},
        {"usageMetadata": 5},
        {},
        "[DONE]",
    ],
)
def test_chunks_that_say_nothing(read: Read, sent: object) -> None:
    assert read("gemini", sent).events == []


def test_usage_without_output(read: Read) -> None:
    log = read("gemini", chunk(usageMetadata={"promptTokenCount": 4, "candidatesTokenCount": "3"}))
    assert log.events == [Usage(0, {"promptTokenCount": 4, "candidatesTokenCount": "3"}, None)]


def test_other_candidates_and_parts_that_are_no_objects(read: Read) -> None:
    other = {"index": 1, "content": {"parts": [{"text": "x"}]}}
    mine = {"index": 0, "content": {"parts": [4, {"text": "a"}, None]}}
    log = read("gemini", {"candidates": [mine, other]}, {"candidates": [other]}, {"candidates": [None, mine]})
    assert log.said == "aa"
    assert [(note.code, note.frame, note.position) for note in log.notes] == [
        ("other-choices", 0, 1),
        ("malformed-event", 0, 0),
        ("malformed-event", 0, 2),
        ("malformed-event", 2, 0),
        ("malformed-event", 2, 0),
        ("malformed-event", 2, 2),
    ]


def test_text_as_parts(read: Read) -> None:
    assert read("gemini", chunk({"text": ["a", {"text": "b"}]})).said == "ab"


def test_arguments_that_are_not_utf8(read: Read) -> None:
    log = read("gemini", b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":"\xff"}}}]}}]}')
    assert [(note.code, note.position) for note in log.notes] == [("malformed-event", 0)]
