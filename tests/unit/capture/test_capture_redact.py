"""Secrets never reach a capture: three nets, and no catch among what is none."""

import re

import pytest

from wirelab.capture import Head, Request, Response, Source
from wirelab.capture.redact import BodyRedactor, Redactor, find_secrets

# Put together here, so that no file of the project holds anything of the shape of a key.
KEYS = [
    "sk-" + "a1B2" * 8,
    "sk-ant-api03-" + "Zz_9-" * 8,
    "hf_" + "abcdEFGH" * 4,
    "AIza" + "Sy0_-" * 7,
    "ghp_" + "a1B2c3" * 6,
    "github_pat_" + "a1B2_" * 8,
    "glpat-" + "a1B2c" * 4,
    "xoxb-" + "123456-" * 3 + "ab",
    "AKIA" + "ABCD1234" * 2,
    "gsk_" + "a1B2c3" * 6,
    "eyJ" + "hbGciOi" * 3 + ".eyJ" + "zdWIiOi" * 3 + "." + "abc-_1" * 5,
    "-----BEGIN " + "PRIVATE KEY-----",
]
IN_CONTEXT = [
    ("Authorization: Bearer {}", "0123456789abcdef" * 2),
    ("authorization: basic {}", "dXNlcjpwYXNzd29yZDEyMw=="),
    ('{{"api_key":"{}"}}', "0123456789abcdef" * 2),
    ('{{"x":"{{\\"apiKey\\": \\"{}\\"}}"}}', "Zm9vYmFyYmF6cXV4" * 2),
    ("client_secret={}", "0123456789abcdef" * 2),
    ("access-token : '{}'", "a/b+c" * 6),
]
HARMLESS = [
    "call_fc569586fb4743dfa8b5d881",
    "toolu_01A09q90qw90lq917835lq9",
    "chatcmpl-fc569586fb4743dfa8b5d881",
    '{"system_fingerprint":"fp_0123456789abcdef0123456789abcdef"}',
    '{"encrypted_content":"eyJ0eHQiOiJUaGUgdXNlciB3YW50cyB0aGUgd2VhdGhlciJ9"}',
    '{"id":"rs_0123456789abcdef0123456789abcdef0123456789abcdef"}',
    '{"sha256":"baddf3897fb42ca28b523a5693ddf6a59a7311d55de096ecf97fb0a527b5f5d9"}',
    '{"max_tokens":1024,"usage":{"total_tokens":1234567890}}',
    "risk-averse task-oriented desk-0123456789abcdefghijklmnop",
    "Bearer of bad news, basic instinct",
    "the secret: it is nothing",
    "[redacted]",
    '{"authorization":"[redacted]","x-api-key":"[redacted]"}',
]


@pytest.mark.parametrize("key", KEYS)
def test_a_shape_is_found_and_replaced(key: str) -> None:
    text = f'{{"message":"wrong key {key}"}}\n'
    assert Redactor().text(text) == ('{"message":"wrong key [redacted]"}\n', 1)
    assert [line for line, _ in find_secrets(b"\n" + text.encode())] == [2]
    assert key[6:] not in str(find_secrets(text.encode()))


@pytest.mark.parametrize(("context", "key"), IN_CONTEXT)
def test_a_context_is_found_and_replaced(context: str, key: str) -> None:
    assert Redactor().text(context.format(key)) == (context.format("[redacted]"), 1)
    assert len(find_secrets(context.format(key).encode())) == 1


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Redactor().text(text) == (text, 0)
    assert find_secrets(text.encode()) == []


def test_known_secrets_in_every_spelling() -> None:
    redactor = Redactor(['quo"te/d slash', "short"])
    assert redactor.text('a quo"te/d slash b') == ("a [redacted] b", 1)
    assert redactor.text('{"k":"quo\\"te/d slash"}') == ('{"k":"[redacted]"}', 1)
    assert redactor.text("?k=quo%22te%2Fd%20slash&b=1") == ("?k=[redacted]&b=1", 1)
    assert redactor.text("short") == ("short", 0)
    assert Redactor(["longest-one", "longest-one-of-all"]).text("longest-one-of-all") == ("[redacted]", 1)


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("/v1/chat?key=abc&alt=sse", "/v1/chat?key=[redacted]&alt=sse"),
        ("/v1?alt=sse&access_token=a#b", "/v1?alt=sse&access_token=[redacted]#b"),
        ("/v1?API-KEY=a&sig=b", "/v1?API-KEY=[redacted]&sig=[redacted]"),
        ("/v1?monkey=a&tokens=5", "/v1?monkey=a&tokens=5"),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", "/v1beta/models/m:streamGenerateContent?alt=sse"),
    ],
)
def test_query_tokens(path: str, clean: str) -> None:
    assert Redactor().path(path) == clean


