"""Names of captures: what a file system could trip over is refused."""

from pathlib import Path

import pytest

from wirelab.capture.names import check_name, name_of, path_of
from wirelab.errors import UnreadableInputError

GOOD = ["a/b/c.d", "ollama-0.20.4/native/parallel.stream.qwen3-coder", "x_1/chat/a+b.whole", "a/b/con-1.x"]
BAD = [
    "", "a", "a/b", "a/b/c", "a/b/c.d/e", "/b/c.d", "a//c.d", "a/b/.d", ".a/b/c.d", "../b/c.d", "a/../c.d", "a/b/..",
    "a/b/c..d", "a/b/c.", "a./b/c.d", "A/b/c.d", "a/b/C.d", "a\\b/c/d.e", "a/b\\c/d.e", "a/b/c d.e", "a/b/c\n.d",
    "a/b/c.d\n", "a/b/c\x00.d", "a/b/c\x1b[31m.d", "a/b/ü.d", "a/b/c\u202e.d", "con/b/c.d", "a/nul/c.d", "a/b/con.d",
    "a/b/lpt1.x", "a/b/" + "x" * 200 + ".d", "~/b/c.d", "-a/b/c.d", "a/b/*.d", "a/b/c:d.e", "c:/b/c.d", "file:///a.b",
    "a/b/" + "a" * 110 + ".b!", "a/b/" + "a." * 55 + "!", "a" * 119 + "!/b/c.d",
]  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_name_and_its_path(name: str, tmp_path: Path) -> None:
    path = path_of(tmp_path, check_name(name))
    assert path == tmp_path / f"{name}.jsonl"
    assert name_of(path, tmp_path) == name


@pytest.mark.parametrize("name", BAD)
def test_no_name(name: str, tmp_path: Path) -> None:
    for refuse in (lambda: check_name(name), lambda: path_of(tmp_path, name)):
        with pytest.raises(UnreadableInputError, match="is no name of a capture") as error:
            refuse()
        assert str(error.value).isprintable()
