"""The scenarios: each request passes its own scenario's checks, and a request that asks something else does not."""

import re
from itertools import combinations
from typing import Any

import pytest

from wirelab.errors import MisuseError
from wirelab.probe.bodies import Settings
from wirelab.probe.checks import _OF_HISTORY, _OF_REQUEST, Question, complaints
from wirelab.probe.plan import Asking, Step, Wish, asking, plan, slug, worked_turns
from wirelab.probe.scenarios import PROTOCOLS, Mode, Scenario, load_book, select
from wirelab.probe.summary import summarise

BOOK = load_book()
WISH = Wish(model="m", has_key=True, second_model="n")
SENT = {"bearer": {"authorization"}, "wrong-bearer": {"authorization"}, "x-api-key": {"x-api-key"}, "none": set()}
FIRST = [step for step in plan(BOOK.scenarios, WISH) if not step.turn]


def question(asked: Asking) -> Question:
    return Question(asked.method, asked.path, frozenset(SENT[asked.auth]), asked.body)


@pytest.mark.parametrize("worked", [False, True])
@pytest.mark.parametrize("step", FIRST, ids=lambda step: step.name())
def test_every_request_asks_what_its_scenario_says(step: Step, worked: bool) -> None:
    wish = Wish("m", worked=worked, settings=Settings(96, 0, 7) if worked else Settings())
    assert complaints(step.scenario, question(asking(step, BOOK, wish)), step.mode) == []


