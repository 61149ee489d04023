"""The simpler recording logs: a head with the same fields, then a line a read, then an end line."""

import re
from pathlib import Path
from typing import Any

import msgspec

from wirelab.capture.format import MAX_READS, decoded_bytes
from wirelab.capture.inputs import one_line, open_input
from wirelab.capture.names import check_name
from wirelab.capture.types import (
    Capture,
    End,
    EndKind,
    Head,
    Observed,
    Read,
    Request,
    Response,
    Source,
    framing_of,
)
from wirelab.errors import UnreadableInputError

_FOREIGN = re.compile(r"[^a-z0-9._+/-]+")


class _LogHead(msgspec.Struct, frozen=True):
    capture: str
    scenario: str
    protocol: str
    recorded_at: str
    source: Source
    request: Request
    response: Response
    observed: Observed | None = None


class _LogLine(msgspec.Struct, frozen=True):
    t: float | None = None
    text: str | None = None
    base64: str | None = None
    end: EndKind | None = None
    by: str | None = None


def read_log(path: str | Path) -> Capture:
    """The exchange in a recording log. Raises UnreadableInputError."""
    return loads_log(open_input(path), label=str(path))


def loads_log(data: bytes, label: str = "recording log", *, any_name: bool = True) -> Capture:
    """The exchange in the bytes of a recording log. A log without an end line was cut by the recorder.

    A name that is none for a capture does not keep a log from being read: it gets another one, or, where not
    `any_name`, is refused.
    """
    first, *rest = data.split(b"\n", 1)
    head = _decode(first, _LogHead, label, 1)
    lines = _lines(rest[0] if rest else b"", label)
    end = End("cut", None, "recorder", "the recording itself was interrupted")
    if lines and (last := lines[-1]).end is not None:
        end = End(last.end, last.t, last.by or _cut_by(head, last.end))
        lines.pop()
    reads = tuple(_read(line, label, number) for number, line in enumerate(lines, 2))
    return Capture(_head(head, _name(head, any_name=any_name)), reads, end)


def _cut_by(head: _LogHead, end: EndKind) -> str | None:
    """Who cut the exchange, where only the note of the log says so."""
    return "client" if end == "cut" and "the client closed the connection" in head.source.note else None


def _lines(data: bytes, label: str) -> list[_LogLine]:
    lines = data.split(b"\n")
    torn = lines.pop()
    if len(lines) > MAX_READS:
        raise UnreadableInputError(f"{one_line(label)}: more than {MAX_READS} lines")
    decoded = [_decode(line, _LogLine, label, number) for number, line in enumerate(lines, 2)]
    if torn:
        try:
            decoded.append(_decode(torn, _LogLine, label, len(lines) + 2))
        except UnreadableInputError:
            return decoded  # the recorder died while it wrote this line
    return decoded


def _read(line: _LogLine, label: str, number: int) -> Read:
    if line.t is None:
        raise UnreadableInputError(f"{one_line(label)}, line {number}: a read without its time `t`")
    try:
        return Read(line.t, decoded_bytes(line.text, line.base64))
    except ValueError as error:
        raise UnreadableInputError(f"{one_line(label)}, line {number}: {one_line(str(error))}") from None


def _name(log: _LogHead, *, any_name: bool) -> str:
    """The log's name in lower case, other characters than those of names as hyphens."""
    try:
        return check_name(_FOREIGN.sub("-", log.capture.lower()))
    except UnreadableInputError:
        if not any_name:
            raise
        return "log/log/unnamed.log"


def _head(log: _LogHead, name: str) -> Head:
    return Head(
        name=name,
        scenario=log.scenario.lower(),
        protocol=log.protocol,
        framing=framing_of(log.response.headers.get("content-type")),
        recorded_at=log.recorded_at,
        source=log.source,
        request=log.request,
        response=log.response,
        observed=log.observed,
    )


def _decode(line: bytes, kind: Any, label: str, number: int) -> Any:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{one_line(label)}, line {number}: {one_line(str(error))}") from None
