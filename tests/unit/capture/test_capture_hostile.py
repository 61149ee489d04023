"""The hostile capture tries everything, and reading it changes nothing but memory."""

from pathlib import Path

from wirelab.capture import Store, dumps
from wirelab.capture.redact import find_secrets

ROOT = Path(__file__).resolve().parents[3] / "captures"
NAME = "hostile/chat/hostile.stream"


def test_it_says_what_it_is_and_holds_what_it_says() -> None:
    capture = Store(ROOT).load(NAME)
    assert capture.source.kind == "synthetic"
    assert capture.source.note.startswith("Made up by us; no server sent it.")
    body = capture.body.decode("utf-8", "replace")
    for attack in (
        "<script>", "onerror=", "</script>", "javascript:", "\\u001b[31m", "\\u001b]0;", "\\u001b]8;;", "\x1b]0;", "\x9b",
        "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\\u0000", "../../../../etc/passwd", "C:\\\\\\\\Windows", "=cmd|",
        "{{7*7}}", "__proto__", "1" + "0" * 400, "[" * 100, "99999999999999999999", "sk-made-", "--output=", "DROP TABLE",
    ):  # fmt: skip
        assert attack in body, attack
    assert "<script>" in capture.source.server
    assert "\x1b" in capture.source.version
    assert "../" in capture.request.path


def test_it_holds_no_secret_and_is_written_as_the_format_writes_it() -> None:
    data = (ROOT / "synthetic" / f"{NAME}.jsonl").read_bytes()
    assert find_secrets(data) == []
    assert dumps(Store(ROOT).load(NAME)) == data
    assert b"\x1b" not in data
    assert b"\x07" not in data
