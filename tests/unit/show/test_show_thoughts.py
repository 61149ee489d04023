"""What becomes of a thought that is sent back."""

import pytest

from wirelab.capture import Store
from wirelab.show.histories import wire_cases
from wirelab.show.thoughts import (
    Fate,
    carried,
    carried_table,
    carriers_table,
    fates,
    fates_table,
    keepers,
    places,
    written_table,
)

KEPT = "ollama-0.32.15/native/history-thinking_and_call.stream.qwen3-thinking"
LOST = "ollama-0.32.15/native/history-thinking_and_call.stream.deepseek3.1"
TURNS = "ollama-0.21.2/*/conversation-*.stream.gemma4"


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


def test_kept_and_lost(store: Store) -> None:
    found = fates([store.load(KEPT), store.load(LOST)])
    assert [fate.word for fate in found] == ["kept", "lost"]
    assert keepers(found) == {"kept": ["qwen3-thinking"], "lost": ["deepseek3.1"]}
    assert fates_table(found).rows[0] == ("deepseek3.1", "ollama 0.32.15", "lost")


def test_thoughts_of_several_turns() -> None:
    assert Fate("", "", "", "", "", ("kept", "lost", "kept")).word == "2 kept, 1 lost"


def test_nothing_to_tell(store: Store) -> None:
    discovery = next(store.captures("ollama-0.32.15/discovery/*"))
    single = next(store.captures("ollama-0.21.2/native/single.*"))
    assert fates([discovery, single]) == []


def test_where_a_thought_stands(store: Store) -> None:
    assert list(places({"a": [{"b": "t"}, "t"], "c": 1}, "t")) == ["a[0].b", "a[1]"]
    rows = carriers_table(store.captures("ollama-0.21.2/*/conversation-2.stream.gemma4")).rows
    assert [row[:2] for row in rows] == [
        ("chat", "messages[1].reasoning"),
        ("messages", "messages[1].content[0].thinking"),
        ("native", "messages[1].thinking"),
        ("responses", "input[1].encrypted_content, input[1].summary[0].text"),
    ]


def test_one_history_for_every_profile(store: Store) -> None:
    rows = {row[:2]: row[2:] for row in written_table(wire_cases(store)["BR-103"]["frames"], "chat").rows}
    assert rows["deepseek", "chat"][:3] == ("required", "[1].reasoning_content", "")
    assert rows["groq", "chat"][:3] == ("rejected", "nowhere", "reasoning-dropped")
    assert rows["anthropic", "messages"][:2] == ("accepted with its own signature", "nowhere")
    assert rows["openai", "chat"][0] == "not known to matter"


def test_a_history_that_no_profile_can_be_given() -> None:
    rows = written_table([{"role": "nobody", "content": "x"}], "chat").rows
    assert {row[4] for row in rows} == {"unknown-role"}
    assert {row[3] for row in rows} == {""}


def test_what_was_read_is_what_was_sent(store: Store) -> None:
    found = carried(store, TURNS)
    assert len(found) == 8
    assert all(turn.read == turn.sent for turn in found)
    assert carried_table(found).rows[0][1:] == ("Two look-ups are needed.", "Two look-ups are needed.", "yes")
