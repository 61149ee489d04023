"""How servers say that they failed: one readable line out of the many shapes an error body has."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from wirelab.model import Json

LIMIT: Final = 300
"""Characters of an error message that are kept."""

_UNDECODABLE: Final = (ValueError, RecursionError)
_MESSAGE_KEYS: Final = (
    "error",
    "message",
    "detail",
    "details",
    "msg",
    "error_message",
    "errorMessage",
    "errors",
    "title",
)
_CODE_KEYS: Final = ("code", "status", "type")
_DEPTH: Final = 8


def describe_error(body: bytes) -> str:
    """The best one-line message of a failed answer's body: JSON of any known shape, an HTML page or plain text."""
    try:
        value = msgspec.json.decode(_first_payload(body))
    except _UNDECODABLE:
        return _line(_plain(body.decode("utf-8", "replace")))
    return describe(value)


def describe(value: Json) -> str:
    """The best one-line message of an error as decoded JSON: a string, an object around one, a list of such."""
    return _line(_find(value, _DEPTH) or _compact(value))


def error_in(fields: Mapping[str, Json], known: frozenset[str]) -> str | None:
    """The message of an object that is an error under whatever key, None when it is none.

    That is: a truthy `error`; a `type`, `object` or `status` that says error; and, where none of the protocol's `known`
    keys is there, a key that says error (Ollama 0.11 sent the text as the key) or a `detail` or `message` (gateways).
    """
    if fields.get("error"):
        return describe(fields)
    if "error" in (fields.get("type"), fields.get("object"), fields.get("status")):
        return describe(fields)
    return None if known & fields.keys() else _foreign_error(fields)


def _foreign_error(fields: Mapping[str, Json]) -> str | None:
    for key, value in fields.items():
        if "error" in key.lower() and value:
            return describe(value) if " " not in key else _line(f"{key}: {describe(value)}")
    if any(isinstance(fields.get(key), str) and fields[key] for key in ("detail", "message")):
        return describe(fields)
    return None


def _find(value: Json, depth: int) -> str | None:
    """The message inside a value, at most `depth` levels down."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list) and value and depth:
        return _find(value[0], depth - 1)
    if not isinstance(value, dict) or not depth:
        return None
    found = next(filter(None, (_find(value.get(key), depth - 1) for key in _MESSAGE_KEYS)), None)
    code = next((value[key] for key in _CODE_KEYS if value.get(key) and _is_code(value[key])), None)
    return found if code is None or found is None or str(code) in found else f"{found} ({code})"


def _is_code(value: Json) -> bool:
    return isinstance(value, str | int) and value not in (True, "error")


def _compact(value: Json) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (*_UNDECODABLE, TypeError):
        return "an error that cannot be shown"


def _first_payload(body: bytes) -> bytes:
    """The body, or the first data line where it is an event stream."""
    if not body.lstrip().startswith((b"data:", b"event:")):
        return body.removeprefix(b"\xef\xbb\xbf")
    return next((line[5:] for line in body.splitlines() if line.startswith(b"data:")), b"")


def _plain(text: str) -> str:
    """Text without markup: the title of an HTML page, else what stands between its tags."""
    if "<" not in text:
        return text
    title = re.search(r"<title[^>]*>([^<]*)", text, re.IGNORECASE)
    return title.group(1) if title else re.sub(r"<[^>]*>", " ", text)


def _line(text: str) -> str:
    """One line of printable characters, shortened."""
    cut = text[: 20 * LIMIT]
    if not cut.isprintable():
        cut = "".join([char if char.isprintable() else " " for char in cut])
    line = " ".join(cut.split())
    return (line if len(line) <= LIMIT else line[:LIMIT] + "…") or "an error without a message"
