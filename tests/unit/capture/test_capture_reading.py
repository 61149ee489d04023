import pytest

from wirelab.capture import Capture, End, Head, Read, Request, Response, Source, asked_of, is_readable, read_capture
from wirelab.errors import MisuseError, UnreadableInputError

BODY = b'{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}'


def capture(protocol: str = "chat", status: int = 200) -> Capture:
    head = Head(
        name=f"x/{protocol}/single.whole",
        scenario="single",
        protocol=protocol,
        framing="whole",
        recorded_at="2026-11-30T00:00:00Z",
        source=Source("synthetic"),
        request=Request(json={"max_tokens": 9, "parallel_tool_calls": False}),
        response=Response(status),
    )
    return Capture(head, (Read(0.1, BODY),), End("complete"))


def test_a_capture_is_read_with_its_own_request_and_status() -> None:
    assert (asked_of(capture()).output_limit, asked_of(capture()).parallel) == (9, False)
    assert read_capture(capture()).text == "Hi"
    failed = read_capture(capture(status=500), strict=False)
    assert failed.error is not None
    assert failed.error.code == "upstream-error"


def test_what_no_reader_applies_to_is_told() -> None:
    assert not is_readable(capture("discovery"))
    with pytest.raises(UnreadableInputError, match=r"x/discovery/single\.whole"):
        read_capture(capture("discovery"))
    with pytest.raises(MisuseError, match="no policy"):
        read_capture(capture(), policy="guess")
