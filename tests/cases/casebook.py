"""The language-neutral cases, and how one is read and judged. Shared by the tests of cases, splits and rules."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import msgspec

from wirelab.calls import Limits, ResponseMachine
from wirelab.calls.reconcile import Reconciler
from wirelab.capture import cases
from wirelab.errors import ProtocolViolationError
from wirelab.model import Asked, Reading
from wirelab.protocols.registry import PROTOCOLS

Case = Mapping[str, Any]
FOLDER = Path(__file__).resolve().parents[2] / "captures" / "cases"


def load(name: str) -> list[Case]:
    """All cases of one file."""
    return [msgspec.json.decode(line) for line in (FOLDER / name).read_bytes().splitlines() if line.strip()]


WIRE = [case for case in load("wire-cases.jsonl") if case["protocol"] in PROTOCOLS]
BATTERY = [case for case in load("peer-battery.jsonl") if case["proto"] in PROTOCOLS]
RULE = load("rule-cases.jsonl")


def body_of(case: Case) -> bytes:
    """The bytes of a case or of a battery's stream."""
    if "proto" in case:
        return "".join(case["frames"]).encode()
    return b"".join(cases.reads_of(case["protocol"], case["frames"]))


def asked_of(case: Case) -> Asked:
    """What the case says was asked."""
    if "proto" in case:
        return Asked()
    asked = PROTOCOLS[case["protocol"]].asked(cases.request_of(case["frames"]) or {})
    tools = case["expect"].get("declared_tools")
    return asked if tools is None else msgspec.structs.replace(asked, tools=frozenset(tools))


def machine_of(case: Case, *, strict: bool, rules: AbstractSet[str] | None = None) -> ResponseMachine:
    """A fresh machine for a case, one rule switched off where asked."""
    protocol = case.get("protocol") or case["proto"]
    status = (cases.answer_of(case["frames"]) or {}).get("http_status") or 200
    limits = Limits(**case.get("limits", {}))
    machine = ResponseMachine(protocol, asked=asked_of(case), strict=strict, status=status, limits=limits)
    if rules is not None:
        reconciler = Reconciler(protocol, asked=asked_of(case), strict=strict, limits=limits, rules=rules)
        machine._reconciler = reconciler
    return machine


def read(case: Case, *, strict: bool = False, rules: AbstractSet[str] | None = None) -> Reading:
    """A case's reading, its body in one piece."""
    return read_pieces([body_of(case)], machine_of(case, strict=strict, rules=rules))


def read_pieces(pieces: list[bytes], machine: ResponseMachine) -> Reading:
    """A reading of a body that comes in pieces; what is known where a strict one stops."""
    try:
        for piece in pieces:
            machine.push(piece)
        return machine.close()
    except ProtocolViolationError:
        return machine.snapshot()


def faults(case: Case, reading: Reading) -> list[str]:
    """In what the reading differs from the case's expectation; with an error `calls` means the executable ones."""
    expect, found = case["expect"], []
    failing = "error" in expect
    shown = [call for call in reading.calls if not failing or call.id in reading.executable]
    ids = ["*generated*" if call.id_source == "allocated" and call.id else call.id for call in shown]
    got = [{"id": one, "name": call.name, "arguments": call.arguments} for one, call in zip(ids, shown, strict=True)]
    codes = sorted(finding.code for finding in reading.findings)
    if got != expect.get("calls", []):
        found.append(f"calls: {got}")
    if (expect["error"] not in codes or reading.executable) if failing else reading.error is not None:
        found.append(f"error: {reading.error}")
    if not {expect[key] for key in ("anomaly", "diagnostic") if key in expect} <= set(codes):
        found.append(f"findings: {codes}")
    for key, value in (("finish", reading.finish_reason), ("text", reading.text), ("usage", reading.usage)):
        if key in expect and expect[key] != value:
            found.append(f"{key}: {value!r}")
    if "findings" in expect and sorted(expect["findings"]) != codes:
        found.append(f"findings: {codes}")
    if "executable" in expect and expect["executable"] != list(reading.executable):
        found.append(f"executable: {reading.executable}")
    return found
