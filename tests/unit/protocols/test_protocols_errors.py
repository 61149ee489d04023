"""Finding the message in the many shapes of an error body."""

import pytest

from wirelab.protocols.errors import LIMIT, describe, describe_error, error_in


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error":"model \'x\' not found"}', "model 'x' not found"),
        (
            b'{"error":{"message":"model is required","type":"invalid_request_error","param":null,"code":null}}',
            "model is required (invalid_request_error)",
        ),
        (b'{"error":{"code":400,"message":"no","type":"t"}}', "no (400)"),
        (b'{"type":"error","error":{"type":"api_error","message":"boom"},"request_id":"r"}', "boom (api_error)"),
        (b'{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}', "busy (503)"),
        (b'[{"error":{"code":503,"message":"busy"}}]', "busy (503)"),
        (b'{"detail":"Not Found"}', "Not Found"),
        (b'{"detail":[{"loc":["body"],"msg":"field required","type":"missing"}]}', "field required (missing)"),
        (b'{"errors":["a","b"]}', "a"),
        (b'{"error":{"message":{"error":"deep"}}}', "deep"),
        (b'{"error":true,"message":"boom"}', "boom"),
        (b'{"error":{"message":"code 5 said","code":5}}', "code 5 said"),
        (b'{"error":{"code":7}}', '{"error":{"code":7}}'),
        (b"{}", "{}"),
        (b'""', '""'),
        (b'"boom"', "boom"),
        (b"404 page not found\n", "404 page not found"),
        (b"<html><head><title>502 Bad\nGateway</title></head><body>x</body></html>", "502 Bad Gateway"),
        (b"<p>It <b>broke</b></p>", "It broke"),
        (b"", "an error without a message"),
        (b"<br>", "an error without a message"),
        (b'data: {"error":"boom"}\n\n', "boom"),
        (b'event: error\ndata: {"error":"boom"}\n\n', "boom"),
        (b"event: error\n\n", "event: error"),
        (b'\xef\xbb\xbf{"error":"boom"}', "boom"),
        (b'{"error":"\xff"}', '{"error":"\ufffd"}'),
        (b'{"error":"a\\u001b[31m\\nb"}', "a [31m b"),
    ],
)
def test_describe_error(body: bytes, message: str) -> None:
    assert describe_error(body) == message


def test_long_messages_are_shortened_and_deep_ones_survive() -> None:
    assert describe("x" * 1000) == "x" * LIMIT + "…"
    deep: object = "boom"
    for _ in range(50):
        deep = {"error": deep}
    assert describe(deep).startswith('{"error":')
    assert describe_error(b"[" * 100_000).startswith("[[[")


def test_what_cannot_be_shown() -> None:
    assert describe({"code": object()}) == "an error that cannot be shown"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"error": ""}, None),
        ({"error": None, "choices": []}, None),
        ({"error": {}, "known": 1}, None),
        ({"error": "boom", "known": 1}, "boom"),
        ({"status": "error", "message": "boom", "known": 1}, "boom"),
        ({"known": 1, "last error": "boom"}, None),
        ({"last error": "boom"}, "last error: boom"),
        ({"lastError": "boom"}, "boom"),
        ({"message": "boom"}, "boom"),
        ({"message": ""}, None),
        ({"message": 5}, None),
        ({"other": "boom"}, None),
    ],
)
def test_error_in(fields: dict[str, object], message: str | None) -> None:
    assert error_in(fields, frozenset({"known"})) == message
