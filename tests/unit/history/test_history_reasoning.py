"""Which thoughts are sent back, and where they stand."""

from typing import Any

import pytest

from wirelab.history.reasoning import fit_reasoning
from wirelab.history.replay import Replay, next_request
from wirelab.protocols.dialects import read_history
from wirelab.protocols.histories import Wire

CALLS = [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
RESULT = {"role": "tool", "tool_call_id": "a", "content": "ok"}


def chat(**keys: Any) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": "hm", "tool_calls": CALLS, **keys}, RESULT]


def codes(findings: Any) -> list[str]:
    return [finding.code for finding in findings]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "thinking"])
def test_an_assistants_thought_goes_to_every_dialect(key: str) -> None:
    history = chat(**{key: "plan"})
    assert next_request(history, Replay(source="chat", to="native")).messages[0]["thinking"] == "plan"
    assert next_request(history, Replay(source="chat")).messages[0]["reasoning"] == "plan"
    block = next_request(history, Replay(source="chat", to="messages")).messages[0]["content"][0]
    assert block == {"type": "thinking", "thinking": "plan"}
    item = next_request(history, Replay(source="chat", to="responses")).messages[0]
    assert item["summary"] == [{"type": "summary_text", "text": "plan"}]
    assert item["encrypted_content"] == "plan"
    part = next_request(history, Replay(source="chat", to="gemini")).messages[0]["parts"][0]
    assert part == {"text": "plan", "thought": True}


def test_the_first_key_that_is_not_empty_counts() -> None:
    history = chat(reasoning_content="", reasoning=[], thinking="plan")
    assert read_history(history, "chat").transcript.entries[0].thinking == "plan"  # type: ignore[union-attr]


def test_only_the_assistants_counts() -> None:
    request = next_request([{"role": "user", "content": "q", "reasoning": "x"}], Replay(source="chat"))
    assert request.messages == [{"role": "user", "content": "q"}]


@pytest.mark.parametrize("value", [5, {"a": 1}, [5], [{"type": "text"}], True])
def test_a_value_that_is_no_text_is_left_out_with_a_report(value: Any) -> None:
    request = next_request(chat(reasoning=value), Replay(source="chat", to="native"))
    assert "thinking" not in request.messages[0]
    assert codes(request.findings) == ["reasoning-unreadable"]


def test_a_list_of_text_parts_is_joined() -> None:
    request = next_request(chat(reasoning=["a ", {"type": "text", "text": "plan"}]), Replay(source="chat", to="native"))
    assert request.messages[0]["thinking"] == "a plan"


def test_a_key_that_the_endpoint_does_not_read_is_changed_with_a_report() -> None:
    request = next_request(chat(reasoning_content="plan"), Replay(source="chat"))
    assert codes(request.findings) == ["reasoning-moved"]
    kept = next_request(chat(reasoning_content="plan"), Replay(source="chat", profile="llama-server"))
    assert (kept.messages, kept.findings) == (chat(reasoning_content="plan"), ())


def test_fitting_returns_the_very_input() -> None:
    transcript = read_history(chat(reasoning="plan"), "chat").transcript
    assert fit_reasoning(transcript, "chat", Wire()).transcript is transcript


def test_a_refused_thought_is_dropped_and_a_message_of_nothing_else_too() -> None:
    history = [*chat(reasoning="plan"), {"role": "assistant", "reasoning": "more"}]
    request = next_request(history, Replay(source="chat", profile="groq"))
    assert request.messages == chat()
    assert codes(request.findings) == ["reasoning-dropped", "reasoning-dropped", "empty-assistant-dropped"]


def test_a_wanted_thought_that_is_not_there_is_reported() -> None:
    assert codes(next_request(chat(), Replay(source="chat", profile="deepseek")).findings) == ["reasoning-missing"]
    answer = [{"role": "assistant", "content": "hm"}]
    assert next_request(answer, Replay(source="chat", profile="deepseek")).findings == ()


def signed(*blocks: dict[str, Any]) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    return [{"role": "assistant", "content": [*blocks, call]}, {"role": "user", "content": [answer]}]


def test_signed_thoughts_of_a_turn_go_back_together_or_not_at_all() -> None:
    first = {"type": "thinking", "thinking": "p", "signature": "S"}
    redacted = {"type": "redacted_thinking", "data": "D"}
    unsigned = {"type": "thinking", "thinking": "q"}
    blank = {"type": "thinking", "thinking": "q", "signature": ""}
    choice = Replay(source="messages", profile="anthropic")
    assert next_request(signed(first, redacted), choice).messages == signed(first, redacted)
    for bad in (unsigned, blank):
        request = next_request(signed(first, bad), choice)
        assert (request.messages, codes(request.findings)) == (signed(), ["reasoning-dropped"])
        assert next_request(signed(first, bad), Replay(source="messages")).messages == signed(first, bad)
    foreign = next_request(chat(reasoning="plan"), Replay(source="chat", to="messages", profile="anthropic"))
    assert codes(foreign.findings) == ["reasoning-dropped"]


def test_encrypted_thoughts_go_to_nobody_else() -> None:
    items = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ENC"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
    ]
    assert next_request(items, Replay(source="responses")).messages == items
    for to in ("chat", "native", "messages", "gemini"):
        assert codes(next_request(items, Replay(source="responses", to=to)).findings) == ["reasoning-dropped"]
    redacted = next_request(
        signed({"type": "redacted_thinking", "data": "D"}), Replay(source="messages", to="responses")
    )
    assert codes(redacted.findings) == ["reasoning-dropped"]
