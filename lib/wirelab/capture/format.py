"""The lines of a capture file (format 1). What they mean is told in captures/README.md.

    {"wirelab_capture":1,"name":…,"scenario":…,"protocol":…,"framing":…,"recorded_at":…,"source":…,…}
    [t,{payload}]                    a frame in the framing's usual wrapping
    [t,{payload},"event"]            the same after an `event:` line
    [t,{payload},["before","after"]] a frame in any other wrapping
    {"t":…,"kind":…,"text":…}        bytes that are no clean frame; `base64` where they are no UTF-8
    {"end":…,"t":…,"bytes":…,"sha256":…}

`t` (seconds since the request was sent) is null, or left out of an object, where the bytes came with the same read
as those of the line before. So a line begins a read, or goes on with one, and never holds parts of two.
"""

import re
from base64 import b64decode
from functools import lru_cache
from typing import Any, Final

import msgspec

from wirelab.capture.types import EndKind, Framing

VERSION: Final = 1
VERSION_KEY: Final = "wirelab_capture"
VERSION_MARK: Final = b'{"wirelab_capture":'

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of one line."""
MAX_BODY: Final = 256 * 1024 * 1024
"""Bytes of one body."""
MAX_READS: Final = 1_000_000
MAX_NESTING: Final = 128
"""Levels of arrays and objects in one payload."""

SEPARATORS: Final[dict[Framing, tuple[bytes, bytes]]] = {
    "ndjson": (b"", b"\n"),
    "sse": (b"data: ", b"\n\n"),
    "whole": (b"", b""),
}
"""What stands before and after a payload when the line does not say."""


class FrameLine(msgspec.Struct, frozen=True, array_like=True, gc=False, forbid_unknown_fields=True):
    """A frame whose payload is a JSON object, byte for byte."""

    t: float | None
    payload: msgspec.Raw
    wrap: str | tuple[str, str] | None = None


class PieceLine(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """Bytes that are no clean frame.

    Kinds: `comment`, `ignored`, `text` (a payload that is no JSON object, such as `[DONE]`), `part` (a piece of a
    frame that came with several reads, or never ended).
    """

    t: float | None = None
    kind: str = "part"
    text: str | None = None
    base64: str | None = None


class EndLine(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The last line: how the recording ended, and the body's length and SHA-256."""

    end: EndKind
    t: float | None = None
    by: str | None = None
    detail: str | None = None
    redacted: int | None = None
    bytes: int | None = None
    sha256: str | None = None


_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_BRACES = bytes.maketrans(b"[]", b"{}")

line_decoder: msgspec.json.Decoder[FrameLine | dict[str, Any]] = msgspec.json.Decoder(FrameLine | dict[str, Any])
"""Decodes any line after the head. Payloads stay what they are: `msgspec.Raw` keeps their bytes."""


def nests_too_deep(payload: bytes) -> bool:
    """Whether arrays and objects of valid JSON text nest deeper than the limit."""
    if len(payload) <= 2 * MAX_NESTING or payload.count(b"{") + payload.count(b"[") <= MAX_NESTING:
        return False
    brackets = _STRING.sub(b"", payload).translate(_BRACES, _NO_BRACKETS)
    for _ in range(MAX_NESTING):
        brackets = brackets.replace(b"{}", b"")  # takes off the innermost level
    return bool(brackets)


@lru_cache(64)
def event_prefix(event: str) -> bytes:
    """What stands before the payload of a named event in its usual wrapping."""
    return f"event: {event}\ndata: ".encode()


def decoded_bytes(text: str | None, base64: str | None) -> bytes:
    """The bytes of a line that gives them as text or as base64. Raises ValueError unless it does so in one way."""
    if text is not None and base64 is None:
        return text.encode()
    if base64 is not None and text is None:
        return b64decode(base64, validate=True)
    raise ValueError("either `text` or `base64`, not both and not none")
