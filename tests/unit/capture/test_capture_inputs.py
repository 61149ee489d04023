"""Opening what a user names: files, pipes, packed files, and everything that is none of them."""

import gzip
import io
import os
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from wirelab.capture.inputs import MAX_INPUT, one_line, open_input
from wirelab.errors import UnreadableInputError


def refused(path: str | Path, limit: int = MAX_INPUT) -> str:
    with pytest.raises(UnreadableInputError) as error:
        open_input(path, limit)
    message = str(error.value)
    assert "\n" not in message
    assert message.isprintable()
    return message


def test_plain_packed_and_packed_in_parts(tmp_path: Path) -> None:
    data = b"hello\n" * 1000
    packer = zstandard.ZstdCompressor()
    forms = {
        "plain": data,
        "gz": gzip.compress(data),
        "gz2": gzip.compress(data[:99]) + gzip.compress(data[99:]),
        "zst": packer.compress(data),
        "zst2": packer.compress(data[:99]) + packer.compress(data[99:]),
        "empty": b"",
    }
    for name, form in forms.items():
        (tmp_path / name).write_bytes(form)
        assert open_input(tmp_path / name) == (data if form else b""), name


def test_what_is_no_file(tmp_path: Path) -> None:
    assert "this is a directory" in refused(tmp_path)
    assert "no such file" in refused(tmp_path / "missing")
    assert "this is no path" in refused("a\x00b")
    assert "\\x1b[31m: no such file" in refused("\x1b[31m")
    assert "name too long" in refused(tmp_path / ("x" * 5000))


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", denied)
    assert "no permission to read it" in refused(tmp_path / "a")


def test_a_huge_file_is_refused_at_once_and_costs_nothing(tmp_path: Path) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(1024**3)
    started = time.monotonic()
    tracemalloc.start()
    message = refused(huge)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "larger than 256 MiB" in message
    assert time.monotonic() - started < 5
    assert peak < 1_000_000


def test_a_pipe_is_read_to_the_limit_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1, /) -> bytes:
            self.given += size
            return b"x" * size

    endless = Endless()
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": endless})())
    assert "standard input: larger than 5 MiB" in refused("-", limit=5 * 1024**2)
    assert endless.given <= 7 * 1024**2
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(b"abc")})())
    assert open_input("-") == b"abc"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_device_is_read_to_the_limit_only() -> None:
    assert "larger than 3 MiB" in refused("/dev/zero", limit=3 * 1024**2)


def test_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if child := os.fork():
        assert open_input(pipe) == b"abc"
        os.waitpid(child, 0)
    else:
        pipe.write_bytes(b"abc")
        os._exit(0)


def test_a_file_that_grows_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"abc")
    before = path.stat()
    path.write_bytes(b"abcdef")
    monkeypatch.setattr(os, "stat", lambda path: before)
    assert open_input(path) == b"abcdef"


def test_bombs_and_damage(tmp_path: Path) -> None:
    zeros = bytes(8 * 1024**2)
    for name, packed in (("gz", gzip.compress(zeros)), ("zst", zstandard.ZstdCompressor().compress(zeros))):
        path = tmp_path / name
        path.write_bytes(packed)
        assert "larger than 2 MiB" in refused(path, limit=2 * 1024**2)
        path.write_bytes(packed[:-20])
        assert "damaged" in refused(path)
        path.write_bytes(packed[:4] + b"\xff" * 40)
        assert "damaged" in refused(path)


def test_one_line_is_one_printable_line() -> None:
    assert one_line("a\nb\x1b[0m\u202e\u200bé☂") == "a\\nb\\x1b[0m\\u202e\\u200bé☂"
    assert len(one_line("x" * (MAX_INPUT // 1024))) == 301


def test_a_zstd_file_that_was_cut_is_damaged_and_several_frames_are_one_file(tmp_path: Path) -> None:
    packed = zstandard.compress(b"one" * 5000) + zstandard.compress(b"two" * 5000)
    path = tmp_path / "a.zst"
    path.write_bytes(packed)
    assert open_input(path) == b"one" * 5000 + b"two" * 5000
    for end in (len(packed) - 1, len(packed) - 5, 8):
        path.write_bytes(packed[:end])
        with pytest.raises(UnreadableInputError, match="damaged zstd file"):
            open_input(path)
