"""Every public failure of histories, and every history of the battery, gets its right outcome.

Where a case names no profile but is about one vendor's rule, that vendor's profile is taken (`VENDOR`). Cases told in
words have a check of their own below (`IN_WORDS`).
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from casebook import FOLDER, Case, load

from wirelab.history.codes import HISTORY_CODES
from wirelab.history.pairing import pair
from wirelab.history.replay import NextRequest, Replay, next_request, replay
from wirelab.history.settle import PLACEHOLDER
from wirelab.history.turns import read_turns
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.transcript import HistoryError, Message, Recorded, Result, Transcript

CASES = [case for case in load("wire-cases.jsonl") if case["protocol"].startswith("history-")]
BATTERY = msgspec.json.decode((FOLDER / "history-battery.json").read_bytes())
VENDOR = {"BR-074": "mistral", "BR-079": "openai"}


def request_of(case: Case, **changes: Any) -> NextRequest:
    """A case's next request."""
    choice = Replay(
        source=case["protocol"].removeprefix("history-"),
        to=case.get("to", "same"),
        profile=case.get("profile") or VENDOR.get(case["id"]),
    )
    return next_request(case["frames"], msgspec.structs.replace(choice, **changes))


def sent(request: NextRequest) -> Transcript:
    """The request as its endpoint reads it."""
    transcript = read_history(request.messages, request.dialect).transcript
    return pair(transcript).transcript if request.dialect == "gemini" else transcript


def calls_of(transcript: Transcript) -> list[Any]:
    return [call for entry in transcript.entries if isinstance(entry, Message) for call in entry.calls]


def labelled_pairs(case: Case, request: NextRequest) -> list[list[str]]:
    """Call and result, in the order sent; a call by the id it was written with, or by its name and number."""
    source = read_history(case["frames"], case["protocol"].removeprefix("history-")).transcript
    numbers: dict[str, int] = {}
    labels = {}
    for written, call in zip(calls_of(source), calls_of(sent(request)), strict=True):
        numbers[call.name] = numbers.get(call.name, 0) + 1
        labels[call.id] = written.id if isinstance(written.id, str) else f"{call.name}#{numbers[call.name]}"
    results = [entry for entry in sent(request).entries if isinstance(entry, Result)]
    return [[labels[result.id], outcome(result)] for result in results]


def outcome(result: Result) -> str:
    if isinstance(result.value, dict):
        return str(result.value["r"])
    return "<placeholder:unknown>" if result.text == PLACEHOLDER else result.text


def roles_of(request: NextRequest) -> list[str]:
    return [message["role"] for message in request.messages]


def assistants(request: NextRequest) -> list[dict[str, Any]]:
    return [message for message in request.messages if message.get("role") == "assistant"]


def in_one_content(case: Case, request: NextRequest) -> None:
    assert [(content["role"], len(content["parts"])) for content in request.messages] == [("model", 2), ("user", 2)]


def unchanged(case: Case, request: NextRequest) -> None:
    assert request.messages == case["frames"]


