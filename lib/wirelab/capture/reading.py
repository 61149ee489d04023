"""From a capture to a reading: what its request asked and how it was answered are taken from the capture."""

from wirelab.calls import Limits, read_body
from wirelab.capture.types import Capture
from wirelab.errors import UnreadableInputError
from wirelab.model import Asked, Reading
from wirelab.protocols.registry import PROTOCOLS


def is_readable(capture: Capture) -> bool:
    """Whether a reader applies: not to discovery, nor to a protocol this version does not know."""
    return capture.protocol in PROTOCOLS


def asked_of(capture: Capture) -> Asked:
    """What the recorded request says that a reader needs. Raises UnreadableInputError where no reader applies."""
    if not is_readable(capture):
        raise UnreadableInputError(f"{capture.name}: no calls are read from {capture.protocol!r}")
    return PROTOCOLS[capture.protocol].asked(capture.request.json)


def read_capture(
    capture: Capture, *, policy: str = "id-first", strict: bool = True, limits: Limits | None = None
) -> Reading:
    """What the captured answer says, by a policy. Raises UnreadableInputError, MisuseError for an unknown policy."""
    return read_body(
        capture.body,
        capture.protocol,
        asked=asked_of(capture),
        policy=policy,
        strict=strict,
        limits=limits,
        status=capture.response.status,
        whole=capture.framing == "whole",
    )
