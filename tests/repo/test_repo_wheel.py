"""What is built is what is there: a `.gitignore` with lib/ once made a build drop the whole package silently."""

import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def wheel(project: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    subprocess.run(command, cwd=project, capture_output=True, check=True, timeout=60)
    return zipfile.ZipFile(next(target.glob("*.whl")))


def test_wheel_holds_every_module(wheel: zipfile.ZipFile, project: Path) -> None:
    expected = {path.relative_to(project / "lib").as_posix() for path in (project / "lib").rglob("*.py")}
    built = {name for name in wheel.namelist() if name.endswith(".py")}
    assert built == expected
    assert "wirelab/py.typed" in wheel.namelist()


def test_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    roots = {name.split("/")[0] for name in wheel.namelist()}
    assert {root for root in roots if not root.endswith(".dist-info")} == {"wirelab"}


def test_wheel_names_its_commands_and_licence(wheel: zipfile.ZipFile) -> None:
    information = next(name for name in wheel.namelist() if name.endswith("METADATA"))
    metadata = Parser().parsestr(wheel.read(information).decode())
    assert metadata["License-Expression"] == "MIT"
    entry_points = wheel.read(information.replace("METADATA", "entry_points.txt")).decode()
    assert "wirelab = wirelab.cli:main" in entry_points
