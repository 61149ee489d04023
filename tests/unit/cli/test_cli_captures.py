"""`verify` and `import` as commands: exit codes, counts first, then only the problems."""

import json
import sys
from pathlib import Path

import pytest

from wirelab.capture import Capture, End, Head, Read, Source, dumps, save
from wirelab.capture.names import path_of
from wirelab.cli.importing import import_
from wirelab.cli.verify import verify

HEAD = Head("ollama-1/native/single.stream", "single", "native", "ndjson", "2026-11-30T12:00:00Z", Source("recorded"))
EXCHANGE = Capture(HEAD, (Read(0.1, b'{"a":1}\n'),), End("complete", 0.2))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "captures"
    save(EXCHANGE, path_of(root / "recorded", HEAD.name))
    return root


def test_verify_a_store(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert verify([str(root)]) == 1
    assert "1 capture (1 recorded); 1 problem\n  index.jsonl: no such file" in capsys.readouterr().out
    assert verify([str(root)], write=True) == 0
    monkeypatch.chdir(root.parent)
    capsys.readouterr()
    assert verify([]) == 0
    assert capsys.readouterr().out == "captures: 1 capture (1 recorded); 0 problems\n"


def test_verify_files_and_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "some").mkdir()
    good, bad = tmp_path / "some" / "a.jsonl", tmp_path / "some" / "b.jsonl"
    good.write_bytes(dumps(EXCHANGE))
    assert verify([str(good), str(tmp_path / "some")]) == 0
    bad.write_bytes(b"\x1b[31m")
    assert verify([str(tmp_path / "some")]) == 1
    told = capsys.readouterr().out
    assert "2 captures (1 recorded, 1 unreadable); 1 problem" in told
    assert "b.jsonl, line 1: this is no head of a Wirelab capture" in told


def test_verify_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "a.jsonl"
    good.write_bytes(dumps(EXCHANGE))
    (tmp_path / "empty").mkdir()
    bad = tmp_path / "b.jsonl"
    bad.write_bytes(b"oops")
    paths = [tmp_path / "missing", tmp_path / "empty", good, bad]
    assert verify([str(path) for path in paths]) == 2
    told = capsys.readouterr()
    assert "missing: no such file" in told.err
    assert "empty: no captures below it" in told.err
    assert "1 capture (1 recorded); 0 problems" in told.out


def test_verify_without_a_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WIRELAB_CAPTURES", raising=False)
    assert verify([]) == 2
    assert "no captures found" in capsys.readouterr().err


def test_import(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verify([str(root)], write=True)
    source = tmp_path / "logs"
    source.mkdir()
    head = {
        "capture": "Ollama-1/native/Other.stream", "scenario": "other", "protocol": "native", "recorded_at": "",
        "source": {"kind": "recorded"}, "request": {}, "response": {"headers": {"content-type": "application/x-ndjson"}},
    }  # fmt: skip
    rows = [head, {"t": 0.1, "text": '{"a":1}\n'}, {"end": "complete", "t": 0.2}]
    (source / "a.log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(root.parent)
    capsys.readouterr()
    assert import_([str(source)]) == 0
    assert capsys.readouterr().out.startswith("1 files: 1 imported, 0 already there, 0 refused; ")
    assert verify([]) == 0
    (source / "b.jsonl").write_bytes(b"oops")
    assert import_([str(source)], into=str(root / "recorded")) == 1
    assert "neither a recording log nor a capture" in capsys.readouterr().out
    assert import_([str(tmp_path / "missing")]) == 2
    assert "no such file or folder" in capsys.readouterr().err


def test_the_progress_bar_is_for_terminals(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "c.jsonl"
    source.write_bytes(dumps(EXCHANGE))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert import_([str(source)], into=str(root / "recorded")) == 0
    told = capsys.readouterr()
    assert "1 already there" in told.out
    assert "importing" in told.err
