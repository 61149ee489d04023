"""Runs end to end, over notebooks made here and two committed captures."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from wirelab.capture.store import Store
from wirelab.errors import MisuseError
from wirelab.rerun import regenerate
from wirelab.rerun.clean import normalise, shown
from wirelab.rerun.jobs import new_folder, note, read_journal, unfinished_folder
from wirelab.rerun.outcome import Outcome
from wirelab.rerun.run import Report, fitting_any, run_notebooks

SCENARIO = "ollama-0.20.4/native/parallel.stream*"


def code(source: str, *tags: str) -> dict[str, Any]:
    metadata = {"tags": list(tags)} if tags else {}
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": [], "execution_count": None}


def write(folder: Path, name: str, *cells: dict[str, Any]) -> None:
    for number, cell in enumerate(cells):
        cell["id"] = f"x{number}"
    notebook = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    (root / "notebooks").mkdir()
    own = Store(Path(__file__).resolve().parents[3] / "captures")
    for entry in own.select(SCENARIO)[:2]:
        (root / "captures" / entry.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(own.root / entry.path, root / "captures" / entry.path)
    folder = root / "notebooks"
    capture = code('capture: str = "none"\ntimes: int = 1', "parameters")
    write(folder, "00_read", capture, code("capture * times"), code("1 / 0", "raises-exception"), code("print('on')"))
    write(folder, "10_tame", code("1 + 1", "raises-exception"), code("'after'"))
    write(folder, "11_wild", code("1 / 0"), code("'after'"))
    write(folder, "91_live", code("raise SystemError"))
    return root


@pytest.fixture
def here(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(root)
    return root


def executed(report: Report, output: str) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads((report.page.parent / f"{output}.ipynb").read_text(encoding="utf-8"))
    return notebook


def test_a_whole_run(here: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = run_notebooks(progress=lambda _what, done, of: seen.append((done, of)))
    assert [(outcome.output, outcome.error) for outcome in report.outcomes] == [
        ("00_read", None),
        ("10_tame", "cell 1: it should have raised, and did not"),
        ("11_wild", "cell 1: ZeroDivisionError: division by zero"),
    ]
    assert [outcome.notebook for outcome in report.failed] == ["10_tame", "11_wild"]
    assert [shown(cell) for cell in executed(report, "10_tame")["cells"]] == ["2", "'after'"]
    assert [shown(cell) for cell in executed(report, "11_wild")["cells"]][1] == "", "it stopped there"
    assert report.survey is not None
    assert report.survey.readings == 2
    assert seen[:4] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert seen[-1] == (2, 2)
    assert report.page.parent.parent == here / "runs"
    assert "it should have raised" in report.page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("here")
def test_a_run_over_captures_leaks_nothing_into_metadata(root: Path) -> None:
    report = run_notebooks(captures=SCENARIO, parameters={"times": "2"}, store=Store(root / "captures"))
    assert [outcome.error for outcome in report.outcomes] == [None, None]
    assert report.survey is not None
    assert report.survey.readings == 2
    for outcome in report.outcomes:
        notebook = executed(report, outcome.output)
        assert shown(notebook["cells"][2]) == repr(str(outcome.capture) * 2)
        for holder in (notebook, *notebook["cells"]):
            assert str(root) not in json.dumps(holder["metadata"])
            assert str(outcome.capture) not in json.dumps(holder["metadata"])
        assert set(notebook["metadata"]) == {"kernelspec", "language_info"}


def test_a_bad_request_leaves_no_folder_behind(here: Path) -> None:
    before = sorted((here / "runs").glob("*"))
    with pytest.raises(MisuseError, match="no capture is named like"):
        run_notebooks(captures="nothing*")
    with pytest.raises(MisuseError, match="has no parameter"):
        run_notebooks(["00"], parameters={"tims": "2"})
    assert sorted((here / "runs").glob("*")) == before


def test_folders_count_up(tmp_path: Path) -> None:
    assert [new_folder(tmp_path / "runs").name for _ in range(3)] == ["1", "2", "3"]
    (tmp_path / "runs" / "9").mkdir()
    (tmp_path / "runs" / "notes").mkdir()
    assert new_folder(tmp_path / "runs").name == "10"


def test_the_whole_product_goes_on_where_it_was_stopped(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def stop(what: str, done: int, _of: int) -> None:
        seen.append(what)
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_notebooks(product=True, progress=stop)
    stopped = max((here / "runs").iterdir(), key=lambda path: int(path.name))
    assert list(read_journal(stopped)) == seen[-1:]
    monkeypatch.setattr("wirelab.rerun.jobs.MOST_WORKERS", 1)
    report = run_notebooks(product=True, progress=lambda what, _done, _of: seen.append(what))
    assert report.page.parent == stopped
    assert seen.count(seen[1]) == 1, "what was done is not done again"
    assert len(report.outcomes) == 2
    assert not report.failed
    assert run_notebooks(product=True).page.parent != stopped


def test_the_journal_forgets_half_a_line(tmp_path: Path) -> None:
    assert read_journal(tmp_path) == {}
    outcome = Outcome("00_x", "t", None, "00_x", 1.0, None)
    note(tmp_path, outcome)
    with (tmp_path / "outcomes.jsonl").open("ab") as journal:
        journal.write(b'{"notebook":"10')
    assert read_journal(tmp_path) == {"00_x": outcome}


def test_only_an_unfinished_run_of_the_same_plan_is_gone_on_with(tmp_path: Path) -> None:
    assert unfinished_folder(tmp_path / "none", "a") is None
    first, second = new_folder(tmp_path, "a"), new_folder(tmp_path, "b")
    assert unfinished_folder(tmp_path, "a") == first
    assert unfinished_folder(tmp_path, "c") is None
    (second / "index.html").touch()
    assert unfinished_folder(tmp_path, "b") is None


@pytest.mark.usefixtures("here")
def test_regenerating_says_what_changed_and_keeps_what_failed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failing = (root / "notebooks" / "11_wild.ipynb").read_bytes()
    assert regenerate.main(["00", "11"]) == 1
    first = capsys.readouterr().out
    assert "00_read: CHANGED\n    cell 2:\n    @@ -0,0 +1 @@\n    +'none'\n" in first
    assert "11_wild: FAILED, left as it was: cell 1: ZeroDivisionError" in first
    assert (root / "notebooks" / "11_wild.ipynb").read_bytes() == failing
    made = json.loads((root / "notebooks" / "00_read.ipynb").read_text(encoding="utf-8"))
    assert [cell["execution_count"] for cell in made["cells"]] == [1, 2, 3, 4]
    assert [cell["id"] for cell in made["cells"]] == ["cell-1", "cell-2", "cell-3", "cell-4"]
    assert made["cells"][2]["outputs"][0]["traceback"] == ["ZeroDivisionError: division by zero"]
    again = (root / "notebooks" / "00_read.ipynb").read_bytes()
    assert regenerate.main(["00"]) == 0
    assert capsys.readouterr().out == "00_read: unchanged\n"
    assert (root / "notebooks" / "00_read.ipynb").read_bytes() == again
    assert regenerate.main(["77"]) == 2
    assert "no notebook is named 77" in capsys.readouterr().err


def test_normalising_keeps_tags_and_outputs_only() -> None:
    cell = {
        **code("1", "raises-exception", "papermill-error-cell-tag"),
        "outputs": [{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["at /", "somewhere"]}],
    }
    cell["metadata"]["papermill"] = {"duration": 1}
    notebook = {"cells": [cell], "metadata": {"papermill": {"input_path": "x"}}, "nbformat": 4, "nbformat_minor": 4}
    normalise(notebook)
    assert cell["metadata"] == {"tags": ["raises-exception"]}
    assert cell["outputs"][0]["traceback"] == ["E: v"]
    assert notebook["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


def test_a_parameter_may_be_a_pattern_of_captures() -> None:
    store = Store()
    names = fitting_any(store, ["ollama-0.9.0/native/single.*", "ollama-0.9.0/native/single.*"])
    assert names
    assert len(set(names)) == len(names)
    assert fitting_any(store, [names[0]]) == [names[0]]
    assert fitting_any(store, []) == []
    assert fitting_any(store, None) is None
    assert fitting_any(store, ["nobody/*"]) == []
