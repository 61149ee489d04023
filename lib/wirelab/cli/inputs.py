"""What a user points at, as one exchange: a capture, a recording log, or the raw body of an answer."""

from collections.abc import Sequence

import msgspec

from wirelab.capture import Capture, Read, loads, loads_log, open_input, sniff
from wirelab.errors import UnreadableInputError
from wirelab.framing import FrameTooLargeError
from wirelab.model import Asked, Frame, FrameKind
from wirelab.protocols.registry import PROTOCOLS, detect
from wirelab.show.frames import frames_of, is_json
from wirelab.show.text import visible

STANDARD_INPUT = "standard input"


class Exchange(msgspec.Struct, frozen=True):
    """One answer and what is known about it. `origin` and `note` say where it is from; `whole`: not streamed."""

    name: str
    protocol: str
    body: bytes
    whole: bool
    origin: Sequence[str]
    note: str = ""
    status: int = 200
    asked: Asked = Asked()
    reads: tuple[Read, ...] = ()


def open_exchange(file: str, protocol: str) -> Exchange:
    """Open a file, `-` for standard input, and find out what it holds.

    Raises UnreadableInputError with one line that names the file and says what to do.
    """
    label = STANDARD_INPUT if file == "-" else visible(file)
    if protocol not in {"auto", *PROTOCOLS}:
        raise UnreadableInputError(f"unknown protocol {protocol!r}; there are auto, {', '.join(PROTOCOLS)}")
    data = open_input(file)
    kind = sniff(data)
    if kind == "capture":
        return from_capture(loads(data, label), label, protocol)
    if kind == "log":
        return from_capture(loads_log(data, label), label, protocol)
    return _from_raw(data, label, protocol)


def from_capture(capture: Capture, label: str, protocol: str = "auto") -> Exchange:
    """A capture knows its protocol, its request and its status. Raises UnreadableInputError where no reader applies."""
    known = capture.protocol
    if known not in PROTOCOLS:
        raise UnreadableInputError(f"{label}: this is a capture of {known!r}, where no tool calls are sent")
    if protocol not in {"auto", known}:
        raise UnreadableInputError(f"{label}: this is a capture of {known}, not of {protocol}; leave out --protocol")
    return Exchange(
        name=label,
        protocol=known,
        body=capture.body,
        whole=capture.framing == "whole",
        origin=_origin(capture),
        note=capture.source.note,
        status=capture.response.status,
        asked=PROTOCOLS[known].asked(capture.request.json),
        reads=capture.reads,
    )


def _origin(capture: Capture) -> list[str]:
    source = capture.source
    words = [capture.protocol, f"{source.kind} {capture.recorded_at[:10]}"]
    if source.server:
        words.append(f"{source.server} {source.version}".strip())
    if capture.response.status != 200:
        words.append(f"status {capture.response.status}")
    if capture.end.kind != "complete":
        words.append(f"recording ended: {capture.end.kind}")
    return words


def _from_raw(data: bytes, label: str, protocol: str) -> Exchange:
    if not data.strip():
        raise UnreadableInputError(f"{label}: the file is empty")
    known = _protocol(data, label, protocol)
    whole = is_whole(data, PROTOCOLS[known].framing)
    return Exchange(label, known, data, whole, (known, "one whole answer" if whole else "a raw stream"))


def _protocol(data: bytes, label: str, protocol: str) -> str:
    seen = detect(data)
    if seen is None and (protocol == "auto" or not _holds_payloads(data, protocol)):
        raise UnreadableInputError(f"{label}: {_what_it_is(data)}")
    if seen is None:
        return protocol
    if protocol not in {"auto", seen} and not _is_mere_error(data):
        raise UnreadableInputError(f"{label}: this is {seen}, not {protocol}; leave out --protocol or pass {seen}")
    return seen if protocol == "auto" else protocol


def _holds_payloads(data: bytes, protocol: str) -> bool:
    """Whether a body that nothing in it gives away can be an answer at all: a payload, its beginning, or a comment."""
    try:
        frames = frames_of(data, protocol, whole=is_whole(data, PROTOCOLS[protocol].framing))
    except FrameTooLargeError:
        return True  # whoever reads it says so
    return any(frame.kind is FrameKind.COMMENT or _is_payload(frame) for frame in frames)


def _is_payload(frame: Frame) -> bool:
    if frame.kind is not FrameKind.DATA:
        return False
    text = frame.data.strip()
    return text == b"[DONE]" or is_json(text) or (not frame.terminated and text.startswith(b"{"))


def _is_mere_error(data: bytes) -> bool:
    """Whether this is an error answer: those look alike on several protocols, so the user's word counts."""
    try:
        answer = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(answer, dict) and "error" in answer


def _what_it_is(data: bytes) -> str:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8 text (byte {error.start}); save the body as it came over the wire"
    if data.lstrip().startswith((b"{", b"[", b"data:", b"event:", b":")):
        return "nothing in it tells the protocol; if you know it, pass --protocol"
    return "neither JSON lines, server-sent events nor a JSON answer; save the body as it came over the wire"


def is_whole(body: bytes, framing: str) -> bool:
    """Whether a body is one JSON answer rather than a stream (one native line reads the same both ways)."""
    first, _, rest = body.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not first.startswith((b"{", b"[")):
        return False
    return framing == "sse" or (bool(rest.strip()) and not is_json(first) and is_json(body))