def without_status_and_content(case: Case, request: NextRequest) -> None:
    assert request.messages[0] == {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ENC"}
    assert request.messages[1:] == case["frames"][1:]


def content_by_profile(case: Case, request: NextRequest) -> None:
    empty = [{**case["frames"][1], "content": ""}]
    assert assistants(request) == [case["frames"][1]]
    assert assistants(request_of(case, profile="bedrock"))[0].get("content") is None
    assert assistants(request_of(case, profile="ollama-0.32.15")) == [case["frames"][1]]
    assert assistants(request_of(case, profile="ollama-0.12.8")) == empty
    filled = {**case, "frames": [case["frames"][0], *empty, case["frames"][2]]}
    assert assistants(request_of(filled, profile="bedrock"))[0].get("content") is None


def keeps_reasoning(case: Case, request: NextRequest) -> None:
    assert request.messages == case["frames"]
    without = [
        {key: value for key, value in message.items() if key != "reasoning_content"} for message in case["frames"]
    ]
    codes = [finding.code for finding in request_of({**case, "frames": without}).findings]
    assert codes == ["reasoning-missing"]


def loses_reasoning(case: Case, request: NextRequest) -> None:
    assert all("reasoning" not in key for message in request.messages for key in message)
    native = next_request(case["frames"], Replay(source="chat", to="native"))
    assert assistants(native)[0]["thinking"] == "plan"


IN_WORDS: dict[str, Callable[[Case, NextRequest], None]] = {
    "BR-083": in_one_content,
    "BR-085": unchanged,
    "BR-088": without_status_and_content,
    "BR-102": content_by_profile,
    "BR-103": keeps_reasoning,
    "BR-104": loses_reasoning,
    "BR-105": unchanged,
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_history_case(case: Case) -> None:
    expect = case["expect"]
    if "error" in expect:
        with pytest.raises(HistoryError) as caught:
            request_of(case)
        assert caught.value.code == expect["error"]
        return
    request = request_of(case)
    codes = {finding.code for finding in request.findings}
    calls = calls_of(sent(request))
    checked = {"pairs", "collision", "finding", "distinct", "rule", "placeholders", "request"} & expect.keys()
    if "pairs" in expect:
        assert labelled_pairs(case, request) == expect["pairs"]
    if expect.get("collision") or "rule" in expect:
        assert "call-id-reused" in codes
        assert len({call.id for call in calls}) == len(calls)
    if "finding" in expect:
        assert expect["finding"] in codes
    if "request" in expect:
        IN_WORDS[case["id"]](case, request)
    checked |= check_ids(case, request)
    if "request_roles" in expect:
        assert roles_of(request) == expect["request_roles"]
        checked.add("request_roles")
    assert checked == expect.keys()


def check_ids(case: Case, request: NextRequest) -> set[str]:
    """What a case says about ids; every result must go with its call. The keys of the expectation it has looked at."""
    expect = case["expect"]
    calls, results = calls_of(sent(request)), [entry for entry in sent(request).entries if isinstance(entry, Result)]
    assert [result.id for result in results] == [call.id for call in calls] or case["protocol"] == "history-gemini"
    if "id_regex" in expect:
        assert all(re.fullmatch(expect["id_regex"], call.id) for call in calls)
    if "max_len" in expect:
        assert all(len(call.id) <= expect["max_len"] for call in calls)
    if "request_ids" in expect:
        assert len(calls) == len(expect["request_ids"]) == len({call.id for call in calls})
        named = [(want, call.id) for want, call in zip(expect["request_ids"], calls, strict=True) if want[0] != "<"]
        assert all(want == got for want, got in named)
    if "request_results_order" in expect:
        assert [result.id for result in results] == expect["request_results_order"]
    return {key for key in ("id_regex", "max_len", "request_ids", "request_results_order") if key in expect}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_what_was_settled_is_settled(case: Case) -> None:
    if "error" in case["expect"]:
        return
    request = request_of(case)
    again = next_request(request.messages, Replay(source=request.dialect, profile=request.profile.name))
    assert again.messages == request.messages
    assert {finding.code for finding in again.findings} <= {"ambiguous-pairing", "reasoning-missing"}


EXPECTED: dict[str, tuple[list[tuple[str, int, str | None]], list[str]]] = {
    "H1": ([], ["user", "c1,c2", "c1=sun", "c2=noon"]),
    "H2": ([("orphan-result", 1, "zz")], []),
    "H3": ([("duplicate-result", 3, "c1")], []),
    "H4": ([("missing-result", 1, "c2")], ["user", "c1,c2", "c1=sun", "c2=?", "user"]),
    "H5": ([("held-back", 2, None)], ["user", "c1", "c1=sun", "user"]),
    "H6": ([("results-reordered", 2, "c2")], ["user", "c1,c2", "c1=sun", "c2=noon"]),
    "H7": ([("result-name-mismatch", 2, "c1")], []),
    "H8": ([("call-id-reused", 3, "c1")], ["user", "c1", "c1=sun", "wirelab_1", "wirelab_1=noon"]),
    "H9": ([("invalid-id", 1, "")], []),
    "H10": ([("held-back", 2, None)], ["user", "c1", "c1=sun", "assistant"]),
    "H11": ([("missing-result", 1, "c2")], ["user", "c1,c2", "c1=sun", "c2=?"]),
    "H12": ([("late-result", 4, "c1")], []),
}


def told(transcript: Transcript) -> list[str]:
    """A transcript in a word an entry."""
    return [
        f"{entry.id}={'?' if entry.text == PLACEHOLDER else entry.text}"
        if isinstance(entry, Result)
        else ",".join(call.id for call in entry.calls) or str(entry.role)
        for entry in transcript.entries
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("history", BATTERY, ids=[history["id"] for history in BATTERY])
def test_battery_history(history: Case, dialect: str) -> None:
    findings, entries = EXPECTED[history["id"]]
    recorded = Recorded(read_turns(history["turns"]))
    if not entries:
        with pytest.raises(HistoryError) as caught:
            replay(recorded, Replay(to=dialect))
        assert [(caught.value.code, caught.value.position, caught.value.id)] == findings
        assert HISTORY_CODES[caught.value.code].error
        return
    request = replay(recorded, Replay(to=dialect))
    assert [(finding.code, finding.position, finding.id) for finding in request.findings] == findings
    assert told(sent(request)) == entries


REPAIRED = {
    "H2": ["user"],
    "H3": ["user", "c1", "c1=sun"],
    "H12": ["user", "c1", "c1=sun", "c2", "c2=noon"],
}


@pytest.mark.parametrize("name", REPAIRED)
def test_repaired_history(name: str) -> None:
    history = next(each for each in BATTERY if each["id"] == name)
    request = replay(Recorded(read_turns(history["turns"])), Replay(repair=True))
    assert told(sent(request)) == REPAIRED[name]
    assert len(request.findings) == 1
