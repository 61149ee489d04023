"""Recording without sockets: what is sent, what is written, and how each body ends."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from wirelab.capture.reader import load
from wirelab.capture.types import Capture, Source
from wirelab.errors import MisuseError
from wirelab.transport.client import OriginAuth, open_client, origin_of
from wirelab.transport.keys import Key
from wirelab.transport.record import EXTENSION, Bounds, RecordingTransport, Slot, spellings

URL = "http://server.test/api/chat?token=t0ken-t0ken-t0ken"


class Body(httpx.SyncByteStream):
    """Reads, and then an error or the end."""

    def __init__(self, *reads: bytes, error: Exception | None = None) -> None:
        self.reads = reads
        self.error = error
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield from self.reads
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed = True


def transport(body: Body, *secrets: str, status: int = 200, **options: Bounds) -> RecordingTransport:
    ticks = iter(range(1000))

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["accept-encoding"] == "identity"
        return httpx.Response(
            status, headers={"content-type": "application/x-ndjson", "set-cookie": "a=b"}, stream=body
        )

    return RecordingTransport(
        httpx.MockTransport(answer),
        secrets,
        clock=lambda: next(ticks) / 4,
        now=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        **options,
    )


def slot(folder: Path) -> dict[str, Slot]:
    return {EXTENSION: Slot(folder / "x" / "a.jsonl", "t/native/a.stream", "a", "native", Source("recorded", "local"))}


def send(
    folder: Path, body: Body, *secrets: str, stop_after: int | None = None, status: int = 200, **options: Bounds
) -> Capture:
    with open_client(transport(body, *secrets, status=status, **options)) as client:
        request = client.build_request("POST", URL, json={"n": 1}, headers={"x-secret": "s"}, extensions=slot(folder))
        response = client.send(request, stream=True)
        try:
            for number, _ in enumerate(response.iter_raw(), 1):
                if number == stop_after:
                    break
        except httpx.TransportError:
            pass
        finally:
            response.close()
    assert body.closed
    return load(folder / "x" / "a.jsonl")


def test_the_head_says_everything_but_secrets(tmp_path: Path) -> None:
    capture = send(tmp_path, Body(b'{"a":1}\n'))
    assert capture.name == "t/native/a.stream"
    assert capture.recorded_at == "2026-01-02T03:04:05.000Z"
    assert capture.request.path == "/api/chat?token=[redacted]"
    assert capture.request.json == {"n": 1}
    assert "x-secret" not in capture.request.headers
    assert capture.response.headers["set-cookie"] == "[redacted]"
    assert capture.framing == "ndjson"


def test_each_read_has_its_time(tmp_path: Path) -> None:
    capture = send(tmp_path, Body(b'{"a":', b"1}\n", b'{"b":2}\n'))
    assert [read.data for read in capture.reads] == [b'{"a":', b"1}\n", b'{"b":2}\n']
    assert [read.t for read in capture.reads] == sorted({read.t for read in capture.reads})
    assert capture.end.kind == "complete"


@pytest.mark.parametrize(
    ("error", "kind", "by"),
    [
        (httpx.ReadTimeout("slow"), "cut", "client"),
        (httpx.RemoteProtocolError("peer closed at secret.host"), "cut", "server"),
        (httpx.ReadError("reset"), "cut", "server"),
    ],
)
def test_how_a_body_ends(tmp_path: Path, error: Exception, kind: str, by: str) -> None:
    capture = send(tmp_path, Body(b'{"a":1}\n', error=error))
    assert capture.body == b'{"a":1}\n'
    assert (capture.end.kind, capture.end.by) == (kind, by)
    assert "secret.host" not in (tmp_path / "x" / "a.jsonl").read_text()


def test_a_client_that_stops_reading(tmp_path: Path) -> None:
    capture = send(tmp_path, Body(b"1\n", b"2\n", b"3\n"), stop_after=2)
    assert capture.body == b"1\n2\n"
    assert (capture.end.kind, capture.end.by) == ("cut", "client")


def test_an_error_of_our_own_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        send(tmp_path, Body(b"1\n", error=ZeroDivisionError()))
    end = load(tmp_path / "x" / "a.jsonl").end
    assert (end.kind, end.by) == ("error", "recorder")


@pytest.mark.parametrize(
    ("bounds", "says"), [(Bounds(size=3), "more than 3 bytes"), (Bounds(seconds=0.5), "more than 0.5 seconds")]
)
def test_a_body_without_end_is_left(tmp_path: Path, bounds: Bounds, says: str) -> None:
    capture = send(tmp_path, Body(*[b"12\n"] * 50), bounds=bounds)
    assert 1 <= len(capture.reads) < 50
    assert (capture.end.kind, capture.end.by, capture.end.detail) == ("cut", "client", says)


def test_a_secret_that_two_reads_share_is_not_written(tmp_path: Path) -> None:
    secret = "opensesame-\u00e9-12345"
    capture = send(tmp_path, Body(b'{"e":"opense', f'{secret[6:]}"}}\n'.encode()), secret)
    assert capture.body == b'{"e":"[redacted]"}\n'
    assert capture.end.redacted == 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("you (alice) have reached your weekly usage limit", "you ([redacted]) have reached your weekly usage limit"),
        ("(alice b) hit the weekly usage limit", "([redacted]) hit the weekly usage limit"),
        ("alice-7 hit the hourly usage limit, upgrade", "[redacted] hit the hourly usage limit, upgrade"),
        ("bob has reached the session limit", "[redacted] has reached the session limit"),
        ("you hit the weekly usage limit", "you hit the weekly usage limit"),
        ("your account has reached a limit", "your account has reached a limit"),
        ("write to carol@mail.example.org", "write to [redacted]"),
        ("Internal Server Error (ref: 0001)", "Internal Server Error (ref: 0001)"),
    ],
)
def test_a_refusal_names_nobody(tmp_path: Path, said: str, kept: str) -> None:
    capture = send(tmp_path, Body(f'{{"error":"{said}"}}'.encode()), status=429)
    assert capture.body.decode() == f'{{"error":"{kept}"}}'
    assert capture.end.redacted == (None if said == kept else 1)


def test_nothing_is_overwritten_and_nothing_is_sent(tmp_path: Path) -> None:
    send(tmp_path, Body(b"1\n"))
    before = (tmp_path / "x" / "a.jsonl").read_bytes()

    def never(request: httpx.Request) -> httpx.Response:
        raise AssertionError("sent")

    with open_client(RecordingTransport(httpx.MockTransport(never))) as client:
        with pytest.raises(MisuseError, match="never overwritten"):
            client.get(URL, extensions=slot(tmp_path))
        with pytest.raises(MisuseError, match="where its exchange goes"):
            client.get(URL)
    assert (tmp_path / "x" / "a.jsonl").read_bytes() == before


def test_the_spellings_of_a_secret() -> None:
    assert spellings(['a"b/c', ""]) == {'a"b/c', 'a\\"b/c', "a%22b%2Fc"}


@pytest.mark.parametrize(
    ("style", "url", "headers"),
    [
        ("bearer", "https://one.test/api/chat", {"authorization": "Bearer s3cret-s3cret"}),
        ("bearer", "https://one.test:443/api/chat", {"authorization": "Bearer s3cret-s3cret"}),
        ("bearer", "http://one.test/api/chat", {}),
        ("bearer", "https://one.test:8443/api/chat", {}),
        ("bearer", "https://two.test/api/chat", {}),
        ("x-api-key", "https://one.test/", {"x-api-key": "s3cret-s3cret"}),
        ("x-api-key", "https://two.test/", {}),
        ("none", "https://one.test/", {}),
        ("wrong-bearer", "https://two.test/", {"authorization": "Bearer nobody-issued-this-key"}),
    ],
)
def test_a_key_goes_to_its_own_origin_only(style: str, url: str, headers: dict[str, str]) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200)

    with open_client(httpx.MockTransport(answer)) as client:
        client.get(url, auth=OriginAuth(Key("s3cret-s3cret", "https://one.test"), style))
    sent = {name: value for name, value in seen[0].headers.items() if name in {"authorization", "x-api-key"}}
    assert sent == headers


def test_a_client_without_a_key_sends_none() -> None:
    request = httpx.Request("GET", "https://one.test")
    assert "authorization" not in next(OriginAuth(None).auth_flow(request)).headers


def test_origins() -> None:
    assert origin_of(httpx.URL("http://[::1]:8080/v1")) == "http://[::1]:8080"
    assert origin_of(httpx.URL("HTTPS://Ollama.COM:443/v1")) == "https://ollama.com"


def test_the_environment_adds_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine one.test login me password pass\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.test:1")
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200)

    with open_client(httpx.MockTransport(answer)) as client:
        client.get("https://one.test/", auth=OriginAuth(None))
    assert "authorization" not in seen[0].headers
