"""Whatever a server sends, every policy reads it, the same in pieces, and says what it would run."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.calls import CLIENTS, POLICIES, ResponseMachine, find_policy, read_body
from wirelab.calls.compare import WORDS, compare_policies
from wirelab.model import Severity

SOME = st.sampled_from
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "index": SOME([0, 1, 2, 10**17, None, "1", -1]),
        "id": SOME(["a", "b", "", None, 7]),
        "function": st.fixed_dictionaries(
            {},
            optional={
                "name": SOME(["w", "t", "", None]),
                "arguments": SOME(["", "{}", '{"a":', "1}", '{"a":1}', {"a": 1}, {"a": 2}, None, 3]),
            },
        ),
    },
)
STREAMS = st.lists(st.lists(ENTRIES, max_size=3), max_size=5)


def body_of(protocol: str, frames: list[list[dict[str, Any]]], *, ends: bool) -> bytes:
    if protocol == "native":
        lines: list[Any] = [{"message": {"tool_calls": entries}} for entries in frames]
        lines += [{"done": True, "done_reason": "stop"}] * ends
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {"tool_calls": entries}}]} for entries in frames]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}] * ends
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)


@pytest.mark.parametrize("protocol", ["chat", "native"])
@given(frames=STREAMS, ends=st.booleans(), policy=SOME([*POLICIES, *CLIENTS]), size=st.integers(1, 60))
def test_a_policy_reads_anything_and_the_same_in_pieces(
    protocol: str, frames: list[list[dict[str, Any]]], ends: bool, policy: str, size: int
) -> None:
    body = body_of(protocol, frames, ends=ends)
    whole = read_body(body, protocol, policy=policy, strict=False)
    machine = ResponseMachine(protocol, policy=policy, strict=False)
    for start in range(0, len(body), size):
        machine.push(body[start : start + size])
    assert machine.close() == whole
    violations = {finding.code for finding in whole.findings if finding.severity is Severity.VIOLATION}
    assert (whole.error is not None) == bool(violations)
    assert not (violations and whole.executable)
    assert set(whole.executable) <= {call.id for call in whole.calls}
    if policy != "id-first":
        assert violations <= find_policy(policy).stops_at


@pytest.mark.parametrize("protocol", ["chat", "native"])
@given(frames=STREAMS, ends=st.booleans())
def test_every_policy_gets_a_word(protocol: str, frames: list[list[dict[str, Any]]], ends: bool) -> None:
    for row in compare_policies(body_of(protocol, frames, ends=ends), protocol):
        assert row.word in WORDS
        assert row.runs == len(row.reading.executable)
