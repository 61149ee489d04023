"""Gemini's calls and responses, and how each found the other."""

from typing import Any

import pytest

from wirelab.capture import Store
from wirelab.show.histories import wire_cases
from wirelab.show.pairing import (
    pairs,
    routes,
    routes_table,
    sent_back,
    signatures,
    signatures_table,
    steps,
    steps_table,
    through_chat,
    ties_by_route,
)


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


def call(name: str, identifier: str | None = None) -> dict[str, Any]:
    named = {} if identifier is None else {"id": identifier}
    return {"functionCall": {**named, "name": name, "args": {}}}


def response(name: str, text: str, identifier: str | None = None) -> dict[str, Any]:
    named = {} if identifier is None else {"id": identifier}
    return {"functionResponse": {**named, "name": name, "response": {"output": text}}}


CONTENTS = [
    {"role": "user", "parts": [{"text": "q"}]},
    {"role": "model", "parts": [call("f", "a"), call("f"), call("g"), call("f", "a")]},
    {
        "role": "user",
        "parts": [response("f", "1", "a"), response("f", "2"), response("g", "3", "zz"), response("h", "4")],
    },
]


def test_every_way_to_an_id() -> None:
    found = steps(CONTENTS)
    assert [(step.kind, step.id, step.how) for step in found] == [
        ("call", "a", "its own"),
        ("call", "call_1", "none was sent: ours"),
        ("call", "call_2", "none was sent: ours"),
        ("call", "call_3", "used before: ours"),
        ("response", "a", "by id"),
        ("response", "call_1", "by name, a guess"),
        ("response", "call_2", "by name"),
        ("response", "call_4", "answers no call"),
    ]
    assert steps_table(found).rows[6] == ("2", "response", "g", "3", "zz", "call_2", "by name")
    assert pairs(CONTENTS) == [("f({})", "1"), ("f({})", "2"), ("g({})", "3")]


def test_pairs_and_signatures_on_the_way(store: Store) -> None:
    cases = wire_cases(store)
    grouped, signed = cases["BR-081"]["frames"], cases["BR-085"]["frames"]
    assert pairs(through_chat(grouped)) == pairs(sent_back(grouped)) == pairs(grouped)
    assert signatures(signed) == {"contents[0].parts[0]": "sigA", "contents[0].parts[1]": "sigB"}
    assert signatures_table(signed).rows[1] == ("contents[0].parts[1]", "sigB", "sigB", "none")


def test_routes_through_a_gateway(store: Store) -> None:
    found = routes(store.captures("litellm-1.108.7/gemini/history-replay_reversed*"))
    assert routes_table(found).rows == (
        ("replay_reversed", "without", "", "all arrive", "2 result swapped"),
        ("replay_reversed", "with", "results-reordered", "all arrive", "2 result swapped"),
    )
    assert ties_by_route(found) == {"chat": {"name": 4}, "native": {"position": 4}}


def test_an_answer_without_a_history(store: Store) -> None:
    assert routes(store.captures("litellm-1.108.7/gemini/single.stream.chat-gemma4")) == []
