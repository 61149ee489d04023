"""`wirelab verify`: are captures what they say they are? Counts first, then only the problems."""

from collections import Counter
from pathlib import Path

from wirelab.capture.index import INDEX, write_index
from wirelab.capture.store import KINDS, find_root
from wirelab.capture.verify import Report, verify_files, verify_store
from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say
from wirelab.errors import UnreadableInputError


def verify(paths: list[str], *, write: bool = False) -> int:
    """Check captures, or folders of them (without paths the committed ones); `write` brings the index up to date.

    The exit code: 0 all well, 1 problems, 2 a path that cannot be read.
    """
    code = OK
    for path in list[str | None](paths) or [None]:
        try:
            report = _checked(path, write=write)
        except UnreadableInputError as error:
            complain(str(error))
            code = UNREADABLE
            continue
        _tell(report, path or "captures")
        if report.problems and code == OK:
            code = VIOLATION
    return code


def _checked(path: str | None, *, write: bool) -> Report:
    place = find_root() if path is None else Path(path)
    if not place.is_dir():
        return _file(place)
    if not any((place / kind).is_dir() for kind in KINDS):
        return _folder(place, path or place.name)
    report = verify_store(place)
    if not write:
        return report
    write_index(place, report.entries)
    return verify_store(place)


def _file(place: Path) -> Report:
    """One file; what cannot even be opened is no problem of a capture, but an unreadable input."""
    report = verify_files([place])
    if not place.exists():
        raise UnreadableInputError(report.problems[0])
    return report


def _folder(place: Path, label: str) -> Report:
    files = sorted(path for path in place.rglob("*.jsonl") if path.name != INDEX)
    if not files:
        raise UnreadableInputError(f"{label}: no captures below it")
    return verify_files(files)


def _tell(report: Report, label: str) -> None:
    say(f"{label}: {_counts(report.counts)}; {_number(len(report.problems), 'problem')}")
    for problem in report.problems:
        say(f"  {problem}")


def _counts(counts: Counter[str]) -> str:
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
    return f"{_number(sum(counts.values()), 'capture')} ({kinds})"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
