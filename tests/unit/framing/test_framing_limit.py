"""The size limit of one frame: the error names offset and bytes, and comes after every frame before it."""

import pytest

from wirelab.errors import MisuseError
from wirelab.framing import Decoder, FrameTooLargeError, NdjsonDecoder, SseDecoder, WholeDecoder
from wirelab.model import Frame

BODIES = [
    (SseDecoder, b"data: 1\n\n", b"data: 456789012345\n\n"),
    (SseDecoder, b"data: 1\r\r", b"data: 456789012345"),
    (NdjsonDecoder, b'{"a":1}\n', b'{"a":"01234567890"}\n'),
    (NdjsonDecoder, b"\n\n{}\n", b'{"a":"0123456789012345678'),
    (WholeDecoder, b"", b'{"a":"01234567890123456789"}'),
]


def feed(decoder: Decoder, body: bytes, step: int, frames: list[Frame]) -> None:
    for start in range(0, len(body), step):
        frames += decoder.push(body[start : start + step])
    frames += decoder.close()


@pytest.mark.parametrize(("kind", "good", "large"), BODIES)
@pytest.mark.parametrize("step", [1, 3, 1000])
def test_a_frame_over_the_limit(kind: type[Decoder], good: bytes, large: bytes, step: int) -> None:
    decoder = kind(limit=18)
    frames: list[Frame] = []
    with pytest.raises(FrameTooLargeError, match=rf"at byte {len(good)} has \d+ bytes or more, .* of 18") as caught:
        feed(decoder, good + large + good, step, frames)
    assert len(frames) == bool(good)
    assert (caught.value.start, caught.value.limit) == (len(good), 18)
    assert 18 < caught.value.size <= len(large) + len(good)
    with pytest.raises(MisuseError):
        decoder.push(b"")


@pytest.mark.parametrize("kind", [SseDecoder, NdjsonDecoder])
def test_after_the_error_is_due_no_frame_comes(kind: type[Decoder]) -> None:
    good = b"data: 1\n\n" if kind is SseDecoder else b"{}\n"
    decoder = kind(limit=12)
    assert len(decoder.push(good + b"x" * 13 + b"\n\n" + good)) == 1
    with pytest.raises(FrameTooLargeError):
        decoder.push(good)
    with pytest.raises(MisuseError):
        decoder.close()


@pytest.mark.parametrize("kind", [SseDecoder, NdjsonDecoder])
def test_the_limit_is_for_one_frame_not_for_a_read(kind: type[Decoder]) -> None:
    line = b"data: 1\n\n" if kind is SseDecoder else b'{"a":12}\n'
    assert len(kind(limit=9).push(line * 1000)) == 1000


def test_a_line_of_megabytes_is_one_frame_by_default() -> None:
    body = b'data: {"a":"' + b"x" * 2_000_000 + b'"}\n\n'
    decoder = SseDecoder()
    frames = [frame for start in range(0, len(body), 65536) for frame in decoder.push(body[start : start + 65536])]
    assert [frame.data for frame in frames] == [body[6:-2]]
