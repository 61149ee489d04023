"""The scenarios: what is asked, as data. `scenarios.json` holds them, one a line.

A scenario is asked on each of its protocols and in each of its modes (`stream`, `whole`; `plain` for discovery). What
differs by protocol stands in `fields`; everything else is said once, in neutral turns, and `bodies` puts it into each
protocol's words. Every scenario names the checks that prove of a request that it asks what the scenario says.
"""

from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from wirelab.errors import MisuseError
from wirelab.model import Json

PROTOCOLS = ("native", "chat", "responses", "messages")
Mode = Literal["stream", "whole", "plain"]
Auth = Literal["bearer", "none", "wrong-bearer", "x-api-key"]


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call in a history; `id` and `index` are None where they are left away.

    `text` is the arguments' own JSON text, where it is known and a protocol sends them as text.
    """

    name: str
    arguments: dict[str, Json]
    id: str | None = None
    index: int | None = None
    text: str | None = None


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a history: what a user says, what an assistant thinks, says and calls, or one result.

    `signature` vouches for the thinking, where a server signs it.
    """

    user: str | None = None
    think: str | None = None
    signature: str | None = None
    say: str | None = None
    calls: tuple[Call, ...] = ()
    result: str | None = None
    name: str | None = None
    id: str | None = None


class Worked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an assistant answers in an example turn, with `{city}` for a city; the question is the scenario's own."""

    calls: tuple[tuple[str, dict[str, Json]], ...]
    say: str | None = None
    think: str | None = None


class Tool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A declared tool; `parameters` is its JSON schema."""

    description: str
    parameters: dict[str, Json]


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scenario.

    `ask` is a single question, `turns` a whole history instead. `fields` are merged into the body by protocol, `drop`
    names fields that are left out. `limit` is in output tokens. `hang_up_after` counts transport reads. `follow_ups`
    counts the turns after the first that send the server's own output back. `method`, `path` and `json` belong to
    discovery, where `{model}` stands for the model asked.
    """

    name: str
    group: str
    says: str
    checks: tuple[str, ...]
    ask: str | None = None
    turns: tuple[Turn, ...] = ()
    protocols: tuple[str, ...] = PROTOCOLS
    modes: tuple[Mode, ...] = ("stream", "whole")
    tools: tuple[str, ...] | None = None
    fields: dict[str, dict[str, Json]] = {}
    drop: tuple[str, ...] = ()
    limit: int | None = None
    model: str | None = None
    auth: Auth = "bearer"
    needs_key: bool = False
    worked: str | None = None
    hang_up_after: int | None = None
    follow_ups: int = 0
    second_model: bool = False
    method: str = "POST"
    path: str | None = None
    json: Json = None


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All scenarios, the tools that they declare, and the worked turns that can stand before them."""

    tools: dict[str, Tool]
    worked: dict[str, Worked]
    scenarios: tuple[Scenario, ...]

    def named(self, name: str) -> Scenario:
        """The scenario that a recorded name belongs to. Raises `MisuseError`.

        A turn of a conversation (`conversation-2`) belongs to `conversation`; a history that was rendered, as it was
        or settled (`rendered-…`, `rendered-settled-…`), to that history, with the checks that still apply.
        """
        if name.startswith("rendered-"):
            return self._rendered(name.removeprefix("rendered-"))
        for scenario in self.scenarios:
            if scenario.name == name or (scenario.follow_ups and scenario.name == name.rpartition("-")[0]):
                return scenario
        raise MisuseError(f"there is no scenario {name!r}")

    def _rendered(self, name: str) -> Scenario:
        scenario = self.named(f"history-{name.removeprefix('settled-')}")
        kept = () if name.startswith("settled-") else scenario.checks
        return msgspec.structs.replace(scenario, checks=(*kept, "renders"))


@cache
def load_book() -> Book:
    """The scenarios of this package."""
    return msgspec.json.decode(files("wirelab.probe").joinpath("scenarios.json").read_bytes(), type=Book)


def recorded_name(scenario: Scenario, turn: int) -> str:
    """What a capture of a scenario's turn is called: the turns of a conversation are counted."""
    return f"{scenario.name}-{turn + 1}" if scenario.follow_ups else scenario.name


def select(scenarios: Iterable[Scenario], wanted: Collection[str]) -> list[Scenario]:
    """The scenarios whose name or group is wanted, in their own order; all where nothing is named.

    Raises `MisuseError` for a word that names neither.
    """
    known = list(scenarios)
    words = {word for scenario in known for word in _words(scenario)}
    if unknown := sorted(set(wanted) - words):
        groups = ", ".join(sorted({scenario.group for scenario in known}))
        raise MisuseError(f"no scenario or group is called {', '.join(unknown)}; the groups are {groups}")
    return [scenario for scenario in known if not wanted or _words(scenario) & set(wanted)]


def _words(scenario: Scenario) -> set[str]:
    return {scenario.name, scenario.group, recorded_name(scenario, 0)}
