"""`record` end to end, over real sockets, with servers that behave and servers that do not."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_server import (
    CUT,
    LINES,
    PAUSE,
    RESET,
    WAIT,
    Action,
    Answer,
    Asked,
    Server,
    chunk,
    head,
    native,
    serving,
    whole,
)

from wirelab.calls import read_body
from wirelab.capture.reader import load
from wirelab.capture.store import Store
from wirelab.capture.types import Capture
from wirelab.capture.verify import verify_store
from wirelab.cli.record import Options, guarded, record
from wirelab.probe.plan import Wish

KEY = 'k3y-of-the-tests/with+signs=and"quotes'


@pytest.fixture(autouse=True)
def key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRELAB_TEST_KEY", KEY)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where a test records; afterwards no file in it may hold the key, in any spelling."""
    yield tmp_path / "recordings"
    for path in tmp_path.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for spelling in (KEY, KEY.replace('"', '\\"'), KEY.replace("/", "%2F").replace("+", "%2B"), KEY[4:30]):
                assert spelling.encode() not in data, path


def options(asked: Server, folder: Path, *scenarios: str, **changes: Any) -> Options:
    wish = Wish(model="m", protocols=("native",), modes=("stream",))
    return Options(
        **{
            "target": asked.base,
            "wish": wish,
            "scenarios": scenarios,
            "folder": folder,
            "key_variable": "WIRELAB_TEST_KEY",
            "timeout": 10.0,
            **changes,
        }
    )


def recorded(folder: Path) -> dict[str, Capture]:
    return {capture.name: capture for capture in Store(folder)}


def one(answer: Answer, folder: Path, scenario: str = "single", **changes: Any) -> tuple[int, Capture]:
    with serving(answer) as server:
        code = record(options(server, folder, scenario, server="s", version="1", **changes))
    (capture,) = recorded(folder).values()
    return code, capture


def test_a_well_behaved_server_is_recorded_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(native) as server:
        code = record(options(server, folder, "single", "conversation", "no_call", "unknown_path"))
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
        assert {asked.headers["accept-encoding"] for asked in server.asked if asked.path == "/api/chat"} == {"identity"}
    assert code == 0
    captures = recorded(folder)
    assert sorted(captures) == [
        "ollama-9.9.9/native/conversation-1.stream.m",
        "ollama-9.9.9/native/conversation-2.stream.m",
        "ollama-9.9.9/native/conversation-3.stream.m",
        "ollama-9.9.9/native/no_call.stream.m",
        "ollama-9.9.9/native/single.stream.m",
    ]
    single = captures["ollama-9.9.9/native/single.stream.m"]
    assert single.body == b"".join(LINES)
    assert len(single.reads) == len(LINES)
    assert single.end.kind == "complete"
    assert single.request.headers["authorization"] == "[redacted]"
    assert read_body(single.body, "native").calls[0].id == "call_1"
    assert verify_store(folder).problems == []
    assert "7 requests at most" in capsys.readouterr().out


def test_a_conversation_sends_the_servers_output_back(folder: Path) -> None:
    with serving(native) as server:
        record(options(server, folder, "conversation", server="s", version="1"))
        third = server.asked[2].json["messages"]
    roles = [message["role"] for message in third]
    assert roles == ["user", "assistant", "tool", "assistant", "tool"]
    assert third[1]["tool_calls"] == [
        {"id": "call_1", "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Oslo"}}}
    ]
    assert third[2] == {
        "role": "tool",
        "tool_name": "get_weather",
        "tool_call_id": "call_1",
        "content": "4 degrees, rain",
    }


def test_nothing_is_asked_twice(folder: Path) -> None:
    with serving(native) as server:
        wanted = options(server, folder, "single", "no_call", server="s", version="1")
        assert record(wanted) == 0
        assert record(wanted) == 0
        assert len(server.asked) == 2


def test_a_dry_run_sends_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(native) as server:
        assert record(options(server, folder, "conversation", dry_run=True)) == 0
        assert server.asked == []
    out = capsys.readouterr().out
    assert "POST http://127.0.0.1" in out
    assert "depends on the answers" in out
    assert KEY not in out
    assert not folder.exists()


def test_a_server_that_cuts_its_body(folder: Path) -> None:
    code, capture = one(lambda _: [head(), chunk(LINES[0]), chunk(LINES[1])[:30], PAUSE, CUT], folder)
    assert code == 0
    assert capture.body.startswith(LINES[0])
    assert (capture.end.kind, capture.end.by) == ("cut", "server")


def test_a_server_that_resets_its_connection(folder: Path) -> None:
    _, capture = one(lambda _: [head(), chunk(LINES[0]), PAUSE, PAUSE, RESET], folder)
    assert capture.body == LINES[0]
    assert (capture.end.kind, capture.end.by) == ("cut", "server")


def test_a_server_that_stalls(folder: Path) -> None:
    _, capture = one(lambda _: [head(), chunk(LINES[0]), WAIT], folder, timeout=0.2)
    assert capture.body == LINES[0]
    assert (capture.end.kind, capture.end.by) == ("cut", "client")
    assert capture.end.detail is not None
    assert "timed out" in capture.end.detail


def test_a_slow_server_is_waited_for_but_not_for_ever(folder: Path) -> None:
    pieces: list[Action] = [action for byte in LINES[1] for action in (chunk(bytes([byte])), PAUSE)]
    _, capture = one(lambda _: [head(), *pieces, b"0\r\n\r\n"], folder, longest=0.15)
    assert LINES[1].startswith(capture.body)
    assert 0 < len(capture.reads) < len(LINES[1])
    assert (capture.end.kind, capture.end.by) == ("cut", "client")


