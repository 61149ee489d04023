"""`wirelab run`: notebooks over captures and parameters, and one page that says what was found."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say
from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.rerun.run import Report, run_notebooks
from wirelab.show.text import shortened, visible
from wirelab.show.verdict import counted

INTERRUPTED = 130
"""What a shell says of a program that was stopped by Ctrl-C."""


def run(
    names: Sequence[str], captures: str | None, parameters: Sequence[tuple[str, str]], *, product: bool = False
) -> int:
    """Run what was asked for, say where the page is, and return the exit code: 1 when a notebook failed."""
    try:
        with bar() as progress:
            task = progress.add_task("", total=None)
            report = run_notebooks(
                names,
                captures=captures,
                parameters=dict(parameters),
                product=product,
                progress=lambda what, done, of: progress.update(
                    task, description=shortened(visible(what), 40), completed=done, total=of
                ),
            )
    except (MisuseError, UnreadableInputError) as problem:
        complain(str(problem))
        return UNREADABLE
    except ModuleNotFoundError as missing:
        complain(f"running notebooks needs {missing.name}: install wirelab[notebook]")
        return UNREADABLE
    except KeyboardInterrupt:
        complain("stopped; the same command with --all goes on from here" if product else "stopped")
        return INTERRUPTED
    tell(report)
    return VIOLATION if report.failed else OK


def bar() -> Progress:
    """A progress bar on standard error, gone when it is done, and none where nobody watches."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description:<42}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def tell(report: Report) -> None:
    """The counts, what failed, and where the page is."""
    for outcome in report.failed:
        say(f"failed: {outcome.output}: {outcome.error}")
    say(f"{counted(len(report.outcomes), 'notebook')} run, {len(report.failed)} failed")
    if (survey := report.survey) is not None:
        say(
            f"{counted(survey.readings, 'capture')} read: {survey.with_findings} with findings, "
            f"{survey.violations} not to be executed"
        )
    say(f"The page: {near(report.page)}")


def near(path: Path) -> str:
    """The path as seen from here, where it is below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
