"""Leaked tool-call markup is found in every known family's syntax, and nowhere else."""

import time

import pytest

from wirelab.calls.markup import find_markup


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "f"}\n</tool_call>',
        '[TOOL_CALLS]f[ARGS]{"x": 1}',
        "<|tool_call>call:f{x:1}<tool_call|>",
        "<function=f>",
        "<function_calls>f(x=1)</function_calls>",
        '<invoke name="f">',
        "<|channel|>commentary to=functions.f<|message|>{}",
        "<\uff5ctool\u2581calls\u2581begin\uff5c>",
        "<|python_tag|>f()",
        'functools[{"name": "f"}]',
        'text before {"name": "f", "arguments": {"x": 1}} and after',
        '[{"name": "f", "parameters": {}}]',
        '```json\n{"type": "function", "function": {"name": "f", "arguments": {}}}\n```',
        '{"arguments": {"x": 1}, "name": "f"}',
    ],
)
def test_markup(text: str) -> None:
    found = find_markup(text)
    assert found
    assert found in text
    assert len(found) <= 60


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Call a tool? No.",
        '{"name": "Ann", "age": 3}',
        '{"name": 1, "arguments": {}}',
        '{"name": "f", "arguments": "text"}',
        '{"a": {"name": "f"}',
        "{ not json",
        'if (x) { return; } // {"x"}',
        '{"function": "f"}',
        "<tool>hammer</tool>",
    ],
)
def test_no_markup(text: str) -> None:
    assert find_markup(text) is None


def test_an_object_inside_another_is_not_looked_at_twice() -> None:
    assert find_markup('{"list": [{"name": "Ann"}], "more": {"name": "Bob"}}') is None


def test_hostile_text_costs_no_more_than_it_weighs() -> None:
    start = time.process_time()
    assert find_markup('{"a":' * 100_000) is None
    assert find_markup('{"' * 200_000) is None
    assert time.process_time() - start < 60
