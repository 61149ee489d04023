"""The whole way: from a request body to the next one, ids mapped, shapes changed, everything reported."""

from typing import Any

import pytest
from msgspec import UNSET

from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.history.profiles import find_profile
from wirelab.history.replay import Replay, map_ids, next_request
from wirelab.history.turn import message_of, next_turn, result_of
from wirelab.history.turns import read_turns, told
from wirelab.model import Reading, ToolCall
from wirelab.protocols.dialects import read_history
from wirelab.transcript import Call, Message, Result, Text, Thought


def chat(identifier: str = "call_1.x") -> list[dict[str, Any]]:
    calls = [{"id": identifier, "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    answer = {"role": "tool", "tool_call_id": identifier, "content": "ok"}
    return [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": calls}, answer]


def test_ids_are_mapped_on_call_and_result_alike_with_a_way_back() -> None:
    request = next_request(chat(), Replay(to="messages", profile="anthropic"))
    wire = request.messages[1]["content"][0]["id"]
    assert request.messages[2]["content"][0]["tool_use_id"] == wire
    assert request.ids.back(wire) == "call_1.x"
    assert [(finding.code, finding.id) for finding in request.findings] == [("id-mapped", "call_1.x")]
    assert request.findings[0].detail == f"anthropic gets {wire}"


def test_ids_that_are_allowed_stay_byte_for_byte() -> None:
    transcript = read_history(chat("toolu_1"), "chat").transcript
    assert map_ids(transcript, find_profile("anthropic", "messages"))[0] is transcript
    assert next_request(chat("functions.look:3"), Replay(profile="kimi")).ids.changed() == {}


def test_ids_for_kimi_count_through_the_conversation() -> None:
    history = [*chat("a"), *chat("functions.look:0")]
    request = next_request(history, Replay(profile="kimi"))
    assert request.ids.changed() == {"a": "functions.look:1"}


def test_what_is_no_history_or_no_dialect() -> None:
    for source, to, said in (("soap", "same", "no dialect 'soap'"), ("chat", "soap", "no dialect 'soap'")):
        with pytest.raises(MisuseError, match=said):
            next_request(chat(), Replay(source=source, to=to))
    with pytest.raises(UnreadableInputError):
        next_request("hello")


@pytest.mark.parametrize("ids", [True, False])
def test_gemini_results_go_in_call_order_where_they_have_ids(ids: bool) -> None:
    def named(name: str) -> dict[str, Any]:
        return {"id": name, "name": name} if ids else {"name": name}

    calls = [{"functionCall": {**named(name), "args": {}}} for name in "ab"]
    answers = [{"functionResponse": {**named(name), "response": {"output": name}}} for name in "ba"]
    contents = [{"role": "model", "parts": calls}, {"role": "user", "parts": answers}]
    request = next_request(contents)
    assert request.messages[1]["parts"] == (answers[::-1] if ids else answers)
    assert next_request(contents, Replay(result_order="call")).messages[1]["parts"] == answers[::-1]


def test_gemini_reuse_may_be_refused_like_any_other() -> None:
    contents = [
        {"role": "model", "parts": [{"functionCall": {"id": "x", "name": "a", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "x", "name": "a", "response": {}}}]},
    ]
    assert next_request([*contents, *contents], Replay(reused_ids="keep")).messages == [*contents, *contents]


READING = Reading(
    protocol="chat",
    policy="id-first",
    calls=(
        ToolCall("a", "provider", "look", {"x": 1}, '{"x": 1}', complete=True, aliases=("old", 3)),
        ToolCall("wirelab_1", "allocated", "look", {"x": 2}, '"{\\"x\\": 2}"', complete=True),
        ToolCall("c", "provider", "look", None, "{", complete=False),
    ),
    executable=("a", "wirelab_1"),
    text="hm",
    thinking="plan",
    finish_reason="tool_calls",
    raw_finish_reason="tool_calls",
    usage=None,
    findings=(),
    error=None,
)


def test_a_reading_is_the_assistants_message() -> None:
    message = message_of(READING, 4)
    assert message == Message(
        "assistant",
        (
            Thought("plan", position=4),
            Text("hm", plain=True, position=4),
            Call("look", "a", '{"x": 1}', index=3, position=4),
            Call("look", "wirelab_1", {"x": 2}, allocated=True, position=4),
            Call("look", "c", "{", position=4),
        ),
        4,
    )


def test_a_reading_and_its_results_make_the_next_request() -> None:
    whole = Reading(
        **{**{name: getattr(READING, name) for name in READING.__struct_fields__}, "calls": READING.calls[:1]}
    )
    request = next_turn({"messages": [{"role": "user", "content": "q"}]}, whole, {"a": "ok"})
    function = {"name": "look", "arguments": '{"x": 1}'}
    assert request.messages == [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": "hm",
            "reasoning": "plan",
            "tool_calls": [{"id": "a", "index": 3, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "ok"},
    ]


def test_an_empty_result_has_no_parts() -> None:
    assert result_of("a", "") == Result("a")


def test_neutral_turns() -> None:
    turns = [
        {"role": "assistant", "text": "", "calls": [{"id": "a", "name": "look", "args": {"x": 1}}, {"name": "peek"}]}
    ]
    native, chatty = (read_turns(turns, dialect).entries[0] for dialect in ("native", "chat"))
    assert isinstance(native, Message)
    assert isinstance(chatty, Message)
    assert (native.calls[0].arguments, chatty.calls[0].arguments) == ({"x": 1}, '{"x":1}')
    assert native.calls[1].arguments is UNSET


def test_a_neutral_result_without_text_is_empty() -> None:
    assert read_turns([{"role": "result", "id": "a", "text": ""}]).entries == (Result("a"),)


def test_a_transcript_in_the_words_of_the_peers() -> None:
    history = [*chat("a"), {"role": "tool", "name": "look", "content": "x"}, {"role": "assistant", "tool_calls": []}]
    history[1]["tool_calls"].append({"function": {"name": "peek", "arguments": "{}"}})
    assert told(read_history(history, "chat").transcript) == [
        "user=q",
        "assistant['a':look, None:peek]",
        "tool('a')=ok",
        "tool(None, name=look)=x",
        "assistant",
    ]
