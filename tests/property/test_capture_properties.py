"""Whatever is read, in whatever pieces: the file gives it back byte for byte, and keeps it if the recorder dies."""

import json
from collections.abc import Callable
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from wirelab.capture import Capture, End, Head, Read, Source, dumps, loads, loads_log, sniff
from wirelab.capture.redact import BodyRedactor, Redactor
from wirelab.capture.types import Framing
from wirelab.capture.verify import verify_files
from wirelab.errors import UnreadableInputError

PIECES = st.sampled_from([
    b'{"a":1}', b'{"a":{"b":[1,"}{"]}}', b'{"t":"\xc3\xa9"}', b"data: ", b"data:", b"event: x\n", b"id: 1\r\n", b": c\n",
    b"\n", b"\n\n", b"\r", b"\r\n", b"\r\n\r\n", b"[DONE]", b"null", b'"', b"{", b"}", b"\\", b" ", b"\xff", b"\xef\xbb\xbf",
    b"\x00", "☂".encode(), b"sk-", b"Bearer ", b"api_key=", b"0123456789abcdef0123456789",
])  # fmt: skip
BODIES = st.lists(st.one_of(PIECES, st.binary(max_size=3)), max_size=24).map(b"".join)
TIMES = st.floats(min_value=0, max_value=1e6, allow_nan=False)
FRAMINGS: st.SearchStrategy[Framing] = st.sampled_from(["sse", "ndjson", "whole"])


@st.composite
def exchanges(draw: st.DrawFn) -> Capture:
    body = draw(BODIES)
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=8)))
    borders = [0, *cuts, len(body)]
    times = draw(st.lists(TIMES, min_size=len(cuts) + 1, max_size=len(cuts) + 1))
    datas = [body[start:stop] for start, stop in pairwise(borders)]
    reads = tuple(Read(t, data) for t, data in zip(times, datas, strict=True))
    head = Head("a/b/c.d", "c", "b", draw(FRAMINGS), "2026-11-30T12:00:00Z", Source("synthetic"))
    return Capture(head, reads, End(draw(st.sampled_from(["complete", "cut", "error"])), draw(st.none() | TIMES)))


@given(exchanges())
def test_a_file_gives_the_exchange_back(exchange: Capture) -> None:
    written = dumps(exchange)
    assert loads(written) == exchange
    assert sniff(written) == "capture"
    for line in written.splitlines():
        json.loads(line)


@given(exchanges(), st.data())
def test_a_killed_recorder_loses_nothing_before(exchange: Capture, data: st.DataObject) -> None:
    written = dumps(exchange)
    head = written.index(b"\n")
    end = written.rindex(b'{"end"')
    cut = data.draw(st.integers(head + 1, end))
    capture = loads(written[:cut])
    kept = capture.body
    assert exchange.body.startswith(kept)
    assert (capture.end.kind, capture.end.by) == ("cut", "recorder")
    whole_lines = written[:cut].count(b"\n")
    lines = written.splitlines(keepends=True)[:whole_lines]
    assert kept.startswith(loads(b"".join(lines)).body)
    times = [read.t for read in exchange.reads]
    assert [read.t for read in capture.reads] == times[: len(capture.reads)]


@given(exchanges(), st.integers(min_value=0), st.binary(min_size=1, max_size=4))
def test_damage_is_refused_or_harmless(exchange: Capture, place: int, damage: bytes) -> None:
    written = dumps(exchange)
    at = place % len(written)
    damaged = written[:at] + damage + written[at + len(damage) :]
    if refusal(loads, damaged) is None:
        capture = loads(damaged)
        assert capture.end.by == "recorder" or capture.body == exchange.body or b"sha256" not in damaged


@given(st.binary(max_size=200))
@example(b"{" * 100_000)
@example(b'{"wirelab_capture":' + b"[" * 100_000)
def test_anything_at_all_is_refused_in_one_line(data: bytes) -> None:
    for read in (loads, loads_log):
        message = refusal(read, data)
        assert message is None or message.isprintable()
    sniff(data)


def refusal(read: Callable[[bytes], object], data: bytes) -> str | None:
    """The one line in which an input is refused; any other exception goes through."""
    try:
        read(data)
    except UnreadableInputError as error:
        return str(error)
    return None


@given(BODIES, st.lists(st.integers(0, 200), max_size=6))
def test_redaction_does_not_depend_on_the_reads_and_touches_nothing_else(body: bytes, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    redactor = BodyRedactor(Redactor())
    parts = [redactor.push(body[start:stop]) for start, stop in pairwise(borders)]
    written = b"".join([*parts, redactor.close()])
    clean, count = Redactor().latin(body.decode("latin-1"))
    if count == 0:
        assert written == body
        assert redactor.count == 0
    else:
        assert redactor.count > 0
        assert b"0123456789abcdef0123456789" not in written or b"0123456789abcdef0123456789" in clean.encode("latin-1")


def test_no_path_is_no_problem() -> None:
    assert verify_files([]).problems == []
