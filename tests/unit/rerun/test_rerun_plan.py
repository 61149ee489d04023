"""Notebooks are found and their parameters checked before anything runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.rerun import notebooks
from wirelab.rerun.parameters import converted, declared, given, parameter_faults
from wirelab.rerun.plan import plan


def content(parameters: str = "", title: str = "# A title") -> dict[str, Any]:
    cells = [
        {"cell_type": "markdown", "source": ["prose\n", title], "metadata": {}},
        {"cell_type": "code", "source": parameters, "metadata": {"tags": ["parameters"]}, "outputs": []},
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "notebooks"
    target.mkdir()
    for name, parameters in {
        "00_read": 'capture: str = "a/b/c"\nlenient: bool = False',
        "10_native": 'version: str = "0.20.4"',
        "11_chat": "",
        "90_record": 'target: str = "local"',
    }.items():
        (target / f"{name}.ipynb").write_text(json.dumps(content(parameters)), encoding="utf-8")
    return target


def test_offline_notebooks_are_all_but_the_live_ones(folder: Path) -> None:
    assert [notebook.name for notebook in notebooks.offline(folder)] == ["00_read", "10_native", "11_chat"]


def test_a_notebook_knows_its_title_number_and_defaults(folder: Path) -> None:
    first = notebooks.offline(folder)[0]
    assert (first.title, first.number, first.takes_a_capture) == ("A title", "00", True)
    assert first.defaults == {"capture": "a/b/c", "lenient": False}


@pytest.mark.parametrize("name", ["10", "10_native", "10_native.ipynb", "elsewhere/10_native"])
def test_a_notebook_is_chosen_by_number_or_name(name: str, folder: Path) -> None:
    assert [notebook.name for notebook in notebooks.choose([name], folder)] == ["10_native"]


def test_a_notebook_is_chosen_by_path(folder: Path, tmp_path: Path) -> None:
    assert [notebook.number for notebook in notebooks.choose([str(folder / "90_record.ipynb")], tmp_path)] == ["90"]


@pytest.mark.parametrize(("name", "message"), [("77", "no notebook is named 77"), ("1", "no notebook is named 1")])
def test_a_name_that_fits_none_lists_what_there_is(name: str, message: str, folder: Path) -> None:
    with pytest.raises(MisuseError, match=f"{message}; there are: 00_read, 10_native"):
        notebooks.choose([name], folder)


def test_a_name_that_fits_several(folder: Path) -> None:
    (folder / "10_other.ipynb").write_text("{}", encoding="utf-8")
    with pytest.raises(MisuseError, match="more than one notebook is named 10"):
        notebooks.choose(["10"], folder)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', "\x00"])
def test_what_is_no_notebook_is_said_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableInputError, match=r"^x\.ipynb: this is no notebook that can be run$"):
        notebooks.read(tmp_path / "x.ipynb")


def test_a_missing_notebook(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="No such file"):
        notebooks.read(tmp_path / "x.ipynb")


def test_the_folder_is_found_upwards(folder: Path, tmp_path: Path) -> None:
    assert notebooks.find_folder(folder) == folder
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert notebooks.find_folder(tmp_path / "a" / "b") == folder
    with pytest.raises(UnreadableInputError, match="run this inside the project"):
        notebooks.find_folder(Path("/"))


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("true", "bool", True),
        ("False", "bool", False),
        ("3", "int", 3),
        ("3", "str", "3"),
        ("0.5", "float", 0.5),
        ("['a', 'b']", "list[str]", ["a", "b"]),
        ("[1, 2]", "list[int]", [1, 2]),
    ],
)
def test_texts_become_values_of_the_declared_type(text: str, kind: str, value: object) -> None:
    assert converted("x", text, kind) == value
    assert type(converted("x", text, kind)) is type(value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("yes", "bool"),
        ("3.5", "int"),
        ("x", "float"),
        ("[1]", "list[str]"),
        ("[True]", "list[int]"),
        ("a", "list[str]"),
        ("(", "list[str]"),
        ("{}", "list[int]"),
    ],
)
def test_a_text_of_another_type_is_refused(text: str, kind: str) -> None:
    with pytest.raises(MisuseError, match="parameter x is"):
        converted("x", text, kind)


def test_an_unknown_parameter_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(MisuseError, match="n has no parameter b, c; it has: a"):
        given("n", content("a: int = 1"), {"c": "1", "b": "2"})
    with pytest.raises(MisuseError, match="it has: none"):
        given("n", content(), {"c": "1"})


def test_parameters_without_a_cell_or_a_value() -> None:
    assert declared({"cells": []}) == {}
    assert declared(content("a: int\nb = 2\nc: int = 3")) == {"c": 3}


def test_faults_of_a_parameters_cell() -> None:
    assert list(parameter_faults("a: int = 1\nb: list[str] = ['x']")) == []
    assert (
        len(list(parameter_faults("a = 1\na.b: int = 1\nc: int\nd: bytes = b''\ne: int = True\nf: int = 1 + 1"))) == 6
    )


def test_the_product_of_notebooks_and_captures(folder: Path) -> None:
    chosen = notebooks.offline(folder)
    assert [job.output for job in plan(chosen)] == ["00_read", "10_native", "11_chat"]
    jobs = plan(chosen, captures=["t/native/a.stream", "t/chat/b.whole"])
    assert [job.output for job in jobs] == [
        "00_read/t--native--a.stream",
        "00_read/t--chat--b.whole",
        "10_native",
        "11_chat",
    ]
    assert [job.capture for job in jobs] == ["t/native/a.stream", "t/chat/b.whole", None, None]
    assert plan(chosen[:1], {"lenient": "true"})[0].parameters == {"lenient": True}


def test_a_bad_request_is_refused_before_anything_runs(folder: Path) -> None:
    chosen = notebooks.offline(folder)
    with pytest.raises(MisuseError, match="10_native has no parameter lenient"):
        plan(chosen, {"lenient": "true"})
    with pytest.raises(MisuseError, match="not both"):
        plan(chosen[:1], {"capture": "x"}, ["x"])
    with pytest.raises(MisuseError, match="none of these notebooks has a parameter `capture`"):
        plan(chosen[1:], captures=["x"])
