"""Chat messages: the histories of chat completions and of Ollama's native `/api/chat`, which differ in few fields."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from wirelab.errors import UnreadableInputError
from wirelab.model import Json
from wirelab.protocols.histories import (
    REASONING_KEYS,
    blank_of,
    content_part,
    content_parts,
    entries_of,
    extra,
    index_of,
    is_list,
    name_of,
    thought_of,
)
from wirelab.transcript import (
    Call,
    Dialect,
    Entry,
    HistoryFinding,
    Message,
    Part,
    Recorded,
    Refusal,
    Result,
    Thought,
    Transcript,
)


class Shape(msgspec.Struct, frozen=True):
    """Where the two dialects differ: the names a result may have its tool under, and where a call has its index."""

    dialect: Dialect
    name_keys: tuple[str, ...]
    index_in_function: bool


def read(messages: Any, shape: Shape) -> Recorded:
    """Read a list of chat messages; UnreadableInputError where it is no such list."""
    findings: list[HistoryFinding] = []
    entries: list[Entry] = []
    for position, message in enumerate(entries_of(messages)):
        if message.get("role") == "tool":
            entries.append(_result(message, position, shape))
        elif message.get("role") == "assistant":
            entries.append(_assistant(message, position, shape, findings))
        else:
            entries.extend(results_and_rest(message, position))
            if result_after_text(message):
                findings.append(results_first(position))
    return Recorded(Transcript(tuple(entries), shape.dialect), tuple(findings))


def _result(message: Mapping[str, Json], position: int, shape: Shape) -> Result:
    return Result(
        id=message.get("tool_call_id", UNSET),
        name=name_of(message, *shape.name_keys),
        parts=tuple(content_parts(message.get("content"), position)),
        position=position,
        blank=blank_of(message, "content"),
        extra=extra(message, "role", "tool_call_id", "content", *shape.name_keys, *REASONING_KEYS),
    )


def _assistant(message: Mapping[str, Json], position: int, shape: Shape, findings: list[HistoryFinding]) -> Message:
    parts: list[Part] = []
    thought = thought_of(message, position, findings)
    if thought is not None:
        parts.append(thought)
    parts.extend(_blocks(message.get("content"), position))
    if isinstance(message.get("refusal"), str) and message["refusal"]:
        parts.append(Refusal(message["refusal"], position=position))
    parts.extend(_call(entry, position, shape) for entry in _call_entries(message, position))
    return Message(
        "assistant",
        tuple(parts),
        position,
        blank_of(message, "content"),
        extra(message, "role", "content", "tool_calls", "refusal", *REASONING_KEYS),
    )


def _blocks(content: Any, position: int) -> list[Part]:
    """Content whose list may hold Messages blocks: `tool_use` is a call, `thinking` a thought."""
    if not is_list(content):
        return content_parts(content, position)
    return [assistant_block(part, position) for part in content]


def assistant_block(part: Any, position: int) -> Part:
    """One content block of an assistant, in the words of Messages."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == "tool_use":
        return Call(
            name_of(part, "name"),
            part.get("id", UNSET),
            part.get("input", UNSET),
            position=position,
            extra=extra(part, "type", "id", "name", "input"),
        )
    if kind == "thinking":
        signature = part.get("signature")
        text = part.get("thinking")
        return Thought(
            text if isinstance(text, str) else "",
            signature=signature if isinstance(signature, str) else None,
            position=position,
            extra=extra(part, "type", "thinking", "signature"),
        )
    if kind == "redacted_thinking" and isinstance(part.get("data"), str):
        return Thought("", encrypted=part["data"], redacted=True, position=position, extra=extra(part, "type", "data"))
    return content_part(part, position)


def _call_entries(message: Mapping[str, Json], position: int) -> list[Mapping[str, Json]]:
    calls = message.get("tool_calls")
    if calls is None:
        return []
    if not is_list(calls) or not all(isinstance(each, Mapping) and is_function(each) for each in calls):
        raise UnreadableInputError(f"message {position}: tool_calls is no list of objects with a function")
    return list(calls)


def is_function(entry: Mapping[str, Json]) -> bool:
    """Whether a tool call entry has the function that is called."""
    return isinstance(entry.get("function"), Mapping)


def _call(entry: Mapping[str, Json], position: int, shape: Shape) -> Call:
    function: Mapping[str, Json] = entry["function"]
    index_holder = function if shape.index_in_function else entry
    return Call(
        name_of(function, "name"),
        entry.get("id", UNSET),
        function.get("arguments", UNSET),
        index=index_of(index_holder),
        position=position,
        extra=extra(entry, "id", "function", *(() if shape.index_in_function else ("type", "index"))),
        function=extra(function, "name", "arguments", *(("index",) if shape.index_in_function else ())),
    )


def results_and_rest(message: Mapping[str, Json], position: int) -> list[Entry]:
    """A message that is neither an assistant's nor a result. `tool_result` blocks in it are results, and come first."""
    content: Any = message.get("content")
    blocks = list(content) if is_list(content) else []
    results: list[Entry] = [tool_result(block, position) for block in blocks if is_tool_result(block)]
    rest = [block for block in blocks if not is_tool_result(block)] if results else content
    if results and not rest:
        return results
    parts = tuple(content_parts(rest, position))
    keys = extra(message, "role", "content", *REASONING_KEYS)
    return [*results, Message(message.get("role"), parts, position, blank_of(message, "content"), keys)]


def result_after_text(message: Mapping[str, Json]) -> bool:
    """Whether a message says something before the last `tool_result` block in it."""
    content: Any = message.get("content")
    kinds = [is_tool_result(block) for block in content] if is_list(content) else []
    return kinds != sorted(kinds, reverse=True)


def is_tool_result(block: Any) -> bool:
    """Whether a content block is a result, in the words of Messages."""
    return isinstance(block, Mapping) and block.get("type") == "tool_result"


def results_first(position: int) -> HistoryFinding:
    """The report that a message's results were put before what else it says."""
    return HistoryFinding("held-back", position, None, "the message's results come before its other parts")


def tool_result(block: Mapping[str, Json], position: int) -> Result:
    """A `tool_result` block."""
    return Result(
        id=block.get("tool_use_id", UNSET),
        parts=tuple(content_parts(block.get("content"), position)),
        error=block.get("is_error") is True,
        position=position,
        blank=blank_of(block, "content"),
        extra=extra(block, "type", "tool_use_id", "content", "is_error"),
    )
