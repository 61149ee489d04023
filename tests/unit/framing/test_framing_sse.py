"""Server-sent events: every stream is read whole, byte by byte and in halves, and must give the same frames."""

from collections.abc import Iterable

import pytest

from wirelab.errors import MisuseError
from wirelab.framing import SseDecoder
from wirelab.model import Frame, FrameKind

DATA, COMMENT, IGNORED = FrameKind.DATA, FrameKind.COMMENT, FrameKind.IGNORED


def feed(reads: Iterable[bytes]) -> list[Frame]:
    decoder = SseDecoder()
    frames = [frame for read in reads for frame in decoder.push(read)]
    return frames + decoder.close()


def every_way(body: bytes) -> list[Frame]:
    """The frames of a body, after checking that no way of cutting it into two reads or single bytes changes them."""
    frames = feed([body])
    assert feed(bytes([byte]) for byte in body) == frames
    for cut in range(len(body) + 1):
        assert feed([body[:cut], body[cut:]]) == frames, cut
    return frames


def said(body: bytes) -> list[tuple[FrameKind, str | None, str]]:
    return [(frame.kind, frame.event, frame.data.decode()) for frame in every_way(body)]


# The streams that the standard itself gives, in "Interpreting an event stream".
STANDARD = {
    b"data: YHOO\ndata: +2\ndata: 10\n\n": [(DATA, None, "YHOO\n+2\n10")],
    b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n": [
        (COMMENT, None, "test stream"),
        (DATA, None, "first event"),
        (DATA, None, "second event"),
        (DATA, None, " third event"),
    ],
    b"data\n\ndata\ndata\n\ndata:": [(DATA, None, ""), (DATA, None, "\n"), (DATA, None, "")],
    b"data:test\n\ndata: test\n\n": [(DATA, None, "test"), (DATA, None, "test")],
    b"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n": [
        (DATA, "add", "73857293"),
        (DATA, "remove", "2153"),
        (DATA, "add", "113411"),
    ],
}

SHAPES = {
    b"": [],
    b"\n\n\r\r\n\n\n": [],
    b"data: a\r\n\r\ndata: b\r\n\r\n": [(DATA, None, "a"), (DATA, None, "b")],
    b"data: a\r\rdata: b\r\r": [(DATA, None, "a"), (DATA, None, "b")],
    b"data: a\n\r\ndata: b\r\rdata: c\r\n\r\n": [(DATA, None, "a"), (DATA, None, "b"), (DATA, None, "c")],
    b"data: a\r\ndata: b\rdata: c\ndata:d\r\n\n": [(DATA, None, "a\nb\nc\nd")],
    b"data: a\n\n\n\n\ndata: b\n\n": [(DATA, None, "a"), (DATA, None, "b")],
    b"\xef\xbb\xbfdata: a\n\n": [(DATA, None, "a")],
    b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n": [(IGNORED, None, "\ufeffdata: a")],
    b"\xef\xbb\xbf\n\ndata: a\n\n": [(DATA, None, "a")],
    b"\xef\xbb\xbf: hi\n\n": [(COMMENT, None, "hi")],
    b"data: a\n\n\xef\xbb\xbfdata: b\n\n": [(DATA, None, "a"), (IGNORED, None, "\ufeffdata: b")],
    b"event:x\ndata:1\n\nevent\ndata: 2\n\nevent: x\nevent: y\ndata: 3\n\n": [
        (DATA, "x", "1"),
        (DATA, None, "2"),
        (DATA, "y", "3"),
    ],
    b"data: 1\nevent: late\n\n": [(DATA, "late", "1")],
    b"event: ping\n\nid: 7\n\nretry: 10\r\n\r\n": [
        (IGNORED, "ping", "event: ping"),
        (IGNORED, None, "id: 7"),
        (IGNORED, None, "retry: 10"),
    ],
    b"id: 7\ndata: 1\n\n: ping\n\nid: 8\ndata: 2\n\n": [(DATA, None, "1"), (COMMENT, None, "ping"), (DATA, None, "2")],
    b":a\n: b\r\n:\r\n\r\n": [(COMMENT, None, "a"), (COMMENT, None, "b"), (COMMENT, None, "")],
    b": PROCESSING\ndata: 1\n\n": [(COMMENT, None, "PROCESSING"), (DATA, None, "1")],
    b"data: 1\n: inside\ndata: 2\n\n": [(DATA, None, "1\n2")],
    "data: 你好\n\nevent: ü\ndata: ь\n\n".encode(): [(DATA, None, "你好"), (DATA, "ü", "ь")],
    b"DATA: 1\n\n data: 2\n\n": [(IGNORED, None, "DATA: 1"), (IGNORED, None, " data: 2")],
    b'data: {"a":\ndata: 3}\n\n': [(DATA, None, '{"a":\n3}')],
}


