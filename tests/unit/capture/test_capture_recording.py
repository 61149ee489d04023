"""Recording into a file while it happens, and saving what is finished."""

import os
import signal
from pathlib import Path

import pytest

from wirelab.capture import Capture, End, Head, Read, Source, dumps, load, save
from wirelab.capture.dump import prove
from wirelab.capture.recording import Recording
from wirelab.errors import MisuseError

HEAD = Head("a/native/c.stream", "c", "native", "ndjson", "2026-11-30T12:00:00Z", Source("recorded", "local"))


def test_what_is_recorded_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "c.jsonl"
    with Recording(path, HEAD) as recording:
        recording.read(0.1, b'{"a":1}\n{"b"')
        assert load(path).reads == (Read(0.1, b'{"a":1}\n{"b"'),)
        assert load(path).end.by == "recorder"
        recording.read(0.2, b":2}\n")
        ended = recording.end(End("complete", 0.3))
    assert ended == load(path)
    assert ended.body == b'{"a":1}\n{"b":2}\n'
    assert ended.end == End("complete", 0.3)


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recording = Recording(path, HEAD, secrets=["the key in use"])
    recording.read(0.1, b'{"error":"bad: the key')
    assert b"the key" not in path.read_bytes()
    recording.read(0.2, b' in use"}\n{"x":"the k')
    ended = recording.end(End("complete", 0.3))
    assert ended.body == b'{"error":"bad: [redacted]"}\n{"x":"the k'
    assert ended.end.redacted == 1
    assert ended.reads[-1] == Read(0.2, b"the k")
    assert b"in use" not in path.read_bytes()


def test_a_block_that_fails_ends_as_error(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"

    def fail() -> None:
        with Recording(path, HEAD) as recording:
            recording.read(0.1, b'{"a":1}\n')
            raise RuntimeError("secret detail")

    with pytest.raises(RuntimeError):
        fail()
    assert load(path).end == End("error", 0.1, detail="RuntimeError")
    with Recording(tmp_path / "d.jsonl", HEAD):
        pass
    assert load(tmp_path / "d.jsonl").end == End("error", 0.0, detail="left without an end")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"mine")
    with pytest.raises(MisuseError, match="never overwritten"):
        Recording(path, HEAD)
    with pytest.raises(MisuseError, match="never overwritten"):
        save(Capture(HEAD, (), End("complete")), path)
    assert path.read_bytes() == b"mine"


def test_a_killed_recorder_keeps_what_had_arrived(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    if (child := os.fork()) == 0:
        recording = Recording(path, HEAD)
        recording.read(0.1, b'{"a":1}\n{"b')
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    capture = load(path)
    assert capture.body == b'{"a":1}\n{"b'
    assert (capture.end.kind, capture.end.by) == ("cut", "recorder")


def test_save_proves_what_it_writes(tmp_path: Path) -> None:
    good = Capture(HEAD, (Read(0.1, b"\xff\n"),), End("complete", 1.0))
    assert save(good, tmp_path / "x" / "c.jsonl") == len(dumps(good))
    assert load(tmp_path / "x" / "c.jsonl") == good
    with pytest.raises(MisuseError, match="cannot be written as a capture"):
        prove(Capture(HEAD, (Read(float("nan"), b"a"),), End("complete")), dumps(good)[:-20] + b"\n")
    with pytest.raises(MisuseError, match="would not come back"):
        prove(Capture(HEAD, (), End("complete", 1.0)), dumps(good))
    with pytest.raises(MisuseError, match="cannot be written as a capture"):
        save(Capture(HEAD, (Read(float("nan"), b"a"),), End("complete")), tmp_path / "n.jsonl")
    assert not (tmp_path / "n.jsonl").exists()
