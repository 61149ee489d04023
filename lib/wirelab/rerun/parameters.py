"""The parameters of a notebook: the cell that declares them, and values given for them from outside."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from wirelab.errors import MisuseError

Cell = dict[str, Any]
Value = str | int | float | bool | list[Any]
Declared = dict[str, Value]

TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool, "list[str]": list, "list[int]": list}
TRUTHS = {"true": True, "false": False}


def source_of(cell: Cell) -> str:
    """A cell's text; nbformat stores it as one text or as a list of lines."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def tags_of(cell: Cell) -> list[str]:
    """A cell's tags."""
    return list(cell.get("metadata", {}).get("tags", []))


def code_cells(notebook: Mapping[str, Any]) -> list[Cell]:
    """The cells that are executed."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def declared(notebook: Mapping[str, Any]) -> Declared:
    """The notebook's parameters with their defaults, in order; empty when it declares none."""
    cells = [cell for cell in code_cells(notebook) if "parameters" in tags_of(cell)]
    statements = ast.parse(source_of(cells[0])).body if cells else []
    return {
        statement.target.id: ast.literal_eval(statement.value)
        for statement in statements
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value
    }


def annotations(notebook: Mapping[str, Any]) -> dict[str, str]:
    """The type that each parameter declares, as it is written."""
    cells = [cell for cell in code_cells(notebook) if "parameters" in tags_of(cell)]
    statements = ast.parse(source_of(cells[0])).body if cells else []
    return {
        statement.target.id: ast.unparse(statement.annotation)
        for statement in statements
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def parameter_faults(source: str) -> Iterator[str]:
    """What a parameters cell holds besides `name: type = literal` lines of a known type."""
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            yield f"line {statement.lineno} of the parameters is not `name: type = literal`"
        elif (kind := ast.unparse(statement.annotation)) not in TYPES:
            yield f"parameter {statement.target.id} is of type {kind}, not one of {', '.join(TYPES)}"
        elif not is_literal(statement.value, TYPES[kind]):
            yield f"the default of parameter {statement.target.id} is no {kind}"


def is_literal(node: ast.expr | None, kind: type) -> bool:
    """Whether the node is a literal of exactly that type (True is no int here)."""
    try:
        return node is not None and type(ast.literal_eval(node)) is kind
    except ValueError:
        return False


def converted(name: str, text: str, kind: str) -> Value:
    """A value from the command line as the declared type. Raises MisuseError when it is none."""
    try:
        return convert(text, kind)
    except (ValueError, SyntaxError):
        raise MisuseError(f"parameter {name} is {kind}; {text[:60]!r} is none") from None


def convert(text: str, kind: str) -> Value:
    """A value as the declared type. Raises ValueError or SyntaxError when it is none."""
    if kind == "str":
        return text
    if kind == "bool":
        if text.lower() not in TRUTHS:
            raise ValueError(text)
        return TRUTHS[text.lower()]
    if kind in {"int", "float"}:
        return int(text) if kind == "int" else float(text)
    value = ast.literal_eval(text)
    element = TYPES[kind[5:-1]]
    if not isinstance(value, list) or not all(type(part) is element for part in value):
        raise ValueError(text)
    return value


def given(name: str, notebook: Mapping[str, Any], values: Mapping[str, str]) -> Declared:
    """Values from outside, checked and converted. Raises MisuseError for a parameter the notebook does not have."""
    kinds = annotations(notebook)
    unknown = sorted(set(values) - set(kinds))
    if unknown:
        has = ", ".join(kinds) or "none"
        raise MisuseError(f"{name} has no parameter {', '.join(unknown)}; it has: {has}")
    return {key: converted(key, text, kinds[key]) for key, text in values.items()}
