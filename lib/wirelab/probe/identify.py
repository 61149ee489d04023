"""Which server is it, and which version? Asked before a run, so that its captures can say so."""

from collections.abc import Iterable

from wirelab.model import Json
from wirelab.protocols.decoding import UNDECODABLE, decode_any
from wirelab.transport.client import Client, OriginAuth, TransportError
from wirelab.transport.keys import Key

QUESTIONS = 2
"""Requests that `identify` sends at most; they are part of a run's budget."""

_LONGEST = 64 * 1024


def identify(client: Client, origin: str, key: Key | None) -> tuple[str, str]:
    """Server and version: of an Ollama by /api/version, of a llama-server by /props, else by the `server` header.

    Empty where it does not say. Raises `TransportError` where nothing answers at all.
    """
    version, _ = _ask(client, f"{origin}/api/version", "version", key)
    if version:
        return "ollama", version
    build, server = _ask(client, f"{origin}/props", "build_info", key)
    return ("llama-server", build) if build else (server, "")


def _ask(client: Client, url: str, field: str, key: Key | None) -> tuple[str, str]:
    """A text field of a JSON answer, and the `server` header."""
    request = client.build_request("GET", url)
    response = client.send(request, auth=OriginAuth(key), stream=True)
    try:
        body = _start(response.iter_raw()) if response.status_code == 200 else b""
        return _text(body, field), response.headers.get("server", "")
    finally:
        response.close()


def _start(reads: Iterable[bytes]) -> bytes:
    """A body as far as is sensible; nothing of one that breaks off."""
    body = b""
    try:
        for data in reads:
            body += data
            if len(body) > _LONGEST:
                break
    except TransportError:
        return b""
    return body


def _text(answer: bytes, field: str) -> str:
    try:
        body: Json = decode_any(answer)
    except UNDECODABLE:
        return ""
    value = body.get(field) if isinstance(body, dict) else None
    return value if isinstance(value, str) else ""
