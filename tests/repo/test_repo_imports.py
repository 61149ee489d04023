"""Who may import whom: lower rooms never import higher ones, and the pure rooms stay pure."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "lib" / "wirelab"
SOURCES = sorted(PACKAGE.rglob("*.py"))

RANKS: dict[str, int] = {
    room: rank
    for rank, rooms in enumerate(
        [
            ("__init__", "model", "ids", "codes", "errors"),
            ("framing",),
            ("transcript", "protocols"),
            ("calls", "history"),
            ("capture",),
            ("claims",),
            ("transport",),
            ("probe",),
            ("rerun", "show"),
            ("cli", "__main__"),
        ]
    )
    for room in rooms
}
PURE = {"model", "ids", "codes", "errors", "transcript", "framing", "protocols", "calls", "history", "claims"}
IMPURE_MODULES = {
    *("httpx", "requests", "urllib", "http", "socket", "subprocess", "asyncio"),
    *("os", "io", "pathlib", "shutil", "tempfile", "glob", "mmap", "sys"),
    *("time", "datetime", "random", "secrets", "uuid", "logging", "warnings"),
    *("pandas", "numpy", "matplotlib", "rich", "typer"),
}
IMPURE_CALLS = {"open", "print", "input", "exec", "eval"}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[str]:
    """Every absolute module name that is imported anywhere in a file; `from wirelab import x` counts as wirelab.x."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            if node.module == "wirelab":
                yield from (f"wirelab.{alias.name}" for alias in node.names)
            else:
                yield node.module


def faults(room: str, source: str) -> list[str]:
    """What a file of that room does against the order of the rooms."""
    tree = ast.parse(source)
    names = list(imported(tree))
    found = [name for name in names if name.startswith("wirelab.") and too_high(room, name.split(".")[1])]
    if room != "transport":
        found += [name for name in names if name.split(".")[0] == "httpx"]
    if room in PURE:
        found += [name for name in names if name.split(".")[0] in IMPURE_MODULES]
        found += [name for name in called(tree) if name in IMPURE_CALLS]
    return sorted(set(found))


def too_high(room: str, other: str) -> bool:
    if other.startswith("__"):
        return False
    return RANKS[other] > RANKS[room] or (RANKS[other] == RANKS[room] and {room, other} == {"calls", "history"})


def called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_file_imports_only_what_its_room_may(path: Path) -> None:
    assert faults(room_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("room", "source", "expected"),
    [
        ("framing", "from wirelab.calls import rules", ["wirelab.calls"]),
        ("calls", "import wirelab.history.settle", ["wirelab.history.settle"]),
        ("calls", "from wirelab import show", ["wirelab.show"]),
        ("history", "def f():\n    import pathlib\n    open('x')", ["open", "pathlib"]),
        ("cli", "import httpx", ["httpx"]),
        ("transport", "import httpx\nfrom wirelab.capture import load", []),
    ],
)
def test_the_check_sees_a_fault(room: str, source: str, expected: list[str]) -> None:
    assert faults(room, source) == expected
