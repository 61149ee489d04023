"""The simpler recording logs."""

import json
from pathlib import Path
from typing import Any

import pytest

from wirelab.capture import End, Read, loads_log, read_log
from wirelab.capture import logs as logs_module
from wirelab.errors import UnreadableInputError

HEAD: dict[str, Any] = {
    "capture": "Server-1/chat/Single.stream",
    "scenario": "Single",
    "protocol": "chat",
    "recorded_at": "2026-11-30T12:00:00Z",
    "source": {"kind": "recorded", "target": "local", "server": "s", "version": "1", "model": None, "note": "n"},
    "request": {"method": "POST", "path": "/v1/chat/completions", "headers": {}, "json": {"a": 1}},
    "response": {"status": 200, "headers": {"content-type": "text/event-stream"}},
    "observed": {"model_output": "x", "model_said": {"calls": [], "text": "x", "thinking": None}},
}


def log(*lines: dict[str, Any] | str, head: dict[str, Any] = HEAD, last: str = "\n") -> bytes:
    told = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return ("\n".join([json.dumps(head), *told]) + last).encode()


def test_a_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log.jsonl"
    path.write_bytes(log({"t": 0.1, "text": "é"}, {"t": 0.2, "base64": "/w=="}, {"end": "complete", "t": 0.3}))
    capture = read_log(path)
    assert (capture.name, capture.scenario, capture.framing) == ("server-1/chat/single.stream", "single", "sse")
    assert capture.reads == (Read(0.1, "é".encode()), Read(0.2, b"\xff"))
    assert capture.end == End("complete", 0.3)
    assert capture.observed is not None
    assert capture.observed.model_said == {"calls": [], "text": "x", "thinking": None}


def test_a_log_that_was_cut() -> None:
    interrupted = End("cut", None, "recorder", "the recording itself was interrupted")
    assert loads_log(log({"t": 0.1, "text": "a"}, '{"t": 0.2, "te', last="")).reads == (Read(0.1, b"a"),)
    assert loads_log(log({"t": 0.1, "text": "a"}, last="")).end == interrupted
    assert loads_log(log(last="")).end == interrupted
    assert loads_log(log({"end": "cut", "t": 1.0})).end == End("cut", 1.0)
    noted = HEAD | {"source": HEAD["source"] | {"note": "…; the client closed the connection after 9 chunks"}}
    assert loads_log(log({"end": "cut", "t": 1.0}, head=noted)).end == End("cut", 1.0, "client")
    assert loads_log(log({"end": "error", "t": 1.0, "by": "server"}, head=noted)).end.by == "server"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "line 1: "),
        (b"[]\n", "line 1: Expected `object`"),
        (log(head={"capture": "a/b/c.d"}), "line 1: Object missing required field"),
        (log("oops", {"end": "complete"}), "line 2: JSON is malformed"),
        (log({"text": "a"}, {"end": "complete"}), "line 2: a read without its time"),
        (log({"t": 1}, {"end": "complete"}), "line 2: either `text` or `base64`"),
        (log({"t": 1, "base64": "?"}, {"end": "complete"}), "line 2: "),
        (log({"end": "complete"}, {"t": 1, "text": "a"}, {"end": "complete"}), "line 2: a read without its time"),
        (log("[" * 100_000, {"end": "complete"}), "line 2: "),
    ],
)
def test_bad_logs(data: bytes, message: str) -> None:
    with pytest.raises(UnreadableInputError) as error:
        loads_log(data)
    assert message in str(error.value)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("name", "read", "admitted"),
    [
        ("Server-1/chat/Single.stream", "server-1/chat/single.stream", True),
        ("server 1/chat/single.stream.qwen3:8b", "server-1/chat/single.stream.qwen3-8b", True),
        ("../../etc/passwd", "log/log/unnamed.log", False),
        ("mine", "log/log/unnamed.log", False),
        ("", "log/log/unnamed.log", False),
    ],
)
def test_names_of_logs(name: str, read: str, *, admitted: bool) -> None:
    data = log(head=HEAD | {"capture": name})
    assert loads_log(data).name == read
    if admitted:
        assert loads_log(data, any_name=False).name == read
    else:
        with pytest.raises(UnreadableInputError, match="is no name of a capture"):
            loads_log(data, any_name=False)


def test_too_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs_module, "MAX_READS", 2)
    with pytest.raises(UnreadableInputError, match="more than 2 lines"):
        loads_log(log(*[{"t": 1, "text": ""}] * 3))
