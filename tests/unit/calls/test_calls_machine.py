"""The machine's three verbs, its end, and how it tells a whole answer from a stream."""

import pytest

from wirelab.calls import Limits, Reconciler, ResponseMachine, read_body
from wirelab.errors import MisuseError, ProtocolViolationError
from wirelab.framing import FrameTooLargeError
from wirelab.ids import IdAllocator
from wirelab.model import Asked, Fragment

STREAM = (
    b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
)
WHOLE = (
    b'{"choices":[{"index":0,"message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},'
    b'"finish_reason":"tool_calls"}]}'
)


def test_push_close_snapshot() -> None:
    machine = ResponseMachine("chat")
    assert machine.snapshot().calls == ()
    machine.push(STREAM[:150])
    early = machine.snapshot()
    assert [call.id for call in early.calls] == ["a"]
    assert early.executable == ()
    machine.push(STREAM[150:])
    reading = machine.close()
    assert reading.executable == ("a",)
    assert machine.snapshot() == reading
    with pytest.raises(MisuseError, match="has ended"):
        machine.push(b"")
    with pytest.raises(MisuseError, match="has ended"):
        machine.close()


def test_an_early_snapshot_gives_an_id_that_a_later_one_replaces() -> None:
    machine = ResponseMachine("chat")
    machine.push(STREAM[: STREAM.index(b"\n\n") + 2].replace(b'"id":"a",', b""))
    given = machine.snapshot().calls[0]
    assert given.id_source == "allocated"
    assert machine.snapshot().calls[0].id == given.id
    machine.push(STREAM)
    final = machine.close().calls
    assert [(call.id, call.id_source) for call in final] == [("a", "adopted")]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b" \r\n", b"\xef\xbb\xbf\n"])
def test_a_whole_answer_is_told_by_its_first_byte(start: bytes) -> None:
    body = start + WHOLE
    assert read_body(body, "chat").executable == ("a",)
    machine = ResponseMachine("chat")
    for byte in body:
        machine.push(bytes([byte]))
    assert machine.close().executable == ("a",)


def test_the_caller_may_say_that_it_is_whole() -> None:
    assert read_body(WHOLE, "chat", whole=True).executable == ("a",)
    assert read_body(WHOLE, "chat", whole=False).error is not None
    assert read_body(b"", "chat", whole=True).error is not None


def test_a_pretty_printed_native_answer_is_whole() -> None:
    body = b'{\n "message": {"content": "hi"},\n "done": true\n}\n'
    assert read_body(body, "native").text == "hi"
    two = b'{"message":{"content":"a"},"done":false}\n{"message":{"content":"b"},"done":true}\n'
    assert read_body(two, "native").text == "ab"
    assert read_body(b"{\nnot json\n}", "native").error is not None


@pytest.mark.parametrize("body", [b"", b" \n", b"\xef\xbb\xbf"])
def test_a_body_without_a_frame(body: bytes) -> None:
    reading = read_body(body, "chat")
    assert reading.error is not None
    assert reading.error.code == ("stream-cut" if body else "empty-stream")


def test_a_body_that_is_no_stream_at_all() -> None:
    reading = read_body(b"<html>Bad gateway</html>\n\n", "chat", strict=False)
    assert [finding.code for finding in reading.findings] == ["malformed-event", "stream-cut"]


def test_comments_alone_are_a_cut_stream() -> None:
    reading = read_body(b": ping\n\n: ping\n\n", "chat", strict=False)
    assert [finding.code for finding in reading.findings] == ["stream-cut"]


@pytest.mark.parametrize("body", [b'{"error":{"message":"no"}}', b"", b"<html>"])
def test_a_status_of_400_or_more_is_an_error(body: bytes) -> None:
    reading = read_body(body, "chat", status=502)
    assert reading.error is not None
    assert reading.error.code == "upstream-error"
    assert "502" in reading.error.message
    assert reading.calls == ()


def test_a_frame_over_the_limit_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = ResponseMachine("chat", strict=False)
    machine.push(STREAM[:10])

    def refuse(data: bytes) -> None:
        raise FrameTooLargeError(99, 98, 7)

    monkeypatch.setattr(machine, "_feed", refuse)
    machine.push(b"x")
    assert [finding.code for finding in machine.snapshot().findings] == ["frame-too-large"]
    with pytest.raises(MisuseError):
        machine.push(b"x")


def test_strict_is_terminal() -> None:
    machine = ResponseMachine("chat")
    with pytest.raises(ProtocolViolationError, match="malformed-event") as caught:
        machine.push(b"data: {oops}\n\n" + STREAM)
    assert caught.value.finding.frame == 0
    with pytest.raises(MisuseError):
        machine.push(STREAM)
    assert machine.snapshot().error is not None


def test_unknown_names_are_the_callers_fault() -> None:
    with pytest.raises(MisuseError, match="no protocol 'telex'; there are native"):
        ResponseMachine("telex")
    with pytest.raises(MisuseError, match="no policy"):
        ResponseMachine("chat", policy="guess")
    with pytest.raises(MisuseError, match="no protocol"):
        read_body(b"", "telex")


def test_lenient_takes_a_whole_leftover_and_splits_joined_events() -> None:
    cut = STREAM[: STREAM.index(b"\n\ndata: [DONE]")]
    assert read_body(cut, "chat").error is not None
    assert read_body(cut, "chat", strict=False).executable == ("a",)
    joined = STREAM.replace(b"\n\ndata: {", b"\ndata: {")
    assert read_body(joined, "chat").error is not None
    assert read_body(joined, "chat", strict=False).executable == ("a",)


def test_one_allocator_serves_a_conversation() -> None:
    allocator = IdAllocator()
    body = b'{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":true}\n'
    first = read_body(body, "native", allocator=allocator).calls[0].id
    second = read_body(body, "native", allocator=allocator).calls[0].id
    assert first != second


def test_a_reconciler_ends() -> None:
    reconciler = Reconciler("chat", asked=Asked(), limits=Limits())
    reconciler.finish(0, "stop")
    reconciler.text((0,), ("hi",))
    reconciler.close()
    with pytest.raises(MisuseError):
        reconciler.fragment(Fragment(1, 0, 1, "a"))
    with pytest.raises(MisuseError):
        reconciler.note("stream-cut", None, None, "again")


def test_usage_grows_key_by_key_and_a_second_reason_fills_only_a_gap() -> None:
    reconciler = Reconciler("messages")
    reconciler.usage(0, {"input_tokens": 3}, None)
    reconciler.usage(1, {"output_tokens": 5}, 5)
    reconciler.finish(2, None)
    reconciler.finish(2, "end_turn")
    reconciler.finish(3, None)
    reconciler.text((0,), ("hi",))
    reading = reconciler.close()
    assert reading.usage == {"input_tokens": 3, "output_tokens": 5}
    assert reading.raw_finish_reason == "end_turn"
    assert reading.findings == ()


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize("end", [b"", b"\n\n"])
def test_what_nests_too_deep_is_a_finding_and_no_crash(end: bytes, strict: bool) -> None:
    for body in (b"data: " + b"[" * 200_000 + end, b"data: 1\ndata: " + b"[" * 200_000 + end):
        assert read_body(body, "chat", strict=strict).error is not None
    assert read_body(b"[" * 200_000 + b"\n{}", "native", strict=strict).error is not None
