"""Reading captures that anyone may have made: what is wrong is told in one line, with file and line number."""

import json
from pathlib import Path
from typing import Any

import pytest

from wirelab.capture import Capture, End, Head, Read, Source, dumps, load, loads, sniff
from wirelab.capture import reader as reader_module
from wirelab.errors import UnreadableInputError

HEAD = {
    "wirelab_capture": 1,
    "name": "server-1/native/single.stream",
    "scenario": "single",
    "protocol": "native",
    "framing": "ndjson",
    "recorded_at": "2026-11-30T12:00:00Z",
    "source": {"kind": "synthetic"},
}


def file(*lines: str, head: dict[str, Any] | str = HEAD, last: str = "\n") -> bytes:
    first = head if isinstance(head, str) else json.dumps(head)
    return ("\n".join([first, *lines]) + last).encode()


def refused(data: bytes) -> str:
    with pytest.raises(UnreadableInputError) as error:
        loads(data, label="some.jsonl")
    message = str(error.value)
    assert "\n" not in message
    assert message.isprintable()
    assert message.startswith("some.jsonl")
    return message


def test_a_file_without_an_end_reads_as_cut() -> None:
    capture = loads(file('[0.5,{"a":1}]', '[null,{"b":2}]'))
    assert capture.reads == (Read(0.5, b'{"a":1}\n{"b":2}\n'),)
    assert capture.end == End("cut", 0.5, "recorder", "the recording itself was interrupted")
    assert loads(file()).end.t is None
    assert loads(file(last="")).reads == ()


def test_a_torn_last_line_is_dropped_and_a_whole_one_kept() -> None:
    assert loads(file('[0.5,{"a":1}]', '[0.6,{"b":', last="")).body == b'{"a":1}\n'
    assert loads(file('[0.5,{"a":1}]', '[0.6,{"b":2}]', last="")).body == b'{"a":1}\n{"b":2}\n'


def test_windows_line_ends_and_blank_lines_do_no_harm() -> None:
    data = file('[0.5,{"a":1}]', '{"end":"complete","t":1.0}').replace(b"\n", b"\r\n")
    assert loads(data).body == b'{"a":1}\n'
    assert loads(file('[0.5,{"a":1}]', "", '{"end":"complete"}')).end == End("complete")


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "line 1: this is no head"),
    "no JSON": (b"hello\n", "line 1: this is no head"),
    "no object": (b"[1]\n", "line 1: this is no head"),
    "not UTF-8": (b'{"wirelab_capture":1,"name":"\xff"}\n', "line 1: Invalid UTF-8"),
    "head nested without end": (b'{"wirelab_capture":' + b"[" * 100_000, "line 1: this is no head"),
    "another version": (file(head=HEAD | {"wirelab_capture": 2}), "a capture of format 2; this Wirelab reads format 1"),
    "a version that is text": (file(head=HEAD | {"wirelab_capture": "1"}), "a capture of format '1'"),
    "a version that is a truth": (file(head=HEAD | {"wirelab_capture": True}), "a capture of format True"),
    "a head that lacks something": (file(head={"wirelab_capture": 1}), "line 1: Object missing required field `name`"),
    "an unknown framing": (file(head=HEAD | {"framing": "xml"}), "line 1: Invalid enum value 'xml'"),
    "a path as a name": (file(head=HEAD | {"name": "../../etc/passwd"}), "line 1: '../../etc/passwd' is no name"),
    "a deep head": (
        file(head=HEAD | {"request": {"json": json.loads("[" * 200 + "]" * 200)}}),
        "line 1: nested too deeply",
    ),
    "a broken line": (file('[0.1,{"a":1}]', "oops", '{"end":"complete"}'), "line 3: JSON is malformed"),
    "a broken payload": (file('[0.1,{"a":01}]', '{"end":"complete"}'), "line 2: JSON is malformed"),
    "a line of another kind": (file("12", '{"end":"complete"}'), "line 2: Expected `object | array`"),
    "too many elements": (file('[0.1,{},"a","b"]', '{"end":"complete"}'), "line 2: Expected `array` of at most"),
    "too few elements": (file("[0.1]", '{"end":"complete"}'), "line 2: Expected `array` of at least"),
    "time that is text": (file('["0.1",{}]', '{"end":"complete"}'), "line 2: Expected `float | null`"),
    "time without end": (file("[1e999,{}]", '{"end":"complete"}'), "line 2: Number out of range"),
    "no first time": (file("[null,{}]", '{"end":"complete"}'), "line 2: the first line of the body has no time"),
    "no first time of a piece": (file('{"text":"a"}'), "line 2: the first line of the body has no time"),
    "an unknown field": (file('{"t":1,"text":"a","path":"/etc/passwd"}'), "line 2: Object contains unknown field `path`"),
    "neither text nor base64": (file('{"t":1}'), "line 2: either `text` or `base64`"),
    "text and base64": (file('{"t":1,"text":"","base64":""}'), "line 2: either `text` or `base64`"),
    "broken base64": (file('{"t":1,"base64":"?"}'), "line 2: "),
    "text that is a number": (file('{"t":1,"text":1}'), "line 2: Expected `str | null`"),
    "a lone surrogate": (file('{"t":1,"text":"\\ud800"}', '{"end":"cut"}'), "line 2: "),
    "lines after the end": (file('{"end":"complete"}', '[0.1,{"a":1}]'), "line 2: Object contains unknown field `end`"),
    "an unknown end": (file('[0.1,{"a":1}]', '{"end":"maybe"}'), "line 3: Invalid enum value 'maybe'"),
    "a wrong length": (file('{"end":"complete","bytes":3}'), "the body has 0 bytes, its end line says 3"),
    "another body": (file('{"end":"complete","sha256":"00"}'), "not the one its SHA-256 was taken of"),
    "a deep payload": (file('[0.1,{"a":' + "[" * 200 + "]" * 200 + "}]", '{"end":"cut"}'), "line 2: nested too deeply"),
    "a bottomless payload": (file('[0.1,{"a":' + "[" * 100_000, '{"end":"cut"}'), "line 2: nested too deeply"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), BAD.values(), ids=BAD.keys())
