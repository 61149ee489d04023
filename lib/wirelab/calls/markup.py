"""Tool-call markup that leaked into text or thinking (specification 1, closing)."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

_TAGS = r"""<\|?/?tool_calls?\|?> | <tool_call[\s:] | <\|tool_calls?(?:_section)?(?:_begin|_start)?\|>
    | <\uff5ctool\u2581calls?\u2581begin\uff5c> | \[/?TOOL_CALLS?\] | \[TOOL_REQUEST\] | <function(?:_calls?)?>
    | <function=[\w.-]+ | <invoke\ name= | <start_function_call> | <\|channel\|>(?:commentary|analysis)[^<]*\ to=
    | \ to=functions\.\w+ | <\|python_tag\|> | <tool_code> | <\|call\|> | <arg_key> | <\w+:tool_call> | <\w+:invoke
    | functools\[\{ | <\|action_start\|> | <tool_use> | <\|plugin\|> | <\|?START_ACTION\|?>"""
_TO = " to=functions."
_OBJECT_START = r'\{\s*"'
_CANDIDATES = 64


def find_markup(text: str) -> str | None:
    """The first piece of tool-call markup in a text, at most 60 characters of it; None when there is none.

    Markup is a model family's known tag, or a JSON object with a string `name` and an object `arguments` or
    `parameters`. At most 64 candidate objects are looked at, so that hostile text costs no more than it weighs.
    """
    if "<" in text or "[" in text or _TO in text:  # what every tag has: looking for it costs next to nothing
        tag = _tags().search(text)
        if tag is not None:
            return text[tag.start() : tag.start() + 60]
    if "{" not in text:
        return None
    end = 0
    for _, match in zip(range(_CANDIDATES), re.finditer(_OBJECT_START, text), strict=False):
        if match.start() < end:
            continue
        value, end = _decode_at(text, match.start())
        if _is_call(value):
            return text[match.start() : match.start() + 60]
    return None


@cache
def _tags() -> re.Pattern[str]:
    """Compiled when a text first holds a sign of it: that takes longer than all else at import."""
    return re.compile(_TAGS, re.VERBOSE)


@cache
def _raw_decode() -> Callable[[str, int], tuple[Any, int]]:
    from json import JSONDecoder  # noqa: PLC0415  imported when a text first holds what may be a call

    return JSONDecoder().raw_decode


def _decode_at(text: str, start: int) -> tuple[Any, int]:
    try:
        return _raw_decode()(text, start)
    except (ValueError, RecursionError):
        return None, start


def _is_call(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    function = value.get("function")
    if isinstance(function, dict):
        return _is_call(function)
    named = isinstance(value.get("name"), str)
    return named and any(isinstance(value.get(key), dict) for key in ("arguments", "parameters"))
