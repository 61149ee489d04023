"""Running the jobs of a plan: a few at a time, each noted as it ends, so that a stopped run can go on."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path

import msgspec

from wirelab.rerun.outcome import Outcome
from wirelab.rerun.plan import Job
from wirelab.rerun.warm import ZYGOTE

JOURNAL = "outcomes.jsonl"
PLAN = "plan.sha256"
INDEX = "index.html"
MOST_WORKERS = 4

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is."""


def run_jobs(jobs: Sequence[Job], folder: Path, progress: Progress, workers: int | None = None) -> list[Outcome]:
    """All jobs that `folder` has no good outcome of yet; the outcomes in the order of the jobs.

    The work is done by the kernels, so threads are enough here: one more than there are cores, since kernels also wait
    to start and to end. An interrupt ends the kernels, and with them the rest.
    """
    from wirelab.rerun.execute import run_job_in_thread  # noqa: PLC0415 - papermill's import runs beside the zygote's

    done = {output: outcome for output, outcome in read_journal(folder).items() if outcome.ok}
    pool = ThreadPoolExecutor(workers or min((os.cpu_count() or 1) + 1, MOST_WORKERS))
    try:
        running = [pool.submit(run_job_in_thread, job, folder) for job in jobs if job.output not in done]
        progress("notebooks", len(done), len(jobs))
        for future in as_completed(running):
            outcome = future.result()
            done[outcome.output] = outcome
            note(folder, outcome)
            progress(outcome.output, len(done), len(jobs))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        ZYGOTE.stop()
        raise
    pool.shutdown()
    return [done[job.output] for job in jobs]


def note(folder: Path, outcome: Outcome) -> None:
    """Add a line to the journal."""
    with (folder / JOURNAL).open("ab") as journal:
        journal.write(msgspec.json.encode(outcome) + b"\n")


def read_journal(folder: Path) -> dict[str, Outcome]:
    """What is done, by output. A last line that was only half written counts as not done."""
    if not (folder / JOURNAL).is_file():
        return {}
    lines = (folder / JOURNAL).read_bytes().split(b"\n")[:-1]
    outcomes = [msgspec.json.decode(line, type=Outcome) for line in lines]
    return {outcome.output: outcome for outcome in outcomes}


def fingerprint(jobs: Sequence[Job]) -> str:
    """What a plan is known by: its jobs, and what the notebooks hold."""
    hashed = sha256(msgspec.json.encode([(job.output, job.parameters) for job in jobs]))
    for path in sorted({job.path for job in jobs}):
        hashed.update(path.read_bytes())
    return hashed.hexdigest()


def new_folder(runs: Path, plan: str = "") -> Path:
    """`runs/<n>/`, n counting up; two runs at once get two folders."""
    runs.mkdir(parents=True, exist_ok=True)
    number = max(numbers(runs), default=0) + 1
    while True:
        try:
            (runs / str(number)).mkdir()
        except FileExistsError:
            number += 1
        else:
            (runs / str(number) / PLAN).write_text(plan, encoding="ascii")
            return runs / str(number)


def unfinished_folder(runs: Path, plan: str) -> Path | None:
    """The last folder of a run with the same plan that never came to its page."""
    for number in sorted(numbers(runs), reverse=True):
        folder = runs / str(number)
        if (folder / INDEX).exists() or not (folder / PLAN).is_file():
            continue
        if (folder / PLAN).read_text(encoding="ascii") == plan:
            return folder
    return None


def numbers(runs: Path) -> list[int]:
    """The numbers of the runs so far."""
    return [int(path.name) for path in runs.iterdir() if path.name.isdigit()] if runs.is_dir() else []
