"""The rules every committed notebook keeps, each as a function that names what breaks it.

The functions look at a notebook as the JSON it is stored as (nbformat 4) and never run it. `NotebookRules` are in the
order of what a reader meets: the opening cells, the code, the outputs, the bookkeeping.
"""

import ast
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any

from wirelab.rerun.parameters import Cell, code_cells, parameter_faults, source_of, tags_of

Notebook = dict[str, Any]
Rule = Callable[[str, Notebook], Iterator[str]]

MULTIPLIED = ("00", "40", "43")
"""The numbers of the notebooks that are made to be multiplied over captures; only these have a `capture` parameter."""

OPENING = ("question", "answer", "evidence", "wirelab run")
LONGEST_CELL = 15
MEDIAN_CELL = 4
LEAST_PROSE = 0.4

ABSOLUTE_PATH = re.compile(
    r"(?<![\w./:<-])/(?:root|home|Users|work|tmp|var|private|opt|usr|mnt|srv)/[\w.-]+|\b[A-Z]:\\\w+"
)
SECRET = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|AKIA[A-Z0-9]{12,}|AIza[\w-]{30,})|\bBearer\s+(?!\[)[\w.-]{8,}"
)
RANDOM_ID = re.compile(r"\bid=\"T_[0-9a-f]{5}|\bat 0x[0-9a-f]{6,}|itables_[0-9a-f]{8}")
LOGIC = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Try, ast.TryStar)


def faults(name: str, notebook: Notebook) -> list[str]:
    """Every rule that the notebook breaks, a line each."""
    return [fault for rule in RULES for fault in rule(name, notebook)]


def opening(_name: str, notebook: Notebook) -> Iterator[str]:
    """Cell 1 tells the whole story, cell 2 imports from the package only."""
    cells = notebook["cells"]
    if len(cells) < 4 or [cell["cell_type"] for cell in cells[:3]] != ["markdown", "code", "code"]:
        yield "cells 1 to 3 are not prose, imports, parameters"
        return
    first = source_of(cells[0])
    if not first.startswith("# "):
        yield "cell 1 does not start with a title"
    yield from (f"cell 1 does not name its {word}" for word in OPENING if word not in first.lower())
    if not all(is_own_import(statement) for statement in parsed(cells[1])):
        yield "cell 2 holds more than imports from the package"


def is_own_import(statement: ast.stmt) -> bool:
    """Whether the statement imports from this package, and nothing else."""
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").split(".")[0] == "wirelab"
    return isinstance(statement, ast.Import) and all(a.name.split(".")[0] == "wirelab" for a in statement.names)


def parameters(name: str, notebook: Notebook) -> Iterator[str]:
    """Cell 3 is the one parameters cell, `name: type = literal` a line."""
    tagged = [position for position, cell in enumerate(notebook["cells"], 1) if "parameters" in tags_of(cell)]
    if tagged != [3]:
        yield f"the cells tagged parameters are {tagged}, not [3]"
        return
    source = source_of(notebook["cells"][2])
    yield from parameter_faults(source)
    if re.search(r"^capture\b", source, re.MULTILINE) and PurePath(name).name[:2] not in MULTIPLIED:
        yield "only notebooks made to be multiplied have a parameter `capture`"


def code(_name: str, notebook: Notebook) -> Iterator[str]:
    """Short cells without logic."""
    for number, cell in enumerate(code_cells(notebook), 1):
        source = source_of(cell)
        if len(source.splitlines()) > LONGEST_CELL:
            yield f"code cell {number} is longer than {LONGEST_CELL} lines"
        yield from (f"code cell {number} {fault}" for fault in habits(cell))
        for node in (node for statement in parsed(cell) for node in ast.walk(statement)):
            if isinstance(node, LOGIC):
                yield f"code cell {number} holds logic ({type(node).__name__})"
            if isinstance(node, ast.Name) and node.id in {"_", "__", "Out", "In"}:
                yield f"code cell {number} uses {node.id}"


