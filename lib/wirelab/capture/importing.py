"""Importing recording logs and captures from elsewhere into a folder of captures."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from wirelab.capture.dump import dumps, prove
from wirelab.capture.index import INDEX, Entry, entry_of, read_index, write_index
from wirelab.capture.inputs import one_line, open_input
from wirelab.capture.logs import loads_log
from wirelab.capture.names import SUFFIX, path_of
from wirelab.capture.reader import loads, sniff
from wirelab.capture.redact import BodyRedactor, Redactor
from wirelab.capture.store import KINDS
from wirelab.capture.types import Capture, Read
from wirelab.errors import MisuseError, UnreadableInputError, WirelabError


class Imported(msgspec.Struct):
    """What an import did: captures written, ones that were there already (the same bytes), bytes and problems."""

    written: int = 0
    present: int = 0
    redacted: int = 0
    bytes: int = 0
    problems: list[str] = []


def sources_below(source: Path) -> list[Path]:
    """The files an import looks at: the file itself, or all `.jsonl` files (packed ones too) below a folder.

    Raises UnreadableInputError where there are none.
    """
    if not source.is_dir():
        return [source]
    suffixes = (SUFFIX, SUFFIX + ".gz", SUFFIX + ".zst")
    found = sorted(path for path in source.rglob("*") if path.name.endswith(suffixes) and path.is_file())
    if not found:
        raise UnreadableInputError(f"{one_line(str(source))}: no {SUFFIX} file below it")
    return found


def import_files(
    paths: Iterable[Path], into: Path, secrets: Iterable[str] = (), done: Callable[[], None] = lambda: None
) -> Imported:
    """Import every file into a folder, prove each, and bring the index beside the folder up to date.

    What is there already is never overwritten. `done` is called after every file. A file that cannot be imported
    becomes a problem, and the others are still imported.
    """
    report = Imported()
    redactor = Redactor(secrets)
    entries = []
    for path in paths:
        try:
            entries.append(_import(path, into, redactor, report))
        except WirelabError as error:
            report.problems.append(str(error))
        done()
    if into.name in KINDS and entries:
        _update_index(into.parent, entries)
    return report


def read_any(path: Path) -> Capture:
    """The exchange in a recording log or a capture. Raises UnreadableInputError for anything else."""
    data = open_input(path)
    label = str(path)
    kind = sniff(data)
    if kind == "raw":
        raise UnreadableInputError(f"{one_line(label)}: neither a recording log nor a capture")
    return loads_log(data, label, any_name=False) if kind == "log" else loads(data, label)


def redacted(capture: Capture, redactor: Redactor) -> Capture:
    """The capture without secrets; the same object where there are none. Read times stay."""
    body = BodyRedactor(redactor)
    datas = [body.push(read.data) for read in capture.reads]
    rest = body.close()
    head = redactor.head(capture.head)
    if body.count == 0:
        return capture if head == capture.head else msgspec.structs.replace(capture, head=head)
    datas[-1] += rest
    reads = tuple([Read(read.t, data) for read, data in zip(capture.reads, datas, strict=True)])
    return Capture(head, reads, msgspec.structs.replace(capture.end, redacted=body.count))


def _import(path: Path, into: Path, redactor: Redactor, report: Imported) -> Entry:
    original = read_any(path)
    capture = redacted(original, redactor)
    label = one_line(str(path))
    if into.name in KINDS and capture.source.kind != into.name:
        raise MisuseError(f"{label}: its evidence is {capture.source.kind}, so it does not belong into {into.name}/")
    data = dumps(capture)
    prove(capture, data)
    place = path_of(into, capture.name)
    if place.exists():
        if place.read_bytes() != data:
            raise MisuseError(f"{label}: {capture.name} is there already and differs; a capture is never overwritten")
        report.present += 1
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            file.write(data)
        report.written += 1
    report.redacted += capture is not original
    report.bytes += len(data)
    return entry_of(capture)


def _update_index(root: Path, entries: list[Entry]) -> None:
    known: Iterator[Entry] | list[Entry] = read_index(root) if (root / INDEX).is_file() else []
    merged = {entry.path: entry for entry in known} | {entry.path: entry for entry in entries}
    write_index(root, list(merged.values()))
