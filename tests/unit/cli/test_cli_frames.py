import json
from pathlib import Path

from typer.testing import CliRunner

from wirelab.cli.app import app

RUN = CliRunner()
BODY = b': alive\n\ndata: {"choices":[]}\n\nevent: odd\ndata: {"choices":\n\ndata: {"cho'


def test_frames_as_json_mark_what_is_malformed_or_pending(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(BODY)
    result = RUN.invoke(app, ["frames", str(file), "--protocol", "chat", "--format", "json"])
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert list(rows[0]) == [
        *("file", "frame", "start", "end", "t", "kind", "event", "pending", "malformed", "data")
    ]  # fmt: skip
    assert [(row["kind"], row["event"], row["pending"], row["malformed"]) for row in rows] == [
        ("comment", None, False, False),
        ("data", None, False, False),
        ("data", "odd", False, True),
        ("data", None, True, False),
    ]
    assert rows[1]["data"] == '{"choices":[]}'
    assert b"".join(BODY[row["start"] : row["end"]] for row in rows) == BODY


def test_frames_for_a_person(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(BODY)
    result = RUN.invoke(app, ["frames", str(file)])
    assert result.exit_code == 0
    assert "malformed" in result.stdout
    assert "pending" in result.stdout
