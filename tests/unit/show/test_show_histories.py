"""Histories before and after settling, and what their prompts show of both."""

from typing import Any

import msgspec
import pytest

from wirelab.capture import Capture, Store
from wirelab.claims.exhibit import Exhibit
from wirelab.history.replay import Replay
from wirelab.show.histories import (
    battery,
    changes_table,
    conversation_shown,
    roles_table,
    said_by,
    sends_the_same,
    settling,
    settling_of,
    settling_table,
    settling_turns,
    settlings_table,
    twins,
    twins_table,
)
from wirelab.show.visibility import view_of

COMMENTARY = "ollama-0.32.15/native/rendered-commentary_between.whole.gemma4"
SETTLED = "ollama-0.32.15/native/rendered-settled-commentary_between.whole.gemma4"
NAMELESS = "litellm-1.108.7/gemini/history-replay_reversed.stream.native-gemma4.no-ids"


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


def test_a_history_before_and_after(store: Store) -> None:
    one = settling_of(store.load(COMMENTARY))
    assert one.codes == ("held-back",)
    rows = settling_table(one).rows
    assert rows[3] == ("3: assistant=The weather is in, now the time.", "tool('call_e5f6g7h8', name=get_time)=14:05")
    assert changes_table(one).rows[0][:3] == ("held-back", "3", "")


def test_a_history_that_cannot_be_sent(store: Store) -> None:
    one = settling_turns(battery(store)["H12"]["turns"])
    assert one.codes == ("late-result",)
    assert settling_table(one).rows[-1] == ("4: tool('c1', name=get_weather)=sun", "")
    assert changes_table(one).rows[0][:3] == ("late-result", "4", "c1")
    assert settlings_table({"H12": one}).rows[0][2:] == ("not sent", "late-result")


def test_placeholders_and_fields_are_named() -> None:
    body = {
        "system": "be brief",
        "messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}],
    }
    rows = settling_table(settling(body, Replay())).rows
    assert rows[0] == ("system: system=be brief", "assistant['a':f]")
    assert rows[-1][1] == "tool('a')=(a placeholder: the outcome is unknown)"


def test_anybody_may_speak_between(store: Store) -> None:
    turns = battery(store)["H5"]["turns"]
    assert said_by(turns, 2, "system")[2] == {"role": "system", "text": "hurry"}
    assert turns[2]["role"] == "user"
    rows = roles_table(turns, 2, ["developer", "nobody"]).rows
    assert rows[0][1].endswith("tool('c1', name=get_weather)=sun · developer=hurry")
    assert rows[1] == ("nobody", "", "unknown-role")


def test_the_prompt_from_the_first_words_on(store: Store) -> None:
    assert conversation_shown(store.load(COMMENTARY)).startswith("<|turn>user\nWeather and time in Oslo?")
    assert "14:05" not in conversation_shown(store.load(COMMENTARY))
    assert "14:05" in conversation_shown(store.load(SETTLED))


def without_prompt(capture: Capture) -> Capture:
    return msgspec.structs.replace(capture, reads=())


def test_a_prompt_that_nobody_saw(store: Store) -> None:
    assert conversation_shown(without_prompt(store.load(COMMENTARY))) == "(nobody saw the prompt)"


def test_twins(store: Store) -> None:
    found = twins(store, "ollama-0.32.15/native/rendered-*commentary_between.whole.g*")
    assert {pair.before.word for pair in found} == {"all arrive", "result lost"}
    assert all(pair.same and pair.after.word == "all arrive" for pair in found)
    row: Any = twins_table(found).rows[1]
    assert row == ("commentary_between", "result lost", "all arrive", "1", "1 of 1", "gemma4")
    assert not sends_the_same(store.load(COMMENTARY), store.load(COMMENTARY))


def test_twins_whose_prompt_nobody_saw(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "load", lambda self, name: without_prompt(store.captures(name).__next__()))
    assert twins(store, SETTLED) == []


def test_results_without_ids_can_be_swapped_too(store: Store) -> None:
    view = view_of(Exhibit(store.load(NAMELESS)))
    assert view is not None
    assert view.word == "2 result swapped"
