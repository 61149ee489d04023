"""The lines of a capture, one kind after the other, through the writer and back."""

import io
import json
from typing import Any

import pytest

from wirelab.capture import Capture, CaptureWriter, End, Head, Read, Request, Response, Source, dumps, framing_of, loads
from wirelab.capture.format import MAX_NESTING, nests_too_deep
from wirelab.capture.types import Framing
from wirelab.errors import MisuseError
from wirelab.framing import decoder


def head(framing: Framing = "sse", **more: Any) -> Head:
    fields: dict[str, Any] = {
        "name": "server-1/chat/single.stream",
        "scenario": "single",
        "protocol": "chat",
        "framing": framing,
        "recorded_at": "2026-11-30T12:00:00.000Z",
        "source": Source("recorded", "local", "server", "1", "model", "a note"),
        "request": Request("POST", "/v1/chat/completions", {"accept": "*/*"}, {"model": "model"}),
        "response": Response(200, {"content-type": "text/event-stream"}),
    }
    return Head(**fields | more)


def capture(*datas: bytes, framing: Framing = "sse", step: float = 0.5) -> Capture:
    reads = tuple(Read(step * number, data) for number, data in enumerate(datas))
    return Capture(head(framing), reads, End("complete", 9.0))


def lines(*datas: bytes, framing: Framing = "sse") -> list[str]:
    """The lines between head and end, after proving that they give the exchange back."""
    exchange = capture(*datas, framing=framing)
    written = dumps(exchange)
    assert loads(written) == exchange
    return written.decode().splitlines()[1:-1]


