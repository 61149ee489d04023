"""Every capture that can be read, read once: how many readings, what was found, by server and protocol."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

import msgspec

from wirelab.capture import Capture, read_capture
from wirelab.capture.types import Evidence
from wirelab.errors import WirelabError
from wirelab.model import Finding, Frame, Reading, Severity
from wirelab.protocols.registry import PROTOCOLS
from wirelab.show.frames import frames_of
from wirelab.show.text import wire_text
from wirelab.show.verdict import where

EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)

WORDS: dict[Evidence, str] = {"documented": "public reports", "synthetic": "made up"}

Key = tuple[str, str, Evidence]
"""Target, protocol, evidence."""

NUMBERS = re.compile(r"(\d+)")

EXCERPT = 1000
"""Characters of a frame that are kept for the page."""


class Found(msgspec.Struct, frozen=True):
    """One finding of one capture, with the frame it was made in."""

    capture: str
    evidence: str
    recorded_at: str
    server: str
    protocol: str
    code: str
    severity: Severity
    detail: str
    place: str
    call: str | None
    frame: int | None
    excerpt: str


class Group(msgspec.Struct, frozen=True):
    """What the captures of one server and protocol hold."""

    server: str
    protocol: str
    evidence: str
    readings: int
    calls: int
    executable: int
    with_findings: int
    violations: int
    codes: dict[str, int]


class Survey(msgspec.Struct, frozen=True):
    """The whole of it. `unread` counts captures of protocols without a reader, by protocol; `broken` are messages."""

    groups: tuple[Group, ...]
    found: tuple[Found, ...]
    unread: dict[str, int]
    broken: tuple[str, ...]

    @property
    def readings(self) -> int:
        """How many captures were read."""
        return sum(group.readings for group in self.groups)

    @property
    def with_findings(self) -> int:
        """How many of them have at least one finding."""
        return sum(group.with_findings for group in self.groups)

    @property
    def violations(self) -> int:
        """How many of them must not be executed."""
        return sum(group.violations for group in self.groups)


def survey(captures: Iterable[Capture]) -> Survey:
    """Read all captures. One that cannot be read is named and counted, and stops nothing."""
    groups: dict[Key, list[tuple[Capture, Reading]]] = {}
    found: list[Found] = []
    unread: Counter[str] = Counter()
    broken: list[str] = []
    for capture in captures:
        if capture.protocol not in PROTOCOLS:
            unread[capture.protocol] += 1
            continue
        try:
            reading = read_capture(capture)
            found += finds(capture, reading)
        except WirelabError as error:
            broken.append(f"{capture.name}: {error}")
            continue
        groups.setdefault(group_key(capture), []).append((capture, reading))
    made = tuple(group(key, groups[key]) for key in sorted(groups, key=order))
    return Survey(made, tuple(found), dict(unread), tuple(broken))


def group_key(capture: Capture) -> Key:
    """What the rows of the table are: recorded targets one by one, then what was written down and made up."""
    kind = capture.source.kind
    target = capture.name.partition("/")[0] if kind == "recorded" else WORDS[kind]
    return target, capture.protocol, kind


def order(key: Key) -> tuple[int, list[tuple[int, str]], str]:
    """Recorded ones first; versions by their numbers, not their letters: 0.9 before 0.12."""
    target, protocol, kind = key
    parts = [(int(part), "") if part.isdigit() else (-1, part) for part in NUMBERS.split(target)]
    return EVIDENCE.index(kind), parts, protocol


def server_of(capture: Capture) -> str:
    """Name and version."""
    return f"{capture.source.server or 'made up'} {capture.source.version}".strip()


def group(key: Key, members: list[tuple[Capture, Reading]]) -> Group:
    """One row of the table."""
    readings = [reading for _, reading in members]
    codes = Counter(code for reading in readings for code in {finding.code for finding in reading.findings})
    return Group(
        server=key[0],
        protocol=key[1],
        evidence=key[2],
        readings=len(readings),
        calls=sum(len(reading.calls) for reading in readings),
        executable=sum(len(reading.executable) for reading in readings),
        with_findings=sum(bool(reading.findings) for reading in readings),
        violations=sum(is_violated(reading) for reading in readings),
        codes=dict(codes.most_common()),
    )


def is_violated(reading: Reading) -> bool:
    """Whether nothing of the reading may be executed."""
    severe = any(finding.severity is Severity.VIOLATION for finding in reading.findings)
    return severe or reading.error is not None


def finds(capture: Capture, reading: Reading) -> Iterator[Found]:
    """The findings of a capture, each with its frame."""
    if not reading.findings:
        return
    whole = capture.framing == "whole" or capture.response.status >= 400
    frames = frames_of(capture.body, capture.protocol, whole=whole)
    by_number = {frame.number: frame for frame in frames}
    for finding in reading.findings:
        last = frames[-1] if frames else None
        yield found_of(capture, finding, last if finding.frame is None else by_number.get(finding.frame))


def found_of(capture: Capture, finding: Finding, frame: Frame | None) -> Found:
    """One finding, told without its capture. One about the whole body is shown with the last frame before the end."""
    at = [] if frame is None else [frame]
    place = where(finding, at) if finding.frame is not None or frame is None else f"after frame {frame.number}"
    return Found(
        capture=capture.name,
        evidence=capture.source.kind,
        recorded_at=capture.recorded_at[:10],
        server=server_of(capture),
        protocol=capture.protocol,
        code=finding.code,
        severity=finding.severity,
        detail=finding.detail,
        place=place,
        call=finding.call,
        frame=None if frame is None else frame.number,
        excerpt="" if frame is None else wire_text(frame.data[: 4 * EXCERPT])[:EXCERPT],
    )
