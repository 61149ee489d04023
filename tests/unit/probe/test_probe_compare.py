"""What moved between two recordings, and how much it matters."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from wirelab.capture.dump import save
from wirelab.capture.types import Capture, End, Head, Read, Request, Response, Source
from wirelab.cli.compare import compare as command
from wirelab.probe.compare import Change, Grade, compare, exchange_of

BOTH = [{"id": "call_a1b2c3d4", "name": "get_weather", "arguments": {"city": "Oslo"}}]
TOOLS = [{"type": "function", "function": {"name": "get_weather"}}]


def answer(calls: list[dict[str, Any]], text: str = "", reason: str = "stop", **extra: Any) -> bytes:
    entries = [
        {
            **({"id": call["id"]} if "id" in call else {}),
            "function": {"name": call["name"], "arguments": call["arguments"]},
        }
        for call in calls
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": entries} if entries else {})}
    body = {
        "model": "m",
        "message": message,
        "done": True,
        "done_reason": reason,
        "prompt_eval_count": 9,
        "eval_count": 5,
    }
    return msgspec.json.encode({**body, **extra}) + b"\n"


def capture(body: bytes, *, status: int = 200, end: End | None = None, name: str = "single.stream.m") -> Capture:
    head = Head(
        name=f"t/native/{name}",
        scenario="single",
        protocol="native",
        framing="ndjson" if status == 200 else "whole",
        recorded_at="2026-01-01T00:00:00Z",
        source=Source("synthetic"),
        request=Request("POST", "/api/chat", {}, {"tools": TOOLS}),
        response=Response(status, {"content-type": "application/x-ndjson"}),
    )
    return Capture(head, (Read(0.5, body),), end or End("complete", 1.0))


def moved(before: Capture, after: Capture) -> dict[str, Grade]:
    return {change.fact: change.grade for change in compare([before], [after]).changes}


SAME = answer(BOTH)


@pytest.mark.parametrize(
    ("after", "facts"),
    [
        (capture(SAME), {}),
        (capture(answer([{**BOTH[0], "id": "call_z9y8x7w6"}])), {}),
        (capture(answer([{**BOTH[0], "id": "fc_1"}])), {"form of ids": Grade.WARNING}),
        (
            capture(answer([], text="Hi")),
            {"calls": Grade.CRITICAL, "finish reason": Grade.WARNING, "parts": Grade.WARNING},
        ),
        (capture(answer([{**BOTH[0], "arguments": {"city": "Rome"}}])), {"calls": Grade.CRITICAL}),
        (
            capture(answer([{name: part for name, part in BOTH[0].items() if name != "id"}])),
            {"identity of calls": Grade.CRITICAL, "form of ids": Grade.WARNING},
        ),
        (capture(answer(BOTH, text="Hm.")), {"parts": Grade.WARNING, "text": Grade.INFO}),
        (capture(answer(BOTH, load_duration=7)), {"fields": Grade.INFO}),
        (capture(SAME, end=End("cut", 1.0, by="server")), {"end of body": Grade.CRITICAL}),
    ],
)
def test_facts_and_grades(after: Capture, facts: dict[str, Grade]) -> None:
    found = {
        fact: grade for fact, grade in moved(capture(SAME), after).items() if facts.get(fact) or grade != Grade.INFO
    }
    assert found == facts


def test_a_refusal_is_critical_and_has_a_kind() -> None:
    refused = capture(b'{"error":"model \'m\' not found"}', status=404)
    facts = moved(capture(SAME), refused)
    assert facts["outcome"] is facts["violation"] is Grade.CRITICAL
    assert facts["status"] is facts["kind of failure"] is Grade.WARNING


def test_exchanges_on_one_side_only() -> None:
    left = [capture(SAME), capture(SAME, name="single.whole.m")]
    right = [capture(SAME, name="single.stream.other"), capture(SAME, name="single.stream.other.x2")]
    found = compare(left, right)
    assert found.compared == 1
    assert found.changes == (
        Change(Grade.WARNING, "native/single.whole", "exchange", "recorded", None),
        Change(Grade.INFO, "native/single.stream.x2", "exchange", None, "recorded"),
    )


def test_a_capture_that_died_gives_way_to_the_one_asked_again() -> None:
    dead = capture(b"", end=End("cut", 0.1, by="recorder"))
    again = capture(SAME, name="single.stream.m.again-2")
    assert exchange_of(again) == exchange_of(dead) == "native/single.stream"
    assert compare([capture(SAME)], [dead, again]).changes == ()


def test_discovery_is_compared_by_its_fields() -> None:
    head = capture(b"").head
    head = msgspec.structs.replace(
        head, name="t/discovery/tags.plain", protocol="discovery", scenario="tags", framing="whole"
    )
    old, new = (
        Capture(head, (Read(0.0, body),), End("complete", 1.0)) for body in (b'{"a":1,"b":[{"c":1}]}', b'{"a":2}')
    )
    assert compare([old], [new]).changes == (
        Change(Grade.INFO, "discovery/tags.plain", "fields", ["a", "b[].c"], ["a"]),
    )


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side, body in (("a", SAME), ("b", answer([]))):
        save(capture(body), tmp_path / side / "native" / "single.stream.m.jsonl")
    one, other = str(tmp_path / "a"), str(tmp_path / "b")
    assert command(one, one) == 0
    assert command(one, other) == 1
    out = capsys.readouterr().out
    assert "1 exchanges on both sides; what moved: 0 critical, 0 warning, 0 info" in out
    assert "native/single.stream" in out
    assert (
        command(one, str(tmp_path / "b" / "native" / "single.stream.m.jsonl"), as_json=True, least=Grade.CRITICAL) == 1
    )
    lines = capsys.readouterr()
    assert '"critical"' in lines.out
    assert '"warning"' not in lines.out


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    save(capture(SAME), tmp_path / "a" / "a.jsonl")
    save(capture(SAME, name="single.whole.m"), tmp_path / "b" / "b.jsonl")
    assert command(str(tmp_path / "empty"), str(tmp_path / "a")) == 2
    assert command(str(tmp_path / "nothing.jsonl"), str(tmp_path / "a")) == 2
    assert command(str(tmp_path / "a"), str(tmp_path / "b")) == 2
    said = capsys.readouterr().err
    assert "no captures" in said
    assert "no such file" in said
    assert "no exchange in common" in said