def head(**request: object) -> Head:
    return Head(
        name="a/b/c.d",
        scenario="c",
        protocol="b",
        framing="sse",
        recorded_at="",
        source=Source("recorded"),
        request=Request(**request),  # type: ignore[arg-type]
        response=Response(200, {"Content-Type": "text/event-stream", "Set-Cookie": "a=b", "X-Host": "h"}),
    )


def test_headers_are_allow_listed() -> None:
    clean = Redactor().head(head(headers={"Accept": "*/*", "Authorization": "Bearer x", "X-Forwarded-For": "1.2.3.4"}))
    assert clean.request.headers == {"accept": "*/*", "authorization": "[redacted]"}
    assert clean.response.headers == {"content-type": "text/event-stream", "set-cookie": "[redacted]"}
    assert Redactor().head(clean) == clean


def test_a_secret_in_the_request_body_or_a_header_value() -> None:
    key = KEYS[0]
    asked = head(json={"messages": [{"role": "user", "content": f"my key is {key}"}]}, headers={"user-agent": key})
    clean = Redactor().head(asked)
    assert clean.request.json == {"messages": [{"role": "user", "content": "my key is [redacted]"}]}
    assert clean.request.headers == {"user-agent": "[redacted]"}


@pytest.mark.parametrize("secret", [*KEYS[:-1], "my own secret ☂ with spaces"])
def test_a_secret_that_reads_share_is_caught(secret: str) -> None:
    body = f'data: {{"error":"wrong key {secret}, try again"}}\n\ndata: {{"a":"☂"}}\n\n'.encode()
    expected = re.escape(body).replace(re.escape(secret.encode()), rb".{0,11}\[redacted\]")
    for step in range(1, len(body) + 1):
        redactor = BodyRedactor(Redactor(["my own secret ☂ with spaces"]))
        parts = [redactor.push(body[at : at + step]) for at in range(0, len(body), step)]
        assert re.fullmatch(expected, b"".join([*parts, redactor.close()]), re.DOTALL), step
        assert redactor.count == 1


@pytest.mark.parametrize(("context", "key"), IN_CONTEXT)
def test_a_secret_by_its_context_that_reads_share_is_caught(context: str, key: str) -> None:
    body = f"{{{context.format(key)}}} and more".encode()
    for step in range(1, len(body) + 1):
        redactor = BodyRedactor(Redactor())
        parts = [redactor.push(body[at : at + step]) for at in range(0, len(body), step)]
        assert b"".join([*parts, redactor.close()]) == body.replace(key.encode(), b"[redacted]"), step


def test_a_private_key_goes_with_all_its_lines() -> None:
    begin, end = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
    for line_end in ("\n", "\\n"):
        body = f'{{"text":"{begin}{line_end}MIIEpAIBAAKCAQEA{line_end}b+/Z=={line_end}{end}{line_end}"}}'
        clean = f'{{"text":"[redacted]{line_end}"}}'
        assert Redactor().text(body) == (clean, 1)
        for step in range(1, len(body)):
            redactor = BodyRedactor(Redactor())
            parts = [redactor.push(body[at : at + step].encode()) for at in range(0, len(body), step)]
            written = b"".join([*parts, redactor.close()]).decode()
            assert re.sub(r"-----BEGIN [A-Z -]*\[", "[", written) == clean, step


def test_only_what_may_be_a_secret_is_held_back() -> None:
    redactor = BodyRedactor(Redactor(["zebra-secret"]))
    pieces = [b"a task sk", b"-", b"12", b" sky secret ", b"z", b"oo basic", b" id", b"ea\n"]
    assert [redactor.push(piece) for piece in pieces] == [
        b"a task sk",
        b"-",
        b"",
        b"12 sky secret ",
        b"",
        b"zoo basic",
        b"",
        b" idea\n",
    ]


def test_a_secret_at_the_very_end_and_bytes_that_are_no_text() -> None:
    redactor = BodyRedactor(Redactor())
    assert redactor.push(b"\xff\xc3" + KEYS[0].encode()) == b"\xff\xc3"
    assert redactor.close() == b"[redacted]"
    assert redactor.close() == b""
    redactor = BodyRedactor(Redactor())
    assert redactor.push(b"\xe2\x98") + redactor.push(b"\x82 sk-a") == "☂ ".encode()
    assert redactor.close() == b"sk-a"
