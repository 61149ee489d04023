"""Nothing that belongs to one machine is committed: paths, registries, lock files, secrets."""

import re
import subprocess
from pathlib import Path

import pytest

HOME_LIKE = "root|home/[a-z]|Users/[A-Za-z]|work/[a-z.]|private/var|farm"
MACHINE_PATH = re.compile(rf"(?<![\w.\-/:~*]){'/'}(?:{HOME_LIKE})[\w./\-]*")
REGISTRY = re.compile(
    r"(?:https?://|\b)(?:[\w\-]+\.)*(?:pypi\.org|pythonhosted\.org|npmjs\.org|crates\.io|anaconda\.org|artifactor[y]|jfro[g])\b/?",
    re.IGNORECASE,
)
SECRET = re.compile(r"\b(?:sk-[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16}|AIza[\w\-]{35})\b")
EVIDENCE = "captures/"
"""Captures hold what a server sent, markup and made-up paths included; `wirelab verify` watches over them."""


@pytest.fixture(scope="module")
def tracked(project: Path) -> list[str]:
    if not (project / ".git").exists():
        pytest.skip("no git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=project, capture_output=True, check=True, timeout=30)
    return [name for name in listed.stdout.decode().split("\0") if name and (project / name).is_file()]


def hits(pattern: re.Pattern[str], names: list[str], project: Path) -> list[str]:
    found = []
    for name in names:
        text = (project / name).read_text(encoding="utf-8", errors="replace")
        found += [f"{name}: {match.group()}" for match in pattern.finditer(text)]
    return found


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY, SECRET], ids=["machine path", "registry", "secret"])
def test_no_file_holds(pattern: re.Pattern[str], tracked: list[str], project: Path) -> None:
    own = [name for name in tracked if not name.startswith(EVIDENCE)]
    assert hits(pattern, own, project) == []


def test_no_lock_file_and_nothing_generated(tracked: list[str]) -> None:
    generated = re.compile(r"(^|/)(uv\.lock|poetry\.lock|__pycache__/|\.ipynb_checkpoints/|runs/|live/|\.venv/)")
    assert [name for name in tracked if generated.search(name)] == []


def test_the_package_is_not_ignored(project: Path, tracked: list[str]) -> None:
    on_disk = {str(path.relative_to(project)) for path in (project / "lib").rglob("*.py")}
    ignored = subprocess.run(
        ["git", "check-ignore", "--no-index", *sorted(on_disk)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert ignored.stdout == ""
    assert "lib/wirelab/__init__.py" in tracked
