"""A run: plan it, run it, survey the captures, write one page that says what was found."""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wirelab.capture import Capture
from wirelab.capture.store import ROOT_VARIABLE, Store
from wirelab.errors import MisuseError
from wirelab.protocols.registry import PROTOCOLS
from wirelab.rerun import notebooks, plan, warm
from wirelab.rerun.jobs import Progress, fingerprint, new_folder, run_jobs, unfinished_folder
from wirelab.rerun.outcome import Outcome
from wirelab.rerun.page import write_page
from wirelab.rerun.survey import Survey, survey

RUNS = "runs"


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
    """What there is to do: notebooks to run, captures to survey by name or pattern (None: all of them)."""

    jobs: list[plan.Job]
    surveyed: list[str] | None


def run_notebooks(
    names: Sequence[str] = (),
    *,
    captures: str | None = None,
    parameters: Mapping[str, str] | None = None,
    product: bool = False,
    store: Store | None = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> Report:
    """Run notebooks, survey the captures they are about, and report.

    Without names, every offline notebook; without anything at all, a survey of all captures too. `captures` is a
    pattern of names: what is made for it is multiplied over the captures that fit. `product` multiplies over every
    capture that can be read, and goes on with such a run that was stopped. `parameters` are texts, checked against
    what the notebooks declare. Raises MisuseError or UnreadableInputError before anything has run.
    """
    folder = notebooks.find_folder()
    store = store or Store(os.environ.get(ROOT_VARIABLE) or folder.parent / "captures")
    selected = names_of(store, "*" if product else captures, readable=product)
    work = plan_work(folder, names, selected, parameters or {})
    surveyed = work.surveyed if selected is not None else fitting_any(store, work.surveyed)
    runs, plan_of_it = folder.parent / RUNS, fingerprint(work.jobs)
    target = (unfinished_folder(runs, plan_of_it) if product else None) or new_folder(runs, plan_of_it)
    with kernels(store):
        outcomes = run_jobs(work.jobs, target, progress)
    result = survey(watched(store, surveyed, progress)) if surveyed != [] else None
    return Report(write_page(target, outcomes, result), tuple(outcomes), result)


def names_of(store: Store, pattern: str | None, *, readable: bool) -> list[str] | None:
    """The captures that fit, None without a pattern. Raises MisuseError when none does."""
    if pattern is None:
        return None
    fitting = [entry.name for entry in store.select(pattern) if entry.protocol in PROTOCOLS or not readable]
    if not fitting:
        raise MisuseError(f"no capture is named like {pattern}: * stands for any part of a name, slashes included")
    return fitting


def fitting_any(store: Store, patterns: Sequence[str] | None) -> list[str] | None:
    """The captures that fit one of the patterns, each once; a name fits itself. None, for all of them, stays None."""
    if patterns is None:
        return None
    return list(dict.fromkeys(entry.name for pattern in patterns for entry in store.select(pattern)))


def plan_work(folder: Path, names: Sequence[str], captures: list[str] | None, parameters: Mapping[str, str]) -> Work:
    """What there is to do, checked."""
    chosen = notebooks.choose(names, folder) if names else notebooks.offline(folder)
    if captures is None:
        jobs = plan.plan(chosen, parameters)
        return Work(jobs, [job.capture for job in jobs if job.capture] if names or parameters else None)
    multiplied = [notebook for notebook in chosen if notebook.takes_a_capture]
    return Work(plan.plan(chosen if names else multiplied, parameters, captures), captures)


@contextlib.contextmanager
def kernels(store: Store) -> Iterator[None]:
    """Kernels start warm while this lasts, and find the captures wherever they are."""
    before = dict(os.environ)
    warm.prepare_environment(os.environ)
    os.environ[ROOT_VARIABLE] = str(store.root.resolve())
    try:
        if warm.can_fork():
            warm.ZYGOTE.start()
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def watched(store: Store, names: Sequence[str] | None, progress: Progress) -> Iterator[Capture]:
    """The captures to survey, with a word to whoever watches."""
    total = len(store) if names is None else len(names)
    captures = iter(store) if names is None else map(store.load, names)
    for done, capture in enumerate(captures):
        progress(f"reading {capture.name}", done, total)
        yield capture
    progress("captures", total, total)
