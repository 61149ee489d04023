"""Every committed capture of a protocol that is read: all invariants in one item.

`losses.jsonl` lists each part of an answer that is not what the model said, with who lost it and why; it is complete in
both directions, and never the reader's.
"""

import random
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from wirelab.calls import ResponseMachine, read_body
from wirelab.capture import Capture, load
from wirelab.claims.fidelity import compare
from wirelab.codes import CODES
from wirelab.errors import ProtocolViolationError
from wirelab.model import Reading, Severity
from wirelab.protocols.registry import PROTOCOLS

ROOT = Path(__file__).resolve().parents[2] / "captures"
SPLITS = 20
PATHS = sorted(
    path
    for kind in ("recorded", "documented", "synthetic")
    for path in (ROOT / kind).rglob("*.jsonl")
    if path.parent.name in PROTOCOLS
)


@cache
def losses() -> dict[str, list[dict[str, str]]]:
    """The listed losses by capture."""
    listed: dict[str, list[dict[str, str]]] = {}
    for line in Path(__file__).with_name("losses.jsonl").read_bytes().splitlines():
        row = msgspec.json.decode(line)
        listed.setdefault(row["capture"], []).append(row)
    return listed


def options(capture: Capture) -> dict[str, Any]:
    """How the capture is read."""
    asked = PROTOCOLS[capture.protocol].asked(capture.request.json or {})
    return {"asked": asked, "status": capture.response.status, "strict": False}


def read_pieces(capture: Capture, pieces: list[bytes]) -> Reading:
    """The reading of the body in pieces."""
    machine = ResponseMachine(capture.protocol, **options(capture))
    for piece in pieces:
        machine.push(piece)
    return machine.close()


def check_splits(capture: Capture, whole: Reading) -> None:
    """Byte by byte, as it was read, and at random splits: the same."""
    body, chance = capture.body, random.Random(capture.name)
    assert read_pieces(capture, [bytes([byte]) for byte in body]) == whole
    assert read_pieces(capture, [read.data for read in capture.reads]) == whole
    for _ in range(SPLITS):
        cuts = sorted(chance.randrange(len(body) + 1) for _ in range(chance.randint(1, 8)))
        pieces = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        assert read_pieces(capture, pieces) == whole, cuts


def check_closed(capture: Capture, whole: Reading) -> None:
    """Fail closed, known codes, distinct ids, and strict stops where lenient goes on."""
    violations = [finding for finding in whole.findings if finding.severity is Severity.VIOLATION]
    assert all(CODES[finding.code].severity is finding.severity for finding in whole.findings)
    assert (whole.error is not None) == bool(violations)
    assert not (violations and whole.executable)
    ids = [call.id for call in whole.calls]
    assert len(set(ids)) == len(ids)
    assert set(whole.executable) <= {call.id for call in whole.calls if call.complete}
    strict = read_body(capture.body, capture.protocol, **{**options(capture), "strict": True})
    assert (strict.error is None) == (whole.error is None)
    if violations:
        with pytest.raises(ProtocolViolationError):
            strictly(capture)


def strictly(capture: Capture) -> Reading:
    """The strict reading; raises where it stops."""
    machine = ResponseMachine(capture.protocol, **{**options(capture), "strict": True})
    machine.push(capture.body)
    return machine.close()


def check_fidelity(capture: Capture, whole: Reading) -> None:
    """What the model said is what was read, or the list says who lost it."""
    if capture.observed is None or capture.observed.model_said is None:
        assert capture.name not in losses()
        return
    found = compare(
        whole, capture.observed.model_said, capture.observed.model_output, capture.source.server, capture.body
    )
    listed = losses().get(capture.name, [])
    assert [(one.part, one.how, one.blame) for one in found] == [(row["part"], row["how"], row["by"]) for row in listed]
    assert all(one.blame != "reader" for one in found)
    assert all(row["reason"] for row in listed)


@pytest.mark.parametrize("path", PATHS, ids=[str(path.relative_to(ROOT).with_suffix("")) for path in PATHS])
def test_capture(path: Path) -> None:
    capture = load(path)
    whole = read_body(capture.body, capture.protocol, **options(capture))
    check_closed(capture, whole)
    check_fidelity(capture, whole)
    check_splits(capture, whole)


def test_losses_name_captures_that_are_there() -> None:
    there = {
        str(path.relative_to(ROOT / "recorded").with_suffix(""))
        for path in PATHS
        if path.is_relative_to(ROOT / "recorded")
    }
    assert set(losses()) <= there
    assert len(there) > 1000
