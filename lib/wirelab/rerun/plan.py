"""What a run does: which notebook with which parameters, checked before the first one starts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from wirelab.errors import MisuseError
from wirelab.rerun.notebooks import CAPTURE, Notebook
from wirelab.rerun.parameters import Declared, given


class Job(msgspec.Struct, frozen=True):
    """One notebook to run once. `output` is where the result goes, relative to the run's folder, without suffix."""

    notebook: str
    path: Path
    title: str
    parameters: Declared
    output: str

    @property
    def capture(self) -> str | None:
        """The capture it is about, where it is about one."""
        value = self.parameters.get(CAPTURE)
        return value if isinstance(value, str) else None


def plan(
    notebooks: Sequence[Notebook], values: Mapping[str, str] | None = None, captures: Sequence[str] | None = None
) -> list[Job]:
    """The jobs for these notebooks.

    `values` are parameters as texts; every notebook must have every one of them. With `captures` (their names), a
    notebook that has a parameter `capture` runs once for each, and the others once. Raises MisuseError before anything
    has run.
    """
    values = values or {}
    if captures is not None and CAPTURE in values:
        raise MisuseError("give either a pattern of captures or the parameter capture, not both")
    checked = [(notebook, given(notebook.name, notebook.content, values)) for notebook in notebooks]
    if captures is not None and not any(notebook.takes_a_capture for notebook in notebooks):
        raise MisuseError(f"none of these notebooks has a parameter `{CAPTURE}` to be multiplied over captures")
    return [job for notebook, parameters in checked for job in jobs_of(notebook, parameters, captures)]


def jobs_of(notebook: Notebook, parameters: Declared, captures: Sequence[str] | None) -> list[Job]:
    """One job, or one a capture."""
    if captures is None or not notebook.takes_a_capture:
        return [Job(notebook.name, notebook.path, notebook.title, parameters, notebook.name)]
    return [
        Job(
            notebook.name,
            notebook.path,
            notebook.title,
            {**parameters, CAPTURE: capture},
            f"{notebook.name}/{capture.replace('/', '--')}",
        )
        for capture in captures
    ]
