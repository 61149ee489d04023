"""What the recorded prompts show of the histories behind them: every loss, and none in the settled ones."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from wirelab.capture import Capture, load
from wirelab.history.visibility import Visibility, visibility
from wirelab.model import Json
from wirelab.protocols.dialects import read_history

ROOT = Path(__file__).resolve().parents[2] / "captures" / "recorded"


def prompt_of(capture: Capture) -> Json:
    """The prompt that the server made: the answer itself, or what was seen behind it."""
    if capture.scenario.startswith("rendered-"):
        return json.loads(capture.body).get("_debug_info", {}).get("rendered_template")
    return capture.observed.prompt if capture.observed is not None else None


@cache
def rendered(scenario: str) -> dict[str, Visibility]:
    """By capture: what became of the parts of every history of one scenario."""
    found = {}
    for path in sorted(ROOT.rglob(f"{scenario}.*.jsonl")):
        capture = load(path)
        if prompt_of(capture):
            transcript = read_history(capture.request.json, capture.protocol).transcript
            found[capture.name] = visibility(transcript, prompt_of(capture))
    return found


@pytest.mark.parametrize(
    "scenario", ["commentary_between", "missing_result", "replay_same_tool_reversed", "user_between"]
)
def test_nothing_is_lost_once_settled(scenario: str) -> None:
    settled = rendered(f"rendered-settled-{scenario}")
    assert len(settled) > 12
    assert {name: seen.losses for name, seen in settled.items() if seen.losses} == {}


def test_results_of_one_tool_are_swapped_by_all_but_one() -> None:
    reversed_ = rendered("rendered-replay_same_tool_reversed")
    right = [name for name, seen in reversed_.items() if not any(part.swapped for part in seen.parts)]
    assert [name.rpartition(".")[2] for name in right] == ["cohere"]
    assert all(seen.swapped for name, one in reversed_.items() if name not in right for seen in one.losses)


@pytest.mark.parametrize("scenario", ["commentary_between", "user_between", "orphan_result"])
def test_gemma4_drops_what_does_not_follow_its_calls(scenario: str) -> None:
    losing = {name: seen.losses for name, seen in rendered(f"rendered-{scenario}").items() if seen.losses}
    assert {name.rpartition(".")[2] for name in losing} == {"gemma4"}
    assert all([one.part.kind for one in losses] == ["result"] for losses in losing.values())


def test_what_only_the_template_can_cure() -> None:
    lost = Counter(
        (name.rpartition(".")[2], one.part.kind, one.state)
        for scenario in ("rendered-text_and_call", "rendered-thinking_and_call")
        for name, seen in rendered(scenario).items()
        for one in seen.losses
    )
    assert ("template-hermes", "call", "lost") in lost
    assert ("gemma4", "text", "moved") in lost
    assert ("gpt-oss", "thinking", "lost") in lost
