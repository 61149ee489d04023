"""`wirelab compare A B`: two recordings of the same scenarios, and what moved between them."""

from collections.abc import Iterator
from pathlib import Path

from wirelab.capture.index import INDEX
from wirelab.capture.reader import load
from wirelab.capture.types import Capture
from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say, say_json, say_table
from wirelab.errors import UnreadableInputError
from wirelab.model import Json
from wirelab.probe.compare import Change, Comparison, Grade
from wirelab.probe.compare import compare as compared
from wirelab.show.tables import table


def compare(before: str, after: str, *, as_json: bool = False, least: Grade = Grade.INFO) -> int:
    """Compare two recordings, each a folder of captures or one capture; `least` is the lowest grade that is listed.

    The exit code: 0 nothing critical moved, 1 something did, 2 a side cannot be read, or nothing is on both.
    """
    try:
        found = compared(_captures(before), _captures(after))
    except UnreadableInputError as error:
        complain(str(error))
        return UNREADABLE
    if not found.compared:
        complain(f"{before} and {after} have no exchange in common: record the same scenarios on both sides")
        return UNREADABLE
    listed = [change for change in found.changes if list(Grade).index(change.grade) <= list(Grade).index(least)]
    if as_json:
        for change in listed:
            say_json(change)
    else:
        _tell(found, listed)
    return VIOLATION if found.of(Grade.CRITICAL) else OK


def _captures(place: str) -> Iterator[Capture]:
    path = Path(place)
    if not path.is_dir():
        yield load(path)
        return
    files = sorted(found for found in path.rglob("*.jsonl") if found.name != INDEX)
    if not files:
        raise UnreadableInputError(f"{place}: no captures below it")
    for file in files:
        yield load(file)


def _tell(found: Comparison, listed: list[Change]) -> None:
    counts = ", ".join(f"{len(found.of(grade))} {grade}" for grade in Grade)
    say(f"{found.compared} exchanges on both sides; what moved: {counts}")
    if listed:
        columns = ("grade", "exchange", "fact", "before", "after")
        rows = [(str(change.grade), change.exchange, change.fact, *_sides(change)) for change in listed]
        say_table(table(rows, columns, width_limit=60))


def _sides(change: Change) -> tuple[Json, Json]:
    """Both values; of two long lists only what is in one and not in the other."""
    before, after = change.before, change.after
    if change.fact == "fields" and isinstance(before, list) and isinstance(after, list):
        return [each for each in before if each not in after], [each for each in after if each not in before]
    return before, after
