"""`wirelab reconcile` as a user runs it: JSON keys, exit codes, bad inputs, hostile text."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from typer.testing import CliRunner

from wirelab.cli.app import app

RUN = CliRunner()

NATIVE = (
    b'{"model":"m","message":{"role":"assistant","content":"","tool_calls":['
    b'{"id":"a","function":{"index":0,"name":"get_weather","arguments":{"city":"Oslo"}}},'
    b'{"id":"b","function":{"index":0,"name":"get_time","arguments":{"city":"Oslo"}}}]},"done":false}\n'
    b'{"model":"m","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":4,"eval_count":9}\n'
)
CHAT = (
    b'data: {"choices":[{"index":0,"delta":{"content":"It is "},"finish_reason":null}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"cold."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)
CUT = CHAT[: CHAT.index(b"data: [DONE]")].replace(b'"stop"', b"null")
WHOLE = b'{\n "choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]\n}\n'
LOG_HEAD = {
    "capture": "tiny/chat/single.stream",
    "scenario": "single",
    "protocol": "chat",
    "recorded_at": "2026-11-30T00:00:00Z",
    "source": {"kind": "synthetic", "target": "tiny", "server": "none", "version": "0", "note": "made up"},
    "request": {"method": "POST", "path": "/v1/chat/completions", "headers": {}, "json": {"stream": True}},
    "response": {"status": 200, "headers": {"content-type": "text/event-stream"}},
}


def log(body: bytes, **head: Any) -> bytes:
    lines = [LOG_HEAD | head, {"t": 0.1, "text": body.decode()}, {"end": "complete", "t": 0.2}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def put(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    result = RUN.invoke(app, ["reconcile", *arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def objects(*arguments: str, stdin: bytes = b"") -> list[dict[str, Any]]:
    _, out, _ = run(*arguments, "--format", "json", stdin=stdin)
    return [json.loads(line) for line in out.splitlines()]


def test_the_json_object_has_these_keys_and_no_others(tmp_path: Path) -> None:
    file = put(tmp_path, "a.log", NATIVE)
    (read,) = objects(file)
    assert list(read) == [
        *("file", "protocol", "policy", "calls", "executable", "text", "thinking"),
        *("finish_reason", "raw_finish_reason", "usage", "findings", "error"),
    ]
    assert read["file"] == file
    assert (read["protocol"], read["policy"], read["executable"]) == ("native", "id-first", ["a", "b"])
    assert read["calls"][0] == {
        "id": "a",
        "id_source": "provider",
        "name": "get_weather",
        "arguments": {"city": "Oslo"},
        "arguments_text": '{"city":"Oslo"}',
        "complete": True,
        "aliases": [0],
    }
    assert (read["finish_reason"], read["raw_finish_reason"], read["error"]) == ("tool_calls", "stop", None)


def test_a_finding_says_where_and_what(tmp_path: Path) -> None:
    (read,) = objects(put(tmp_path, "cut.log", CUT))
    assert [finding["code"] for finding in read["findings"]] == ["stream-cut"]
    assert list(read["findings"][0]) == ["code", "severity", "frame", "position", "call", "detail"]
    assert read["error"]["code"] == "stream-cut"
    assert read["error"]["message"]
    assert read["executable"] == []
    assert read["text"] == "It is cold."


@pytest.mark.parametrize("lenient", [[], ["--lenient"]])
def test_exit_codes(tmp_path: Path, lenient: list[str]) -> None:
    good, cut = put(tmp_path, "good", NATIVE), put(tmp_path, "cut", CUT)
    missing = str(tmp_path / "missing")
    assert run(good, *lenient)[0] == 0
    assert run(good, cut, *lenient)[0] == 1
    code, out, err = run(missing, cut, good, "--format", "json", *lenient)
    assert code == 2
    assert [json.loads(line)["file"] for line in out.splitlines()] == [cut, good]
    assert err.splitlines() == [f"wirelab: {missing}: no such file"]


def test_standard_input_and_packed_files_are_read_as_what_they_hold(tmp_path: Path) -> None:
    packed = [
        put(tmp_path, "a.gz", gzip.compress(NATIVE)),
        put(tmp_path, "a.zst", zstandard.compress(NATIVE)),
        put(tmp_path, "log.gz", gzip.compress(log(CHAT))),
    ]
    assert [read["protocol"] for read in objects(*packed)] == ["native", "native", "chat"]
    (read,) = objects("-", stdin=gzip.compress(NATIVE))
    assert (read["file"], len(read["calls"])) == ("-", 2)


def test_a_log_is_read_with_what_its_request_said(tmp_path: Path) -> None:
    asked = {"stream": True, "parallel_tool_calls": False, "tools": []}
    entries = [{"index": n, "id": f"c{n}", "function": {"name": "get_time", "arguments": "{}"}} for n in range(2)]
    body = (
        b"data: "
        + json.dumps(
            {"choices": [{"index": 0, "delta": {"tool_calls": entries}, "finish_reason": "tool_calls"}]}
        ).encode()
    )
    request = LOG_HEAD["request"] | {"json": asked}  # type: ignore[operator]
    (read,) = objects(put(tmp_path, "log", log(body + b"\n\ndata: [DONE]\n\n", request=request)))
    assert read["error"]["code"] == "parallel-calls-disabled"
    (raw,) = objects(put(tmp_path, "raw", body + b"\n\ndata: [DONE]\n\n"))
    assert raw["error"] is None
    (told,) = objects(str(tmp_path / "raw"), "--no-parallel-tool-calls")
    assert told["error"]["code"] == "parallel-calls-disabled"


def test_declared_tools_come_from_the_option_where_it_is_given(tmp_path: Path) -> None:
    file = put(tmp_path, "a", NATIVE)
    (read,) = objects(file, "--tools", "get_weather, other")
    assert [finding["code"] for finding in read["findings"]] == ["unknown-tool"]
    assert read["executable"] == ["a"]
    assert run(file, "--tools", "get_weather")[0] == 0


def test_a_whole_answer_over_several_lines_is_one(tmp_path: Path) -> None:
    (read,) = objects(put(tmp_path, "a.json", WHOLE))
    assert (read["protocol"], read["text"], read["error"]) == ("chat", "Hi", None)


def test_a_failed_request_has_a_status_and_no_calls(tmp_path: Path) -> None:
    response = {"status": 503, "headers": {"content-type": "application/json"}}
    (read,) = objects(put(tmp_path, "log", log(b'{"error":{"message":"overloaded"}}', response=response)))
    assert read["error"]["code"] == "upstream-error"
    assert "503" in read["error"]["message"]


BAD = {
    "empty": (b"", "the file is empty"),
    "blank": (b"  \n\n", "the file is empty"),
    "not-utf8": (b"\x00\xff\xfe\x01", "not UTF-8 text (byte 1)"),
    "utf-16": ('{"done": true}'.encode("utf-16"), "not UTF-8 text (byte 0)"),
    "not-json": (b"hello, world\n", "neither JSON lines, server-sent events nor a JSON answer;"),
    "html": (b"<!doctype html><title>502</title>", "neither JSON lines"),
    "a-number": (b"17\n", "neither JSON lines"),
    "no-head": (b'{"wirelab_capture":1}\n', "line 1"),
    "foreign": (b'{"wirelab_capture":99,"name":"a/b/c"}\n', "a capture of format 99"),
    "torn-gzip": (gzip.compress(NATIVE)[:40], "damaged gzip file"),
    "torn-zstd": (zstandard.compress(NATIVE)[:40], "damaged zstd file"),
    "bad-zstd": (zstandard.compress(NATIVE)[:8] + b"\xff" * 40, "damaged zstd file"),
    "bad-line": (log(CHAT).replace(b'"t": 0.1', b'"t": "x"'), "line 2"),
    "discovery": (log(b"{}", protocol="discovery"), "a capture of 'discovery'"),
    "deep": (b"[" * 100_000, "nothing in it tells the protocol"),
    "other-json": (b'{"a": 1}\n', "nothing in it tells the protocol"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", ["reconcile", "frames"])
def test_a_bad_input_gets_one_clear_line_and_exit_2(tmp_path: Path, name: str, command: str) -> None:
    data, reason = BAD[name]
    file = put(tmp_path, name, data)
    result = RUN.invoke(app, [command, file])
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"wirelab: {file}")
    assert reason in line


@pytest.mark.parametrize("protocol", ["native", "chat", "gemini"])
def test_what_is_no_answer_at_all_is_not_one_of_a_named_protocol_either(tmp_path: Path, protocol: str) -> None:
    for name in ("not-utf8", "not-json", "html", "empty"):
        code, _, err = run(put(tmp_path, name, BAD[name][0]), "--protocol", protocol)
        assert (code, len(err.splitlines())) == (2, 1)


@pytest.mark.parametrize("body", [b'data: {"choi', b"data: [DONE]\n\n", b": alive\n\n", b'data: {"a":1}\n\n'])
def test_a_named_protocol_is_believed_where_the_body_does_not_tell(tmp_path: Path, body: bytes) -> None:
    file = put(tmp_path, "a", body)
    assert run(file)[0] == 2 or b"DONE" in body
    code, out, err = run(file, "--protocol", "chat")
    assert code in {0, 1}, err
    assert "chat, a raw stream" in out


def test_a_directory_and_a_wrong_protocol_are_told(tmp_path: Path) -> None:
    code, _, err = run(str(tmp_path))
    assert (code, len(err.splitlines())) == (2, 1)
    assert "this is a directory" in err
    code, _, err = run(put(tmp_path, "a", NATIVE), "--protocol", "chat")
    assert code == 2
    assert "this is native, not chat" in err
    code, _, err = run(put(tmp_path, "log", log(CHAT)), "--protocol", "native")
    assert code == 2
    assert "this is a capture of chat, not of native" in err
    assert run(put(tmp_path, "error", b'{"error":"no such model"}'), "--protocol", "native")[0] == 1


def test_an_unknown_protocol_or_policy_is_told_with_what_there_is(tmp_path: Path) -> None:
    file = put(tmp_path, "a", NATIVE)
    assert "there are auto, native" in run(file, "--protocol", "carrier-pigeon")[2]
    code, _, err = run(file, "--policy", "guess")
    assert (code, err.count("\n")) == (2, 1)
    assert "no policy 'guess'; there are id-first" in err


def test_a_gigabyte_on_one_line_is_refused_without_reading_it(tmp_path: Path) -> None:
    file = tmp_path / "huge"
    with file.open("wb") as sparse:
        sparse.write(b'{"message":"')
        sparse.truncate(1 << 30)
    code, _, err = run(str(file))
    assert (code, err.count("\n")) == (2, 1)
    assert "larger than" in err


@pytest.mark.parametrize("command", ["reconcile", "frames"])
def test_a_frame_over_the_limit_is_told_without_advice_for_programmers(tmp_path: Path, command: str) -> None:
    file = put(tmp_path, "long", b'{"model":"m","done":true,"message":{"content":"' + b"x" * (65 << 20) + b'"}}\n')
    done = RUN.invoke(app, [command, file])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "over the limit of 67108864" in done.stderr
    assert "pass a larger" not in done.stderr
    garbage = put(tmp_path, "garbage", b"x" * (65 << 20))
    done = RUN.invoke(app, [command, garbage, "--protocol", "native"])
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


HOSTILE = "<script>alert(1)</script>\x1b]0;owned\x07\x1b[2J\u202e\u200b"


@pytest.mark.parametrize("arguments", [["--format", "json"], [], ["--lenient"]])
def test_nothing_hostile_reaches_the_terminal(tmp_path: Path, arguments: list[str]) -> None:
    call = {"id": HOSTILE, "function": {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}}
    frames = [
        {"model": HOSTILE, "message": {"content": HOSTILE, "thinking": HOSTILE, "tool_calls": [call]}, "done": False},
        {"model": HOSTILE, "error": HOSTILE},
    ]
    body = "".join(json.dumps(frame, ensure_ascii=False) + "\n" for frame in frames)
    source = {"kind": "synthetic", "server": HOSTILE, "version": HOSTILE, "note": HOSTILE}
    files = [
        put(tmp_path, "raw", body.encode()),
        put(tmp_path, "log", log(body.encode(), protocol="native", source=source)),
        put(tmp_path, "bad\x1b[2J\u202e", b"?"),
    ]
    _, out, err = run(*files, *arguments)
    for each in ("\x1b", "\x07", "\u202e", "\u200b"):
        assert each not in out
        assert each not in err
    if "json" in arguments:
        assert json.loads(out.splitlines()[0])["text"] == HOSTILE


def test_a_person_sees_verdict_calls_findings_and_what_to_do(tmp_path: Path) -> None:
    code, out, _ = run(put(tmp_path, "a", NATIVE), put(tmp_path, "cut", CUT))
    assert code == 1
    assert "OK: 2 calls, all may be executed" in out
    assert "finish tool_calls (the server said stop)" in out
    assert "DO NOT EXECUTE (0 calls): stream-cut" in out
    assert "violation stream-cut" in out
    assert "To do: Repeat the request" in out
    assert "text: It is cold." in out
