"""Plans: which requests a run will send, in order, before it sends the first."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from wirelab.errors import MisuseError
from wirelab.probe.bodies import Body, Message, Settings, body_of
from wirelab.probe.scenarios import Book, Call, Mode, Scenario, Turn, Worked, recorded_name
from wirelab.probe.targets import ENDPOINTS

_CITIES = ("Paris", "Rome", "Cairo")
_OWN_CITY = re.compile("Oslo|Tromsø")
_FILLER = "The tram stops here. " * 2900


class Wish(msgspec.Struct, frozen=True):
    """What a run is to ask. `tag` stands in the captures' names and tells models apart; `worked` puts worked turns
    before every question that has some; `times` asks everything so often.
    """

    model: str
    protocols: tuple[str, ...] = (*ENDPOINTS, "discovery")
    modes: tuple[Mode, ...] = ("stream", "whole", "plain")
    times: int = 1
    second_model: str | None = None
    has_key: bool = False
    worked: bool = False
    tag: str = ""
    settings: Settings = Settings()


class Step(msgspec.Struct, frozen=True):
    """One request of a plan: a scenario on a protocol in a mode, the turn of its conversation, and which repeat."""

    scenario: Scenario
    protocol: str
    mode: Mode
    turn: int = 0
    repeat: int = 1

    def name(self, tag: str = "") -> str:
        """`<protocol>/<scenario>.<variant>`, the part of a capture's name below its target."""
        parts = [
            recorded_name(self.scenario, self.turn),
            self.mode,
            tag,
            f"x{self.repeat}" if self.repeat > 1 else "",
        ]
        return f"{self.protocol}/{'.'.join(part for part in parts if part)}"


class Asking(msgspec.Struct, frozen=True):
    """A request ready to be sent: method, path below the origin, JSON body (None: none), and how it proves itself."""

    method: str
    path: str
    body: Body | None
    auth: str


def plan(scenarios: Iterable[Scenario], wish: Wish) -> list[Step]:
    """The steps of a run. What needs a key or a second model that the run has not is left out."""
    if wish.times < 1:
        raise MisuseError("--times must be 1 or more")
    return [
        Step(scenario, protocol, mode, turn, repeat)
        for scenario in scenarios
        if (wish.has_key or not scenario.needs_key) and (wish.second_model or not scenario.second_model)
        for protocol in scenario.protocols
        if protocol in wish.protocols
        for mode in scenario.modes
        if mode in wish.modes
        for repeat in range(1, wish.times + 1)
        for turn in range(scenario.follow_ups + 1)
    ]


def asking(step: Step, book: Book, wish: Wish, replies: Sequence[list[Message]] = ()) -> Asking:
    """The request of a step. `replies` hold what each earlier turn of its conversation adds to the history."""
    scenario = step.scenario
    if scenario.path is not None:
        path = scenario.path.replace("{model}", wish.model)
        return Asking(scenario.method, path, _filled(scenario.json, wish.model), scenario.auth)
    names = tuple(book.tools) if scenario.tools is None else scenario.tools
    switched = scenario.second_model and step.turn > 0 and wish.second_model
    body = body_of(
        scenario,
        step.protocol,
        [*turns_of(scenario, book, worked=wish.worked), *replies],
        stream=step.mode == "stream",
        model=wish.second_model if switched and wish.second_model else wish.model,
        tools={name: book.tools[name] for name in names},
        settings=wish.settings,
    )
    return Asking("POST", ENDPOINTS[step.protocol], body, scenario.auth)


def turns_of(scenario: Scenario, book: Book, *, worked: bool) -> list[Turn]:
    """The history that a scenario begins with: worked turns where wanted, then its own turns or its question."""
    if scenario.ask is not None:
        before = worked_turns(scenario.ask, book.worked[scenario.worked]) if worked and scenario.worked else []
        return [*before, Turn(user=scenario.ask)]
    return [msgspec.structs.replace(turn, user=_FILLER) if turn.user == "{filler}" else turn for turn in scenario.turns]


def worked_turns(ask: str, example: Worked) -> list[Turn]:
    """Three worked turns: the question for another city, its calls, a result for each, and an answer.

    A small model copies them, if the questions are worded alike.
    """
    turns = []
    for number, city in enumerate(_CITIES):
        calls = tuple(
            Call(tool, _in_city(arguments, city), f"call_{number}{'abcdefgh'[position]}")
            for position, (tool, arguments) in enumerate(example.calls)
        )
        turns.append(Turn(user=_OWN_CITY.sub(city, ask)))
        turns.append(Turn(think=example.think, say=example.say, calls=calls))
        turns.extend(Turn(result="ok", name=call.name, id=call.id) for call in calls)
        turns.append(Turn(say="Done."))
    return turns


def slug(text: str) -> str:
    """Text as a part of a capture's name: lower case letters, digits, and single separators."""
    return re.sub(r"[^a-z0-9.]+", "-", re.sub(r"\.\.+", ".", text.lower()))[:60].strip("-.")


def _in_city(arguments: Body, city: str) -> Body:
    return {
        name: value.replace("{city}", city) if isinstance(value, str) else value for name, value in arguments.items()
    }


def _filled(body: Body | None, model: str) -> Body | None:
    if body is None:
        return None
    return {name: model if value == "{model}" else value for name, value in body.items()}
