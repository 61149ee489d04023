"""The dialects of histories: how each is read and written, and how to tell which one a request body is in."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET

from wirelab.errors import UnreadableInputError
from wirelab.model import Json
from wirelab.protocols.chat import request as chat
from wirelab.protocols.gemini import request as gemini
from wirelab.protocols.histories import Wire, Written, is_list
from wirelab.protocols.messages import request as messages
from wirelab.protocols.native import request as native
from wirelab.protocols.responses import request as responses
from wirelab.transcript import Dialect, Recorded, Transcript


class DialectEntry(msgspec.Struct, frozen=True):
    """One dialect: the keys of its list and of its system text in a request body, how to read and how to write it."""

    name: Dialect
    list_key: str
    system_keys: tuple[str, ...]
    read: Callable[..., Recorded]
    write: Callable[[Transcript, Wire], Written]


DIALECTS: Final[dict[str, DialectEntry]] = {
    "chat": DialectEntry("chat", "messages", (), chat.read, chat.write),
    "native": DialectEntry("native", "messages", (), native.read, native.write),
    "responses": DialectEntry("responses", "input", ("instructions",), responses.read, responses.write),
    "messages": DialectEntry("messages", "messages", ("system",), messages.read, messages.write),
    "gemini": DialectEntry(
        "gemini", "contents", ("systemInstruction", "system_instruction"), gemini.read, gemini.write
    ),
}

_MESSAGES_BLOCKS: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
_NATIVE_KEYS: Final = frozenset({"tool_name", "thinking", "images"})
_MESSAGES_BODY: Final = frozenset({"system", "stop_sequences"})
_NATIVE_BODY: Final = frozenset({"options", "keep_alive", "think", "_debug_render_only"})


def read_history(history: Any, source: str = "auto") -> Recorded:
    """Read a request body or a bare list of messages, items or contents, in the dialect `source`, or the likely one.

    Raises UnreadableInputError where it is neither.
    """
    entry = DIALECTS[detect_dialect(history) if source == "auto" else source]
    if not isinstance(history, Mapping):
        return entry.read(history)
    if entry.list_key not in history:
        raise UnreadableInputError(f"the request body has no {entry.list_key!r}, which {entry.name} has")
    system = next((history[key] for key in entry.system_keys if key in history), UNSET)
    return entry.read(history[entry.list_key], system) if entry.system_keys else entry.read(history[entry.list_key])


def detect_dialect(history: Any) -> Dialect:
    """The dialect that a request body, or a bare list, is most likely in. Plain text alone is chat."""
    if isinstance(history, Mapping):
        if "contents" in history:
            return "gemini"
        if "input" in history:
            return "responses"
        if "messages" not in history:
            raise UnreadableInputError("a request body has messages, input or contents: this object has none of them")
        found = _of_list(history["messages"])
        if found == "chat" and (_MESSAGES_BODY & history.keys() or _has_input_schema(history.get("tools"))):
            return "messages"
        return "native" if found == "chat" and _NATIVE_BODY & history.keys() else found
    if not is_list(history):
        raise UnreadableInputError("a history is a request body (an object) or a list of messages, items or contents")
    return _of_list(history)


def _has_input_schema(tools: Any) -> bool:
    """Whether tools are declared in the words of Messages."""
    return is_list(tools) and any(isinstance(tool, Mapping) and "input_schema" in tool for tool in tools)


def _of_list(entries: Any) -> Dialect:
    objects = [entry for entry in entries if isinstance(entry, Mapping)] if is_list(entries) else []
    told = list(dict.fromkeys(found for entry in objects if (found := _of_entry(entry)) is not None))
    certain = next((found for found in told if found in ("gemini", "responses")), None)
    if certain is not None:
        return certain
    if any(entry.get("role") == "tool" or is_list(entry.get("tool_calls")) for entry in objects):
        return "native" if "native" in told else "chat"
    return told[0] if told else "chat"


def _of_entry(entry: Mapping[str, Json]) -> Dialect | None:
    """What one entry tells about the dialect of its list; None when it could be of any."""
    if "parts" in entry:
        return "gemini"
    if isinstance(entry.get("type"), str):
        return "responses"
    if entry.get("role") == "tool":
        return "native" if "tool_name" in entry else "chat" if "tool_call_id" in entry else None
    if is_list(entry.get("tool_calls")):
        return _of_calls(entry)
    content: Any = entry.get("content")
    kinds = {part.get("type") for part in content if isinstance(part, Mapping)} if is_list(content) else set()
    if kinds & _MESSAGES_BLOCKS:
        return "messages"
    if kinds & {"input_text", "output_text", "input_image"}:
        return "responses"
    return "native" if _NATIVE_KEYS & entry.keys() else None


def _of_calls(entry: Mapping[str, Json]) -> Dialect | None:
    if _NATIVE_KEYS & entry.keys():
        return "native"
    calls: Any = entry["tool_calls"]
    functions = [call.get("function") for call in calls if isinstance(call, Mapping)]
    arguments = [function.get("arguments") for function in functions if isinstance(function, Mapping)]
    if any(isinstance(each, Mapping) for each in arguments):
        return "native"
    return "chat" if any(isinstance(each, str) for each in arguments) else None
