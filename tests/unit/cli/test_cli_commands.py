"""How the other commands' options reach the functions that do the work."""

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from wirelab.cli.app import app
from wirelab.cli.laboratory import joined_pairs, parameter_of

RUN = CliRunner()
TWO = (
    b'{"model":"m","message":{"tool_calls":['
    b'{"id":"a","function":{"index":0,"name":"get_weather","arguments":{"city":"Oslo"}}},'
    b'{"id":"b","function":{"index":0,"name":"get_time","arguments":{}}}]},"done":true,"done_reason":"stop"}\n'
)


class Recorder(ModuleType):
    """A command's module that keeps what it was called with."""

    def __init__(self, function: str) -> None:
        super().__init__(function)
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        setattr(self, function, self._call)

    def _call(self, *args: Any, **keywords: Any) -> int:
        self.calls.append((args, keywords))
        return 0


def instead_of(monkeypatch: pytest.MonkeyPatch, module: str, function: str) -> Recorder:
    recorder = Recorder(function)
    monkeypatch.setitem(sys.modules, f"wirelab.cli.{module}", recorder)
    monkeypatch.setattr(f"wirelab.cli.{module}", recorder, raising=False)
    return recorder


def test_run_takes_pairs_of_names_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = instead_of(monkeypatch, "run", "run")
    done = RUN.invoke(app, ["run", "10", "-p", "policy", "a=b", "-p", "limit=3", "--captures", "x*", "11"])
    assert done.exit_code == 0, done.output
    assert recorder.calls == [((["10", "11"], "x*", [("policy", "a=b"), ("limit", "3")]), {"product": False})]


def test_a_parameter_without_a_value_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    instead_of(monkeypatch, "run", "run")
    done = RUN.invoke(app, ["run", "10", "-p", "policy"])
    assert done.exit_code == 2
    assert "needs a value" in done.stderr
    assert list(joined_pairs(["-p"])) == ["-p"]
    assert parameter_of("a=") == ("a", "")


def test_run_records_a_target_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import wirelab.cli.record as recording  # noqa: PLC0415

    recorder, asked = instead_of(monkeypatch, "run", "run"), []

    def record(options: Any) -> int:
        asked.append((options.target, options.wish.model, options.folder))
        (tmp_path / options.folder / "recorded").mkdir(parents=True)
        return 1

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WIRELAB_CAPTURES", "elsewhere")
    monkeypatch.setattr(recording, "record", record)
    assert RUN.invoke(app, ["run", "--target", "local"]).exit_code == 2
    assert RUN.invoke(app, ["run", "--target", "local", "--model", "m"]).exit_code == 0
    assert asked == [("local", "m", Path("runs/recordings"))]
    assert os.environ["WIRELAB_CAPTURES"] == str(tmp_path / "runs" / "recordings")
    assert recorder.calls[0][0] == ([], "*", [])
    monkeypatch.setattr(recording, "record", lambda _options: 2)
    assert RUN.invoke(app, ["run", "--target", "local", "--model", "m"]).exit_code == 2
    assert len(recorder.calls) == 1


def test_verify_and_import_pass_their_paths_on(monkeypatch: pytest.MonkeyPatch) -> None:
    verify, importing = instead_of(monkeypatch, "verify", "verify"), instead_of(monkeypatch, "importing", "import_")
    assert RUN.invoke(app, ["verify", "a", "--write-index"]).exit_code == 0
    assert RUN.invoke(app, ["import", "a", "b", "--into", "c"]).exit_code == 0
    assert verify.calls == [((["a"],), {"write": True})]
    assert importing.calls == [((["a", "b"],), {"into": "c"})]


def test_settle_passes_its_choices_on(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    file.write_text(json.dumps({"messages": [{"role": "user", "content": "Hi"}]}), encoding="utf-8")
    done = RUN.invoke(app, ["settle", str(file), "--from", "chat", "--to", "native", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["messages"] == [{"role": "user", "content": "Hi"}]
    assert RUN.invoke(app, ["settle", str(file), "--to", "carrier-pigeon"]).exit_code == 2
    assert RUN.invoke(app, ["settle", str(file), "--result-order", "sideways"]).exit_code == 2
    assert RUN.invoke(app, ["settle", str(file), "--format", "table"]).exit_code == 2


def test_policies_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(TWO)
    shown = RUN.invoke(app, ["compare-policies", str(file)])
    assert shown.exit_code == 0
    assert "index-concat" in shown.stdout
    assert "1 call: get_weatherget_time" in shown.stdout
    assert "merged: two calls became one" in shown.stdout
    rows = [
        json.loads(line)
        for line in RUN.invoke(app, ["compare-policies", str(file), "--format", "json"]).stdout.splitlines()
    ]
    assert (rows[0]["policy"], rows[0]["outcome"], len(rows[0]["calls"])) == ("id-first", "ok", 2)
    assert {"file", "could_have_known", "misleads"} <= set(rows[0])
    assert RUN.invoke(app, ["compare-policies", str(tmp_path / "missing")]).exit_code == 2


def test_record_names_its_target_or_does_nothing() -> None:
    assert RUN.invoke(app, ["record", "--model", "m"]).exit_code == 2
    done = RUN.invoke(
        app,
        [
            "record",
            "--target",
            "http://localhost:1",
            "--model",
            "m",
            "--dry-run",
            "--server",
            "x",
            "--scenario",
            "single",
            "--mode",
            "stream",
        ],
    )
    assert done.exit_code == 0, done.output


def test_compare_and_prompts_pass_their_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    comparing, prompts = instead_of(monkeypatch, "compare", "compare"), instead_of(monkeypatch, "prompts", "prompts")
    done = RUN.invoke(app, ["compare", "a", "b", "--least", "critical", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert comparing.calls == [(("a", "b"), {"as_json": True, "least": "critical"})]
    done = RUN.invoke(app, ["prompts", "--target", "local", "--model", "m", "--renderer", "apply-template"])
    assert done.exit_code == 0, done.output
    ((options,), keywords) = prompts.calls[0]
    assert (options.target, options.wish.model) == ("local", "m")
    assert keywords == {"renderer": "apply-template", "as_json": False}