def habits(cell: Cell) -> Iterator[str]:
    """What a cell does that hides or fakes its output."""
    source = source_of(cell)
    if source.rstrip().endswith(";"):
        yield "ends in a semicolon"
    if "nbval-skip" in tags_of(cell) or "NBVAL_SKIP" in source:
        yield "is skipped by nbval"
    if "nbval-ignore-output" in tags_of(cell) and not source.lstrip().startswith("#"):
        yield "ignores its output without a reason in its first line"


def proportions(_name: str, notebook: Notebook) -> Iterator[str]:
    """Enough prose, little code, at most one output that is not compared."""
    cells, coded = notebook["cells"], code_cells(notebook)
    if coded and statistics.median(len(source_of(cell).splitlines()) for cell in coded) > MEDIAN_CELL:
        yield f"the median code cell is longer than {MEDIAN_CELL} lines"
    if sum(cell["cell_type"] == "markdown" for cell in cells) < LEAST_PROSE * len(cells):
        yield f"less than {LEAST_PROSE:.0%} of the cells are prose"
    ignoring = [cell for cell in coded if is_ignored(cell)]
    if len(ignoring) > 1:
        yield "more than one cell ignores its output"


def is_ignored(cell: Cell) -> bool:
    """Whether nbval does not compare the cell's output."""
    return "nbval-ignore-output" in tags_of(cell) or "NBVAL_IGNORE_OUTPUT" in source_of(cell)


def ending(_name: str, notebook: Notebook) -> Iterator[str]:
    """The last cell asserts."""
    last = notebook["cells"][-1] if notebook["cells"] else {"cell_type": "none"}
    if last["cell_type"] != "code" or not any(isinstance(statement, ast.Assert) for statement in parsed(last)):
        yield "the last cell asserts nothing"


def outputs(_name: str, notebook: Notebook) -> Iterator[str]:
    """Nothing of this machine, this moment or this run; errors only where they are the point."""
    for number, cell in enumerate(code_cells(notebook), 1):
        kinds = [output["output_type"] for output in cell["outputs"]]
        if ("error" in kinds) != ("raises-exception" in tags_of(cell)):
            yield f"code cell {number} raised, or did not, against its tags"
        if any(output.get("name") == "stderr" for output in cell["outputs"]):
            yield f"code cell {number} warned"
        text = "\n".join(texts(cell["outputs"]))
        for what, pattern in (("an absolute path", ABSOLUTE_PATH), ("a secret", SECRET), ("a random id", RANDOM_ID)):
            if found := pattern.search(text + "\n" + source_of(cell)):
                yield f"code cell {number} shows {what}: {found.group()[:40]}"


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, images left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield (
            "".join(value)
            if all(isinstance(part, str) for part in value)
            else "\n".join(text for part in value for text in texts(part))
        )
    elif isinstance(value, dict):
        yield from (text for key, part in value.items() if not key.startswith("image/") for text in texts(part))


def bookkeeping(_name: str, notebook: Notebook) -> Iterator[str]:
    """Executed top to bottom, and no trace of who ran it and when."""
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}, not 1 to {len(counts)}"
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield "the kernelspec is not python3"
    extra = set(notebook["metadata"]) - {"kernelspec", "language_info"}
    extra |= {key for cell in notebook["cells"] for key in set(cell["metadata"]) - {"tags"}}
    if extra:
        yield f"metadata that does not belong there: {', '.join(sorted(extra))}"
    if (notebook["nbformat"], notebook["nbformat_minor"]) < (4, 5):
        yield "the format is older than 4.5"
    if [cell.get("id") for cell in notebook["cells"]] != [f"cell-{n}" for n, _ in enumerate(notebook["cells"], 1)]:
        yield "cell ids are not cell-1, cell-2, …"


def parsed(cell: Cell) -> list[ast.stmt]:
    """The cell's statements; magics are no statements, and no notebook of ours needs one."""
    return ast.parse(source_of(cell)).body


RULES: tuple[Rule, ...] = (opening, parameters, code, proportions, ending, outputs, bookkeeping)
