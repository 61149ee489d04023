"""Id profiles in tables: what was accepted, what shows it, and the map of ids there and back."""

import msgspec
import pytest

from wirelab.capture import Store
from wirelab.history.profiles import PROFILES
from wirelab.history.replay import Replay
from wirelab.ids import IdMap
from wirelab.show import profiles
from wirelab.show.profiles import (
    accepted_table,
    broken_maps,
    case_choices,
    every_id,
    ids_seen,
    ids_sent,
    mapped,
    mapped_table,
    maps_table,
    profiles_table,
    proofs,
    proofs_table,
    refusals,
    refusals_table,
    strict_profiles,
)

FOREIGN = "ollama-0.32.15/chat/history-foreign_ids.stream.gemma4"


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


def test_what_servers_took(store: Store) -> None:
    rows = accepted_table(store, "ollama-0.21.2/messages/*").rows
    assert rows == (("ollama 0.21.2", "messages", "200", "200", "200", "200", "200", "400", "200"),)


def test_refusals_without_those_that_refuse_everything(store: Store) -> None:
    assert refusals(store, "ollama-0.9.0/*") == []
    rows = refusals_table(refusals(store, "ollama-0.32.15/messages/*")).rows
    assert [row[:4] for row in rows] == [("ollama 0.32.15", "messages", "id_missing", "2")]
    assert "missing required 'id'" in rows[0][4]


def test_ids_do_not_reach_a_prompt(store: Store) -> None:
    assert ids_sent(store.load(FOREIGN)) == [
        ("functions.get_weather:0", "get_weather"),
        ("toolu_01A/b c=ü", "get_time"),
    ]
    unseen = store.load("llama-server-11434/chat/history-foreign_ids.stream")
    assert ids_seen([store.load(FOREIGN), unseen]) == {"ids sent": 2, "ids in the prompt": 0}


def test_profiles_and_their_proofs(store: Store) -> None:
    rows = {(row[0], row[1]): row for row in profiles_table().rows}
    assert rows["mistral", "chat"][3:7] == ("required", "[a-zA-Z0-9]{9}", "9", "hashed")
    assert rows["gemini", "gemini"][4:7] == ("any", "", "kept")
    assert all(one.found for one in proofs(store))
    made_up = msgspec.structs.replace(PROFILES[0], shown={"ids": "nobody/nothing#1: no", "order": "no/such/capture"})
    assert [row[-1] for row in proofs_table(proofs(store, [made_up])).rows] == ["no", "no"]


def test_maps(store: Store) -> None:
    calls = [*ids_sent(store.load(FOREIGN)), ("call_1", "f")]
    table = maps_table(calls)
    assert table.columns[1:] == tuple(f"{each.name} {each.dialect}" for each in strict_profiles())
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["call_1"]["anthropic messages"] == "call_1"
    assert rows["functions.get_weather:0"]["kimi chat"] == "functions.get_weather:0"
    assert broken_maps(every_id(store)) == []


def test_a_map_that_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IdMap, "there", lambda self, identifier: "same")
    assert "mistral chat: is injective does not hold" in broken_maps([("a", None), ("b", None)])
    assert "mistral chat: gives allowed ids does not hold" in broken_maps([("a", None), ("b", None)])


def test_a_history_for_a_strict_endpoint(store: Store) -> None:
    choice = Replay(source="chat", to="messages", profile="anthropic")
    one = mapped(store.load(FOREIGN).request.json, choice)
    assert one.back == one.before
    assert one.results == one.after
    assert one.codes == ("id-mapped", "id-mapped")
    row = mapped_table({"foreign": one}).rows[0]
    assert row[3:] == ("yes", "yes")


def test_cases_after_reports(store: Store) -> None:
    found = case_choices(store, {"BR-078": "anthropic"})
    assert list(found) == ["BR-078 for anthropic (HKUDS/nanobot#4356)"]
    assert len(set(found["BR-078 for anthropic (HKUDS/nanobot#4356)"].after)) == 2


def test_how_ids_are_made_is_told_in_words() -> None:
    assert {profile.ids.make for profile in PROFILES if profile.ids is not None} <= profiles._MADE.keys()


def test_captures_that_hold_no_history(store: Store) -> None:
    discovery = next(store.captures("ollama-0.32.15/discovery/*"))
    head = msgspec.structs.replace(discovery.head, protocol="chat")
    assert ids_sent(discovery) == ids_sent(msgspec.structs.replace(discovery, head=head)) == []
