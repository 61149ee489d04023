"""Telling a protocol from what a body says: NDJSON lines, server-sent events or one JSON answer."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Final

from wirelab.model import Json
from wirelab.protocols.decoding import UNDECODABLE, decode_any, mend

PAYLOADS: Final = 32
"""How many payloads are looked at: comments, pings and usage may come before the first that says something."""
_BLOCK: Final = 256 * 1024
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

Fields = Mapping[str, Json]


def recognise(body: bytes) -> str | None:
    """The protocol of an answer's body, None where nothing in it says so."""
    payloads = list(islice(_payloads(body), PAYLOADS))
    for tell in (_by_shape, _by_error):
        for event, fields in payloads:
            name = tell(event, fields)
            if name is not None:
                return name
    return None


def _by_shape(event: str, fields: Fields) -> str | None:
    """The protocol of a payload that is part of an answer."""
    return next((name for name, is_so in _SHAPES if is_so(event, fields)), None)


def _is_responses(event: str, fields: Fields) -> bool:
    kind = fields.get("type", event)
    return (isinstance(kind, str) and kind.startswith("response.")) or fields.get("object") == "response"


def _is_messages(event: str, fields: Fields) -> bool:
    kind = fields.get("type", event)
    if isinstance(kind, str) and kind.startswith(("message_", "content_block_")):
        return True
    return kind == "message" and ("content" in fields or "stop_reason" in fields)


def _is_gemini(_event: str, fields: Fields) -> bool:
    return not fields.keys().isdisjoint(("candidates", "usageMetadata", "promptFeedback"))


def _is_chat(_event: str, fields: Fields) -> bool:
    return "choices" in fields or str(fields.get("object")).startswith("chat.completion")


def _is_native(_event: str, fields: Fields) -> bool:
    if "done" in fields or "_debug_info" in fields:
        return True
    return "model" in fields and isinstance(fields.get("message"), dict)


_SHAPES: Final[tuple[tuple[str, Callable[[str, Fields], bool]], ...]] = (
    ("responses", _is_responses),
    ("messages", _is_messages),
    ("gemini", _is_gemini),
    ("chat", _is_chat),
    ("native", _is_native),
)


def _by_error(_event: str, fields: Fields) -> str | None:
    """The protocol of an error body, each of which has a shape of its own."""
    error = fields.get("error")
    if fields.get("type") == "error":
        return "messages" if isinstance(error, dict) else "responses"
    if isinstance(error, str):
        return "native"
    if not isinstance(error, dict):
        return None
    if isinstance(error.get("code"), int) and isinstance(error.get("status"), str):
        return "gemini"
    return "chat" if "message" in error else None


def _payloads(body: bytes) -> Iterator[tuple[str, Fields]]:
    """The objects of a body, each with the name of its event (empty where it has none)."""
    text = body.removeprefix(_BYTE_ORDER_MARK).strip()
    if text.startswith((b"{", b"[")):
        whole = _decoded(text)
        if whole is not None:
            return _objects("", whole)
    return chain.from_iterable(_objects(event, _decoded(data)) for event, data in _lines(text[:_BLOCK]))


def _objects(event: str, value: Json) -> Iterator[tuple[str, Fields]]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            yield event, one


def _lines(text: bytes) -> Iterable[tuple[str, bytes]]:
    """Every line that may hold a payload, with the event named before it."""
    event = ""
    for line in text.splitlines():
        if line.startswith(b"event:"):
            event = line[6:].strip().decode("utf-8", "replace")
        elif line.startswith(b"data:"):
            yield event, line[5:]
            event = ""
        elif line.lstrip().startswith(b"{"):
            yield "", line


def _decoded(data: bytes) -> Json:
    try:
        return decode_any(mend(data))
    except UNDECODABLE:
        return None
