"""Reading Messages: blocks that are open side by side, restarted or never stopped, and input that only the start holds."""

from collections.abc import Callable

import pytest
from msgspec import UNSET, Raw

from wirelab.model import Fragment
from wirelab.protocols.eventlog import Error, EventLog, Finish, Text, Thinking, Usage

Read = Callable[..., EventLog]
Json = dict[str, object]


def start(index: object = 0, kind: object = "tool_use", **more: object) -> Json:
    if kind == "tool_use":
        more = {"id": "toolu_1", "name": "f", "input": {}, **more}
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}}


def delta(index: object = 0, **more: object) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": more}


def piece(text: object, index: object = 0) -> Json:
    return delta(index, type="input_json_delta", partial_json=text)


def stop(index: object = 0) -> Json:
    return {"type": "content_block_stop", "index": index}


def end(reason: object = "tool_use", **usage: object) -> Json:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


def test_a_stream(read: Read) -> None:
    log = read(
        "messages",
        (
            "message_start",
            {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 5, "output_tokens": 1}}},
        ),
        ("ping", {"type": "ping"}),
        start(0, "thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking="hm"),
        delta(0, type="signature_delta", signature="s"),
        stop(0),
        start(1, "redacted_thinking", data="x"),
        stop(1),
        start(2, "text", text=""),
        delta(2, type="text_delta", text="Hi"),
        stop(2),
        start(3),
        piece("", 3),
        piece("{}", 3),
        stop(3),
        end(output_tokens=9, input_tokens=None),
        {"type": "message_stop"},
    )
    assert log.events == [
        Usage(0, {"input_tokens": 5, "output_tokens": 1}, 1),
        Thinking(3, "hm"),
        Text(9, "Hi"),
        Fragment(11, 0, 1, "toolu_1", 3, "f", key=3),
        Fragment(12, 0, 1, index=3, arguments="", key=3),
        Fragment(13, 0, 1, index=3, arguments="{}", key=3),
        Usage(15, {"input_tokens": 5, "output_tokens": 9}, 9),
        Finish(15, "tool_use"),
        Finish(16, None),
    ]


def test_a_whole_answer(read: Read) -> None:
    content = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Hi"},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "text", "text": ""},
        7,
    ]
    answer = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"output_tokens": 3}}
    log = read("messages", answer, whole=True)
    assert [event for event in log.events if event not in log.notes] == [
        Thinking(0, "hm"),
        Text(0, "Hi"),
        Fragment(0, 2, 6, "toolu_1", UNSET, "f", Raw(b'{"a": 1}'), "whole", 2),
        Usage(0, {"output_tokens": 3}, 3),
        Finish(0, "tool_use"),
    ]
    assert [(note.code, note.position) for note in log.notes] == [("malformed-event", 5)]


class TestInput:
    """The input of a start event counts where no delta follows."""

    @pytest.mark.parametrize("after", [[stop()], [], [end()], [start(0), stop()]])
    def test_without_deltas(self, read: Read, after: list[Json]) -> None:
        log = read("messages", start(input={"a": 1}), piece(""), *after)
        assert Fragment(0, 0, 1, index=0, arguments=Raw(b'{"a": 1}'), mode="whole", key=0) in log.fragments

    def test_deltas_win(self, read: Read) -> None:
        log = read("messages", start(input={"a": 1}), piece("{}"), stop())
        assert [fragment.arguments for fragment in log.fragments] == [UNSET, "{}"]

    @pytest.mark.parametrize("given", [{}, None, ""])
    def test_an_empty_one_is_none(self, read: Read, given: object) -> None:
        assert len(read("messages", start(input=given), stop()).fragments) == 1

    def test_text_and_what_cannot_be_decoded(self, read: Read) -> None:
        assert read("messages", start(input='{"a":1}'), stop()).fragments[1].arguments == '{"a":1}'
        sent = b'{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":{"a":"\xff"}}}'
        log = read("messages", sent)
        assert [note.code for note in log.notes] == ["malformed-event"]

    def test_an_error_releases_nothing(self, read: Read) -> None:
        log = read("messages", start(input={"a": 1}), {"type": "error", "error": {"message": "boom"}})
        assert log.events == [Fragment(0, 0, 1, "toolu_1", 0, "f", key=0), Error(1, "boom")]

    def test_pieces_that_are_no_text(self, read: Read) -> None:
        log = read("messages", start(), piece({"a": 1}))
        assert [note.code for note in log.notes] == ["malformed-event"]


