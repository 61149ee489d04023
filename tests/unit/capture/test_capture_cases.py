"""The language-neutral cases: valid by their schema, and what the documented and synthetic captures are made from."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from wirelab.capture import Capture, Store
from wirelab.capture.cases import (
    answer_of,
    documented,
    framing_for,
    is_documented,
    reads_of,
    request_of,
    synthetic,
)

ROOT = Path(__file__).resolve().parents[3] / "captures"
CASES = ROOT / "cases"
SCHEMA = json.loads((CASES / "schema.json").read_text(encoding="utf-8"))


def rows(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / file).read_text(encoding="utf-8").splitlines()]


WIRE, BATTERY = rows("wire-cases.jsonl"), rows("peer-battery.jsonl")


def faults(definition: str, value: object) -> list[str]:
    checker = jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{definition}"})
    return [error.message for error in checker.iter_errors(value)]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", WIRE, ids=lambda case: case["id"])
def test_wire_case(case: dict[str, Any]) -> None:
    assert faults("wireCase", case) == []


@pytest.mark.parametrize("case", BATTERY, ids=lambda case: f"{case['proto']}-{case['id']}")
def test_peer_stream(case: dict[str, Any]) -> None:
    assert faults("peerStream", case) == []


@pytest.mark.parametrize(
    ("file", "definition"), [("peer-matrix.json", "peerMatrix"), ("history-battery.json", "historyBattery")]
)
def test_whole_file(file: str, definition: str) -> None:
    assert faults(definition, json.loads((CASES / file).read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "change",
    [{"id": "X"}, {"protocol": "smtp"}, {"frames": []}, {"frames": [1]}, {"expect": {}}, {"expect": {"what": 1}}, {"more": 1}],
)  # fmt: skip
def test_the_schema_refuses(change: dict[str, Any]) -> None:
    assert faults("wireCase", WIRE[0] | change) != []


def test_ids_are_unique() -> None:
    assert len({case["id"] for case in WIRE}) == len(WIRE) == 103
    assert len({(case["proto"], case["id"]) for case in BATTERY}) == len(BATTERY) == 80


def test_the_matrix_speaks_of_the_battery() -> None:
    matrix = json.loads((CASES / "peer-matrix.json").read_text(encoding="utf-8"))
    streams = {(case["proto"], case["id"]) for case in BATTERY}
    histories = {case["id"] for case in json.loads((CASES / "history-battery.json").read_text(encoding="utf-8"))}
    for peer in matrix["peers"]:
        assert {(peer["proto"], stream) for stream in peer["results"]} <= streams, peer["peer"]
        assert {result["outcome"] for result in peer["results"].values()} <= set(matrix["outcome_words"])
    assert {result["case"] for result in matrix["history"]} == histories
    assert {(row["proto"], row["id"]) for row in matrix["sent"]} <= streams


def made() -> Iterator[Capture]:
    yield from map(documented, filter(is_documented, WIRE))
    yield from map(synthetic, BATTERY)


def test_the_captures_are_what_the_cases_make() -> None:
    store = Store(ROOT)
    expected = {capture.name: capture for capture in made()}
    entries = [entry for entry in store.entries if entry.evidence != "recorded" and entry.target != "hostile"]
    assert {entry.name for entry in entries} == set(expected)
    for name, capture in expected.items():
        assert store.load(name) == capture


def test_the_forms_of_frames() -> None:
    frames = [
        {"request": {"tools": []}},
        {"type": "ping", "a": 1},
        "[DONE]",
        ": raw\n\n",
        {"text": "a\n"},
        {"hex": "ff0a"},
        {"generate": "<3 x>\\n", "repeat": 3},
        {"http_status": 500, "body": {"error": "é"}},
        {"http_status": None, "body": "plain"},
    ]
    assert reads_of("messages", frames) == [
        b'event: ping\ndata: {"type":"ping","a":1}\n\n',
        b"data: [DONE]\n\n",
        b": raw\n\n",
        b"a\n",
        b"\xff\n",
        b"xxx\n",
        '{"error":"é"}'.encode(),
        b"plain",
    ]
    assert reads_of("native", [{"a": 1}]) == [b'{"a":1}\n']
    assert reads_of("chat", [{"a": 1}]) == [b'data: {"a":1}\n\n']
    assert request_of(frames) == {"tools": []}
    assert request_of(frames[1:]) is None
    assert answer_of(frames) == frames[7]
    assert answer_of(frames[:3]) is None
    assert (framing_for("native"), framing_for("gemini")) == ("ndjson", "sse")


def test_a_whole_answer_becomes_a_capture() -> None:
    case = next(case for case in WIRE if case["id"] == "BR-156") | {"protocol": "native", "evidence": "described"}
    assert is_documented(case)
    capture = documented(case)
    assert (capture.response.status, capture.framing) == (429, "whole")
    assert capture.body == b'{"error":"(<redacted>) hit the weekly usage limit"}'
    assert not is_documented(case | {"protocol": "probe-native"})
    assert not is_documented(case | {"evidence": "disputed"})
