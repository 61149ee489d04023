"""Recording: an httpx transport that writes what arrives to disk as it arrives.

A request says where its exchange goes by an extension, `request.extensions["wirelab.slot"]`. The head is written when
the answer's head is there, each transport read right after it came in, the end line last; so a recording that is
killed at any moment keeps everything that had arrived, and reads as `cut`.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import httpx
import msgspec

from wirelab.capture.recording import Recording
from wirelab.capture.redact import REDACTED
from wirelab.capture.types import End, Head, Request, Response, Source, framing_of
from wirelab.errors import MisuseError
from wirelab.protocols.decoding import UNDECODABLE, decode_any

EXTENSION = "wirelab.slot"

_ACCOUNT = re.compile(
    rb"(?i)[A-Z0-9._%+-]+@[A-Z0-9-]+(?:\.[A-Z0-9-]+)+"
    rb"|(?<=\()(?!\[redacted\])[^()\"\\]{1,80}(?=\)[^\"]{0,40}\blimit\b)"
    rb"|\b(?!you\b|account\b|user\b|organi[sz]ation\b|team\b|has\b|have\b)[A-Z0-9_.-]{1,80}"
    rb"(?= (?:has |have )?(?:hit|reached|exceeded) [^\"]{0,40}\blimit\b)"
)
"""An address, a name in brackets before the words about a limit, or a name that hit one."""


class Slot(msgspec.Struct, frozen=True):
    """Where one exchange goes, and what its head says that the exchange itself does not."""

    path: Path
    name: str
    scenario: str
    protocol: str
    source: Source


class Bounds(msgspec.Struct, frozen=True):
    """What one answer may take at most: bytes of body, and seconds until its end."""

    size: int = 64 * 1024 * 1024
    seconds: float = 900.0


class RecordingTransport(httpx.BaseTransport):
    """Passes requests to another transport and records every exchange. Refuses to overwrite.

    `secrets` are replaced wherever they stand before a byte is written. `clock` gives seconds, `now` an instant.
    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        secrets: Iterable[str] = (),
        *,
        bounds: Bounds | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._inner = inner
        self._secrets = spellings(secrets)
        self._bounds = bounds or Bounds()
        self._clock = clock
        self._now = now

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send, and hand on the answer while it is recorded. Raises `MisuseError` where a file is there already."""
        slot = request.extensions.get(EXTENSION)
        if not isinstance(slot, Slot):
            raise MisuseError("a recorded request must say where its exchange goes")
        if slot.path.exists():
            raise MisuseError(f"{slot.name} is recorded already: a capture is evidence and is never overwritten")
        request.headers["accept-encoding"] = "identity"
        asked = _asked(request)
        recorded_at, sent = self._now(), self._clock()
        response = self._inner.handle_request(request)
        recording = Recording(slot.path, _head(slot, asked, response, recorded_at), self._secrets)
        refused = response.status_code >= 400
        tee = _Tee(response.stream, recording, self._bounds, lambda: round(self._clock() - sent, 6), refused=refused)
        return httpx.Response(
            response.status_code, headers=response.headers, stream=tee, extensions=response.extensions
        )

    def close(self) -> None:
        """Close the transport that sends."""
        self._inner.close()


def spellings(secrets: Iterable[str]) -> set[str]:
    """Secrets, and how they look inside JSON text and in a URL: an answer may echo them in either."""
    return {
        spelling
        for secret in secrets
        if secret
        for spelling in (secret, quote(secret, safe=""), msgspec.json.encode(secret).decode()[1:-1])
    }


class _Tee(httpx.SyncByteStream):
    """The body of an answer: every read goes to disk first, and then to whoever reads."""

    def __init__(
        self, stream: object, recording: Recording, bounds: Bounds, elapsed: Callable[[], float], *, refused: bool
    ) -> None:
        assert isinstance(stream, httpx.SyncByteStream)
        self._stream = stream
        self._recording = recording
        self._open = True
        self._bounds = bounds
        self._elapsed = elapsed
        self._refused = refused
        self._names = 0

    def __iter__(self) -> Iterator[bytes]:
        end = End("error", by="recorder")
        try:
            yield from self._reads()
            end = End("complete")
        except GeneratorExit:
            end = End("cut", by="client")
            raise
        except _BoundError as error:
            end = End("cut", by="client", detail=str(error))
        except httpx.TransportError as error:
            end = _end_of(error)
            raise
        finally:
            self._end(end)

    def _reads(self) -> Iterator[bytes]:
        size = 0
        for data in self._stream:
            self._recording.read(self._elapsed(), self._written(data))
            yield data
            size += len(data)
            if size > self._bounds.size:
                raise _BoundError(f"more than {self._bounds.size} bytes")
            if self._elapsed() > self._bounds.seconds:
                raise _BoundError(f"more than {self._bounds.seconds:g} seconds")

    def close(self) -> None:
        """Close the connection's stream; a body that nobody read to its end was cut by the client."""
        self._end(End("cut", by="client"))
        self._stream.close()

    def _written(self, data: bytes) -> bytes:
        """What of a read is written: refusals name the account, and that is nobody's business (wire case BR-156)."""
        if not self._refused:
            return data
        clean, count = _ACCOUNT.subn(REDACTED.encode(), data)
        self._names += count
        return clean

    def _end(self, end: End) -> None:
        if self._open:
            self._open = False
            self._recording.end(msgspec.structs.replace(end, t=self._elapsed(), redacted=self._names or None))


class _BoundError(Exception):
    """An answer passed a bound."""


def _end_of(error: httpx.TransportError) -> End:
    """How a body ended that stopped with an error. The error's words may name hosts: only its kind is kept."""
    if isinstance(error, httpx.TimeoutException):
        return End("cut", by="client", detail="timed out waiting for more")
    return End("cut", by="server", detail=type(error).__name__)


def _asked(request: httpx.Request) -> Request:
    body = request.content if isinstance(request.stream, httpx.ByteStream) else b""
    try:
        decoded = decode_any(body) if body else None
    except UNDECODABLE:
        decoded = None
    path = request.url.raw_path.decode("ascii")
    return Request(request.method, path, dict(request.headers), decoded)


def _head(slot: Slot, asked: Request, response: httpx.Response, recorded_at: datetime) -> Head:
    return Head(
        name=slot.name,
        scenario=slot.scenario,
        protocol=slot.protocol,
        framing=framing_of(response.headers.get("content-type")),
        recorded_at=recorded_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        source=slot.source,
        request=asked,
        response=Response(response.status_code, dict(response.headers)),
    )