class TestBlocks:
    """Which block a delta belongs to."""

    def test_side_by_side(self, read: Read) -> None:
        log = read("messages", start(0), start(1, id="b"), piece("{", 0), piece("{}", 1), piece("}", 0))
        assert [fragment.key for fragment in log.fragments] == [0, 1, 0, 1, 0]
        assert log.notes == []

    def test_a_restart_without_a_stop(self, read: Read) -> None:
        log = read("messages", start(0, "text", text="a"), start(0, "thinking", thinking="b"), start(0), piece("{}"))
        assert [(note.code, note.frame) for note in log.notes] == [("block-restarted", 1), ("block-restarted", 2)]
        assert (log.said, log.thought) == ("a", "b")
        assert [fragment.key for fragment in log.fragments] == [2, 2]

    def test_a_start_after_a_stop_is_another_block(self, read: Read) -> None:
        log = read("messages", start(0), stop(0), start(0, id="b"), piece("{}"))
        assert [fragment.key for fragment in log.fragments] == [0, 1, 1]
        assert log.notes == []

    @pytest.mark.parametrize("before", [[], [start(1)], [start(0, "text", text="")], [start(0, "thinking")]])
    def test_input_for_a_block_that_is_no_call(self, read: Read, before: list[Json]) -> None:
        log = read("messages", *before, piece("{}"))
        assert [note.code for note in log.notes] == ["continuation-without-call"]

    def test_a_piece_after_the_stop(self, read: Read) -> None:
        assert [fragment.key for fragment in read("messages", start(), stop(), piece("{}")).fragments] == [0, 0]

    def test_tools_of_the_server_are_no_calls(self, read: Read) -> None:
        assert read("messages", start(0, "server_tool_use", id="s", input={"a": 1}), piece("{}"), stop()).events == []

    @pytest.mark.parametrize("index", [None, "a", [1]])
    def test_odd_indexes(self, read: Read, index: object) -> None:
        assert [fragment.key for fragment in read("messages", start(index), piece("{}", index)).fragments] == [0, 0]

    def test_a_stop_of_nothing_and_a_start_of_nothing(self, read: Read) -> None:
        assert (
            read(
                "messages", stop(), {"type": "content_block_start", "index": 0}, {"type": "content_block_delta"}
            ).events
            == []
        )


def test_text_as_parts_and_without_a_block(read: Read) -> None:
    log = read("messages", delta(0, text=[{"text": "a"}]), delta(0, thinking=["b"]), delta(0, type="citations_delta"))
    assert (log.said, log.thought) == ("a", "b")


@pytest.mark.parametrize("content", [None, []])
def test_whole_answers_without_content(read: Read, content: object) -> None:
    log = read("messages", {"type": "message", "content": content, "stop_reason": "end_turn"}, whole=True)
    assert log.events[-1] == Finish(0, "end_turn")
    assert [note.code for note in log.notes] == ([] if content == [] else ["content-null"])


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"type": "error", "error": {"type": "api_error", "message": "boom"}}, "boom (api_error)"),
        ({"type": "error"}, "the server sent an error event"),
        ({"error": "boom"}, "boom"),
        ({"detail": "boom"}, "boom"),
        (("error", "broken pipe"), "broken pipe"),
    ],
)
def test_an_error_ends_the_stream(read: Read, sent: object, message: str) -> None:
    log = read("messages", sent, end())
    assert log.events == [Error(0, message)]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"type": "error", "error": {"message": "boom"}}, "boom"),
        ({"error": "boom", "content": []}, "boom"),
        ({"detail": "boom"}, "boom"),
    ],
)
def test_a_whole_error(read: Read, answer: Json, message: str) -> None:
    assert read("messages", answer, whole=True).events == [Error(0, message)]


@pytest.mark.parametrize(
    "sent",
    [
        {"type": "message_start"},
        {"type": "message_start", "message": {"usage": None}},
        {"type": "message_delta", "delta": None},
        {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {}},
        {"type": "unheard_of"},
        {},
        "[DONE]",
    ],
)
def test_events_that_say_nothing(read: Read, sent: object) -> None:
    assert read("messages", sent).events == []


def test_a_whole_answer_that_is_none(read: Read) -> None:
    assert read("messages", {"type": "message", "stop_reason": None}, whole=True).events == []


def test_the_name_of_the_event_stands_in_for_a_missing_type(read: Read) -> None:
    log = read(
        "messages", ("content_block_delta", {"delta": {"text": "a"}}), ("message_stop", {}), ("x", {"detail": "b"})
    )
    assert log.events == [Text(0, "a"), Finish(1, None), Error(2, "b")]
