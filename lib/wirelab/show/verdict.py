"""A reading for people: the verdict in a line, its calls, its findings with what to do about each."""

from collections.abc import Mapping, Sequence
from typing import Any

from wirelab.model import Finding, Frame, Reading, Severity, ToolCall
from wirelab.show.advice import advice_for
from wirelab.show.tables import Table, table
from wirelab.show.text import shortened

ID_SOURCES = {
    "provider": "server",
    "adopted": "server, later",
    "allocated": "wirelab (server sent none)",
}
"""Where a call's id is from: an allocated id is never shown as the provider's."""


def violations(reading: Reading) -> list[Finding]:
    """The findings that forbid running anything."""
    return [finding for finding in reading.findings if finding.severity is Severity.VIOLATION]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def verdict_line(reading: Reading) -> str:
    """One sentence: may the calls be executed, and if not, why."""
    came = counted(len(reading.calls), "call")
    if reading.error is not None:
        return f"DO NOT EXECUTE ({came}): {reading.error.code}: {reading.error.message}"
    if found := violations(reading):
        return f"DO NOT EXECUTE ({came}): {found[0].code}: {found[0].detail}"
    if not reading.calls:
        return "OK, no calls"
    if not reading.executable:
        return f"HOLD: {came}, none may be executed"
    if len(reading.executable) < len(reading.calls):
        return f"PARTLY: {len(reading.executable)} of {came} may be executed"
    return f"OK: {came}, all may be executed"


def call_words(reading: Reading, limit: int = 40) -> str:
    """`2 calls: get_weather {"city":"Oslo"} + get_time {}`."""
    words = [f"{call.name or 'no name'} {shortened(call.arguments_text, limit)}" for call in reading.calls]
    return f"{counted(len(words), 'call')}: {' + '.join(words)}" if words else "no calls"


def call_state(call: ToolCall, reading: Reading) -> str:
    """What may be done with one call."""
    if call.id in reading.executable:
        return "may be executed"
    return "complete, not to be executed" if call.complete else "incomplete"


def calls_table(reading: Reading, *, title: str = "", width_limit: int = 120) -> Table:
    """The calls in first-seen order, each id with where it is from."""
    rows: list[Mapping[str, Any]] = [
        {
            "call": number,
            "id": call.id,
            "id from": ID_SOURCES[call.id_source],
            "tool": call.name,
            "arguments": call.arguments_text,
            "also known as": ", ".join(_alias(alias) for alias in call.aliases),
            "state": call_state(call, reading),
        }
        for number, call in enumerate(reading.calls, start=1)
    ]
    return table(
        rows,
        ["call", "id", "id from", "tool", "arguments", "also known as", "state"],
        title=title,
        width_limit=width_limit,
    )


def _alias(alias: str | int) -> str:
    return f"index {alias}" if isinstance(alias, int) else alias


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Violations before anomalies, else in the order they were made."""
    return sorted(findings, key=lambda finding: finding.severity is not Severity.VIOLATION)


def where(finding: Finding, frames: Sequence[Frame] = ()) -> str:
    """`frame 3, entry 1, byte 512`: where a finding was made, as far as it is known."""
    parts = [] if finding.frame is None else [f"frame {finding.frame}"]
    if finding.position is not None:
        parts.append(f"entry {finding.position}")
    start = {frame.number: frame.start for frame in frames}.get(-1 if finding.frame is None else finding.frame)
    if start is not None:
        parts.append(f"byte {start}")
    return ", ".join(parts)


def findings_table(reading: Reading, frames: Sequence[Frame] = (), *, title: str = "", width_limit: int = 240) -> Table:
    """The findings, violations first, each with its place and what to do."""
    rows: list[Mapping[str, Any]] = [
        {
            "finding": finding.code,
            "severity": finding.severity.value,
            "where": where(finding, frames),
            "call": finding.call,
            "what": finding.detail,
            "what to do": advice_for(finding),
        }
        for finding in worst_first(reading.findings)
    ]
    return table(
        rows,
        ["finding", "severity", "where", "call", "what", "what to do"],
        title=title,
        width_limit=width_limit,
    )


def finish_line(reading: Reading) -> str:
    """`finish tool_calls (the server said stop)`."""
    if reading.finish_reason is None and reading.raw_finish_reason is None:
        return "no finish reason"
    if reading.finish_reason == reading.raw_finish_reason:
        return f"finish {reading.finish_reason}"
    return f"finish {reading.finish_reason} (the server said {reading.raw_finish_reason})"


def summary_table(reading: Reading, *, title: str = "") -> Table:
    """The reading at a glance: one row a fact."""
    return table(
        [
            {"fact": "verdict", "reading": verdict_line(reading)},
            {"fact": "protocol", "reading": reading.protocol},
            {"fact": "policy", "reading": reading.policy},
            {"fact": "finish", "reading": finish_line(reading)},
            {"fact": "calls", "reading": len(reading.calls)},
            {"fact": "may be executed", "reading": len(reading.executable)},
            {"fact": "text", "reading": reading.text},
            {"fact": "thinking", "reading": reading.thinking},
        ],
        title=title,
        width_limit=200,
    )