@pytest.mark.parametrize("mode", ["stream", "whole"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_request_for_another_scenario_is_told_apart(protocol: str, mode: Mode) -> None:
    """Two scenarios pass each other's checks only where they send the very same body first."""
    steps = [step for step in FIRST if step.protocol == protocol and step.mode == mode]
    sent = {step.scenario.name: (step.scenario, question(asking(step, BOOK, WISH))) for step in steps}
    confused = [
        (one.name, other.name)
        for (one, own), (other, foreign) in combinations(sent.values(), 2)
        if own.body != foreign.body and complaints(one, foreign, mode) == complaints(other, own, mode) == []
    ]
    assert confused == []


def test_a_stream_is_no_whole_answer() -> None:
    step = FIRST[0]
    asked = question(asking(step, BOOK, WISH))
    assert complaints(step.scenario, asked, "whole") == ["single: the request fails its check 'mode:whole'"]


def test_every_check_exists_and_is_used() -> None:
    used = {check.partition(":")[0] for scenario in BOOK.scenarios for check in scenario.checks}
    assert used | {"renders"} == {*_OF_HISTORY, *_OF_REQUEST}
    scenario = Scenario(name="s", group="calls", says="", checks=("no-such-check",))
    with pytest.raises(MisuseError, match="no check"):
        complaints(scenario, Question("POST", "/", frozenset(), {}), "plain")


@pytest.mark.parametrize("scenario", BOOK.scenarios, ids=lambda scenario: scenario.name)
def test_the_table_is_sound(scenario: Scenario) -> None:
    assert scenario.checks
    assert re.fullmatch(r"[a-z0-9_-]+", scenario.name)
    assert scenario.says == scenario.says.strip() != ""
    assert set(scenario.protocols) <= {*PROTOCOLS, "discovery"}
    assert set(scenario.fields) <= set(scenario.protocols)
    assert scenario.worked is None or scenario.worked in BOOK.worked
    assert (scenario.path is not None) == (scenario.protocols == ("discovery",)) == (scenario.modes == ("plain",))
    assert len([other for other in BOOK.scenarios if other.name == scenario.name]) == 1


def test_the_four_protocols_ask_the_same() -> None:
    for scenario in BOOK.scenarios:
        if set(scenario.protocols) != set(PROTOCOLS) or scenario.fields:
            continue
        seen = [summarise(asking(Step(scenario, protocol, "whole"), BOOK, WISH).body) for protocol in PROTOCOLS]
        kinds = {tuple((entry.kind, entry.id) for entry in asked.entries) for asked in seen}
        tools = {asked.tools for asked in seen}
        assert (len(kinds), len(tools)) == (1, 1), scenario.name


def test_names_and_groups_select() -> None:
    assert [scenario.name for scenario in select(BOOK.scenarios, ["parallel", "single"])] == ["single", "parallel"]
    assert {scenario.group for scenario in select(BOOK.scenarios, ["auth"])} == {"auth"}
    assert [scenario.name for scenario in select(BOOK.scenarios, ["history-long_id"])] == ["history-long_id"]
    assert len(select(BOOK.scenarios, [])) == len(BOOK.scenarios)
    with pytest.raises(MisuseError, match="the groups are"):
        select(BOOK.scenarios, ["nothing"])


@pytest.mark.parametrize(
    ("recorded", "name"),
    [
        ("single", "single"),
        ("history-long_id", "history-long_id"),
        ("conversation-3", "conversation"),
        ("conversation-1", "conversation"),
    ],
)
def test_a_recorded_name_finds_its_scenario(recorded: str, name: str) -> None:
    assert BOOK.named(recorded).name == name


def test_an_unknown_name_finds_nothing() -> None:
    with pytest.raises(MisuseError, match="no scenario"):
        BOOK.named("rendered-nothing")


def test_a_rendered_history_keeps_its_checks_unless_it_was_settled() -> None:
    assert BOOK.named("rendered-user_between").checks == (*BOOK.named("history-user_between").checks, "renders")
    assert BOOK.named("rendered-settled-user_between").checks == ("renders",)


def test_what_needs_a_key_or_a_second_model_is_left_out_without() -> None:
    poor = {step.scenario.name for step in plan(BOOK.scenarios, Wish(model="m"))}
    rich = {step.scenario.name for step in plan(BOOK.scenarios, WISH)}
    assert rich - poor == {"auth_x_api_key", "auth_bearer", "model_switch"}


def test_repeats_and_turns_have_names_of_their_own() -> None:
    steps = plan([BOOK.named("conversation")], Wish(model="m", protocols=("chat",), modes=("stream",), times=2))
    assert [step.name("m") for step in steps] == [
        "chat/conversation-1.stream.m",
        "chat/conversation-2.stream.m",
        "chat/conversation-3.stream.m",
        "chat/conversation-1.stream.m.x2",
        "chat/conversation-2.stream.m.x2",
        "chat/conversation-3.stream.m.x2",
    ]
    with pytest.raises(MisuseError, match="--times"):
        plan(BOOK.scenarios, Wish(model="m", times=0))


def test_the_second_turn_of_a_model_switch_asks_the_other_model() -> None:
    scenario = BOOK.named("model_switch")
    models = [
        (asking(Step(scenario, "chat", "stream", turn), BOOK, WISH, [[]] * turn).body or {})["model"] for turn in (0, 1)
    ]
    assert models == ["m", "n"]


@pytest.mark.parametrize(
    ("protocol", "fields"),
    [
        ("native", {"options": {"num_predict": 9, "temperature": 0.5, "seed": 7}}),
        ("chat", {"max_tokens": 9, "temperature": 0.5, "seed": 7}),
        ("responses", {"max_output_tokens": 9, "temperature": 0.5}),
        ("messages", {"max_tokens": 9, "temperature": 0.5}),
    ],
)
def test_settings_in_the_words_of_each_protocol(protocol: str, fields: dict[str, Any]) -> None:
    wish = Wish(model="m", settings=Settings(9, 0.5, 7))
    body = asking(Step(BOOK.named("no_call"), protocol, "whole"), BOOK, wish).body
    assert body is not None
    assert {name: body.get(name) for name in fields} == fields
    plain = asking(Step(BOOK.named("no_call"), protocol, "whole"), BOOK, Wish(model="m")).body
    assert plain is not None
    assert set(plain) - {"max_tokens"} == {
        "model",
        "input" if protocol == "responses" else "messages",
        "stream",
        "tools",
    }


def test_worked_turns_show_three_cities() -> None:
    turns = worked_turns("Weather and time in Oslo?", BOOK.worked["both"])
    assert [turn.user for turn in turns if turn.user] == [
        f"Weather and time in {city}?" for city in ("Paris", "Rome", "Cairo")
    ]
    calls = [call for turn in turns for call in turn.calls]
    assert len({call.id for call in calls}) == len(calls) == 6


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ollama-0.32.15", "ollama-0.32.15"),
        ("-", ""),
        ("hf.co/Org/Model:Q4_K", "hf.co-org-model-q4-k"),
        ("../../etc", "etc"),
    ],
)
def test_slugs(text: str, wanted: str) -> None:
    assert slug(text) == wanted
