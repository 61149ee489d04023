"""Recognising a protocol, by path and by what a body says."""

import pytest

from wirelab.protocols.registry import PROTOCOLS, detect


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/api/chat", "native"),
        ("/api/generate", "native"),
        ("/v1/chat/completions", "chat"),
        ("https://host/openai/deployments/d/chat/completions?v=1", "chat"),
        ("/v1/responses", "responses"),
        ("/v1/messages", "messages"),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", "gemini"),
        ("/v1beta/models/m:generateContent", "gemini"),
        ("/v1/models", None),
    ],
)
def test_by_path(path: str, name: str | None) -> None:
    assert detect(b"", path) == name
    assert detect(b'{"choices":[]}', path) == (name or "chat")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"model":"m","message":{"content":""},"done":false}\n{"done":true}\n', "native"),
        (b'{"model":"m","message":{"content":"', None),
        (b'{"model":"m","message":{"content":""}}\n{"mod', "native"),
        (b'\n\n{"model":"m","_debug_info":{}}', "native"),
        (b'{"error":"boom"}\n', "native"),
        (b'data: {"choices":[],"usage":{}}\n\n', "chat"),
        (b': ping\r\n\r\ndata:{"choices":null}\r\n\r\n', "chat"),
        (b'\xef\xbb\xbfdata: {"object":"chat.completion.chunk"}\n\n', "chat"),
        (b'data: {"usage":{}}\n\ndata: oops\n\ndata: {"choices":[]}\n\n', "chat"),
        (b'{\n  "object": "chat.completion",\n  "choices": []\n}', "chat"),
        (b'{"error":{"message":"boom","code":null}}', "chat"),
        (b'data: {"error":{"message":"boom"}}\n\ndata: {"type":"response.created"}\n\n', "responses"),
        (b'event: response.created\ndata: {"response":{}}\n\n', "responses"),
        (b'{"object":"response","output":[]}', "responses"),
        (b'data: {"type":"error","message":"boom"}\n\n', "responses"),
        (b'event: ping\ndata: {"type":"ping"}\n\nevent: message_start\ndata: {"type":"message_start"}\n\n', "messages"),
        (b'event: content_block_stop\ndata: {"index":0}\n\n', "messages"),
        (b'{"type":"message","content":[]}', "messages"),
        (b'{"type":"message","text":"x"}', None),
        (b'{"type":"error","error":{"message":"boom"}}', "messages"),
        (b'data: {"candidates":[{"content":{"role":"model"}}]}\n\n', "gemini"),
        (b'[{"candidates":[]},\n{"usageMetadata":{}}]', "gemini"),
        (b'{"error":{"code":400,"message":"boom","status":"INVALID_ARGUMENT"}}', "gemini"),
        (b'{"error":{"code":400}}', None),
        (b'{"error":null}', None),
        (b'{"detail":"boom"}', None),
        (b'{"a":"\\ud800","choices":[]}', "chat"),
        (b"data: [1, 2]\n\ndata: [DONE]\n\n", None),
        (b"", None),
        (b"<html>", None),
    ],
)
def test_by_body(body: bytes, name: str | None) -> None:
    assert detect(body) == name


def test_every_protocol_has_its_parts() -> None:
    assert list(PROTOCOLS) == ["native", "chat", "responses", "messages", "gemini"]
    assert {entry.framing for entry in PROTOCOLS.values()} == {"ndjson", "sse"}
