"""What settling costs a message, in a long history over a short one. Run: `python -m bench.history`."""

import gc
from collections.abc import Callable
from time import process_time
from typing import Any

from wirelab.history.settle import settle
from wirelab.protocols.dialects import read_history
from wirelab.transcript import Transcript

SHORT, LONG, ROUNDS = 1_000, 100_000, 9
MUST = 1.2
DISORDER = 5
"""Messages of one turn: a question, two calls, a result, a word in between, the other result."""


def history(length: int) -> list[dict[str, Any]]:
    """A chat history of so many messages, in which every turn has something to settle."""
    messages: list[dict[str, Any]] = []
    for turn in range(length // DISORDER):
        first, second = f"call_{turn}a", f"call_{turn}b"
        calls = [
            {"id": name, "type": "function", "function": {"name": "look", "arguments": '{"at":1}'}}
            for name in (first, second)
        ]
        messages += [
            {"role": "user", "content": "and?"},
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": second, "content": "ok"},
            {"role": "assistant", "content": "one is there"},
            {"role": "tool", "tool_call_id": first, "content": "ok"},
        ]
    return messages


def settling(transcript: Transcript, repeats: int) -> Callable[[], None]:
    """Settling so often that short and long histories take about as long; the answer is checked first."""
    assert len(settle(transcript, result_order="call").findings) == 2 * len(transcript.entries) // DISORDER

    def run() -> None:
        for _ in range(repeats):
            settle(transcript, result_order="call")

    return run


def seconds(work: Callable[[], None]) -> float:
    """Processor time of one round."""
    gc.collect()
    start = process_time()
    work()
    return process_time() - start


def measure() -> tuple[float, float]:
    """Microseconds a message in the short and in the long history: the least of rounds that take turns."""
    short, long = (read_history(history(length), "chat").transcript for length in (SHORT, LONG))
    works = (settling(short, LONG // SHORT), settling(long, 1))
    rounds = [[seconds(work) for work in works] for _ in range(ROUNDS)]
    quick, slow = (min(times) / LONG * 1e6 for times in zip(*rounds, strict=True))
    return quick, slow


def main() -> int:
    """Print both, and their ratio; 1 where it is over what it must be."""
    short, long = measure()
    print(f"settling {SHORT:,} messages: {short:.2f} us a message")
    print(f"settling {LONG:,} messages: {long:.2f} us a message")
    print(f"ratio {long / short:.2f} (must be at most {MUST})")
    return int(long / short > MUST)


if __name__ == "__main__":
    raise SystemExit(main())
