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

_SHAPES = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, OpenRouter, LiteLLM
    r"|\bhf_[A-Za-z0-9]{20,}"  # Hugging Face
    r"|\bAIza[A-Za-z0-9_-]{30,}"  # Google
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"  # GitHub
    r"|\bglpat-[A-Za-z0-9_-]{16,}"  # GitLab
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"  # Slack
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"  # Amazon
    r"|\b(?:gsk|xai|pplx|r8|nvapi)[-_][A-Za-z0-9_-]{20,}"  # Groq, xAI, Perplexity, Replicate, NVIDIA
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"  # a signed JSON web token
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_AFTER_BEARER = re.compile(r"(?i)(\b(?:bearer|basic)\s+)([A-Za-z0-9._~+/=-]{20,})")
_AFTER_NAME = re.compile(
    r"(?i)((?:api[-_]?key|access[-_]?token|auth[-_]?token|authorization|client[-_]?secret|password|passwd|secret)"
    r"\\?[\"']?\s*[:=]\s*\\?[\"']?)([A-Za-z0-9._~+/-]{20,}={0,2})"
)
_STARTS = re.compile(
    r"(?:\bsk-|\bhf_|\bAIza|\bgh[pousr]_|\bgithub_pat_|\bglpat-|\bxox[abprs]-|\bAKIA|\bASIA"
    r"|\b(?:gsk|xai|pplx|r8|nvapi)[-_]|\beyJ|(?i:\b(?:bearer|basic)\s))[A-Za-z0-9._~+/=-]*\Z"
)
_SHORTEST_SECRET = 8
_LONGEST_HELD = 4096


_HINTS = (
    "sk-", "hf_", "aiza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "asia",
    "gsk", "xai", "pplx", "r8_", "r8-", "nvapi", ".eyj", "-----begin", "bearer", "basic", "api-key", "api_key",
    "apikey", "ss_token", "ss-token", "sstoken", "th_token", "th-token", "thtoken", "authorization", "secret", "passw",
)  # fmt: skip
"""No pattern matches a text that holds none of these; looking for them is twenty times faster than the patterns."""


class Redactor:
    """Replaces secrets in text. `secrets` are the known ones; those shorter than 8 characters are not looked for."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for secret in secrets if len(secret) >= _SHORTEST_SECRET for form in _forms(secret)}
        self._secrets = tuple(sorted(known, key=len, reverse=True))
        self._known = re.compile("|".join(map(re.escape, self._secrets))) if known else None

    def text(self, text: str) -> tuple[str, int]:
        """The text without secrets, and how many stood in it."""
        count = 0
        if self._known is not None:
            text, count = self._known.subn(REDACTED, text)
        if not _is_suspicious(text):
            return text, count
        for pattern, replacement in (
            (_SHAPES, REDACTED),
            (_AFTER_BEARER, rf"\1{REDACTED}"),
            (_AFTER_NAME, rf"\1{REDACTED}"),
        ):
            text, found = pattern.subn(replacement, text)
            count += found
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

    def held_from(self, text: str) -> int:
        """Where the end of `text` could be the beginning of a secret that the next read goes on with."""
        start = len(text)
        if (match := _STARTS.search(text, max(0, start - _LONGEST_HELD))) is not None:
            start = match.start()
        for secret in self._secrets:
            size = next((size for size in range(min(len(secret), len(text)), 0, -1) if text.endswith(secret[:size])), 0)
            start = min(start, len(text) - size)
        return start


class BodyRedactor:
    """Replaces secrets in a body that arrives in reads: one that several reads share is caught as well.

    What could be the beginning of a secret is held back until the next read, or the end, shows whether it is one.
    `count` is the number of secrets replaced so far.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self.count = 0

    def push(self, data: bytes) -> bytes:
        """The bytes that may be written now."""
        text = self._held + data.decode("utf-8", "surrogateescape")
        start = self._redactor.held_from(text)
        self._held = text[start:]
        return self._clean(text[:start])

    def close(self) -> bytes:
        """The bytes that were still held back."""
        rest, self._held = self._held, ""
        return self._clean(rest)

    def _clean(self, text: str) -> bytes:
        clean, count = self._redactor.text(text)
        self.count += count
        return clean.encode("utf-8", "surrogateescape")


def find_secrets(data: bytes) -> list[tuple[int, str]]:
    """Every place in a file that looks like a secret: the line, from 1, and its first characters."""
    text = data.decode("utf-8", "replace")
    if not _is_suspicious(text):
        return []
    places = [
        (match.start(), match.group(match.lastindex or 0))
        for pattern in (_SHAPES, _AFTER_BEARER, _AFTER_NAME)
        for match in pattern.finditer(text)
    ]
    return [(text.count("\n", 0, start) + 1, found[:6] + "…") for start, found in sorted(places)]


def _is_suspicious(text: str) -> bool:
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS)


def _forms(secret: str) -> set[str]:
    """A secret as it is, inside a JSON string, and inside a query."""
    return {secret, msgspec.json.encode(secret).decode()[1:-1], quote(secret, safe="")}


def _allowed(headers: Mapping[str, str], allowed: frozenset[str]) -> dict[str, str]:
    """Names in lower case; allow-listed ones with their values, secret ones with `[redacted]`, others not at all."""
    lowered = {name.lower(): value for name, value in headers.items()}
    return {
        name: REDACTED if name in SECRET_HEADERS else value
        for name, value in lowered.items()
        if name in allowed or name in SECRET_HEADERS
    }
