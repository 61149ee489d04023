"""What must be noticed is noticed in every recording that has it and in no other.

Each fault is looked for a second time by plain regular expressions over the bytes, which share no code with the readers.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from wirelab.calls import read_body
from wirelab.capture import Capture, load
from wirelab.model import Reading
from wirelab.protocols.registry import PROTOCOLS

ROOT = Path(__file__).resolve().parents[2] / "captures" / "recorded"

FINISH = re.compile(
    rb'"done":\s*true|"finish_reason":\s*"|data: \[DONE\]|"stop_reason":\s*"|"type":\s*"message_stop"'
    rb'|"type":\s*"response\.(?:completed|incomplete|failed)"|"finishReason":\s*"|"_debug_info":'
)
WHOLE_FINISH = re.compile(rb'^\s*\{.*"status":\s*"completed"', re.DOTALL)
ERROR = re.compile(rb'^(?:data: )?\{(?:"type":\s*"error"|"error")|^event: error|"error":\s*\{"', re.MULTILINE)
TOKENS = re.compile(rb'"(?:eval_count|completion_tokens|output_tokens|candidatesTokenCount)":\s*(\d+)')
LENGTH = re.compile(
    rb'"(?:done_reason|finish_reason|stop_reason|finishReason|reason)":\s*"(?:length|max_tokens|max_output_tokens|MAX_TOKENS)"'
)
DOUBLED = re.compile(rb'"(?:id|call_id)":\s*"(?:fc_)?([^"]{2,})\1"')
ITEM = re.compile(rb'"type":\s*"response\.output_item\.added"')


@cache
def corpus() -> tuple[tuple[Capture, Reading], ...]:
    """Every recording of a protocol that is read, with its lenient reading."""
    found = []
    for path in sorted(ROOT.rglob("*.jsonl")):
        if path.parent.name in PROTOCOLS:
            capture = load(path)
            asked = PROTOCOLS[capture.protocol].asked(capture.request.json or {})
            options = {"asked": asked, "status": capture.response.status, "strict": False}
            found.append((capture, read_body(capture.body, capture.protocol, **options)))
    return tuple(found)


def just_ends(capture: Capture) -> bool:
    """A good status, bytes, and neither a finish signal nor an error in them."""
    body = capture.body
    finished = FINISH.search(body) or WHOLE_FINISH.search(body)
    return capture.response.status < 400 and bool(body) and not finished and not ERROR.search(body)


def has_doubled_id(capture: Capture) -> bool:
    """A tool call's id that is a text twice over."""
    return bool(DOUBLED.search(capture.body)) and "tool" in capture.scenario + str(capture.request.json)


def shares_an_index(capture: Capture) -> bool:
    """Two items were announced under one output_index."""
    seen: dict[int | None, set[str]] = {}
    for line in capture.body.splitlines():
        if ITEM.search(line):
            event = msgspec.json.decode(line.removeprefix(b"data: "))
            seen.setdefault(event.get("output_index"), set()).add(str(event["item"].get("id")))
    return any(len(items) > 1 for index, items in seen.items() if index is not None)


@pytest.mark.parametrize(
    ("code", "has_it"),
    [("stream-cut", just_ends), ("id-doubled", has_doubled_id), ("output-index-shared", shares_an_index)],
    ids=["stream-cut", "id-doubled", "output-index-shared"],
)
def test_noticed_where_it_is_and_nowhere_else(code: str, has_it: Callable[[Capture], bool]) -> None:
    noticed = {capture.name for capture, reading in corpus() if code in codes(reading)}
    assert noticed == {capture.name for capture, _ in corpus() if has_it(capture)}
    assert noticed


def codes(reading: Reading) -> set[str]:
    """The codes of a reading's findings."""
    return {finding.code for finding in reading.findings}


def limited() -> Iterator[tuple[Capture, Reading, bool]]:
    """Every recording that was not refused, and whether a token limit stopped it, as far as its bytes tell."""
    for capture, reading in corpus():
        if "upstream-error" not in codes(reading):
            limit = PROTOCOLS[capture.protocol].asked(capture.request.json or {}).output_limit
            counted = [int(number) for number in TOKENS.findall(capture.body)]
            reached = limit is not None and bool(counted) and max(counted) >= limit
            yield capture, reading, reached or LENGTH.search(capture.body) is not None


def test_a_call_that_the_token_limit_cut_is_noticed_and_never_run() -> None:
    noticed = 0
    for capture, reading, stopped in limited():
        if stopped:
            assert codes(reading) & {"truncation-suspected", "truncated-arguments"}, capture.name
            assert not reading.calls or reading.calls[-1].id not in reading.executable, capture.name
            noticed += 1
        elif "limit-unverified" not in codes(reading):
            assert not codes(reading) & {"truncation-suspected", "truncated-arguments"}, capture.name
    assert noticed > 50


def test_where_no_tokens_were_counted_it_is_said_that_nobody_can_tell() -> None:
    for capture, reading, stopped in limited():
        if re.match(r"cut_by_limit_in_(second_)?call", capture.scenario) and not stopped and reading.calls:
            assert codes(reading) & {"limit-unverified", "stream-cut"}, capture.name
