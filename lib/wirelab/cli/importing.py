"""`wirelab import`: recording logs, and captures from elsewhere, into the folder of captures."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wirelab.capture.importing import Imported, import_files, sources_below
from wirelab.capture.store import find_root
from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say
from wirelab.errors import UnreadableInputError


def import_(sources: list[str], *, into: str | None = None) -> int:
    """Import files, or all `.jsonl` files below folders, into `into` (the committed recordings if it is not named).

    The exit code: 0 all well, 1 files that were refused, 2 a source that cannot be read.
    """
    try:
        place = find_root() / "recorded" if into is None else Path(into)
        paths = [path for source in sources for path in sources_below(_existing(source))]
    except UnreadableInputError as error:
        complain(str(error))
        return UNREADABLE
    with _progress(len(paths)) as done:
        report = import_files(paths, place, done=done)
    _tell(report, len(paths))
    return VIOLATION if report.problems else OK


def _existing(source: str) -> Path:
    path = Path(source)
    if not path.exists():
        raise UnreadableInputError(f"{source}: no such file or folder")
    return path


def _tell(report: Imported, files: int) -> None:
    say(
        f"{files} files: {report.written} imported, {report.present} already there, {len(report.problems)} refused; "
        f"{report.bytes} bytes, {report.redacted} with something redacted"
    )
    for problem in report.problems:
        say(f"  {problem}")


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal's stderr, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("importing", total=total)
        yield lambda: progress.advance(task)
