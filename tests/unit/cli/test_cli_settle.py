"""`wirelab settle`: what is printed, and the exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from wirelab.cli.settle import settle
from wirelab.history.replay import Replay

CHAT = [
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": ""}}],
    },
    {"role": "user", "content": "hurry"},
    {"role": "tool", "tool_call_id": "a", "content": "ok"},
]


def run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: Any, choice: Replay | None = None
) -> tuple[int, Any, str]:
    file = tmp_path / "history.json"
    file.write_bytes(text if isinstance(text, bytes) else json.dumps(text).encode())
    code = settle(str(file), choice)
    out, err = capfd.readouterr()
    return code, json.loads(out) if out else None, err


def test_messages_and_findings(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, answer, err = run(tmp_path, capfd, {"model": "m", "messages": CHAT})
    assert (code, err, list(answer)) == (0, "", ["messages", "system", "findings", "error"])
    assert [message["role"] for message in answer["messages"]] == ["assistant", "tool", "user"]
    assert [sorted(finding) for finding in answer["findings"]] == [["code", "detail", "id", "position"]] * 2
    assert [finding["code"] for finding in answer["findings"]] == ["blank-arguments", "held-back"]
    assert (answer["system"], answer["error"]) == (None, None)


def test_an_error_has_no_messages(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, answer, _ = run(tmp_path, capfd, CHAT[1:])
    assert code == 1
    assert (answer["messages"], answer["findings"], answer["system"]) == ([], [], None)
    assert answer["error"] == {
        "code": "orphan-result",
        "message": "no earlier call has the id a",
        "position": 1,
        "id": "a",
    }


def test_the_target_and_its_system_field(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    history = [{"role": "system", "content": "be brief"}, *CHAT]
    code, answer, _ = run(tmp_path, capfd, history, Replay(to="messages", profile="anthropic"))
    assert (code, answer["system"]) == (0, "be brief")


@pytest.mark.parametrize(
    ("text", "choice", "said"),
    [
        (b"{", None, "no JSON"),
        (b"\xff", None, "no JSON"),
        (b"[NaN]", None, "NaN is no JSON"),
        (b"[" * 100_000, None, "no JSON"),
        (b"5", None, "a history is a request body"),
        (b"[5]", None, "messages[0] is no object"),
        (b"[]", Replay(profile="nobody"), "no profile"),
        (b"[]", Replay(to="soap"), "no dialect"),
    ],
)
def test_what_cannot_be_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: bytes, choice: Replay | None, said: str
) -> None:
    code, answer, err = run(tmp_path, capfd, text, choice)
    assert (code, answer, err.count("\n")) == (2, None, 1)
    assert said in err


def test_a_file_that_is_not_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert settle(str(tmp_path / "nothing")) == 2
    assert capfd.readouterr().err.startswith("wirelab: ")


def test_a_capture_gives_the_history_of_its_request(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name = "captures/recorded/ollama-0.32.15/native/rendered-user_between.whole.gemma4.jsonl"
    assert settle(str(project / name)) == 0
    answer = json.loads(capfd.readouterr().out)
    assert [message["role"] for message in answer["messages"]] == ["user", "assistant", "tool", "tool", "user"]


def test_a_recording_log_gives_the_history_of_its_request(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    head = {
        "capture": "x-1/chat/single.whole",
        "scenario": "single",
        "protocol": "chat",
        "recorded_at": "2026-11-30T00:00:00.000Z",
        "source": {"kind": "recorded", "target": "local", "server": "x", "version": "1", "model": "m", "note": ""},
        "request": {"method": "POST", "path": "/v1/chat/completions", "headers": {}, "json": {"messages": CHAT}},
        "response": {"status": 200, "headers": {}},
    }
    lines = [head, {"t": 0.1, "text": "{}"}, {"end": "complete", "t": 0.2}]
    code, answer, err = run(tmp_path, capfd, "\n".join(map(json.dumps, lines)).encode())
    assert (code, err) == (0, "")
    assert len(answer["messages"]) == 3
