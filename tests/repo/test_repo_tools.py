"""The linter, the formatter and the type checker agree with what is committed."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--quiet", "."],
        ["ruff", "format", "--check", "--quiet", "."],
        ["mypy", "--no-error-summary"],
    ],
    ids=["lint", "format", "types"],
)
def test_tool_has_nothing_to_say(command: list[str], project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=project, capture_output=True, text=True, check=False, timeout=170
    )
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0
