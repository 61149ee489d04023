"""The recorded requests as histories: written back as they were, settled as they were settled, continued as they went."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wirelab.calls import read_body
from wirelab.capture import Capture, load
from wirelab.history.codes import HISTORY_CODES
from wirelab.history.replay import Replay, next_request
from wirelab.history.settle import PLACEHOLDER
from wirelab.history.turn import next_turn
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.transcript import HistoryError, Result

RECORDED = Path(__file__).resolve().parents[2] / "captures" / "recorded"
SETTLED = "rendered-settled-"
UNSETTLED = ("rendered-", "history-")
ERRORS = {
    "history-duplicate_result": "duplicate-result",
    "history-id_missing": "missing-call-id",
    "history-name_mismatch": "result-name-mismatch",
    "history-orphan_result": "orphan-result",
    "history-result_id_missing": "missing-call-id",
    "history-unknown_id": "orphan-result",
    "rendered-duplicate_result": "duplicate-result",
    "rendered-orphan_result": "orphan-result",
    "rendered-unknown_id": "orphan-result",
    "arguments_broken_json": "bad-arguments",
}
"""The scenarios whose histories cannot be sent. Native requests may leave out ids; a wrong name shows only there."""


def captures(pattern: str) -> Iterator[Capture]:
    """The recordings whose path matches, with a request that is a history."""
    for path in sorted(RECORDED.glob(pattern)):
        capture = load(path)
        request = capture.request.json
        if capture.protocol in DIALECTS and isinstance(request, dict):
            yield capture


def messages_of(capture: Capture) -> Any:
    """The list of a recorded request; one that is a string is a user's message."""
    found = capture.request.json[DIALECTS[capture.protocol].list_key]
    return [{"role": "user", "content": found}] if isinstance(found, str) else found


def test_every_request_is_written_back_or_changed_with_a_report() -> None:
    count, unexplained = 0, []
    for capture in captures("*/*/*.jsonl"):
        if DIALECTS[capture.protocol].list_key not in capture.request.json:
            continue
        count += 1
        try:
            request = next_request(capture.request.json, Replay(source=capture.protocol))
        except HistoryError as error:
            if ERRORS.get(capture.scenario) != error.code:
                unexplained.append(f"{capture.name}: {error}")
            continue
        codes = {finding.code for finding in request.findings}
        same = request.messages == messages_of(capture)
        if codes - HISTORY_CODES.keys() or same != (not codes - {"ambiguous-pairing"}):
            unexplained.append(f"{capture.name}: {'unchanged' if same else 'changed'} with findings {codes}")
        again = next_request(request.messages, Replay(source=capture.protocol))
        if again.messages != request.messages or any(each.code != "ambiguous-pairing" for each in again.findings):
            unexplained.append(f"{capture.name}: settling twice changes something")
    assert unexplained == []
    assert count > 2400


def without_placeholder_text(messages: list[Any]) -> list[Any]:
    """Messages as they are, the text of a placeholder aside."""
    unknown = (PLACEHOLDER, "The result of this call is unknown: it may or may not have run.")
    return [{**each, "content": "?"} if each.get("content") in unknown else each for each in messages]


def test_settling_gives_the_settled_recordings() -> None:
    settled: dict[str, list[Capture]] = {}
    for capture in captures(f"*/native/{SETTLED}*.jsonl"):
        settled.setdefault(capture.scenario.removeprefix(SETTLED), []).append(capture)
    assert len(settled) == 4
    pairs, twins = 0, 0
    for prefix in UNSETTLED:
        for scenario, recordings in settled.items():
            for unsettled in captures(f"ollama-*/native/{prefix}{scenario}.*.jsonl"):
                messages = without_placeholder_text(
                    next_request(unsettled.request.json, Replay(source="native")).messages
                )
                assert all(messages == without_placeholder_text(messages_of(twin)) for twin in recordings), (
                    unsettled.name
                )
                pairs += 1
                twins += any(unsettled.source.model == twin.source.model for twin in recordings)
    assert pairs >= twins >= 68


def conversations() -> list[tuple[str, Path, Path]]:
    """Two turns of one conversation that follow each other, where both were recorded and calls were answered.

    A model that made no call was asked something new: that is nothing a history could know.
    """
    found = []
    for path in sorted(RECORDED.glob("*/*/conversation-[12].*.jsonl")):
        turn = int(path.name[len("conversation-")])
        following = path.with_name(path.name.replace(f"-{turn}.", f"-{turn + 1}.", 1))
        if following.exists() and _ends_with_a_result(load(following)):
            found.append((f"{path.parts[-3]}/{path.parts[-2]}/{path.stem}", path, following))
    return found


def _ends_with_a_result(capture: Capture) -> bool:
    return isinstance(read_history(capture.request.json, capture.protocol).transcript.entries[-1], Result)


def results_of(history: Any, protocol: str) -> dict[str, str]:
    """The results at the end of a request, by call id: what the agent added."""
    results: dict[str, str] = {}
    for entry in reversed(read_history(history, protocol).transcript.entries):
        if not isinstance(entry, Result):
            break
        results[entry.id] = entry.text
    return dict(reversed(results.items()))


def comparable(items: list[dict[str, Any]]) -> tuple[list[Any], list[str]]:
    """Responses items without what only the server knows, and the model's texts beside them.

    Differences that are named here: item ids, statuses, annotations and log probabilities are not part of a reading;
    Ollama 0.32 puts the turn's text after its calls, where a reading has it before them; 0.21 leaves it out of the
    output that was sent back, although it had streamed it.
    """
    rest, texts = [], []
    for item in items:
        if item.get("type") == "message" or "role" in item:
            content = item["content"]
            texts.append(content if isinstance(content, str) else "".join(part["text"] for part in content))
        else:
            rest.append({key: value for key, value in item.items() if key not in {"id", "status"}})
    return rest, texts


@pytest.mark.parametrize(("name", "path", "following"), conversations(), ids=[each[0] for each in conversations()])
def test_a_turn_gives_the_next_request(name: str, path: Path, following: Path) -> None:
    capture, after = load(path), load(following)
    reading = read_body(capture.body, capture.protocol)
    results = results_of(after.request.json, capture.protocol)
    request = next_turn(capture.request.json, reading, results, Replay(source=capture.protocol))
    if capture.protocol != "responses":
        assert request.messages == messages_of(after)
        return
    items, texts = comparable(request.messages)
    recorded_items, recorded_texts = comparable(messages_of(after))
    assert items == recorded_items
    assert set(recorded_texts) <= set(texts)
    assert recorded_texts == texts or capture.source.version == "0.21.2"


def test_there_are_conversations_of_every_protocol() -> None:
    assert len(conversations()) == 70
    assert {path.parts[-2] for _, path, _ in conversations()} == {"chat", "native", "responses", "messages"}