def test_garbage_in_the_body_is_kept_as_it_came(folder: Path) -> None:
    garbage = bytes(range(256)) * 3
    code, capture = one(lambda _: [head(), chunk(garbage), PAUSE, chunk(b"\xff{"), b"0\r\n\r\n"], folder)
    assert code == 0
    assert capture.body == garbage + b"\xff{"
    assert read_body(capture.body, "native").error is not None


def test_garbage_instead_of_http_is_told_in_the_journal(folder: Path) -> None:
    with serving(lambda _: [b"\x00\x01 not http at all " + KEY.encode() + b"\r\n\r\n", CUT]) as server:
        code = record(options(server, folder, "calls", server="s", version="1"))
    assert code == 1
    journal = (folder / "journal.ndjson").read_text()
    assert journal.count("unanswered") == 3
    assert "not http at all" in journal


def test_nobody_listens(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(native) as server:
        wanted = options(server, folder, "single")
    assert record(wanted) == 2
    assert "is the server running" in capsys.readouterr().err


def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("a file")
    with serving(native) as server:
        assert record(options(server, tmp_path / "taken", "single", server="s", version="1")) == 2
    assert "taken: " in capsys.readouterr().err


def test_a_person_who_stops_a_run_is_told_what_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def stop() -> int:
        raise KeyboardInterrupt

    assert guarded(Options(target="local", wish=Wish(model="m"), folder=folder), stop) == 1
    assert "the next run goes on" in capsys.readouterr().err


def test_a_key_that_a_server_echoes_is_never_written(folder: Path) -> None:
    echoed = b'{"error":"the key ' + KEY.replace('"', '\\"').encode() + b' is wrong"}'
    halves: list[Action] = [chunk(echoed[:30]), PAUSE, chunk(echoed[30:])]
    extra = f"x-request-id: {KEY}\r\nset-cookie: session={KEY}\r\n"
    code, capture = one(lambda _: [head(extra=extra), *halves, b"0\r\n\r\n"], folder)
    assert code == 0
    assert b"[redacted] is wrong" in capture.body


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        ("401 Unauthorized", b'{"error":"unauthorized"}', "refuses the key"),
        ("429 Too Many Requests", b'{"error":"you hit the weekly usage limit"}', "weekly quota"),
    ],
)
def test_a_run_stops_where_going_on_is_useless(
    folder: Path, capsys: pytest.CaptureFixture[str], status: str, body: bytes, says: str
) -> None:
    with serving(lambda _: whole(body, status)) as server:
        assert record(options(server, folder, "calls", server="s", version="1")) == 1
        assert len(server.asked) == 1
    assert says in capsys.readouterr().err
    assert len(recorded(folder)) == 1


def test_a_redirect_carries_no_key_to_another_host(folder: Path) -> None:
    with serving(native) as elsewhere:
        moved = f"location: {elsewhere.base}/api/chat\r\n"
        _, capture = one(lambda _: whole(b"", "307 Temporary Redirect", extra=moved), folder)
        assert elsewhere.asked == []
    assert capture.response.status == 307


def test_a_client_that_hangs_up(folder: Path) -> None:
    _, capture = one(native, folder, "client_hangs_up")
    assert len(capture.reads) == 2
    assert (capture.end.kind, capture.end.by) == ("cut", "client")


def test_only_what_may_join_is_admitted(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "captures"
    with serving(native) as server:
        wanted = options(server, folder, "single", server="s", version="1", admit_into=root)
        assert record(wanted) == 0
        assert record(wanted) == 1
    assert [path.name for path in root.rglob("*.stream.*.jsonl")] == ["single.stream.m.jsonl"]
    assert "among the captures already" in capsys.readouterr().out


PROGRAM = """
import sys
from pathlib import Path
from wirelab.cli.record import Options, guarded, record
from wirelab.probe.plan import Wish

wish = Wish(model="m", protocols=("native",), modes=("stream",))
sys.exit(record(Options(target=sys.argv[1], wish=wish, scenarios=("single", "no_call"), folder=Path(sys.argv[2]),
                        server="s", version="1", key_variable="WIRELAB_TEST_KEY", timeout=10)))
"""


def test_a_recording_that_is_killed_keeps_what_had_arrived_and_the_next_run_goes_on(folder: Path) -> None:
    begun = threading.Event()

    def half(asked: Asked) -> list[Action]:
        question = asked.json["messages"][-1]["content"]
        if question == "Say hello." and not begun.is_set():
            begun.set()
            return [head(), chunk(LINES[0] + LINES[1][:20]), WAIT]
        return native(asked)

    with serving(half) as server:
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, server.base, str(folder)], stdout=subprocess.DEVNULL)
        try:
            assert begun.wait(20)
            torn = folder / "recorded/s-1/native/no_call.stream.m.jsonl"
            _wait_for_lines(torn, 3)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(10)
        before = torn.read_bytes()
        assert record(options(server, folder, "single", "no_call", server="s", version="1")) == 0
        assert [asked.json["messages"][-1]["content"] for asked in server.asked].count("Say hello.") == 2
    assert torn.read_bytes() == before
    dead = load(torn)
    assert dead.body == LINES[0] + LINES[1][:20]
    assert (dead.end.kind, dead.end.by) == ("cut", "recorder")
    again = load(folder / "recorded/s-1/native/no_call.stream.m.again-2.jsonl")
    assert again.body == b"".join(LINES)


def _wait_for_lines(path: Path, number: int) -> None:
    """Wait until a file has so many lines; gives up after some seconds."""
    for _ in range(1000):
        if path.exists() and path.read_bytes().count(b"\n") >= number:
            return
        threading.Event().wait(0.01)
    raise AssertionError(f"{path.name} never had {number} lines")
