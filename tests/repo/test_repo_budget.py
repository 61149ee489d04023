"""The budget of lib/: short functions, short files, everything annotated."""

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

Function = ast.FunctionDef | ast.AsyncFunctionDef
SOURCES = sorted((Path(__file__).resolve().parents[2] / "lib").rglob("*.py"))


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(function: Function) -> int:
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def unannotated(function: Function) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    missing = [a.arg for a in every if a is not None and a.annotation is None and a.arg not in {"self", "cls"}]
    return missing if function.returns is not None else [*missing, "return"]


def test_functions_are_short() -> None:
    lengths = [length(function) for path in SOURCES for function in functions(path)]
    assert statistics.median(lengths) <= 10
    assert statistics.quantiles(lengths, n=10)[-1] <= 30


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_file_keeps_the_budget(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
    assert [f"{f.name}: {length(f)} lines" for f in functions(path) if length(f) > 50] == []
    assert [f"{f.name}: {names}" for f in functions(path) if (names := unannotated(f))] == []
