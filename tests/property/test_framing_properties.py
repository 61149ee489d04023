"""Framing under random bodies and random reads: ranges tile, reads do not matter, an independent decoder agrees."""

from typing import Any
from unittest.mock import patch

import httpx_sse._decoders as oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.framing import Decoder, NdjsonDecoder, Run, SseDecoder, sse
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


PLAIN = st.sampled_from([b'data: {"a":1}\n\n', b'event: x\ndata: {"a":1}\n\n', b'data: {"b":"{}"}\n\n'])
CRLF = PLAIN.map(lambda block: block.replace(b"\n", b"\r\n"))
LINE = st.sampled_from([b'{"a":1}\n', b'{"b":{}}\n', b'{"a":1}{}\n'])
ODD = st.sampled_from(
    [
        b"data: [DONE]\n\n",
        b"event: error\ndata: 1\n\n",
        b"data: 1\n\n",
        b": hi\n\n",
        b"\n",
        b"\r",
        b"x",
        b"data: {}\r\n\r\n",
        b"{\n",
    ]
)
RUNS = st.one_of(
    st.tuples(st.just(SseDecoder), st.lists(st.one_of(PLAIN, PLAIN, PLAIN, ODD)).map(b"".join)),
    st.tuples(st.just(SseDecoder), st.lists(st.one_of(CRLF, CRLF, CRLF, ODD)).map(b"".join)),
    st.tuples(st.just(NdjsonDecoder), st.lists(st.one_of(LINE, LINE, LINE, ODD)).map(b"".join)),
)


def block_by_block(kind: type[Decoder], body: bytes) -> list[Frame]:
    """The frames where nothing is taken for a run."""
    with patch.object(Decoder, "feed", Decoder._feed_much):
        return feed(kind, body, [])


@given(st.one_of(RUNS, BODIES), st.data())
def test_runs_hold_the_frames_that_are_there(kind_and_body: tuple[type[Decoder], bytes], data: st.DataObject) -> None:
    kind, body = kind_and_body
    decoder = kind()
    frames: list[Frame] = []
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=3)))
    few = data.draw(st.sampled_from([0, 30, 1024]))  # from so many bytes on blocks are cut at what they have in common
    for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True):
        with patch.object(sse, "_FEW", few):
            parts = decoder.feed(body[start:end])
        for part in parts:
            if isinstance(part, Run):
                made = part.frames()
                assert [frame.data for frame in made] == [payload.removesuffix(b"\r") for payload in part.payloads]
                assert [frame.number for frame in made] == [part.number + place for place in range(len(made))]
                assert {(frame.kind, frame.terminated) for frame in made} == {(FrameKind.DATA, True)}
                assert not any(frame.event == "error" for frame in made)
                frames += made
            else:
                frames.append(part)
    assert frames + decoder.close() == block_by_block(kind, body)


NAMED = b'event: x\ndata: {"a": "0123456789"}\n\n'
UNNAMED = NAMED.removeprefix(b"event: x\n")


@pytest.mark.parametrize(
    "body",
    [
        NAMED * 60 + b"event: x\ndata: 1\ndata: 2\n\n" + NAMED * 60,
        NAMED * 60 + b"event: y\ndata: {}\n\n: ping\n\n" + NAMED * 60,
        NAMED * 60 + b"\n" + NAMED * 60 + b"\n",
        b"\n" + NAMED * 60,
        b": ping\n\n" + UNNAMED * 60 + NAMED * 60 + UNNAMED * 60,
        b": ping\n\n" * 300,
        b"data:{}\n\n" * 300,
        b"event: error\ndata: {}\n\n" * 100,
        (NAMED + UNNAMED) * 60,
        b"".join(b"event: %d\ndata: {}\n\n" % number for number in range(200)),
    ],
)
def test_long_bodies_in_which_some_blocks_are_alike(body: bytes) -> None:
    for ended in (body, body.replace(b"\n", b"\r\n"), body.replace(b"\n\n", b"\r\n\r\n", 70)):
        assert feed(SseDecoder, ended, []) == block_by_block(SseDecoder, ended)
        assert feed(SseDecoder, ended, list(range(97, len(ended), 1031))) == block_by_block(SseDecoder, ended)


@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        (SseDecoder, b'data: {"a":1}\n\n'),
        (SseDecoder, b'event: x\ndata: {"a":1}\n\n'),
        (SseDecoder, b'data: {"a":1}\r\n\r\n'),
        (SseDecoder, b'event: x\r\ndata: {"a":1}\r\n\r\n'),
        (NdjsonDecoder, b'{"a":1}\n'),
    ],
)
def test_what_is_odd_parts_two_runs(kind: type[Decoder], plain: bytes) -> None:
    odd = b": ping\n\n" if kind is SseDecoder else b" \n"
    odd = odd.replace(b"\n", b"\r\n") if b"\r" in plain else odd
    runs: list[Any] = kind().feed(plain * 200 + odd + plain * 100)
    (place,) = [place for place, part in enumerate(runs) if not isinstance(part, Run)]
    assert [sum(len(run.payloads) for run in half) for half in (runs[:place], runs[place + 1 :])] == [200, 100]
    assert len(runs) < 10
    (live,) = kind().feed(plain)
    assert isinstance(live, Run)
