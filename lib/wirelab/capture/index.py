"""The index of the committed captures: one line a capture, so that selecting needs no file but this one."""

import re
from pathlib import Path

import msgspec

from wirelab.capture.inputs import one_line, open_input
from wirelab.capture.names import SUFFIX, check_name
from wirelab.capture.types import Capture, EndKind, Evidence, Framing
from wirelab.errors import UnreadableInputError

INDEX = "index.jsonl"

_GATEWAY = re.compile(r"(native|chat|messages)-(old-)?")


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the index says of a capture. `said` tells whether it is known what the model said (`observed.model_said`).

    `bytes` and `sha256` are the body's; `family` is the syntax of the model's tool calls, or the model's name.
    """

    name: str
    evidence: Evidence
    protocol: str
    scenario: str
    framing: Framing
    server: str
    version: str
    family: str | None
    status: int
    end: EndKind
    reads: int
    bytes: int
    sha256: str
    recorded_at: str
    said: bool = False

    @property
    def target(self) -> str:
        """The first part of the name: server and version, mostly."""
        return self.name.partition("/")[0]

    @property
    def path(self) -> str:
        """The file, relative to the captures' root."""
        return f"{self.evidence}/{self.name}{SUFFIX}"


def entry_of(capture: Capture) -> Entry:
    """The index's line for a capture."""
    return Entry(
        name=capture.name,
        evidence=capture.source.kind,
        protocol=capture.protocol,
        scenario=capture.scenario,
        framing=capture.framing,
        server=capture.source.server,
        version=capture.source.version,
        family=family_of(capture.source.model),
        status=capture.response.status,
        end=capture.end.kind,
        reads=len(capture.reads),
        bytes=len(capture.body),
        sha256=capture.sha256,
        recorded_at=capture.recorded_at,
        said=capture.observed is not None and capture.observed.model_said is not None,
    )


def family_of(model: str | None) -> str | None:
    """The family in a model's name: `new/scripted-gemma4:latest` and `native-old-gemma4` are both gemma4."""
    if model is None:
        return None
    name = model.rpartition("/")[2].partition(":")[0].removeprefix("scripted-")
    return _GATEWAY.sub("", name, count=1) if _GATEWAY.match(name) else name


def read_index(root: Path) -> list[Entry]:
    """The committed index. Raises UnreadableInputError where it is missing or broken."""
    lines = open_input(root / INDEX, label=INDEX).split(b"\n")
    entries = [_entry(line, number) for number, line in enumerate(lines, 1) if line]
    for entry in entries:
        check_name(entry.name)
    return entries


def write_index(root: Path, entries: list[Entry]) -> None:
    """Write the index, sorted, and at once: whoever reads it sees the old one or the new one."""
    ordered = sorted(entries, key=lambda entry: entry.path)
    draft = root / (INDEX + ".new")
    draft.write_bytes(b"".join([msgspec.json.encode(entry) + b"\n" for entry in ordered]))
    draft.replace(root / INDEX)


def _entry(line: bytes, number: int) -> Entry:
    try:
        return msgspec.json.decode(line, type=Entry)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{INDEX}, line {number}: {one_line(str(error))}") from None
