"""What reading costs, counted in calls of Python functions: that depends on no clock, and grows when a layer is added."""

import gc
import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from wirelab.calls import ResponseMachine, read_body

PLAIN: dict[str, Any] = {
    "native": {"message": {"content": "word "}},
    "chat": {"choices": [{"index": 0, "delta": {"content": "word "}}]},
    "messages": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word "}},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "word "}]}}]},
    "responses": {
        "type": "response.output_text.delta",
        "item_id": "m",
        "output_index": 0,
        "content_index": 0,
        "delta": "word ",
    },
}

LIVE = {"native": 8, "chat": 9, "messages": 9, "gemini": 9, "responses": 14}


def framed(protocol: str, payload: Any) -> bytes:
    text = json.dumps(payload).encode()
    return text + b"\n" if protocol == "native" else b"data: " + text + b"\n\n"


def calls_of(work: Callable[[], Any]) -> int:
    """How many Python functions are called."""
    work()  # what is made once is made now
    count = 0

    def heard(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    gc.collect()
    gc.disable()  # it would call what other tests left to be called
    sys.setprofile(heard)
    try:
        work()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count


def each(make: Callable[[int], Callable[[], Any]], few: int, many: int) -> float:
    """What one more costs."""
    return (calls_of(make(many)) - calls_of(make(few))) / (many - few)


@pytest.mark.parametrize("protocol", PLAIN)
def test_a_plain_frame_costs_no_call_in_a_body_and_few_live(protocol: str) -> None:
    plain = framed(protocol, PLAIN[protocol])

    def live(count: int) -> Callable[[], Any]:
        def run() -> None:
            machine = ResponseMachine(protocol)
            for _ in range(count):
                machine.push(plain)

        return run

    assert each(lambda count: lambda: read_body(plain * count, protocol), 100, 200) == 0
    assert each(live, 100, 200) <= LIVE[protocol]


def test_a_whole_call_costs_some_thirty_calls() -> None:
    def line(number: int) -> dict[str, Any]:
        function = {"index": number, "name": "f", "arguments": {"city": "Oslo"}}
        return {"message": {"tool_calls": [{"id": f"call_{number:03}", "function": function}]}}

    def body(count: int) -> Callable[[], Any]:
        lines = [framed("native", line(number)) for number in range(count)]
        return lambda: read_body(b"".join(lines), "native")

    assert each(body, 10, 110) <= 30
