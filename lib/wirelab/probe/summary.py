"""What a request body asks, in neutral terms: the entries of its history in order, whatever the protocol.

Written apart from `bodies`, so that a request is not proven by the code that made it.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from wirelab.model import Json

Kind = Literal["user", "say", "think", "call", "result"]


class Entry(msgspec.Struct, frozen=True):
    """One thing in a history. `text` is words, a result, or a call's arguments as they stand (text or object)."""

    kind: Kind
    text: Json = ""
    id: str | None = None
    name: str | None = None


class Asked(msgspec.Struct, frozen=True):
    """A request as the checks see it: its entries in order, the declared tools, and the body itself."""

    entries: tuple[Entry, ...]
    tools: tuple[str, ...]
    body: Mapping[str, Json]

    def of(self, kind: Kind) -> list[Entry]:
        """The entries of one kind, in order."""
        return [entry for entry in self.entries if entry.kind == kind]


def summarise(body: Json) -> Asked:
    """What a body of any of the four protocols asks; nothing where it is no object."""
    if not isinstance(body, Mapping):
        return Asked((), (), {})
    history = body.get("messages", body.get("input"))
    tools = tuple(_tool_name(tool) for tool in _list(body.get("tools")))
    if isinstance(history, str):
        return Asked((Entry("user", history),), tools, body)
    return Asked(tuple(entry for message in _list(history) for entry in _entries(message)), tools, body)


def _entries(message: Json) -> Iterator[Entry]:
    if not isinstance(message, Mapping):
        return
    kind = message.get("type")
    if kind == "function_call":
        yield Entry("call", message.get("arguments"), message.get("call_id"), message.get("name"))
    elif kind == "function_call_output":
        yield Entry("result", message.get("output"), message.get("call_id"))
    elif kind == "reasoning":
        yield Entry("think", " ".join(_words(message.get("summary"))))
    elif message.get("role") == "tool":
        yield Entry("result", message.get("content"), message.get("tool_call_id"), message.get("tool_name"))
    elif message.get("role") == "assistant":
        yield from _assistant(message)
    elif message.get("role") == "user":
        yield from _user(message.get("content"))


def _assistant(message: Mapping[str, Json]) -> Iterator[Entry]:
    if thinking := message.get("thinking") or message.get("reasoning"):
        yield Entry("think", thinking)
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else _list(content)
    for block in blocks:
        if block.get("type") == "tool_use":
            yield Entry("call", block.get("input"), block.get("id"), block.get("name"))
        elif block.get("type") in ("thinking", "redacted_thinking"):
            yield Entry("think", block.get("thinking", ""))
        elif block.get("text"):
            yield Entry("say", block["text"])
    for call in _list(message.get("tool_calls")):
        function = call.get("function", {})
        yield Entry("call", function.get("arguments"), call.get("id"), function.get("name"))


def _user(content: Json) -> Iterator[Entry]:
    results = [block for block in _list(content) if block.get("type") == "tool_result"]
    for block in results:
        yield Entry("result", block.get("content"), block.get("tool_use_id"))
    words = content if isinstance(content, str) else " ".join(_words(content))
    if words or not results:
        yield Entry("user", words)


def _words(blocks: Json) -> list[str]:
    return [block["text"] for block in _list(blocks) if isinstance(block.get("text"), str)]


def _tool_name(tool: Json) -> str:
    described = tool.get("function", tool) if isinstance(tool, Mapping) else {}
    return str(described.get("name", ""))


def _list(value: Json) -> list[Json]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
