"""Replaying: an httpx transport that answers from captures, read by read as they were recorded.

A request is matched by method, path and JSON body. Several captures of one request are given in turn. A miss says
which recorded requests come nearest and in which fields they differ: most misses are one changed field.
"""

from collections.abc import Iterable, Iterator

import httpx
import msgspec

from wirelab.capture.types import Capture
from wirelab.claims.failures import decoded
from wirelab.errors import WirelabError
from wirelab.model import Json

_NEAREST = 3


class ReplayMissError(WirelabError):
    """No capture answers this request. The message names the nearest recorded requests and the fields that differ."""


class ReplayTransport(httpx.BaseTransport):
    """Answers requests from captures."""

    def __init__(self, captures: Iterable[Capture]) -> None:
        self._captures = tuple(captures)
        self._by_request: dict[bytes, list[Capture]] = {}
        for capture in self._captures:
            request = capture.request
            self._by_request.setdefault(_key(request.method, request.path, request.json), []).append(capture)
        self._given: dict[bytes, int] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded answer. Raises `ReplayMissError`."""
        path = request.url.raw_path.decode("ascii")
        content = request.read()
        body = decoded(content) if content else None
        key = _key(request.method, path, body)
        if key not in self._by_request:
            raise ReplayMissError(self._miss(request.method, path, body))
        recorded = self._by_request[key]
        turn = self._given.get(key, 0)
        self._given[key] = turn + 1
        return _answer(recorded[turn % len(recorded)])

    def _miss(self, method: str, path: str, body: Json) -> str:
        asked = f"{method} {path}"
        if not self._captures:
            return f"{asked}: there are no captures to answer from"
        flat = _flat(body)
        ranked = sorted(
            (not_same, len(fields), capture.name, fields)
            for capture in self._captures
            for not_same in [f"{capture.request.method} {capture.request.path}" != asked]
            for fields in [_differing(flat, _flat(capture.request.json))]
        )
        nearest = "; ".join(
            f"{name} differs in {', '.join([*(['method or path'] if other else []), *fields[:6]]) or 'nothing'}"
            for other, _, name, fields in ranked[:_NEAREST]
        )
        return f"{asked}: no capture answers this request. Nearest: {nearest}"


class _Recorded(httpx.SyncByteStream):
    """A recorded body: its reads, and then the end that it had."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture

    def __iter__(self) -> Iterator[bytes]:
        for read in self._capture.reads:
            yield read.data
        end = self._capture.end
        if end.kind != "complete":
            raise httpx.ReadError(f"the recording of {self._capture.name} ends here: {end.kind}")


def _answer(capture: Capture) -> httpx.Response:
    """Headers about the transfer are left out: the reads are what came after decoding it."""
    headers = {
        name: value
        for name, value in capture.response.headers.items()
        if name not in {"content-encoding", "content-length", "transfer-encoding"}
    }
    return httpx.Response(capture.response.status, headers=headers, stream=_Recorded(capture))


def _key(method: str, path: str, body: Json) -> bytes:
    return msgspec.json.encode([method, path, body], order="deterministic")


def _flat(value: Json, place: str = "") -> dict[str, Json]:
    """Every leaf of a JSON value under its place, such as `messages[1].content`."""
    if isinstance(value, dict) and value:
        parts = [_flat(part, f"{place}.{name}" if place else name) for name, part in value.items()]
    elif isinstance(value, list) and value:
        parts = [_flat(part, f"{place}[{position}]") for position, part in enumerate(value)]
    else:
        return {place or "body": value}
    return {name: leaf for part in parts for name, leaf in part.items()}


def _differing(asked: dict[str, Json], recorded: dict[str, Json]) -> list[str]:
    missing = object()
    places = dict.fromkeys([*asked, *recorded])
    return [place for place in places if asked.get(place, missing) != recorded.get(place, missing)]
