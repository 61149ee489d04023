"""Which protocol a raw body is: told by the keys of its first payloads."""

from itertools import islice

import msgspec

from wirelab.framing import NdjsonDecoder, SseDecoder
from wirelab.model import Frame, FrameKind, Json

_LOOKED_AT = 50
"""Payloads that are looked at before nobody can tell."""
_SAMPLE = 4 * 1024 * 1024


def detect(body: bytes) -> str | None:
    """The protocol of a raw body, None where nothing in it tells (an error object alone does not)."""
    for frame in islice(_frames(body), _LOOKED_AT):
        if (protocol := _of_payload(_decoded(frame.data), frame.event)) is not None:
            return protocol
    return None


def _frames(body: bytes) -> list[Frame]:
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in {b"{", b"["}:
        whole = _decoded(body)
        if whole is not None:
            return [Frame(0, 0, len(body), body)]
        decoder: NdjsonDecoder | SseDecoder = NdjsonDecoder()
    else:
        decoder = SseDecoder()
    frames = [*decoder.push(body[:_SAMPLE]), *decoder.close()]
    return [frame for frame in frames if frame.kind is FrameKind.DATA]


def _decoded(data: bytes) -> Json:
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


_MESSAGES = {"message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta", "message"}


def _of_payload(payload: Json, event: str | None) -> str | None:
    if isinstance(payload, list):
        payload = payload[0] if payload else None
    if not isinstance(payload, dict):
        return None
    kind = payload.get("type") if isinstance(payload.get("type"), str) else event
    if "choices" in payload or payload.get("object") == "chat.completion.chunk":
        return "chat"
    if payload.get("object") == "response" or (isinstance(kind, str) and kind.startswith("response.")):
        return "responses"
    if kind in _MESSAGES:
        return "messages"
    if "candidates" in payload or "usageMetadata" in payload:
        return "gemini"
    if "done" in payload and ("message" in payload or "response" in payload or "model" in payload):
        return "native"
    return "native" if isinstance(payload.get("message"), dict) and "model" in payload else None
