"""Checking captures: their format, their bytes, their names, no secrets, and an index that says what is there."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from wirelab.capture.dump import dumps
from wirelab.capture.index import INDEX, Entry, entry_of, read_index
from wirelab.capture.inputs import one_line, open_input
from wirelab.capture.names import name_of
from wirelab.capture.reader import loads, sniff
from wirelab.capture.redact import Redactor, find_secrets
from wirelab.capture.store import KINDS, Store
from wirelab.capture.types import Capture
from wirelab.errors import UnreadableInputError


class Report(msgspec.Struct):
    """What was checked: how many captures of which kind, their entries, and every problem in one line."""

    counts: Counter[str]
    entries: list[Entry]
    problems: list[str]


def verify_store(root: Path) -> Report:
    """Check all captures below a root, their places and the index. Raises UnreadableInputError where none is there."""
    report = Report(Counter(), [], [])
    for path in Store(root).paths():
        label = path.relative_to(root).as_posix()
        _check(report, path, label)
    if not report.counts and not report.problems:
        raise UnreadableInputError(f"{one_line(root.name)}: no captures below it")
    report.problems += _strangers(root)
    report.problems += _misplaced(report.entries, root)
    report.problems += _index_problems(root, report.entries)
    return report


def verify_files(paths: Iterable[Path]) -> Report:
    """Check single captures, wherever they are: format, bytes and secrets."""
    report = Report(Counter(), [], [])
    for path in paths:
        _check(report, path, str(path))
    return report


def _check(report: Report, path: Path, label: str) -> None:
    try:
        data = open_input(path, label=label)
        capture = _loaded(data, label)
    except UnreadableInputError as error:
        report.counts["unreadable"] += 1
        report.problems.append(str(error))
        return
    report.counts[capture.source.kind] += 1
    report.entries.append(entry_of(capture))
    name = one_line(label)
    if not _is_canonical(capture, data):
        report.problems.append(f"{name}: not written as the format writes it")
    if Redactor().head(capture.head) != capture.head:
        report.problems.append(f"{name}, line 1: a header, a token or a key that must not be kept")
    report.problems += [f"{name}, line {line}: looks like a key: {found}" for line, found in find_secrets(data)]
    in_body = find_secrets(capture.body)
    if len(in_body) > len(find_secrets(data[data.index(b"\n") :])):
        report.problems.append(f"{name}: looks like a key, over several reads or as base64: {in_body[0][1]}")


def _loaded(data: bytes, label: str) -> Capture:
    if sniff(data) == "log":
        raise UnreadableInputError(f"{one_line(label)}: a recording log, no capture: `wirelab import` makes it one")
    return loads(data, label=label)


def _is_canonical(capture: Capture, data: bytes) -> bool:
    """Whether a file is what the writer writes; one without an end line as far as its last whole line."""
    written = dumps(capture)
    if written == data:
        return True
    last = data.rstrip(b"\n").rpartition(b"\n")[2]
    if last.startswith(b'{"end"'):
        return False
    without_end = written[: written.rstrip(b"\n").rfind(b"\n") + 1]
    return (data + b"\n").startswith(without_end)


def _misplaced(entries: list[Entry], root: Path) -> list[str]:
    """Captures that do not stand where their head says, and names that stand twice."""
    expected = {entry.path for entry in entries}
    present = set()
    problems = []
    for path in Store(root).paths():
        label = path.relative_to(root).as_posix()
        present.add(label)
        try:
            name_of(path, root / label.partition("/")[0])
        except UnreadableInputError as error:
            problems.append(f"{one_line(label)}: {error}")
    twice = [name for name, times in Counter(entry.name for entry in entries).items() if times > 1]
    return [
        *problems,
        *[f"{one_line(path)}: this is the place of a capture that is not there" for path in sorted(expected - present)],
        *[f"{one_line(name)}: two captures have this name" for name in twice],
    ]


def _strangers(root: Path) -> list[str]:
    """Files among the captures that are none: links, and anything without the suffix."""
    known = set(Store(root).paths())
    return [
        f"{one_line(path.relative_to(root).as_posix())}: no capture; it does not belong here"
        for kind in KINDS
        for path in sorted((root / kind).rglob("*"))
        if path not in known and (path.is_symlink() or not path.is_dir())
    ]


def _index_problems(root: Path, entries: list[Entry]) -> list[str]:
    try:
        index = {entry.path: entry for entry in read_index(root)}
    except UnreadableInputError as error:
        return [f"{error} (`wirelab verify --write-index` writes it)"]
    actual = {entry.path: entry for entry in entries}
    missing = [f"{path}: not in {INDEX}" for path in sorted(actual.keys() - index.keys())]
    gone = [f"{path}: in {INDEX}, but there is no such capture" for path in sorted(index.keys() - actual.keys())]
    changed = [
        f"{path}: {INDEX} says something else than the capture"
        for path in sorted(actual.keys() & index.keys())
        if actual[path] != index[path]
    ]
    return [*missing, *gone, *changed]
