"""A run: plan it, run it, survey the captures, write one page that says what was found."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wirelab.capture import Capture
from wirelab.capture.store import Store
from wirelab.errors import MisuseError
from wirelab.rerun import notebooks, plan, warm
from wirelab.rerun.outcome import Outcome
from wirelab.rerun.page import write_page
from wirelab.rerun.survey import Survey, survey

RUNS = "runs"
Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is."""


class Report(msgspec.Struct, frozen=True):
    """What a run came to. `page` is the file to open."""

    page: Path
    outcomes: tuple[Outcome, ...]
    survey: Survey | None

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The runs that went wrong."""
        return tuple(outcome for outcome in self.outcomes if not outcome.ok)


class Work(msgspec.Struct, frozen=True):
    """What there is to do: notebooks to run, captures to survey by name (None: all of them)."""

    jobs: list[plan.Job]
    surveyed: list[str] | None


def run_notebooks(
    names: Sequence[str] = (),
    *,
    captures: str | None = None,
    parameters: Mapping[str, str] | None = None,
    store: Store | None = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> Report:
    """Run notebooks, survey the captures they are about, and report.

    Without names, every offline notebook; without anything at all, a survey of all captures too. `captures` is a
    pattern of names: what is made for it is multiplied over the captures that fit. `parameters` are texts, checked
    against what the notebooks declare. Raises MisuseError or UnreadableInputError before anything has run.
    """
    folder = notebooks.find_folder()
    store = store or Store(folder.parent / "captures")
    work = plan_work(folder, names, captures, parameters or {}, store)
    target = new_folder(folder.parent / RUNS)
    with kernels(store):
        outcomes = run_jobs(work.jobs, target, progress)
    result = survey(watched(store, work.surveyed, progress)) if work.surveyed != [] else None
    return Report(write_page(target, outcomes, result), tuple(outcomes), result)


def plan_work(
    folder: Path, names: Sequence[str], pattern: str | None, parameters: Mapping[str, str], store: Store
) -> Work:
    """What there is to do, checked."""
    chosen = notebooks.choose(names, folder) if names else notebooks.offline(folder)
    if pattern is None:
        jobs = plan.plan(chosen, parameters)
        return Work(jobs, [job.capture for job in jobs if job.capture] if names or parameters else None)
    fitting = [entry.name for entry in store.select(pattern)]
    if not fitting:
        raise MisuseError(f"no capture is named like {pattern}: * stands for any part of a name, slashes included")
    multiplied = [notebook for notebook in chosen if notebook.takes_a_capture]
    return Work(plan.plan(chosen if names else multiplied, parameters, fitting), fitting)


def new_folder(runs: Path) -> Path:
    """`runs/<n>/`, n counting up; two runs at once get two folders."""
    runs.mkdir(parents=True, exist_ok=True)
    taken = [int(path.name) for path in runs.iterdir() if path.name.isdigit()]
    number = max(taken, default=0) + 1
    while True:
        try:
            (runs / str(number)).mkdir()
        except FileExistsError:
            number += 1
        else:
            return runs / str(number)


@contextlib.contextmanager
def kernels(store: Store) -> Iterator[None]:
    """Kernels start warm while this lasts, and find the captures wherever they are."""
    before = dict(os.environ)
    warm.prepare_environment(os.environ)
    os.environ["WIRELAB_CAPTURES"] = str(store.root.resolve())
    try:
        if warm.can_fork():
            warm.ZYGOTE.start()
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_jobs(jobs: Sequence[plan.Job], target: Path, progress: Progress) -> list[Outcome]:
    """All jobs, one after the other."""
    from wirelab.rerun.execute import run_job  # noqa: PLC0415 - papermill's import runs beside the zygote's

    outcomes = []
    for done, job in enumerate(jobs):
        progress(job.output, done, len(jobs))
        outcomes.append(run_job(job, target))
    progress("notebooks", len(jobs), len(jobs))
    return outcomes


def watched(store: Store, names: Sequence[str] | None, progress: Progress) -> Iterator[Capture]:
    """The captures to survey, with a word to whoever watches."""
    total = len(store) if names is None else len(names)
    captures = iter(store) if names is None else map(store.load, names)
    for done, capture in enumerate(captures):
        progress(f"reading {capture.name}", done, total)
        yield capture
    progress("captures", total, total)
