"""Every public failure gets its right outcome, strict and lenient. Where a case is a matter of judgement:

- BR-010 (a negative index) allows a reading or a refusal: we read it, the index counts as absent (`invalid-index`).
- BR-048 (a tool nobody declared) asks for the error `unknown-tool`: it is an anomaly here, since the other calls of the
  response stay good, and the call itself is not executable, which is what the case is about.
- BR-117 (the last event without its blank line): strict leaves it out and says so, lenient takes it if it is whole.
"""

import pytest
from casebook import BATTERY, WIRE, Case, faults, read

from wirelab.codes import CODES
from wirelab.model import Severity


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize("case", WIRE, ids=[case["id"] for case in WIRE])
def test_wire_case(case: Case, strict: bool) -> None:
    assert faults(case, read(case, strict=strict)) == []


@pytest.mark.parametrize("stream", BATTERY, ids=[f"{stream['proto']}-{stream['id']}" for stream in BATTERY])
def test_battery_stream(stream: Case) -> None:
    lenient, strict = read(stream), read(stream, strict=True)
    if stream["want"] == "error":
        assert lenient.error is not None
        assert strict.error is not None
        assert lenient.executable == strict.executable == ()
        return
    for reading in (lenient, strict):
        calls = [
            (None if call.id_source == "allocated" else call.id, call.name, call.arguments) for call in reading.calls
        ]
        assert calls == [(call["id"], call["name"], call["arguments"]) for call in stream["want"]]
        assert reading.executable == tuple(call.id for call in reading.calls)


@pytest.mark.parametrize("case", WIRE, ids=[case["id"] for case in WIRE])
def test_findings_are_known_and_a_violation_closes(case: Case) -> None:
    for strict in (True, False):
        reading = read(case, strict=strict)
        violations = [finding for finding in reading.findings if finding.severity is Severity.VIOLATION]
        assert all(CODES[finding.code].severity is finding.severity for finding in reading.findings)
        assert (reading.error is not None) == bool(violations)
        assert not (violations and reading.executable)
