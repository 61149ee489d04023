"""Frames as people see them: where each stood in the body, when its last byte came, and what is wrong with it."""

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

import msgspec

from wirelab.framing import NdjsonDecoder, SseDecoder, WholeDecoder, lenient
from wirelab.model import Frame, FrameKind
from wirelab.protocols.registry import PROTOCOLS
from wirelab.show.tables import Table, table
from wirelab.show.text import wire_text

State = Literal["whole", "pending", "malformed", "end"]
"""`pending`: the body ended inside it; `malformed`: a payload that is no JSON; `end`: the mark `[DONE]`."""


class TimedRead(Protocol):
    """One transport read: its time in seconds since the request, and its bytes (`wirelab.capture.Read` is one)."""

    @property
    def t(self) -> float: ...
    @property
    def data(self) -> bytes: ...


class FrameRow(msgspec.Struct, frozen=True):
    """One frame for people. `seconds` is the time of the read that completed it, None where no times are known."""

    frame: int
    start: int
    end: int
    seconds: float | None
    kind: str
    event: str | None
    state: State
    data: str


def _decoder(protocol: str, *, whole: bool) -> NdjsonDecoder | SseDecoder | WholeDecoder:
    if whole:
        return WholeDecoder()
    return SseDecoder() if PROTOCOLS[protocol].framing == "sse" else NdjsonDecoder()


def frames_of(body: bytes, protocol: str, *, whole: bool = False) -> list[Frame]:
    """All frames of a body, what was left over included. Raises FrameTooLargeError."""
    decoder = _decoder(protocol, whole=whole)
    return [*decoder.push(body), *decoder.close()]


def is_json(data: bytes) -> bool:
    """Whether bytes are JSON by their form; numbers that no decoder holds are, too."""
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _state(frame: Frame) -> State:
    """What is wrong with a frame; several JSON lines in one event are read apart, so nothing is wrong with those."""
    if frame.kind is not FrameKind.DATA:
        return "whole" if frame.terminated else "pending"
    if frame.data.strip() == b"[DONE]":
        return "end"
    if all(is_json(each.data) for each in lenient(frame) or [frame]):
        return "whole"
    return "malformed" if frame.terminated else "pending"


def _arrivals(reads: Iterable[TimedRead]) -> list[tuple[int, float]]:
    """For each read the body offset after it, and its time."""
    arrived, offset = [], 0
    for read in reads:
        offset += len(read.data)
        arrived.append((offset, read.t))
    return arrived


def frame_times(frames: Sequence[Frame], reads: Iterable[TimedRead]) -> list[float | None]:
    """When each frame was complete: the time of the read that brought its last byte."""
    arrived = iter(_arrivals(reads))
    times: list[float | None] = []
    offset, now = -1, None
    for frame in frames:
        while offset < frame.end and (following := next(arrived, None)) is not None:
            offset, now = following
        times.append(now)
    return times


def frame_rows(body: bytes, protocol: str, reads: Iterable[TimedRead] = (), *, whole: bool = False) -> list[FrameRow]:
    """The frames of a body as rows."""
    frames = frames_of(body, protocol, whole=whole)
    return [
        FrameRow(
            frame=frame.number,
            start=frame.start,
            end=frame.end,
            seconds=seconds,
            kind=frame.kind.value,
            event=frame.event,
            state=_state(frame),
            data=wire_text(frame.data),
        )
        for frame, seconds in zip(frames, frame_times(frames, reads), strict=True)
    ]


def frames_table(rows: Sequence[FrameRow], *, excerpt: int = 160, title: str = "") -> Table:
    """Frames as a table: number, byte range, milliseconds, what it is, what is wrong with it, and its beginning."""
    return table(
        [
            {
                "frame": row.frame,
                "bytes": f"{row.start}-{row.end}",
                "ms": None if row.seconds is None else round(row.seconds * 1000),
                "kind": row.event or row.kind,
                "state": "" if row.state == "whole" else row.state,
                "payload": row.data,
            }
            for row in rows
        ],
        ["frame", "bytes", "ms", "kind", "state", "payload"],
        title=title,
        width_limit=excerpt,
    )
