"""Every public failure of framing gets its right outcome: as it was read, whole, and byte by byte.

BR-117 is disputed in public (discard or flush an event without its blank line): the decoder exposes it as pending, a
strict reader leaves it out and a lenient one takes it if it is complete.
"""

from collections.abc import Callable

import pytest
from casebook import Case, load

from wirelab.calls import read_body
from wirelab.capture import cases
from wirelab.framing import Decoder, NdjsonDecoder, SseDecoder, lenient
from wirelab.model import Frame, FrameKind

FRAMING = [case for case in load("wire-cases.jsonl") if case["protocol"] == "framing"]
IDS = [case["id"] for case in FRAMING]
Pieces = Callable[[list[bytes]], list[bytes]]


def as_read(reads: list[bytes]) -> list[bytes]:
    return reads


def whole(reads: list[bytes]) -> list[bytes]:
    return [b"".join(reads)]


def byte_by_byte(reads: list[bytes]) -> list[bytes]:
    return [bytes([byte]) for byte in b"".join(reads)]


def decoder_of(case: Case) -> Decoder:
    return NdjsonDecoder() if "lines" in case["expect"] else SseDecoder()


def frames_of(case: Case, pieces: list[bytes]) -> list[Frame]:
    decoder = decoder_of(case)
    pushed = [frame for piece in pieces for frame in decoder.push(piece)]
    return [frame for frame in (*pushed, *decoder.close()) if frame.kind is FrameKind.DATA]


@pytest.mark.parametrize("cut", [as_read, whole, byte_by_byte])
@pytest.mark.parametrize("case", FRAMING, ids=IDS)
def test_framing_case(case: Case, cut: Pieces) -> None:
    expect, reads = case["expect"], cases.reads_of("framing", case["frames"])
    frames = frames_of(case, cut(reads))
    whole_ones = [frame.data.decode() for frame in frames if frame.terminated]
    known = {"events", "events_count", "lines", "pending", "lenient_events", "calls", "error"}
    assert set(expect) <= known, "an expectation that nobody judges"
    if "events" in expect:
        assert whole_ones == expect["events"]
    if "events_count" in expect:
        assert len(whole_ones) == expect["events_count"]
    if "pending" in expect:
        assert [frame.data.decode() for frame in frames if not frame.terminated] == [expect["pending"]]
    if "lenient_events" in expect:
        assert [other.data.decode() for frame in frames for other in lenient(frame)] == expect["lenient_events"]
    if "lines" in expect:
        lines = [frame.data.decode() for frame in frames]
        assert (len(lines) if isinstance(expect["lines"], int) else lines) == expect["lines"]


@pytest.mark.parametrize(
    "case", [case for case in FRAMING if case["expect"].keys() & {"calls", "error"}], ids=lambda case: case["id"]
)
def test_framing_case_to_its_end(case: Case) -> None:
    expect = case["expect"]
    body = b"".join(cases.reads_of("framing", case["frames"]))
    reading = read_body(body, "native" if "lines" in expect else "chat")
    if "calls" in expect:
        assert [(call.name, call.arguments) for call in reading.calls] == [
            (call["name"], call["arguments"]) for call in expect["calls"]
        ]
        assert all(call.id_source == "allocated" for call in reading.calls)
    if "error" in expect:
        assert reading.error is not None
        assert reading.error.code == expect["error"]
