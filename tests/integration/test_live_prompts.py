"""`prompts` end to end: a server that renders, one that has another endpoint for it, and one that runs the model."""

import json
from pathlib import Path
from typing import Any

import pytest
from live_server import Action, Answer, Asked, serving, whole

from wirelab.cli.prompts import prompts
from wirelab.cli.record import Options
from wirelab.probe.plan import Wish
from wirelab.probe.prompts import Renderer

NOT_FOUND = whole(b"404 page not found", "404 Not Found", "text/plain")


def ask(answer: Answer, folder: Path, *, renderer: Renderer | None = None, **changes: Any) -> tuple[int, list[Asked]]:
    with serving(answer) as server:
        options = Options(
            target=server.base, wish=Wish(model="m"), folder=folder, server="s", version="1", timeout=10.0, **changes
        )
        return prompts(options, renderer=renderer, as_json=False), server.asked


def template(messages: list[dict[str, Any]], *, blind: bool) -> str:
    """A small template. A blind one shows a result only where it follows its call directly."""
    said = []
    before = ""
    for message in messages:
        role = message["role"]
        if role != "tool" or not blind or before in ("assistant-call", "tool"):
            calls = "".join(json.dumps(call["function"]) for call in message.get("tool_calls", []))
            said.append(f"<{role}>{message.get('thinking', '')}{message['content'] or ''}{calls}</{role}>")
        before = "assistant-call" if message.get("tool_calls") else role
    return "".join(said)


def ollama(asked: Asked) -> list[Action]:
    assert asked.json["_debug_render_only"] is True
    prompt = template(asked.json["messages"], blind=True)
    body = {
        "model": "m",
        "message": {"role": "", "content": ""},
        "done": False,
        "_debug_info": {"rendered_template": prompt},
    }
    return whole(json.dumps(body).encode())


def test_what_a_template_drops_and_what_settling_saves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, asked = ask(ollama, tmp_path)
    assert code == 0
    out = capsys.readouterr().out
    lines = {line.split("  ")[0]: line for line in out.splitlines()}
    assert "lost result" in lines["user_between"]
    assert lines["user_between"].endswith("all there, in order")
    assert "can't be settled: orphan-result" in lines["orphan_result"]
    assert "lost result" in lines["orphan_result"]
    assert lines["text_and_call"].count("all there, in order") == 2
    assert {request.path for request in asked} == {"/api/chat"}


def test_a_llama_server_renders_at_another_endpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def llama(asked: Asked) -> list[Action]:
        if asked.path != "/apply-template":
            return NOT_FOUND
        return whole(json.dumps({"prompt": template(asked.json["messages"], blind=False)}).encode())

    code, asked = ask(llama, tmp_path)
    assert code == 0
    assert [request.path for request in asked].count("/api/chat") == 1
    assert "swapped" in capsys.readouterr().out


def test_a_server_that_runs_the_model_is_left_alone_after_one_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def model(asked: Asked) -> list[Action]:
        assert asked.json["options"] == {"num_predict": 1}
        return whole(b'{"model":"m","message":{"role":"assistant","content":"It"},"done":true,"eval_count":1}')

    code, asked = ask(model, tmp_path)
    assert code == 1
    assert len(asked) == 1
    assert "runs the model instead" in capsys.readouterr().err
    again, asked = ask(model, tmp_path)
    assert (again, len(asked)) == (1, 0)


def test_a_chat_server_that_runs_the_model_is_left_alone_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def chat(asked: Asked) -> list[Action]:
        if asked.path != "/v1/chat/completions":
            return NOT_FOUND
        assert asked.json["max_tokens"] == 1
        return whole(b'{"choices":[{"message":{"role":"assistant","content":"It"},"finish_reason":"length"}]}')

    code, asked = ask(chat, tmp_path)
    assert code == 1
    assert [request.path for request in asked] == ["/api/chat", "/apply-template", "/v1/chat/completions"]
    assert "runs the model instead" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "says", "asked"),
    [
        (lambda _: NOT_FOUND, "none of the endpoints", 3),
        (lambda _: whole(b'{"error":"model \'m\' not found"}', "404 Not Found"), "not found", 1),
        (lambda _: whole(b'{"error":"unauthorized"}', "401 Unauthorized"), "refuses the key", 1),
    ],
)
def test_a_server_that_renders_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: Answer, says: str, asked: int
) -> None:
    code, requests = ask(answer, tmp_path)
    assert (code, len(requests)) == (1, asked)
    assert says in capsys.readouterr().err


def test_a_dry_run_sends_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, asked = ask(ollama, tmp_path, dry_run=True)
    assert (code, asked) == (0, [])
    assert '"_debug_render_only":true' in capsys.readouterr().out
