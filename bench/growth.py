"""How time grows with size: six doublings of each series, the least of three timings, the slope of the upper half."""

import gc
import json
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from bench.corpora import chat_chunk, frame
from bench.protocol import seconds
from bench.subjects import in_reads, sliced
from wirelab.calls import Limits, ResponseMachine
from wirelab.history.replay import next_request

DOUBLINGS = 6
TIMES = 3
KIB = 1024
UNLIMITED = Limits(calls=100_000, argument_bytes=1 << 40, metadata_bytes=1 << 40, total_bytes=1 << 40)

Work = Callable[[], Any]


class Growth(NamedTuple):
    """The exponent of time over size, and the sizes and seconds it was fitted to."""

    exponent: float
    sizes: list[int]
    seconds: list[float]


def measure(make: Callable[[int], Work], largest: int) -> Growth:
    """The exponent of a series that ends at `largest`."""
    sizes = [largest >> step for step in range(DOUBLINGS, -1, -1)]
    times = []
    for size in sizes:
        work = make(size)
        gc.collect()
        once = seconds(work, 1)
        repeats = max(1, min(20, round(0.02 / max(once, 1e-6))))
        times.append(min([once, *(seconds(work, repeats) for _ in range(TIMES - 1))]))
    return Growth(slope(sizes[DOUBLINGS // 2 :], times[DOUBLINGS // 2 :]), sizes, times)


def slope(sizes: list[int], times: list[float]) -> float:
    """The slope of a straight line through the logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(max(time, 1e-9)) for time in times]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def chat_body(calls: int, text: str, piece: int) -> bytes:
    """A chat stream of `calls` calls side by side, each with the argument text in pieces of so many characters."""
    return b"".join(_chat_frames(calls, text, piece))


def _chat_frames(calls: int, text: str, piece: int) -> Iterator[bytes]:
    for index in range(calls):
        entry = {"index": index, "id": f"call_{index}", "function": {"name": "write", "arguments": ""}}
        yield frame(chat_chunk({"tool_calls": [entry]}), "chat")
    shapes = [_shape({"index": index, "function": {"arguments": "PIECE"}}) for index in range(calls)]
    for start in range(0, len(text), piece):
        quoted = json.dumps(text[start : start + piece])[1:-1].encode()
        for before, after in shapes:
            yield before + quoted + after
    yield frame(chat_chunk({}, "tool_calls"), "chat")


def _shape(entry: Any) -> tuple[bytes, bytes]:
    """What stands before and after the argument text in a chunk."""
    before, _, after = frame(chat_chunk({"tool_calls": [entry]}), "chat").partition(b"PIECE")
    return before, after


def argument_text(length: int) -> str:
    """JSON text of an object, so many characters long."""
    return '{"text": "' + "x" * (length - 12) + '"}'


def reading(body: bytes, calls: int, size: int = 32 * KIB, protocol: str = "chat") -> Work:
    """Reading a body in reads of one size; every answer is checked."""
    reads = sliced(body, size)

    def run() -> Any:
        machine = ResponseMachine(protocol, limits=UNLIMITED)
        for read in reads:
            machine.push(read)
        answer = machine.close()
        assert answer.error is None, answer.error
        assert len(answer.executable) == calls
        return answer

    return run


def arguments(length: int) -> Work:
    """One call, its arguments in 8-byte pieces."""
    return reading(chat_body(1, argument_text(length), 8), 1)


def interleaved(calls: int) -> Work:
    """Calls side by side, their deltas by turns."""
    return reading(chat_body(calls, argument_text(4 * KIB), 64), calls)


def deltas(count: int) -> Work:
    """Deltas of text."""
    parts = [frame(chat_chunk({"content": "word "}), "chat")] * count + [frame(chat_chunk({}, "stop"), "chat")]
    run = in_reads("chat", sliced(b"".join(parts), 32 * KIB))
    assert len(run().text) == 5 * count
    return run


def long_line(protocol: str) -> Callable[[int], Work]:
    """One frame with a call, in 64-byte reads."""

    def make(length: int) -> Work:
        value = json.loads(argument_text(length))
        if protocol == "native":
            call = {"function": {"name": "write", "arguments": value}}
            line = {"message": {"role": "assistant", "content": "", "tool_calls": [call]}}
            body = frame({**line, "done": True, "done_reason": "stop", "eval_count": 9}, protocol)
        else:
            body = chat_body(1, argument_text(length), length)
        return reading(body, 1, 64, protocol)

    return make


def history(messages: int) -> Work:
    """A conversation of calls and results, settled and written again."""
    turns: list[Any] = []
    for number in range(messages // 2):
        function = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
        calls = [{"id": f"call_{number}", "type": "function", "function": function}]
        turns.append({"role": "assistant", "content": None, "tool_calls": calls})
        turns.append({"role": "tool", "tool_call_id": f"call_{number}", "content": "rain"})
    turns = [{"role": "user", "content": "hi"}, *turns]
    assert len(next_request(turns).messages) == len(turns)
    return lambda: next_request(turns)


SERIES: dict[str, tuple[Callable[[int], Work], int]] = {
    "arguments to 4 MiB in 8-byte pieces": (arguments, 4 * KIB * KIB),
    "calls to 128, interleaved": (interleaved, 128),
    "deltas to 131,072": (deltas, 131_072),
    "one SSE event to 4 MiB in 64-byte reads": (long_line("chat"), 4 * KIB * KIB),
    "one NDJSON line to 4 MiB in 64-byte reads": (long_line("native"), 4 * KIB * KIB),
    "history to 10,000 messages": (history, 10_000),
}


def all_series() -> dict[str, Growth]:
    """Every series."""
    found = {}
    for name, (make, largest) in SERIES.items():
        print(f"  {name}", file=sys.stderr, flush=True)
        found[name] = measure(make, largest)
    return found
