"""environment.yml says what pyproject.toml says, in a form that conda reads."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from rattler import MatchSpec

ROOT = Path(__file__).resolve().parents[2]
CONDA: dict[str, Any] = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

OTHER_NAMES = {"ollama": "ollama-python"}
"""PyPI name to conda-forge name, where they differ: conda-forge's `ollama` is the server."""
PIP = Requirement("pip>=25.1")
"""Not of the project: conda's way to install it, in the version that knows `--group`."""


def required() -> list[Requirement]:
    """Everything pyproject.toml asks for, from all its places."""
    extras = PROJECT["project"]["optional-dependencies"].values()
    groups = PROJECT["dependency-groups"].values()
    lists = [PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"], *extras, *groups]
    python = Requirement("python" + PROJECT["project"]["requires-python"])
    return [python, PIP, *(Requirement(text) for texts in lists for text in texts)]


def conda_lines() -> list[str]:
    return [line for line in CONDA["dependencies"] if isinstance(line, str)]


@pytest.mark.parametrize("line", conda_lines())
def test_line_is_a_match_spec(line: str) -> None:
    assert str(MatchSpec(line, strict=True)) == line


def test_names_and_bounds_are_equal() -> None:
    wanted = {OTHER_NAMES.get(r.name, r.name): r.specifier for r in required()}
    have = {line.split()[0]: SpecifierSet(line.split()[1]) for line in conda_lines()}
    assert have == wanted
    assert len(conda_lines()) == len(have), "a name stands there twice"


def test_only_the_project_itself_comes_from_pip() -> None:
    assert [line for line in CONDA["dependencies"] if not isinstance(line, str)] == [{"pip": ["-e ."]}]
    assert CONDA["name"] == "wirelab"
    assert CONDA["channels"] == ["conda-forge"]
