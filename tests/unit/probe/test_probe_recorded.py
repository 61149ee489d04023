"""The probe against the committed recordings: it asks what they asked, and sends back what they sent back."""

from typing import Any

import msgspec
import pytest

from wirelab.capture.store import Store
from wirelab.capture.types import Capture
from wirelab.errors import MisuseError
from wirelab.probe.checks import Question, complaints
from wirelab.probe.echo import reply
from wirelab.probe.plan import Step, Wish, asking
from wirelab.probe.scenarios import Mode, load_book

BOOK = load_book()
VERSION = "ollama-0.32.15"


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


def plain(body: Any) -> Any:
    """A body with arguments decoded: recorders put blanks into JSON text as they like."""
    if isinstance(body, dict):
        return {name: _arguments(value) if name == "arguments" else plain(value) for name, value in body.items()}
    return [plain(each) for each in body] if isinstance(body, list) else body


def _arguments(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, str) else value


def test_histories_are_asked_as_they_were_recorded(store: Store) -> None:
    wrong, compared = [], 0
    for capture in store.captures(f"{VERSION}/*/history-*"):
        step = Step(BOOK.named(capture.scenario), capture.protocol, "stream")
        body = asking(step, BOOK, Wish(model=capture.source.model or "")).body or {}
        limits = {"max_tokens": None}
        compared += 1
        if plain({**body, **limits}) != plain({**capture.request.json, **limits}):
            wrong.append(capture.name)
    assert wrong == []
    assert compared > 200


def test_conversations_go_on_as_they_were_recorded(store: Store) -> None:
    wrong, compared = [], 0
    for capture in store.captures(f"{VERSION}/*/conversation-[12].*"):
        following = _next(store, capture)
        if following is None:
            continue
        compared += 1
        before, after = _history(capture), _history(following)
        if [*before, *(reply(capture) or [])] != after:
            wrong.append(capture.name)
    assert wrong == []
    assert compared > 40


def _next(store: Store, capture: Capture) -> Capture | None:
    turn = capture.scenario.rpartition("-")[2]
    name = capture.name.replace(f"conversation-{turn}", f"conversation-{int(turn) + 1}")
    return store.load(name) if store.select(name) else None


def _history(capture: Capture) -> list[Any]:
    body = capture.request.json
    history = body.get("messages", body.get("input"))
    return history if isinstance(history, list) else [{"role": "user", "content": history}]


FROM_BEHIND = {
    *("runner_dies", "second_malformed", "second_call_after_first", "upstream_401", "web_search_local"),
    *("web_fetch_401", "web_fetch_upstream_404", "web_search_401", "web_search_upstream_404"),
}
"""Scenarios that need a hand behind the server; a client can't cause them."""


def test_every_recorded_ollama_request_asks_what_its_scenario_says(store: Store) -> None:
    wrong, compared = [], 0
    for capture in store.captures("ollama-0.[23]*.*/*"):
        try:
            scenario = BOOK.named(capture.scenario)
        except MisuseError:
            assert capture.scenario in FROM_BEHIND or capture.scenario.startswith("gguf_template"), capture.name
            continue
        mode = msgspec.convert(capture.variant.partition(".")[0], Mode)
        request = capture.request
        compared += 1
        question = Question(request.method, request.path, frozenset(request.headers), request.json)
        if found := complaints(scenario, question, mode):
            wrong.append((capture.name, found))
    assert [each for each in wrong if "real-model" not in each[0]] == []
    assert compared > 1000
