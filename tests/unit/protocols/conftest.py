"""Reading payloads as a server would frame them: whole, byte by byte and in random pieces, with the same events."""

import itertools
import json
import random
from collections.abc import Callable, Iterator

import pytest

from wirelab.framing import NdjsonDecoder, Run, SseDecoder, WholeDecoder
from wirelab.protocols.eventlog import EventLog
from wirelab.protocols.registry import PROTOCOLS


def _text(payload: object) -> bytes:
    if isinstance(payload, bytes):
        return payload
    return (payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)).encode()


def _framed(protocol: str, payload: object) -> bytes:
    """One payload on the wire; a tuple is an event's name and its payload."""
    name, payload = payload if isinstance(payload, tuple) else (None, payload)
    if PROTOCOLS[protocol].framing == "ndjson":
        return _text(payload) + b"\n"
    event = f"event: {name}\n".encode() if name else b""
    return event + b"data: " + _text(payload) + b"\n\n"


def _cuts(body: bytes) -> Iterator[list[bytes]]:
    yield [body]
    yield [body[place : place + 1] for place in range(len(body))]
    places = sorted(random.Random(7).sample(range(len(body) + 1), k=min(5, len(body) + 1)))
    yield [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]


def _run(protocol: str, reads: list[bytes], *, whole: bool, runs: bool) -> EventLog:
    entry = PROTOCOLS[protocol]
    stream = NdjsonDecoder if entry.framing == "ndjson" else SseDecoder
    log, decoder = EventLog(), (WholeDecoder if whole else stream)()
    reader = (entry.whole_reader if whole else entry.stream_reader)(log)
    for data in reads:
        for part in decoder.feed(data) if runs else decoder.push(data):
            if isinstance(part, Run):
                reader.read_run(part)
            else:
                reader.read(part)
    for frame in decoder.close():
        reader.read(frame)
    reader.close()
    return log


@pytest.fixture
def read() -> Callable[..., EventLog]:
    """`read(protocol, *payloads)` for a stream, `read(protocol, payload, whole=True)` for one answer, `tail` unframed."""

    def read_all(protocol: str, *payloads: object, whole: bool = False, tail: bytes = b"") -> EventLog:
        body = _text(payloads[0]) if whole else b"".join(_framed(protocol, payload) for payload in payloads)
        ways = itertools.product(_cuts(body + tail), (True, False))
        first, *others = [_run(protocol, reads, whole=whole, runs=runs) for reads, runs in ways]
        assert all(log.events == first.events for log in others)
        return first

    return read_all