LINES: list[tuple[str, Framing, list[bytes], list[str]]] = [
    ("usual event", "sse", [b'data: {"a":1}\n\n'], ['[0.0,{"a":1}]']),
    ("named event", "sse", [b'event: ping\ndata: {"a":1}\n\n'], ['[0.0,{"a":1},"ping"]']),
    ("usual line", "ndjson", [b'{"a": 1}\n'], ['[0.0,{"a": 1}]']),
    ("whole answer", "whole", [b'{"a":{"b":[]}}'], ['[0.0,{"a":{"b":[]}}]']),
    ("whole answer and a line feed", "whole", [b'{"a":1}\n'], ['[0.0,{"a":1},["","\\n"]]']),
    ("no space after the colon", "sse", [b'data:{"a":1}\n\n'], ['[0.0,{"a":1},["data:","\\n\\n"]]']),
    (
        "id, event and CRLF",
        "sse",
        [b'id: 7\r\nevent: x\r\ndata: {"a":1}\r\n\r\n'],
        ['[0.0,{"a":1},["id: 7\\r\\nevent: x\\r\\ndata: ","\\r\\n\\r"]]', '{"text":"\\n"}'],
    ),
    ("two in one read", "ndjson", [b'{"a":1}\n{"b":2}\n'], ['[0.0,{"a":1}]', '[null,{"b":2}]']),
    ("one each", "ndjson", [b'{"a":1}\n', b'{"b":2}\n'], ['[0.0,{"a":1}]', '[0.5,{"b":2}]']),
    (
        "a border inside a frame",
        "ndjson",
        [b'{"a":1}\n{"b"', b':2}\n{"c":3}\n'],
        ['[0.0,{"a":1}]', '{"text":"{\\"b\\""}', '{"t":0.5,"text":":2}\\n"}', '[null,{"c":3}]'],
    ),
    (
        "only the terminator comes later",
        "sse",
        [b'data: {"a":1}', b"\n\n"],
        ['[0.0,{"a":1},["data: ",""]]', '{"t":0.5,"text":"\\n\\n"}'],
    ),
    ("comment", "sse", [b": ping\n\n"], ['{"t":0.0,"kind":"comment","text":": ping\\n\\n"}']),
    ("ignored", "sse", [b"retry: 10\n\n"], ['{"t":0.0,"kind":"ignored","text":"retry: 10\\n\\n"}']),
    ("the end of a chat stream", "sse", [b"data: [DONE]\n\n"], ['{"t":0.0,"kind":"text","text":"data: [DONE]\\n\\n"}']),
    ("broken JSON", "ndjson", [b'{"a":}\n'], ['{"t":0.0,"kind":"text","text":"{\\"a\\":}\\n"}']),
    ("two objects in one payload", "ndjson", [b'{"a":1},{"b":2}\n'], ['{"t":0.0,"kind":"text","text":"{\\"a\\":1},{\\"b\\":2}\\n"}']),
    ("several data lines", "sse", [b"data: {\ndata: }\n\n"], ['{"t":0.0,"kind":"text","text":"data: {\\ndata: }\\n\\n"}']),
    ("bad UTF-8 in a payload", "ndjson", [b'{"a":"\xff"}\n'], ['{"t":0.0,"kind":"text","base64":"eyJhIjoi/yJ9Cg=="}']),
    ("bad UTF-8 around a payload", "sse", [b'event: \xff\ndata: {"a":1}\n\n'], ['{"t":0.0,"kind":"text","base64":"ZXZlbnQ6IP8KZGF0YTogeyJhIjoxfQoK"}']),
    ("a character split between reads", "ndjson", ['{"a":"ü'.encode()[:-1], b'\xbc"}\n'], ['{"t":0.0,"base64":"eyJhIjoiww=="}', '{"t":0.5,"base64":"vCJ9Cg=="}']),
    ("not terminated", "ndjson", [b'{"a":1}'], ['[0.0,{"a":1},["",""]]']),
    ("cut in a frame", "ndjson", [b'{"a":'], ['{"t":0.0,"text":"{\\"a\\":"}']),
    ("an empty read", "sse", [b"", b'data: {"a":1}\n\n', b""], ['{"t":0.0,"text":""}', '[0.5,{"a":1}]', '{"t":1.0,"text":""}']),
    ("no read at all", "sse", [], []),
    ("whole answer in two reads", "whole", [b'{"a":', b"1}"], ['{"t":0.0,"text":"{\\"a\\":"}', '{"t":0.5,"text":"1}"}']),
    ("text as a whole answer", "whole", [b"404 page not found"], ['{"t":0.0,"text":"404 page not found"}']),
    ("numbers and spaces as they came", "ndjson", [b'{"a" : 1.50e+2 ,"b":1e999,"c":10000000000000000000000}\n'], ['[0.0,{"a" : 1.50e+2 ,"b":1e999,"c":10000000000000000000000}]']),
    ("escapes as they came", "ndjson", [b'{"a":"\\u00e9\\/"}\n'], ['[0.0,{"a":"\\u00e9\\/"}]']),
    ("half a character", "ndjson", [b'{"a":"\\ud800"}\n'], ['{"t":0.0,"kind":"text","text":"{\\"a\\":\\"\\\\ud800\\"}\\n"}']),
    ("the same key twice", "ndjson", [b'{"a":1,"a":2}\n'], ['[0.0,{"a":1,"a":2}]']),
    ("a byte order mark", "ndjson", [b'\xef\xbb\xbf{"a":1}\n'], ['[0.0,{"a":1},["\ufeff","\\n"]]']),
    ("an event's name that is escaped", "sse", [b'event: "\\\ndata: {"a":1}\n\n'], ['[0.0,{"a":1},"\\"\\\\"]']),
]  # fmt: skip


