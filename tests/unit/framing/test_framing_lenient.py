"""Lenient reading: unterminated payloads that are complete, and payloads joined by a missing blank line."""

import pytest

from wirelab.framing import SseDecoder, lenient
from wirelab.model import FrameKind


def events(body: bytes) -> list[str]:
    decoder = SseDecoder()
    frames = decoder.push(body) + decoder.close()
    return [read.data.decode() for frame in frames for read in lenient(frame) if read.kind is FrameKind.DATA]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'data: {"a":1}\n\ndata: {"fin":"stop"}', ['{"a":1}', '{"fin":"stop"}']),
        (b'data: {"a":1}\n\ndata: {"fin":"st', ['{"a":1}']),
        (b'data: {"a":1}\n\ndata: [DONE]', ['{"a":1}', "[DONE]"]),
        (b"data: [DONE", []),
        (b'data: {"a":1}\ndata: {"a":2}\n\n', ['{"a":1}', '{"a":2}']),
        (b'data: {"a":1}\ndata: [DONE]\n\n', ['{"a":1}', "[DONE]"]),
        (b'data: {"a":1}\ndata: {"a":2}\n', ['{"a":1}', '{"a":2}']),
        (b'data: {"b":\ndata: 3}\n\n', ['{"b":\n3}']),
        (b'data: {"b":\ndata: 3}\n', ['{"b":\n3}']),
        (b'data: {"b":\ndata: 3', []),
        (b'data: {"a":1}\ndata: {"a"\n\n', ['{"a":1}\n{"a"']),
        (b"data: no JSON\n\n", ["no JSON"]),
        (b'data: "\xff"', []),
    ],
)
def test_lenient_reading(body: bytes, expected: list[str]) -> None:
    assert events(body) == expected


def test_split_payloads_keep_the_place_of_their_frame() -> None:
    (frame,) = SseDecoder().push(b'event: x\ndata: {"a":1}\ndata:\ndata: {"a":2}\n\n')
    assert [(part.number, part.start, part.end, part.event, part.data) for part in lenient(frame)] == [
        (0, 0, 44, "x", b'{"a":1}'),
        (0, 0, 44, "x", b'{"a":2}'),
    ]


def test_comments_stay_and_what_is_no_event_is_dropped_only_at_the_end() -> None:
    decoder = SseDecoder()
    for frame in decoder.push(b": hi\n\nid: 1\n\n"):
        assert lenient(frame) == [frame]
    decoder.push(b"id: 2")
    assert [lenient(frame) for frame in decoder.close()] == [[]]
