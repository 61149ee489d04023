"""Framing under random bodies and random reads: ranges tile, reads do not matter, an independent decoder agrees."""

import httpx_sse._decoders as oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.framing import Decoder, NdjsonDecoder, SseDecoder
from wirelab.model import Frame, FrameKind

LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
VALUES = st.text(alphabet=st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)
FIELDS = st.sampled_from(["data: ", "data:", "data", "event: ", "event:", "id: ", "retry: ", ": ", ":", "dat", ""])
SSE_LINES = st.one_of(st.just(""), st.builds("{}{}".format, FIELDS, VALUES), VALUES)
SSE_BODIES = st.lists(st.builds("{}{}".format, SSE_LINES, LINE_ENDS), max_size=20).map("".join).map(str.encode)
NDJSON_LINES = st.sampled_from(["", " ", "{}", '{"a": "ь"}', "[1]", "{", "\r"])
NDJSON_BODIES = st.lists(st.builds("{}{}".format, NDJSON_LINES, LINE_ENDS)).map("".join).map(str.encode)
NOISE = st.lists(st.sampled_from([b"data: 1", b"data:", b":", b"\n", b"\r", b"\xef\xbb\xbf", b"{}"])).map(b"".join)
BODIES = st.one_of(
    st.tuples(st.just(SseDecoder), st.one_of(SSE_BODIES, NOISE)),
    st.tuples(st.just(NdjsonDecoder), st.one_of(NDJSON_BODIES, NOISE)),
)


def feed(kind: type[Decoder], body: bytes, cuts: list[int]) -> list[Frame]:
    decoder = kind()
    frames: list[Frame] = []
    for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True):
        frames += decoder.push(body[start:end])
    return frames + decoder.close()


@given(BODIES, st.data())
def test_reads_do_not_matter(kind_and_body: tuple[type[Decoder], bytes], data: st.DataObject) -> None:
    kind, body = kind_and_body
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    whole = feed(kind, body, [])
    assert feed(kind, body, cuts) == whole
    assert feed(kind, body, list(range(1, len(body)))) == whole


@given(BODIES)
def test_ranges_tile_the_body(kind_and_body: tuple[type[Decoder], bytes]) -> None:
    kind, body = kind_and_body
    frames = feed(kind, body, [])
    ends = [0] + [frame.end for frame in frames]
    assert [frame.start for frame in frames] == ends[:-1]
    assert [frame.number for frame in frames] == list(range(len(frames)))
    assert body[ends[-1] :].removeprefix(b"\xef\xbb\xbf").strip(b"\r\n") == b""


@given(BODIES, st.data())
def test_pending_begins_where_the_frames_end(kind_and_body: tuple[type[Decoder], bytes], data: st.DataObject) -> None:
    kind, body = kind_and_body
    cut = data.draw(st.integers(0, len(body)))
    decoder = kind()
    given_so_far = decoder.push(body[:cut])
    pending = decoder.snapshot()
    assert pending == next(reversed(decoder.close()), None)
    if pending is not None:
        assert pending.end == cut
        assert pending.start >= (given_so_far[-1].end if given_so_far else 0)


@given(SSE_BODIES)
def test_an_independent_decoder_agrees(body: bytes) -> None:
    lines, events = oracle.SSELineDecoder(), oracle.SSEDecoder()
    text = body.decode()
    heard = [events.decode(line) for line in (lines.decode(text) if text else []) + lines.flush()]
    theirs = [(event.event, event.data) for event in heard if event is not None and event.data]
    frames = [frame for frame in feed(SseDecoder, body, []) if frame.kind is FrameKind.DATA and frame.terminated]
    assert [(frame.event or "message", frame.data.decode()) for frame in frames if frame.data] == theirs


@pytest.mark.parametrize("kind", [SseDecoder, NdjsonDecoder])
def test_one_frame_in_many_small_reads(kind: type[Decoder]) -> None:
    prefix = b"data: " if kind is SseDecoder else b""
    body = prefix + b'{"a":"' + b"0123456789abcdef" * 16384 + b'"}\n\n'
    (frame,) = feed(kind, body, list(range(64, len(body), 64)))
    assert frame.data == body.removeprefix(prefix).rstrip()
