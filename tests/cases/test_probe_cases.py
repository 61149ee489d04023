"""The `probe-*` cases: status, prompt size and request fields, judged by the room that asks servers.

Every case is read from the case file and judged by what its `expect` holds; a case with a key that nothing here judges
fails, so a new one can't pass by being overlooked.
"""

from collections.abc import Callable
from typing import Any

import pytest
from casebook import Case, load

from wirelab.calls import read_body
from wirelab.capture import cases
from wirelab.claims.diagnosis import forced_tool_ignored, silently_truncated
from wirelab.claims.failures import Failure, classify, history_arguments_valid, missing_model
from wirelab.model import Reading
from wirelab.probe.targets import resolve

PROBES = [case for case in load("wire-cases.jsonl") if case["protocol"].startswith("probe-")]
SOUND = {"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]}
LONG_PROMPT = {"messages": [{"role": "user", "content": "word " * 20_000}]}
"""What a case that says so was asked: its report tells the size, not the words."""


def protocol_of(case: Case) -> str:
    return str(case["protocol"]).removeprefix("probe-")


def request_of(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = cases.request_of(case["frames"]) or {}
    return found


def failure_of(case: Case) -> Failure:
    """The kind of failure of a case's answer; where a model list is needed, of the same answer twice."""
    answer = cases.answer_of(case["frames"]) or {}
    valid = history_arguments_valid(SOUND) if "precondition" in case["expect"] else None
    found = classify(answer.get("http_status"), answer.get("body"), history_valid=valid)
    if case["expect"].get("needs") == "model list check":
        gone = missing_model([found, found], "gone", ["another"])
        assert missing_model([found, found], "another", ["another"]) is None
        assert gone is not None
        return gone
    return found


def reading_of(case: Case) -> Reading:
    protocol = protocol_of(case)
    frames = [frame for frame in case["frames"] if "request" not in frame]
    return read_body(b"".join(cases.reads_of(protocol, frames)), protocol, strict=False)


def expect_error(case: Case) -> None:
    assert failure_of(case).kind == case["expect"]["error"]


def expect_window(case: Case) -> None:
    assert failure_of(case).window == case["expect"]["window"]


def expect_url(case: Case) -> None:
    target = resolve(request_of(case)["base"])
    assert target.url(protocol_of(case)) == case["expect"]["resolved_url"]


def expect_calls(case: Case) -> None:
    assert [call.id for call in reading_of(case).calls] == case["expect"]["calls"]


def expect_diagnostic(case: Case) -> None:
    found = reading_of(case)
    called = [call.name or "" for call in found.calls]
    counted = (found.usage or {}).get("prompt_eval_count")
    made = {
        "silent-truncation": silently_truncated(LONG_PROMPT, counted),
        "forced-tool-ignored": forced_tool_ignored(request_of(case), called),
    }
    assert made[case["expect"]["diagnostic"]]


JUDGES: dict[str, Callable[[Case], None]] = {
    "error": expect_error,
    "window": expect_window,
    "resolved_url": expect_url,
    "calls": expect_calls,
    "diagnostic": expect_diagnostic,
    "needs": expect_error,
    "precondition": expect_error,
    "note": lambda _: None,
}


def test_there_are_probe_cases() -> None:
    assert len(PROBES) >= 7


@pytest.mark.parametrize("case", PROBES, ids=lambda case: f"{case['id']}-{case['kind']}")
def test_probe_case(case: Case) -> None:
    for key in case["expect"]:
        JUDGES[key](case)
