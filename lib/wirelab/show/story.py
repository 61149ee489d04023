"""One capture told from the outside in: where it is from, what was asked, what its frames say, what the model said."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from wirelab.calls import ResponseMachine
from wirelab.capture import Capture, asked_of
from wirelab.framing import lenient
from wirelab.model import Asked, Fragment, Frame, Json, Reading, ToolCall
from wirelab.protocols.eventlog import Error, Event, EventLog, Finish, Note, Text, Thinking, Usage
from wirelab.protocols.registry import PROTOCOLS
from wirelab.show.frames import FrameRow, frame_rows, frames_of
from wirelab.show.lanes import Piece, lanes, piece_of, piece_text
from wirelab.show.tables import Table, table
from wirelab.show.text import shortened


def is_whole(capture: Capture) -> bool:
    """Whether the answer came as one JSON value; an error status always does."""
    return capture.framing == "whole" or capture.response.status >= 400


def about_table(capture: Capture) -> Table:
    """Where a capture is from, what was asked, and how it ended: whoever shows a finding shows these."""
    source, asked = capture.source, asked_of(capture)
    facts = {
        "capture": capture.name,
        "evidence": f"{source.kind}, {capture.recorded_at[:10]}",
        "server": f"{source.server} {source.version}".strip(),
        "model": source.model,
        "note": source.note,
        "request": f"{capture.request.method} {capture.request.path}",
        "asked": _asked(asked),
        "status": capture.response.status,
        "body": f"{len(capture.body)} bytes in {len(capture.reads)} reads, {capture.end.kind}",
        "sha256": capture.sha256,
    }
    return table([{"fact": name, "value": value} for name, value in facts.items()], width_limit=240)


def _asked(asked: Asked) -> str:
    """The part of a request that a reader needs, in words."""
    words = ["stream" if asked.stream else "whole answer" if asked.stream is False else "stream or not: not said"]
    words.append("tools: not said" if asked.tools is None else f"tools: {', '.join(sorted(asked.tools)) or 'none'}")
    if asked.parallel is not None:
        words.append(f"parallel calls: {'yes' if asked.parallel else 'no'}")
    if asked.output_limit is not None:
        words.append(f"at most {asked.output_limit} tokens")
    return "; ".join(words)


def capture_frames(capture: Capture) -> list[FrameRow]:
    """The frames of a capture with the times they came."""
    return frame_rows(capture.body, capture.protocol, capture.reads, whole=is_whole(capture))


def capture_lanes(capture: Capture) -> list[Piece]:
    """The tool-call entries of a capture, each with the call it belongs to; none where the request failed."""
    if capture.response.status >= 400:
        return []
    return lanes(capture.body, capture.protocol, capture.reads, whole=is_whole(capture))


def events_of(body: bytes, protocol: str, *, whole: bool = False) -> EventLog:
    """What a body's frames say, before anything is decided about it."""
    log, entry = EventLog(), PROTOCOLS[protocol]
    reader = (entry.whole_reader if whole else entry.stream_reader)(log)
    for frame in _readable(frames_of(body, protocol, whole=whole)):
        reader.read(frame)
    reader.close()
    return log


def _readable(frames: Iterable[Frame]) -> Iterable[Frame]:
    return (each for frame in frames for each in lenient(frame))


def events_table(capture: Capture) -> Table:
    """The events of a capture; a run of text or thinking is one row."""
    if capture.response.status >= 400:
        return table([], ["frame", "event", "says"])
    rows: list[list[Any]] = []
    for event in events_of(capture.body, capture.protocol, whole=is_whole(capture)).events:
        kind, says = _told(event)
        frame = event.frame
        if rows and kind in {"text", "thinking"} and rows[-1][1] == kind:
            rows[-1] = [f"{str(rows[-1][0]).partition('-')[0]}-{frame}", kind, rows[-1][2] + says]
        else:
            rows.append([frame, kind, says])
    return table(rows, ["frame", "event", "says"], width_limit=140)


def _told(event: Event) -> tuple[str, str]:
    """An event's kind and what it says, as text."""
    match event:
        case Text(piece=piece):
            return "text", piece
        case Thinking(piece=piece):
            return "thinking", piece
        case Fragment():
            return "tool call", piece_text(piece_of(event, None, None), limit=120)
        case Finish(reason=reason):
            return "finish", reason or "(without a reason)"
        case Usage(counts=counts):
            return "usage", ", ".join(f"{name} {value}" for name, value in counts.items())
        case Error(message=message):
            return "error", message
        case Note(code=code, detail=detail):
            return "note", f"{code}: {detail}"


def calls_said(capture: Capture) -> list[tuple[str, Json]] | None:
    """The calls that the model made, as name and arguments; None where nobody saw it."""
    said = capture.observed.model_said if capture.observed is not None else None
    if said is None:
        return None
    return [(call["name"], call["arguments"]) for call in said.get("calls", [])]


def said_table(capture: Capture, reading: Reading) -> Table:
    """What the model said beside what was read: calls, text, thinking. Empty where nobody saw the model's output."""
    said = capture.observed.model_said if capture.observed is not None else None
    if said is None:
        return table([], ["what", "the model said", "read", "same"])
    pairs: Mapping[str, tuple[Any, Any]] = {
        "calls": (calls_said(capture), [(call.name, call.arguments) for call in reading.calls]),
        "text": (said.get("text") or "", reading.text),
        "thinking": (said.get("thinking") or "", reading.thinking),
    }
    rows = [[what, _short(one), _short(other), one == other] for what, (one, other) in pairs.items()]
    return table(rows, ["what", "the model said", "read", "same"], width_limit=160)


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ", ".join(f"{name} {shortened(msgspec.json.encode(arguments).decode(), 60)}" for name, arguments in value)


def read_in_pieces(capture: Capture, size: int = 1) -> Reading:
    """The capture read leniently, `size` bytes at a time: it must come out as when read at once."""
    machine = ResponseMachine(
        capture.protocol,
        asked=asked_of(capture),
        strict=False,
        status=capture.response.status,
        whole=capture.framing == "whole",
    )
    body = capture.body
    for start in range(0, len(body), size):
        machine.push(body[start : start + size])
    return machine.close()


def broken_invariants(capture: Capture, reading: Reading, frames: Sequence[FrameRow]) -> list[str]:
    """What holds for any capture and any reading; empty unless this project is at fault."""
    ids = [call.id for call in reading.calls]
    checks = {
        "frames follow each other without a gap": all(one.end == other.start for one, other in pairwise(frames)),
        "ids are distinct": len(set(ids)) == len(ids),
        "only complete calls may be executed": set(reading.executable) <= _complete(reading.calls),
        "nothing may be executed after a violation": reading.error is None or not reading.executable,
        "read in pieces it is the same": read_in_pieces(capture, 7) == read_in_pieces(capture, len(capture.body) or 1),
    }
    return [name for name, holds in checks.items() if not holds]


def _complete(calls: Iterable[ToolCall]) -> set[str]:
    return {call.id for call in calls if call.complete}
