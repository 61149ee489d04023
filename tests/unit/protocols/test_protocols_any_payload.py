"""Whatever a server sends, a reader tells its sink well-formed events and never raises."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.codes import CODES
from wirelab.model import Frame, FrameKind
from wirelab.protocols.eventlog import Error, EventLog, Finish, Note, Text, Thinking, Usage
from wirelab.protocols.registry import PROTOCOLS

SAMPLES: dict[str, dict[str, Any]] = {
    "native": {
        "model": "m",
        "message": {
            "content": "a",
            "thinking": "t",
            "tool_calls": [{"id": "c", "function": {"index": 0, "name": "f", "arguments": {"a": 1}}}],
        },
        "done": True,
        "done_reason": "stop",
        "eval_count": 3,
    },
    "chat": {
        "choices": [
            {
                "index": 0,
                "delta": {
                    "content": "a",
                    "reasoning": "t",
                    "refusal": "r",
                    "tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}],
                    "function_call": {"name": "f", "arguments": "{}"},
                },
                "finish_reason": "stop",
            }
        ],
        "usage": {"completion_tokens": 3},
    },
    "responses": {
        "type": "response.completed",
        "item_id": "i",
        "output_index": 0,
        "content_index": 0,
        "delta": "a",
        "text": "a",
        "arguments": "{}",
        "part": {"type": "output_text", "text": "a"},
        "item": {
            "type": "function_call",
            "id": "i",
            "call_id": "c",
            "name": "f",
            "arguments": "{}",
            "summary": [],
            "content": [],
        },
        "response": {
            "status": "incomplete",
            "incomplete_details": {"reason": "r"},
            "usage": {"output_tokens": 3},
            "output": [{"type": "message", "id": "i", "content": [{"type": "output_text", "text": "a"}]}],
        },
    },
    "messages": {
        "type": "content_block_start",
        "index": 0,
        "delta": {"type": "text_delta", "text": "a", "thinking": "t", "partial_json": "{}", "stop_reason": "tool_use"},
        "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}, "text": "a", "thinking": "t"},
        "message": {"usage": {"input_tokens": 3}},
        "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}],
        "usage": {"output_tokens": 3},
    },
    "gemini": {
        "candidates": [
            {
                "index": 0,
                "content": {
                    "parts": [
                        {"text": "a", "thought": True, "functionCall": {"id": "c", "name": "f", "args": {"a": 1}}}
                    ]
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {"candidatesTokenCount": 3},
        "promptFeedback": {"blockReason": "SAFETY"},
    },
}
KINDS = {
    "responses": [
        *(f"response.{name}" for name in ("completed", "failed", "created", "output_item.added", "output_item.done")),
        *(f"response.{name}.delta" for name in ("output_text", "refusal", "function_call_arguments", "reasoning_text")),
        *(f"response.{name}.done" for name in ("output_text", "content_part", "function_call_arguments", "refusal")),
        "error",
    ],
    "messages": [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "error",
    ],
}
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["error", "{}", "message"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["text", "type", "error", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def mutated(draw: st.DrawFn, value: Any) -> Any:
    """The value with some of its parts replaced or left out."""
    roll = draw(st.integers(0, 19))
    if roll == 0:
        return draw(VALUES)
    if isinstance(value, dict):
        return {key: mutated(draw, inner) for key, inner in value.items() if draw(st.integers(0, 9))}
    if isinstance(value, list):
        return [mutated(draw, inner) for inner in value] + ([draw(VALUES)] if roll == 1 else [])
    return value


@st.composite
def bodies(draw: st.DrawFn, protocol: str) -> list[Frame]:
    frames = []
    for number in range(draw(st.integers(1, 5))):
        sample = dict(SAMPLES[protocol])
        if protocol in KINDS:
            sample["type"] = draw(st.sampled_from(KINDS[protocol]))
        data = (
            json.dumps(mutated(draw, sample), allow_nan=False, default=str).encode()
            if draw(st.integers(0, 9))
            else draw(st.binary(max_size=6))
        )
        event = draw(st.sampled_from([None, None, None, "error", "message_stop", "response.created"]))
        kind = draw(st.sampled_from([FrameKind.DATA] * 5 + [FrameKind.COMMENT]))
        frames.append(
            Frame(number, number * 10, number * 10 + 10, data, kind, event, terminated=bool(draw(st.integers(0, 5))))
        )
    return frames


def is_well_formed(event: object) -> bool:
    match event:
        case Text(piece=piece) | Thinking(piece=piece):
            return isinstance(piece, str)
        case Finish(reason=reason):
            return reason is None or isinstance(reason, str)
        case Usage(counts=counts):
            return isinstance(counts, dict)
        case Error(message=message):
            return bool(message)
        case Note(code=code):
            return code in CODES
    return True


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("protocol", SAMPLES)
@given(data=st.data())
def test_a_reader_never_raises(protocol: str, whole: bool, data: st.DataObject) -> None:
    entry = PROTOCOLS[protocol]
    try:
        frames = data.draw(bodies(protocol))
    except ValueError:  # a float that JSON has no word for
        return
    log = EventLog()
    reader = (entry.whole_reader if whole else entry.stream_reader)(log)
    for frame in frames:
        reader.read(frame)
    reader.close()
    assert all(map(is_well_formed, log.events))
    places = [place for place, event in enumerate(log.events) if isinstance(event, Error)]
    assert places in ([], [len(log.events) - 1])
