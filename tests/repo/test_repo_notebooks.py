"""Every committed notebook keeps the rules, and the rules see what breaks them."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirelab.rerun.rules import faults

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

Notebook = dict[str, Any]


def cell(kind: str, source: str, *tags: str, outputs: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "source": source, "metadata": {"tags": list(tags)} if tags else {}}
    return {**made, "execution_count": None, "outputs": outputs or []} if kind == "code" else made


def renumbered(notebook: Notebook) -> Notebook:
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    for count, each in enumerate(code, 1):
        each["execution_count"] = count
    for number, each in enumerate(notebook["cells"], 1):
        each["id"] = f"cell-{number}"
    return notebook


GOOD: Notebook = renumbered(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}},
        "cells": [
            cell("markdown", "# T\n**Question.** Why? **Answer.** So. **Evidence.** a, b. Rerun: `wirelab run 10`"),
            cell("code", "from wirelab import show\nimport wirelab.capture"),
            cell("code", 'protocol: str = "native"\nlimit: int = 3', "parameters"),
            cell("markdown", "Prose."),
            cell("code", "1 / 0", "raises-exception", outputs=[{"output_type": "error", "ename": "E", "evalue": ""}]),
            cell("markdown", "More prose."),
            cell("code", "assert limit == 3"),
        ],
    }
)

BREAKS: dict[str, Callable[[Notebook], Any]] = {
    "title": lambda n: n["cells"][0].update(source=n["cells"][0]["source"][2:]),
    "answer": lambda n: n["cells"][0].update(source="# T question evidence wirelab run"),
    "more than imports": lambda n: n["cells"][1].update(source="import os"),
    "cells 1 to 3": lambda n: n["cells"].pop(0),
    "tagged parameters": lambda n: n["cells"][2].update(metadata={}),
    "`name: type": lambda n: n["cells"][2].update(source="limit = 3"),
    "is of type": lambda n: n["cells"][2].update(source="limit: int | None = 3"),
    "is no int": lambda n: n["cells"][2].update(source="limit: int = len('abc')"),
    "made to be multiplied": lambda n: n["cells"][2].update(source="capture: str = 'x'"),
    "longer than 15": lambda n: n["cells"][6].update(source="assert True\n" * 16),
    "the median code cell": lambda n: [c.update(source=c["source"] + "\n" * 5 + "1") for c in n["cells"]],
    "holds logic (FunctionDef)": lambda n: n["cells"][4].update(source="def f(): pass"),
    "holds logic (Lambda)": lambda n: n["cells"][4].update(source="f = lambda: 1"),
    "holds logic (Try)": lambda n: n["cells"][4].update(source="try:\n    pass\nfinally:\n    pass"),
    "uses _": lambda n: n["cells"][4].update(source="print(_)"),
    "semicolon": lambda n: n["cells"][4].update(source="1;"),
    "skipped by nbval": lambda n: n["cells"][4].update(metadata={"tags": ["nbval-skip", "raises-exception"]}),
    "without a reason": lambda n: n["cells"][6]["metadata"].update(tags=["nbval-ignore-output"]),
    "more than one cell ignores": lambda n: [c.update(source="# NBVAL_IGNORE_OUTPUT") for c in n["cells"]],
    "are prose": lambda n: n["cells"].pop(3),
    "asserts nothing": lambda n: n["cells"][6].update(source="1"),
    "against its tags": lambda n: n["cells"][4].update(outputs=[]),
    "warned": lambda n: n["cells"][6]["outputs"].append({"output_type": "stream", "name": "stderr", "text": ["x"]}),
    "an absolute path": lambda n: n["cells"][6]["outputs"].append(
        {"output_type": "stream", "name": "stdout", "text": ["see /", "home/someone/x"]}
    ),
    "a secret": lambda n: n["cells"][2].update(source="key: str = 'sk-" + "a" * 20 + "'"),
    "a random id": lambda n: n["cells"][6]["outputs"].append(
        {"output_type": "display_data", "data": {"text/plain": "<Axes at 0x7f0011223344>"}}
    ),
    "execution counts": lambda n: n["cells"][4].update(execution_count=None),
    "kernelspec": lambda n: n["metadata"].update(kernelspec={"name": "conda"}),
    "metadata that does not belong": lambda n: n["cells"][4]["metadata"].update(execution={}),
    "older than 4.5": lambda n: n.update(nbformat_minor=4),
    "cell ids": lambda n: n["cells"][4].update(id="x"),
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_keeps_the_rules(path: Path) -> None:
    assert faults(path.name, json.loads(path.read_text(encoding="utf-8"))) == []


def test_a_good_notebook_has_no_faults() -> None:
    assert faults("10_x.ipynb", GOOD) == []


@pytest.mark.parametrize("fault", BREAKS)
def test_the_rules_see(fault: str) -> None:
    broken = copy.deepcopy(GOOD)
    BREAKS[fault](broken)
    assert any(fault in line for line in faults("10_x.ipynb", broken)), faults("10_x.ipynb", broken)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_table_of_questions_names_it(path: Path) -> None:
    assert path.name in (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")


def test_few_sanitize_rules() -> None:
    text = (ROOT / "tests" / "notebooks" / "sanitize.cfg").read_text(encoding="utf-8")
    assert text.count("regex:") <= 5
