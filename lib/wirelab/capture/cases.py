"""The language-neutral cases as exchanges: what a wire case or a stream of the peer battery looks like on the wire.

The documented and the synthetic captures are made from the cases by these functions, and a test holds them equal.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wirelab.capture.types import Capture, End, Evidence, Framing, Head, Read, Request, Response, Source
from wirelab.model import Json

Case = Mapping[str, Any]

WRITTEN_AT = "2026-11-30T00:00:00Z"
"""When the cases were written down. What they describe happened earlier."""

PATHS = {
    "native": "/api/chat",
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "gemini": "/v1beta/models/model:streamGenerateContent?alt=sse",
}

_NAMED_EVENTS = frozenset({"responses", "messages"})
_FULL_STREAMS = frozenset({"described", "wire-shown"})
_TYPES: dict[Framing, str] = {
    "ndjson": "application/x-ndjson",
    "sse": "text/event-stream",
    "whole": "application/json",
}


def is_documented(case: Case) -> bool:
    """Whether a wire case is a full stream that a public report shows or describes."""
    return case["protocol"] in PATHS and case["evidence"] in _FULL_STREAMS


def documented(case: Case) -> Capture:
    """The exchange that a wire case tells of. Its times are not known: every read stands at 0."""
    protocol = case["protocol"]
    answer = answer_of(case["frames"])
    framing: Framing = "whole" if answer is not None else framing_for(protocol)
    scenario = case["kind"].rpartition("/")[2]
    note = (
        f"{case['id']}, after {case['source']}: {case['wire_fact']} "
        "Reduced to the smallest input in our own data; headers and times are not part of the report."
    )
    head = Head(
        name=f"reports/{protocol}/{scenario}.{case['id'].lower()}",
        scenario=scenario,
        protocol=protocol,
        framing=framing,
        recorded_at=WRITTEN_AT,
        source=_source("documented", case["provider"], note),
        request=Request(path=PATHS[protocol], json=request_of(case["frames"])),
        response=Response((answer or {}).get("http_status") or 200, {"content-type": _TYPES[framing]}),
    )
    return Capture(head, _at_once(reads_of(protocol, case["frames"])), End("complete", 0.0))


def synthetic(stream: Case) -> Capture:
    """A stream of the peer battery as an exchange."""
    protocol = stream["proto"]
    framing = framing_for(protocol)
    note = f"{stream['id']} of the peer battery: {stream['title']}. Made up by us; no server sent it."
    head = Head(
        name=f"peer-battery/{protocol}/{stream['id'].lower()}.stream",
        scenario=stream["id"].lower(),
        protocol=protocol,
        framing=framing,
        recorded_at=WRITTEN_AT,
        source=_source("synthetic", "none", note),
        request=Request(path=PATHS[protocol]),
        response=Response(200, {"content-type": _TYPES[framing]}),
    )
    end = End("cut", 0.0, "server") if stream["tail"] == "abort" else End("complete", 0.0)
    return Capture(head, _at_once([frame.encode() for frame in stream["frames"]]), end)


def framing_for(protocol: str) -> Framing:
    """How a protocol streams."""
    return "ndjson" if protocol == "native" else "sse"


def reads_of(protocol: str, frames: Sequence[Json]) -> list[bytes]:
    """The bytes of a wire case's frames, a read each: objects framed as the protocol does, raw text as it is."""
    return [framed for frame in frames if (framed := _framed(protocol, frame)) is not None]


def request_of(frames: Sequence[Json]) -> Json:
    """What a wire case says was asked, or None."""
    return next((frame["request"] for frame in frames if isinstance(frame, dict) and "request" in frame), None)


def answer_of(frames: Sequence[Json]) -> dict[str, Json] | None:
    """The whole answer with its `http_status` that a wire case gives instead of a stream, or None."""
    return next((frame for frame in frames if isinstance(frame, dict) and "http_status" in frame), None)


def _framed(protocol: str, frame: Json) -> bytes | None:
    if isinstance(frame, str):
        return b"data: %b\n\n" % frame.encode() if frame == "[DONE]" else frame.encode()
    if "request" in frame:
        return None
    if raw := frame.keys() & {"text", "hex", "generate", "http_status"}:
        return _raw(raw.pop(), frame)
    payload = msgspec.json.encode(frame)
    if protocol == "native":
        return payload + b"\n"
    event = b"event: %b\n" % frame["type"].encode() if protocol in _NAMED_EVENTS else b""
    return b"%bdata: %b\n\n" % (event, payload)


def _raw(form: str, frame: dict[str, Json]) -> bytes:
    if form == "http_status":
        body = frame["body"]
        return body.encode() if isinstance(body, str) else msgspec.json.encode(body)
    if form == "hex":
        return bytes.fromhex(frame["hex"])
    if form == "text":
        text: str = frame["text"]
        return text.encode()
    pattern: str = frame["generate"].replace("\\n", "\n")
    return re.sub(r"<\d+ (.)>", lambda match: match[1] * frame["repeat"], pattern).encode()


def _source(kind: Evidence, server: str, note: str) -> Source:
    return Source(kind=kind, target="none", server=server, note=note)


def _at_once(datas: list[bytes]) -> tuple[Read, ...]:
    return tuple([Read(0.0, data) for data in datas])
