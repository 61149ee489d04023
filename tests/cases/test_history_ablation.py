"""Every rule of settling is needed: with any one of them switched off, a named case no longer gets its outcome."""

from collections.abc import Callable
from typing import Any

import pytest
from test_history_cases import BATTERY, CASES, test_battery_history, test_history_case

from wirelab.history import replay, settle
from wirelab.history.settle import _Armed, _Batch, _Settling
from wirelab.ids import IdMap, IdRule
from wirelab.transcript import HistoryError, Recorded

Patch = Callable[[pytest.MonkeyPatch], None]


def put(owner: Any, name: str, value: Any) -> Patch:
    """A rule that is switched off by putting something in its place."""
    return lambda patch: patch.setattr(owner, name, value)


RULES: list[tuple[str, str, Patch]] = [
    (
        "held back while calls are open",
        "BR-091",
        put(_Settling, "_place", lambda self, message: self.out.append(message)),
    ),
    ("results in call order", "BR-100", put(_Batch, "in_order", lambda self, order: self.arrived)),
    ("a result consumes its call", "H3", put(_Armed, "genuine", property(lambda self: False))),
    ("orphans are refused", "BR-098", put(_Settling, "_refuse", lambda *args: None)),
    ("late results are refused", "H12", put(_Settling, "_late", lambda *args: None)),
    ("reused ids are renamed", "BR-055", put(_Settling, "_allocate", lambda self: "call_0")),
    ("ids are checked", "BR-019", put(settle, "checked_id", lambda value, *args, **options: value)),
    ("names are checked", "H7", put(settle, "mismatched", lambda *args: None)),
    ("missing results are stood in for", "BR-052", put(settle, "PLACEHOLDER", "ok")),
    ("Gemini pairs by name", "BR-081", put(replay, "pair", lambda transcript, **options: Recorded(transcript))),
    (
        "refused reasoning is left out",
        "BR-104",
        put(replay, "fit_reasoning", lambda transcript, *args: Recorded(transcript)),
    ),
    ("foreign ids are mapped", "BR-077", put(IdRule, "allows", lambda self, identifier: True)),
    ("the map is injective", "BR-078", put(IdMap, "there", lambda self, identifier: "same")),
]


def run(name: str) -> None:
    """Hold one case, or a history of the battery as chat, to its outcome."""
    case = next((each for each in CASES if each["id"] == name), None)
    if case is not None:
        test_history_case(case)
    else:
        test_battery_history(next(each for each in BATTERY if each["id"] == name), "chat")


@pytest.mark.parametrize(("rule", "name", "off"), RULES, ids=[rule for rule, _, _ in RULES])
def test_a_case_fails_without_the_rule(rule: str, name: str, off: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    run(name)
    off(monkeypatch)
    with pytest.raises((AssertionError, pytest.fail.Exception, KeyError, ValueError, HistoryError)):
        run(name)
