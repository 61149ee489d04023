"""Kinds of failure: what an answer with status 400 or more says went wrong (claim C35).

Servers share no codes: the same 400 stands for a broken request, a full context and a model without tools. The words
tell them apart, so the table below is a list of phrases in the order in which they are tried, each seen in a
recording or a public report; the status alone decides last.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

import msgspec

from wirelab.model import Json
from wirelab.protocols.decoding import UNDECODABLE, decode_any


class FailureKind(StrEnum):
    """What went wrong, from the side of the person who has to do something about it."""

    AUTH = "auth"
    """The key is missing, wrong, or not allowed to do this."""
    QUOTA_EXHAUSTED = "quota-exhausted"
    """A budget of a time window is used up; waiting a few seconds does not help."""
    RATE_LIMITED = "rate-limited"
    """Too many requests at once: try again a little later."""
    MODEL_UNAVAILABLE = "model-unavailable"
    """The server does not have the model, or not any more."""
    CONTEXT_OVERFLOW = "context-overflow"
    """The prompt is longer than what the model takes."""
    CAPABILITY_UNAVAILABLE = "capability-unavailable"
    """The model or the server can't do this at all (tools, thinking, images, web search)."""
    REQUEST_REFUSED = "request-refused"
    """A field, or the history, is not as this server wants it: the request has to change."""
    NO_SUCH_ENDPOINT = "no-such-endpoint"
    """Nothing answers at this path and method."""
    UPSTREAM_ERROR = "upstream-error"
    """The server could not read what its own model said, or its runner died: try again."""
    SERVER_ERROR = "server-error"
    """It failed and does not say why."""


class Failure(msgspec.Struct, frozen=True):
    """A classified failure: the kind, the words it came with, and for a quota the window (`weekly`, `hourly`, …)."""

    kind: FailureKind
    message: str
    window: str | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed in a moment."""
        return self.kind in {FailureKind.RATE_LIMITED, FailureKind.UPSTREAM_ERROR, FailureKind.SERVER_ERROR}


_QUOTA = re.compile(
    r"\b(?:(?P<window>hourly|daily|weekly|monthly|session)\W+)?(?:usage|quota)\W+(?:limit|exceeded|exhausted)|quota",
    re.IGNORECASE,
)
_ARGUMENTS = re.compile(r"invalid tool call arguments", re.IGNORECASE)
_PHRASES: tuple[tuple[FailureKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (FailureKind.CAPABILITY_UNAVAILABLE, r"does not support|not supported|is disabled|is unavailable|unsupported"),
        (
            FailureKind.CONTEXT_OVERFLOW,
            r"context (?:length|size|window)|(?:exceed|too long|longer).*\b(?:context|tokens)",
        ),
        (FailureKind.MODEL_UNAVAILABLE, r"model\b.*(?:not found|does not exist|no longer|not available|retired)"),
        (FailureKind.UPSTREAM_ERROR, r"error parsing tool call|failed to parse json|returned invalid tool call"),
        (FailureKind.UPSTREAM_ERROR, r"running the model|response (?:reused|changed) a tool-call|upstream"),
        (FailureKind.RATE_LIMITED, r"rate.?limit|too many (?:concurrent )?requests|overloaded|server busy"),
    )
)
_STATUS: tuple[tuple[range, FailureKind], ...] = (
    (range(401, 402), FailureKind.AUTH),
    (range(403, 404), FailureKind.AUTH),
    (range(404, 406), FailureKind.NO_SUCH_ENDPOINT),
    (range(413, 414), FailureKind.CONTEXT_OVERFLOW),
    (range(429, 430), FailureKind.RATE_LIMITED),
    (range(503, 504), FailureKind.RATE_LIMITED),
    (range(501, 502), FailureKind.NO_SUCH_ENDPOINT),
    (range(400, 500), FailureKind.REQUEST_REFUSED),
)


def classify(status: int | None, body: Json, *, history_valid: bool | None = None) -> Failure:
    """The kind of failure that an answer with this status and decoded body (a JSON value or a text) is.

    `status` is None where a report shows only the body. `history_valid` says whether all replayed arguments of the
    request parse (`history_arguments_valid`): "invalid tool call arguments" is the client's fault only if they do
    not (wire case BR-155).
    """
    message = message_of(body)
    if status in {401, 403}:
        return Failure(FailureKind.AUTH, message)
    if _ARGUMENTS.search(message) and "returned invalid" not in message:
        kind = FailureKind.UPSTREAM_ERROR if history_valid else FailureKind.REQUEST_REFUSED
        return Failure(kind, message)
    if status in {402, 429, None} and (found := _QUOTA.search(message)):
        return Failure(FailureKind.QUOTA_EXHAUSTED, message, _lower(found.group("window")))
    for kind, phrase in _PHRASES:
        if phrase.search(message):
            return Failure(kind, message)
    return Failure(_by_status(status), message)


def decoded(body: bytes) -> Json:
    """A body as JSON, or else as text."""
    try:
        return decode_any(body)
    except UNDECODABLE:
        return body.decode("utf-8", "replace")


def message_of(body: Json) -> str:
    """The words of a failure: a text body, or the innermost `error`, `message` or `detail`; else empty."""
    if isinstance(body, str):
        return body.strip()
    if not isinstance(body, Mapping):
        return ""
    for field in ("error", "message", "detail"):
        if found := message_of(body.get(field)):
            return found
    return ""


def missing_model(
    failures: Sequence[Failure], model: str, listed: Collection[str], *, least: int = 2
) -> Failure | None:
    """What several equal, nameless failures for one model mean when the server's list does not name the model.

    A cloud answers a generic 500 for a model it has taken away (wire case BR-154). None: nothing can be said.
    """
    nameless = [failure for failure in failures if failure.kind is FailureKind.SERVER_ERROR]
    same_words = {re.sub(r"\(ref: [^)]*\)", "", failure.message) for failure in nameless}
    if len(nameless) < least or len(nameless) != len(failures) or len(same_words) != 1 or _is_listed(model, listed):
        return None
    return Failure(FailureKind.MODEL_UNAVAILABLE, f"{nameless[0].message} ({model} is not in the server's list)")


def history_arguments_valid(request: Json) -> bool:
    """Whether every call replayed in a request body (any of the four protocols) carries readable arguments."""
    if isinstance(request, Mapping):
        named = "name" in request and ("arguments" in request or request.get("type") == "tool_use")
        if named and not _is_object(request.get("arguments", request.get("input"))):
            return False
        return all(
            history_arguments_valid(value) for key, value in request.items() if key not in {"tools", "input_schema"}
        )
    if isinstance(request, Sequence) and not isinstance(request, str):
        return all(history_arguments_valid(value) for value in request)
    return True


def _is_object(arguments: Json) -> bool:
    if isinstance(arguments, str):
        try:
            arguments = decode_any(arguments)
        except UNDECODABLE:
            return False
    return isinstance(arguments, Mapping)


def _is_listed(model: str, listed: Collection[str]) -> bool:
    return bool({model, f"{model}:latest", model.removesuffix(":latest")} & set(listed))


def _by_status(status: int | None) -> FailureKind:
    for statuses, kind in _STATUS:
        if status in statuses:
            return kind
    return FailureKind.SERVER_ERROR


def _lower(text: str | None) -> str | None:
    return text.lower() if text else None