def test_bad_capture(data: bytes, expected: str) -> None:
    assert expected in refused(data)


def test_an_edited_body_is_refused() -> None:
    head = Head("a/b/c.d", "c", "b", "ndjson", "", Source("synthetic"))
    data = dumps(Capture(head, (Read(0.1, b'{"a":1}\n'),), End("complete", 1.0)))
    assert "edited?" in refused(data.replace(b'{"a":1}', b'{"a":2}'))


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ['[0.1,{"a":1}]'] * 5
    monkeypatch.setattr(reader_module, "MAX_READS", 4)
    assert "more than 4 lines" in refused(file(*lines))
    monkeypatch.undo()
    monkeypatch.setattr(reader_module, "MAX_BODY", 30)
    assert "the body is longer than 30 bytes" in refused(file(*lines))
    monkeypatch.setattr(reader_module, "MAX_BODY", 39)
    assert "the body is longer than 39 bytes" in refused(file(*lines))
    monkeypatch.undo()
    monkeypatch.setattr(reader_module, "MAX_LINE", 20)
    assert len(loads(file(*lines)).reads) == 5
    assert "line 3: longer than 20 bytes" in refused(file(lines[0], '[0.1,{"a":"0123456789"}]'))


def test_hostile_text_in_an_error_is_escaped() -> None:
    message = refused(file(head=HEAD | {"name": "\x1b[31m\u202e<b>" + "x" * 1000}))
    assert "\\x1b" in message
    assert "\\u202e" in message
    assert len(message) < 500


def test_load_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(file('[0.5,{"a":1}]', '{"end":"complete","t":1.0}'))
    assert load(path).body == b'{"a":1}\n'
    path.write_bytes(b"oops")
    with pytest.raises(UnreadableInputError, match=r"a\.jsonl, line 1"):
        load(path)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (file(), "capture"),
        (file(head=HEAD | {"wirelab_capture": 99}), "capture"),
        (b'{"wirelab_capture":1,"name":', "capture"),
        (b'{"capture":"a/b/c.d","request":{}}\n', "log"),
        (b'{"capture":1,"request":{}}\n', "raw"),
        (b'{"model":"m"}\n', "raw"),
        (b'data: {"a":1}\n\n', "raw"),
        (b"{broken\n", "raw"),
        (b"", "raw"),
        (b"\x00\xff", "raw"),
    ],
)
def test_sniff(data: bytes, kind: str) -> None:
    assert sniff(data) == kind