@pytest.mark.parametrize(("framing", "datas", "expected"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_line(framing: Framing, datas: list[bytes], expected: list[str]) -> None:
    assert lines(*datas, framing=framing) == expected


def test_every_line_is_json_for_anyone() -> None:
    for _, framing, datas, _ in LINES:
        for line in lines(*datas, framing=framing):
            json.loads(line)


@pytest.mark.parametrize("framing", ["sse", "ndjson", "whole"])
def test_every_split_gives_the_body_back(framing: Framing) -> None:
    body = 'event: a\r\ndata: {"t":"é"}\r\n\r\n: c\n\n{"b":1}\n\n\ndata: {"c":[]}\n\ndata: x\n\n\xff{"d":1}\n'.encode(
        "latin-1"
    )
    for cut in range(len(body) + 1):
        assert b"".join(read.data for read in capture(body[:cut], body[cut:]).reads) == body
        lines(body[:cut], body[cut:], framing=framing)
    lines(*[body[at : at + 1] for at in range(len(body))], framing=framing)


def test_deep_nesting_is_no_clean_frame() -> None:
    deep = b'{"a":' * MAX_NESTING + b"1" + b"}" * MAX_NESTING
    deeper = b'{"a":' + deep + b"}"
    assert not nests_too_deep(deep)
    assert nests_too_deep(deeper)
    assert lines(deep + b"\n", framing="ndjson")[0].startswith("[0.0,{")
    assert lines(deeper + b"\n", framing="ndjson")[0].startswith('{"t":0.0,"kind":"text"')


@pytest.mark.parametrize(
    ("payload", "too_deep"),
    [
        (b'{"a":"' + b"[" * 1000 + b'"}', False),
        (b'{"a":"\\\\","b":"\\"' + b"{" * 1000 + b'"}', False),
        (b'{"a":' + b"[{}," * 60 + b"1" + b"]" * 60 + b',"b":' + b"[" * 120 + b"]" * 120 + b"}", False),
        (b'{"a":[' + b"{}," * 1000 + b"{}]}", False),
        (b"[{}," * 128 + b"[]" + b"]" * 128, True),
    ],
)
def test_nesting_is_counted_outside_of_strings(payload: bytes, too_deep: bool) -> None:
    json.loads(payload)
    assert nests_too_deep(payload) == too_deep


def test_a_frame_over_the_decoders_limit_is_kept_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirelab.capture.writer.NdjsonDecoder", _small)
    assert lines(b"{" * 20, b'{"b":1}\n', b'{"c":', b"1}\n", framing="ndjson") == [
        '{"t":0.0,"text":"{{{{{{{{{{{{{{{{{{{{"}',
        '[0.5,{"b":1}]',
        '{"t":1.0,"text":"{\\"c\\":"}',
        '{"t":1.5,"text":"1}\\n"}',
    ]


def _small() -> decoder.Decoder:
    from wirelab.framing.ndjson import NdjsonDecoder  # noqa: PLC0415

    return NdjsonDecoder(limit=10)


def test_the_writer_ends_once_and_keeps_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    target = io.BytesIO()
    writer = CaptureWriter(target, head())
    writer.end(End("complete", 1.0))
    with pytest.raises(MisuseError, match="has ended"):
        writer.end(End("cut"))
    with pytest.raises(MisuseError, match="has ended"):
        writer.read(1.0, b"")
    monkeypatch.setattr("wirelab.capture.writer.MAX_BODY", 3)
    limited = CaptureWriter(io.BytesIO(), head())
    limited.read(0.0, b"abc")
    with pytest.raises(MisuseError, match="at most 3 bytes"):
        limited.read(0.1, b"d")


def test_each_read_is_flushed_in_one_write() -> None:
    class Target:
        def __init__(self) -> None:
            self.calls: list[str] = []

        def write(self, data: bytes, /) -> None:
            self.calls.append(f"{len(data.splitlines())} lines" if data.endswith(b"\n") else "torn")

        def flush(self) -> None:
            self.calls.append("flush")

    target = Target()
    writer = CaptureWriter(target, head("ndjson"))
    writer.read(0.0, b'{"a":1}\n{"b":2}\n{"c"')
    writer.end(End("cut", 1.0, "server"))
    assert target.calls == ["1 lines", "flush", "3 lines", "flush", "1 lines", "flush"]


def test_what_is_none_is_left_out_of_the_head() -> None:
    bare = head(source=Source("synthetic"), request=Request("GET", "/"))
    written = json.loads(dumps(Capture(bare, (), End("complete"))).splitlines()[0])
    assert written["request"] == {"method": "GET", "path": "/", "headers": {}}
    assert "model" not in written["source"]
    assert "observed" not in written
    assert next(iter(written)) == "wirelab_capture"


@pytest.mark.parametrize(
    ("content_type", "framing"),
    [
        ("text/event-stream; charset=utf-8", "sse"),
        ("application/x-ndjson", "ndjson"),
        ("Application/JSONL", "ndjson"),
        ("application/json", "whole"),
        ("", "whole"),
        (None, "whole"),
    ],
)
def test_framing_of(content_type: str | None, framing: str) -> None:
    assert framing_of(content_type) == framing


def test_a_capture_tells_its_parts() -> None:
    exchange = capture(b"a", b"b")
    assert exchange.body == b"ab"
    assert exchange.sha256 == "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603"
    told = (exchange.name, exchange.scenario, exchange.variant, exchange.protocol, exchange.framing)
    assert told == ("server-1/chat/single.stream", "single", "stream", "chat", "sse")
    assert (exchange.recorded_at, exchange.source.server) == ("2026-11-30T12:00:00.000Z", "server")
    assert (exchange.request.json, exchange.response.status, exchange.observed) == ({"model": "model"}, 200, None)
