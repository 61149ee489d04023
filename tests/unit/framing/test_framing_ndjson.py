"""Lines of JSON and whole answers: read whole, byte by byte and in halves, with the same frames."""

import pytest

from wirelab.errors import MisuseError
from wirelab.framing import NdjsonDecoder, WholeDecoder
from wirelab.model import Frame, FrameKind

DATA, IGNORED = FrameKind.DATA, FrameKind.IGNORED


def feed(reads: list[bytes]) -> list[Frame]:
    decoder = NdjsonDecoder()
    frames = [frame for read in reads for frame in decoder.push(read)]
    return frames + decoder.close()


@pytest.mark.parametrize(
    ("body", "frames"),
    [
        (b"", []),
        (b"\n\r\n\n", []),
        (b'{"a":1}\n{"a":2}\n', [Frame(0, 0, 8, b'{"a":1}'), Frame(1, 8, 16, b'{"a":2}')]),
        (b'{"a":1}\r\n{"a":2}\r\n', [Frame(0, 0, 9, b'{"a":1}'), Frame(1, 9, 18, b'{"a":2}')]),
        (b'{"a":1}\n\n\r\n{}\n', [Frame(0, 0, 8, b'{"a":1}'), Frame(1, 8, 14, b"{}")]),
        (b"{}\n \t\n[1]\n", [Frame(0, 0, 3, b"{}"), Frame(1, 3, 6, b" \t", IGNORED), Frame(2, 6, 10, b"[1]")]),
        (b"\xef\xbb\xbf{}\n\xef\xbb\xbf{}\n", [Frame(0, 0, 6, b"{}"), Frame(1, 6, 12, b"\xef\xbb\xbf{}")]),
        (b"\xef\xbb\xbf\n{}\n", [Frame(0, 0, 7, b"{}")]),
        (b"{}\n{}", [Frame(0, 0, 3, b"{}"), Frame(1, 3, 5, b"{}", DATA, None, terminated=False)]),
        (b"{}\n\n ", [Frame(0, 0, 3, b"{}"), Frame(1, 3, 5, b" ", IGNORED, None, terminated=False)]),
        (b'{"t":"\xd1\x8c"}\n', [Frame(0, 0, 11, '{"t":"ь"}'.encode())]),
        (b"{\r}\n{ \n", [Frame(0, 0, 4, b"{\r}"), Frame(1, 4, 7, b"{ ")]),
    ],
)
def test_lines(body: bytes, frames: list[Frame]) -> None:
    assert feed([body]) == frames
    assert feed([bytes([byte]) for byte in body]) == frames
    for cut in range(len(body)):
        assert feed([body[:cut], body[cut:]]) == frames, cut


def test_a_line_is_given_with_the_read_that_ends_it() -> None:
    decoder = NdjsonDecoder()
    assert decoder.push(b'{"a":') == []
    assert decoder.snapshot() == Frame(0, 0, 5, b'{"a":', DATA, None, terminated=False)
    assert decoder.push(b'1}\n{"b') == [Frame(0, 0, 8, b'{"a":1}')]
    assert decoder.push(b'":2}\n') == [Frame(1, 8, 16, b'{"b":2}')]
    assert decoder.snapshot() is None


@pytest.mark.parametrize(
    ("body", "frames"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"  \n", [Frame(0, 0, 3, b"  \n", IGNORED)]),
        (b'{"a":\n\n1}\n', [Frame(0, 0, 10, b'{"a":\n\n1}\n')]),
        (b"\xef\xbb\xbf{}", [Frame(0, 0, 5, b"{}")]),
        (b"[" + b" " * 2000 + b"]", [Frame(0, 0, 2002, b"[" + b" " * 2000 + b"]")]),
    ],
)
def test_a_whole_answer_is_one_frame_that_the_end_terminates(body: bytes, frames: list[Frame]) -> None:
    for step in (1, 2, 4000):
        decoder = WholeDecoder()
        for start in range(0, len(body), step):
            assert decoder.push(body[start : start + step]) == []
        assert decoder.snapshot() == (frames[0] if frames else None)
        assert decoder.close() == frames
        with pytest.raises(MisuseError):
            decoder.push(b"{}")
