"""Keeping secrets out of captures: what may be written down, and what is replaced by `[redacted]` before it is.

Three nets, one behind the other: headers are allow-listed, known secrets (the keys this process uses) are replaced
wherever they stand, and anything that has the shape of a key is replaced as well. Bodies are evidence, so a body is
changed only where a secret stands in it; the end line of the capture then says how often.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

import msgspec

from wirelab.capture.shapes import AFTER_BEARER, AFTER_NAME, BEGUN, HINTS, SHAPES
from wirelab.capture.types import Head

REDACTED: Final = "[redacted]"

REQUEST_HEADERS: Final = frozenset({
    "accept", "accept-encoding", "anthropic-beta", "anthropic-version", "content-type", "openai-beta", "user-agent",
})  # fmt: skip
RESPONSE_HEADERS: Final = frozenset({
    "anthropic-version", "content-encoding", "content-length", "content-type", "date", "openai-processing-ms",
    "openai-version", "request-id", "retry-after", "server", "transfer-encoding", "x-request-id",
})  # fmt: skip
SECRET_HEADERS: Final = frozenset({
    "api-key", "authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key", "x-goog-api-key",
})  # fmt: skip
"""Headers of which only the name is kept: that a key was sent can matter, which one never does."""

_SECRET_PARAMETERS = re.compile(
    r"(?i)((?:^|[?&])(?:key|api[-_]?key|(?:access|auth|id|refresh)?[-_]?token|secret|sig|signature|password|code)=)"
    r"[^&#]+"
)

_SHORTEST_SECRET = 8
_LONGEST_HELD = 8192
_CONTEXT = 128
_OPEN_END = re.compile(r"[A-Za-z0-9._~+/=-]\Z")


class Redactor:
    """Replaces secrets in text. `secrets` are the known ones; those shorter than 8 characters are not looked for."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {_latin(form) for secret in secrets if len(secret) >= _SHORTEST_SECRET for form in _forms(secret)}
        self._secrets = tuple(sorted(known, key=len, reverse=True))
        self._patterns = (SHAPES, AFTER_BEARER, AFTER_NAME)
        self._known = re.compile("|".join(map(re.escape, self._secrets))) if known else None

    def text(self, text: str) -> tuple[str, int]:
        """The text without secrets, and how many stood in it."""
        clean, count = self.latin(_latin(text))
        return (clean.encode("latin-1").decode("utf-8", "surrogatepass"), count) if count else (text, 0)

    def latin(self, text: str, written: int = 0) -> tuple[str, int]:
        """The same for text decoded as Latin-1, of which the first `written` characters cannot be changed any more."""
        count = 0

        def replace(match: re.Match[str]) -> str:
            nonlocal count
            if match.end() <= written:
                return match.group()
            count += 1
            return match.string[match.start() : max(match.start(match.lastindex or 0), written)] + REDACTED

        if self._known is not None:
            text = self._known.sub(replace, text)
        if _is_suspicious(text):
            for pattern in self._patterns:
                text = pattern.sub(replace, text)
        return text, count

    def path(self, path: str) -> str:
        """A request path with its query, without tokens."""
        return self.text(_SECRET_PARAMETERS.sub(rf"\1{REDACTED}", path))[0]

    def head(self, head: Head) -> Head:
        """The head as it may be written: allow-listed headers, no tokens, no secrets in any value."""
        request, response = head.request, head.response
        headers = _allowed(request.headers, REQUEST_HEADERS)
        request = msgspec.structs.replace(request, path=self.path(request.path), headers=headers)
        headers = _allowed(response.headers, RESPONSE_HEADERS)
        response = msgspec.structs.replace(response, headers=headers)
        clean = msgspec.structs.replace(head, request=request, response=response)
        text, count = self.text(msgspec.json.encode(clean).decode())
        return msgspec.json.decode(text, type=Head) if count else clean

    def begun(self, text: str) -> int:
        """Where at the end of `text` a secret has begun that the next read may go on with."""
        start = len(text)
        tail = text[-_LONGEST_HELD:]
        if (_OPEN_END.search(tail) or "PRIVATE KEY" in tail) and (match := BEGUN.search(tail)) is not None:
            start -= len(tail) - match.start()
        for secret in self._secrets:
            size = next((size for size in range(min(len(secret), len(text)), 0, -1) if text.endswith(secret[:size])), 0)
            start = min(start, len(text) - size)
        return start


class BodyRedactor:
    """Replaces secrets in a body that arrives in reads: one that several reads share is caught as well.

    Where a secret has begun at the end of a read, it is held back until the next read, or the end, shows whether it is
    one; everything else is handed on at once. `count` is the number of secrets replaced so far.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._context = ""
        self._held = ""
        self.count = 0

    def push(self, data: bytes) -> bytes:
        """The bytes that may be written now."""
        text = self._context + self._held + data.decode("latin-1")
        start = max(self._redactor.begun(text), len(self._context))
        self._held = text[start:]
        return self._clean(text[:start])

    def close(self) -> bytes:
        """The bytes that were still held back."""
        text, self._held = self._context + self._held, ""
        return self._clean(text)

    def _clean(self, text: str) -> bytes:
        """What may be written of a text that begins with what was written before."""
        written = len(self._context)
        clean, count = self._redactor.latin(text, written)
        self.count += count
        self._context = text[-_CONTEXT:]
        return clean[written:].encode("latin-1")


def find_secrets(data: bytes) -> list[tuple[int, str]]:
    """Every place in a file that looks like a secret: the line, from 1, and its first characters."""
    text = data.decode("latin-1")
    if not _is_suspicious(text):
        return []
    places = [
        (match.start(), match.group(match.lastindex or 0))
        for pattern in (SHAPES, AFTER_BEARER, AFTER_NAME)
        for match in pattern.finditer(text)
    ]
    return [(text.count("\n", 0, start) + 1, found[:6] + "…") for start, found in sorted(places)]


def _is_suspicious(text: str) -> bool:
    lowered = text.lower()
    return any(hint in lowered for hint in HINTS)


def _forms(secret: str) -> set[str]:
    """A secret as it is, inside a JSON string, and inside a query."""
    return {secret, msgspec.json.encode(secret).decode()[1:-1], quote(secret, safe="")}


def _latin(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def _allowed(headers: Mapping[str, str], allowed: frozenset[str]) -> dict[str, str]:
    """Names in lower case; allow-listed ones with their values, secret ones with `[redacted]`, others not at all."""
    lowered = {name.lower(): value for name, value in headers.items()}
    return {
        name: REDACTED if name in SECRET_HEADERS else value
        for name, value in lowered.items()
        if name in allowed or name in SECRET_HEADERS
    }