@pytest.mark.parametrize(("body", "frames"), [*STANDARD.items(), *SHAPES.items()])
def test_streams(body: bytes, frames: list[tuple[FrameKind, str | None, str]]) -> None:
    assert said(body) == frames


def test_offsets_cover_the_terminator_and_the_blank_lines_before() -> None:
    body = b"\n: hi\ndata: 1\n\n\n\ndata: 2\r\n\r\nid: 3\r\r"
    ranges = [(frame.number, body[frame.start : frame.end]) for frame in every_way(body)]
    assert ranges == [
        (0, b"\n: hi\n"),
        (1, b"data: 1\n\n"),
        (2, b"\n\ndata: 2\r\n\r"),
        (3, b"\nid: 3\r\r"),
    ]


def test_an_event_is_given_as_soon_as_its_last_line_is_known_to_end() -> None:
    decoder = SseDecoder()
    reads = [b'data: {"a":1}\n\r', b'\ndata: {"a":2}\r\r', b'data: {"a":3}\r\n\r', b"\n"]
    assert [[frame.data for frame in decoder.push(read)] for read in reads] == [
        [b'{"a":1}'],
        [b'{"a":2}'],
        [b'{"a":3}'],
        [],
    ]
    assert decoder.close() == []


@pytest.mark.parametrize(
    ("body", "leftover"),
    [
        (b"data: 1", [(DATA, b"1", False)]),
        (b"data: 1\n", [(DATA, b"1", False)]),
        (b"data: 1\r", [(DATA, b"1", False)]),
        (b"dat", [(IGNORED, b"dat", False)]),
        (b'{"error": "no stream"}', [(IGNORED, b'{"error": "no stream"}', False)]),
        (b": hi\r\ndata: 1\r\n", [(COMMENT, b"hi", True), (DATA, b"1", False)]),
        (b": hi\n", [(COMMENT, b"hi", True)]),
        (b": hi", [(COMMENT, b"hi", False)]),
        (b"\r\n", []),
    ],
)
def test_what_is_left_over_at_the_end(body: bytes, leftover: list[tuple[FrameKind, bytes, bool]]) -> None:
    first = Frame(0, 0, 9, b"0")
    frames = every_way(b"data: 0\n\n" + body)
    assert frames[0] == first
    assert [(frame.kind, frame.data, frame.terminated) for frame in frames[1:]] == leftover
    assert all(frame.end == 9 + len(body) for frame in frames[1:][-1:])


def test_snapshot_shows_what_is_pending_and_changes_nothing() -> None:
    decoder = SseDecoder()
    assert decoder.snapshot() is None
    decoder.push(b'data: 0\n\n: hi\nevent: x\ndata: {"a"')
    pending = Frame(2, 14, 33, b'{"a"', FrameKind.DATA, "x", terminated=False)
    assert decoder.snapshot() == decoder.snapshot() == pending
    decoder.push(b"")
    assert decoder.snapshot() == pending
    assert [frame.data for frame in decoder.push(b":1}\n\n")] == [b"hi", b'{"a":1}']
    assert decoder.snapshot() is None


def test_a_character_cut_between_reads_stays_whole() -> None:
    reads = [bytes.fromhex("646174613a207b2274223a22e4"), bytes.fromhex("bda0227d0a0a")]
    assert [frame.data.decode() for frame in feed(reads)] == ['{"t":"你"}']


def test_bytes_that_are_no_text_pass_unchanged() -> None:
    assert every_way(b"event: \xff\ndata: \xe4\xbd\n\n") == [Frame(0, 0, 19, b"\xe4\xbd", DATA, "\ufffd")]


def test_nothing_can_be_pushed_after_the_end() -> None:
    decoder = SseDecoder()
    decoder.close()
    with pytest.raises(MisuseError, match="was closed"):
        decoder.push(b"data: 1\n\n")
    with pytest.raises(MisuseError, match="has ended"):
        decoder.close()
