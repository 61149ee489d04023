"""What an answer with status 200 quietly did not do."""

from typing import Any

import pytest

from wirelab.claims.diagnosis import forced_name, forced_tool_ignored, prompt_floor, silently_truncated


def test_case_br_151_a_prompt_that_was_cut_at_the_front() -> None:
    """ollama/context-overflow-two-behaviours: 2,050 tokens counted of a prompt many times as long."""
    long_prompt = {"messages": [{"role": "user", "content": "word " * 20_000}]}
    assert silently_truncated(long_prompt, 2050)
    assert silently_truncated(long_prompt, 2048, context_length=2048)
    assert not silently_truncated(long_prompt, 20_003)
    assert not silently_truncated(long_prompt, None)
    assert not silently_truncated(long_prompt, 0)
    assert not silently_truncated({"messages": [{"content": "How are you?"}]}, 2050)
    assert not silently_truncated({"messages": [{"content": "How are you?"}]}, 12, context_length=2048)


def test_images_are_no_text() -> None:
    assert prompt_floor({"messages": [{"content": "x" * 120, "images": ["A" * 100_000]}], "n": 1}) == 10
    assert prompt_floor({"stop": None, "temperature": 0}) == 0


@pytest.mark.parametrize(
    ("choice", "called", "ignored"),
    [
        ({"type": "function", "function": {"name": "p"}}, [], True),
        ({"type": "function", "function": {"name": "p"}}, ["q"], True),
        ({"type": "function", "function": {"name": "p"}}, ["q", "p"], False),
        ({"type": "function", "name": "p"}, ["p"], False),
        ({"type": "tool", "name": "p"}, [], True),
        ({"type": "any"}, [], True),
        ("required", [], True),
        ("required", ["q"], False),
        ("auto", [], False),
        ("none", [], False),
        (None, [], False),
        ({"type": "function"}, [], False),
    ],
)
def test_case_br_161_a_forced_tool(choice: Any, called: list[str], ignored: bool) -> None:
    """ollama/tool-choice-not-named: the choice is taken, and the model answers with words."""
    assert forced_tool_ignored({"tool_choice": choice}, called) is ignored


def test_a_body_that_is_no_object_forces_nothing() -> None:
    assert not forced_tool_ignored(None, [])
    assert forced_name("required") is None
