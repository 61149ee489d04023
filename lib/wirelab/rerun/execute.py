"""Running one notebook through papermill's parts, in this process.

Not through `papermill.execute_notebook`: that fails a notebook whose cell tagged `raises-exception` raised, which for
us is the cell's point, and it writes paths and parameters into the metadata.
"""

import logging
import time
from pathlib import Path
from typing import Any

import nbformat
from jupyter_core.utils import ensure_event_loop
from papermill.engines import papermill_engines
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from wirelab.rerun.clean import scrub
from wirelab.rerun.outcome import Outcome
from wirelab.rerun.parameters import tags_of
from wirelab.rerun.plan import Job

KERNEL = "python3"

logging.getLogger("papermill").setLevel(logging.CRITICAL + 1)  # what went wrong stands in the outcome

CELL_LIMIT = 600
"""Seconds that one cell may take."""


def run_job(job: Job, folder: Path) -> Outcome:
    """Run a job, keep the executed notebook below `folder`, and say how it went. Never raises for a notebook's sake."""
    began = time.perf_counter()
    try:
        error = run_notebook(job, folder / f"{job.output}.ipynb")
    except Exception as problem:  # noqa: BLE001 - one failed run does not stop the others
        error = one_line(f"{type(problem).__name__}: {problem}")
    seconds = time.perf_counter() - began
    return Outcome(job.notebook, job.title, job.capture, job.output, seconds, error)


def run_job_in_thread(job: Job, folder: Path) -> Outcome:
    """The same in a thread of its own, whose event loop is closed behind it; Jupyter would leave it open."""
    try:
        return run_job(job, folder)
    finally:
        ensure_event_loop().close()


def run_notebook(job: Job, target: Path) -> str | None:
    """Execute, judge and store one notebook; the error in a line, or None."""
    notebook = execute(job)
    error = judge(notebook)
    scrub(notebook)
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, str(target))  # type: ignore[no-untyped-call]
    return error


def execute(job: Job) -> Any:
    """The executed notebook. An untagged cell that raises stops it; that is for `judge` to say."""
    notebook = load_notebook_node(str(job.path))
    if job.parameters:
        notebook = parameterize_notebook(notebook, dict(job.parameters), kernel_name=KERNEL, language="python")
    forget_outputs(notebook)
    return papermill_engines.execute_notebook_with_engine(
        None,
        notebook,
        kernel_name=KERNEL,
        output_path=None,
        progress_bar=False,
        log_output=False,
        execution_timeout=CELL_LIMIT,
        coalesce_streams=True,
        resources={"metadata": {"path": str(job.path.parent)}},
    )


def forget_outputs(notebook: Any) -> None:
    """Start from nothing, so that what a cell that never ran had shown before is not taken for its result."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None


def judge(notebook: Any) -> str | None:
    """The first cell that raised, or did not, against its tags."""
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        raised = next((output for output in cell["outputs"] if output["output_type"] == "error"), None)
        if raised is not None and "raises-exception" not in tags_of(cell):
            return one_line(f"cell {number}: {raised['ename']}: {raised['evalue']}")
        if raised is None and "raises-exception" in tags_of(cell):
            return f"cell {number}: it should have raised, and did not"
    return None


def one_line(text: str) -> str:
    """The first line, of a length that fits a page."""
    lines = text.strip().splitlines() or [""]
    return lines[0][:300]
