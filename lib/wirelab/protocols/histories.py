"""What the five dialects share when a history is read from a request body or written to one."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET

from wirelab.errors import UnreadableInputError
from wirelab.model import Json
from wirelab.protocols.pictures import picture_of, picture_part
from wirelab.transcript import (
    NOTHING,
    Blank,
    Call,
    Dialect,
    Extra,
    HistoryFinding,
    Message,
    Other,
    Part,
    Refusal,
    Text,
    Thought,
)


class Wire(msgspec.Struct, frozen=True):
    """How one endpoint wants a history written: the part of a profile that the writers need.

    `call_blank`: how content may be left empty beside calls, the first for messages that never had any. `reasoning_key`
    is the field of a chat message that holds the thought. `signed`: a thought without a signature is refused.
    `plain_encrypted`: `encrypted_content` is read, as plain text, and nothing else (Ollama's Responses). `ids`: whether
    the endpoint looks at ids at all. `result_names`: whether a result must name its tool.
    """

    call_blank: tuple[Blank, ...] = ("null", "empty", "absent")
    reasoning: Literal["accepted", "required", "rejected"] = "accepted"
    reasoning_key: str = "reasoning"
    signed: bool = False
    plain_encrypted: bool = False
    ids: Literal["required", "accepted", "ignored"] = "accepted"
    result_names: bool = False


class Written(msgspec.Struct, frozen=True):
    """A history as one dialect writes it: the list of the request body, and the system text's own field.

    Fresh JSON values: nothing is shared with the transcript or with what it was read from.
    """

    messages: list[Json]
    system: Json = None
    findings: tuple[HistoryFinding, ...] = ()


REASONING_KEYS: Final = ("reasoning_content", "reasoning", "thinking")
"""Where an assistant's chat or native message may hold its thought; the first that is not empty counts."""

CARRIERS: Final = ("audio", "function_call", "images")
"""Keys beside content, calls and reasoning under which an assistant's chat message says something."""

SYSTEM_ROLES: Final = frozenset({"system", "developer"})

_TEXT_TYPES: Final = frozenset({"text", "input_text", "output_text"})


def thaw(value: Any) -> Json:
    """A deep copy of a JSON value, with mappings as dict and other sequences as list."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {key: thaw(each) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [thaw(each) for each in value]
    raise UnreadableInputError(f"a history holds {type(value).__name__}, which is no JSON value")


def is_list(value: Any) -> bool:
    """A JSON array, frozen or not."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def extra(source: Mapping[str, Json], *known: str) -> Extra:
    """The keys of `source` that are not `known`."""
    return {key: value for key, value in source.items() if key not in known} if len(source) > 0 else NOTHING


def entries_of(messages: Any, what: str = "messages") -> list[Mapping[str, Json]]:
    """The list of a request body, every entry an object; UnreadableInputError otherwise."""
    if not is_list(messages):
        raise UnreadableInputError(f"{what} is no list: pass a request body or its list of messages")
    for position, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise UnreadableInputError(f"{what}[{position}] is no object but {type(message).__name__}")
    return list(messages)


def blank_of(holder: Mapping[str, Json], key: str) -> Blank | None:
    """How a message says that it has no content, None when it has some."""
    value = holder.get(key, UNSET)
    if value is UNSET:
        return "absent"
    if value is None:
        return "null"
    return "empty" if value == "" or (is_list(value) and not value) else None


def content_parts(content: Any, position: int) -> list[Part]:
    """The parts of a content that is a string, a list of typed parts, or missing."""
    if content is None or content is UNSET or (isinstance(content, str) and not content):
        return []
    if isinstance(content, str):
        return [Text(content, plain=True, position=position)]
    if not is_list(content):
        raise UnreadableInputError(f"message {position}: content is neither text nor a list of parts")
    return [content_part(part, position) for part in content]


def content_part(part: Any, position: int) -> Part:
    """One content part that any role may have: text, a refusal, or something only its dialect knows."""
    if isinstance(part, str):
        return Text(part, position=position)
    if not isinstance(part, Mapping):
        raise UnreadableInputError(f"message {position}: a content part is neither an object nor text")
    if part.get("type") in _TEXT_TYPES and isinstance(part.get("text"), str):
        return Text(part["text"], position=position, extra=extra(part, "type", "text"))
    if part.get("type") == "refusal" and isinstance(part.get("refusal"), str):
        return Refusal(part["refusal"], position=position, extra=extra(part, "type", "refusal"))
    return Other(part, position=position)


def reasoning_text(value: Any) -> str | None:
    """A thought's text: a string, or a list of strings and text parts joined; None when it is neither."""
    if isinstance(value, str):
        return value
    if not is_list(value):
        return None
    pieces = [piece if isinstance(piece, str) else _part_text(piece) for piece in value]
    return None if None in pieces else "".join(piece for piece in pieces if piece is not None)


def _part_text(part: Any) -> str | None:
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else None


def thought_of(message: Mapping[str, Json], position: int, findings: list[HistoryFinding]) -> Thought | None:
    """The thought in an assistant's chat or native message (specification 2, reasoning)."""
    for key in REASONING_KEYS:
        value = message.get(key)
        if value is None or value == "":
            continue
        text = reasoning_text(value)
        if text is None:
            findings.append(HistoryFinding("reasoning-unreadable", position, None, f"{key} is no text: left out"))
        elif text:
            return Thought(text, position=position, key=key)
    return None


def name_of(holder: Mapping[str, Json], *keys: str) -> str | None:
    """The first of `keys` that holds a name."""
    return next((holder[key] for key in keys if isinstance(holder.get(key), str) and holder[key].strip()), None)


def index_of(holder: Mapping[str, Json]) -> int | None:
    """The number a server gave a call."""
    index = holder.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def argument_object(arguments: Any) -> dict[str, Json] | None:
    """A call's arguments as a fresh object: blank is `{}`, None when they are no JSON object."""
    if arguments is None or arguments is UNSET or (isinstance(arguments, str) and not arguments.strip()):
        return {}
    if isinstance(arguments, Mapping):
        return {key: thaw(value) for key, value in arguments.items()}
    if not isinstance(arguments, str):
        return None
    try:
        value = json.loads(arguments, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str) -> Json:
    raise ValueError(name)


def argument_text(arguments: Any) -> str:
    """A call's arguments as JSON text: text stays byte for byte, an object is written compactly."""
    if isinstance(arguments, str) and arguments.strip():
        return arguments
    return json_text(argument_object(arguments) or {})


def json_text(value: Json) -> str:
    """Compact JSON, in characters rather than escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def joined_text(parts: Iterable[Part], separator: str) -> str:
    """The visible text of parts where a dialect has room for one string only."""
    return separator.join(part.text for part in parts if isinstance(part, Text | Refusal))


class Pen:
    """What a writer carries along: which dialect it writes, which it was, what the endpoint wants, what it changed."""

    def __init__(self, own: Dialect, source: Dialect, wire: Wire) -> None:
        self.own = own
        self.source = source
        self.wire = wire
        self.findings: list[HistoryFinding] = []

    @property
    def same(self) -> bool:
        """Whether the transcript was read from the dialect that is written: then its extra keys belong."""
        return self.own == self.source

    def kept(self, value: Extra) -> dict[str, Json]:
        """A copy of extra keys where they belong, nothing elsewhere."""
        return thaw(value) if value and self.same else {}

    def other(self, part: Other) -> dict[str, Json] | None:
        """A part that only its dialect knows: copied there, a picture elsewhere, or left out with a report."""
        if self.same and self.own != "native":
            copy: dict[str, Json] = thaw(part.value)
            return copy
        picture = picture_of(part.value)
        written = None if picture is None else picture_part(picture, self.own)
        if written is None:
            self.left_out(part.position, str(part.value.get("type", "a part")))
        return written

    def left_out(self, position: int, what: str) -> None:
        """Report a part that this dialect has no room for."""
        self.findings.append(HistoryFinding("part-left-out", position, None, f"{what} has no place in {self.own}"))

    def message_extra(self, message: Message) -> dict[str, Json]:
        """The extra keys of a message, those that say something reported where they have to stay behind."""
        if not self.same:
            for key in CARRIERS:
                if message.extra.get(key):
                    self.left_out(message.position, key)
        return self.kept(message.extra)

    def report(self, code: str, position: int, said: str, identifier: str | None = None) -> None:
        """Report that a value of this very dialect is written in another way than it was read."""
        if self.same:
            self.findings.append(HistoryFinding(code, position, identifier, said))

    def object_arguments(self, call: Call) -> None:
        """Report arguments that come as text where the dialect has objects."""
        if isinstance(call.arguments, str):
            self.report("arguments-shape", call.position, "arguments are an object here, not text", call.id)

    def text_arguments(self, call: Call) -> None:
        """Report arguments that come as an object where the dialect has text; settling made the empty ones."""
        if isinstance(call.arguments, Mapping) and call.arguments:
            self.report("arguments-shape", call.position, "arguments are text here, not an object", call.id)

    def blank(self, blank: Blank | None, beside_calls: bool) -> Blank:  # noqa: FBT001 - a fact about the message
        """How to write empty content: as it was where that is accepted, else as the endpoint prefers it."""
        kept = blank if self.same else None
        if not beside_calls:
            return kept or "empty"
        return kept if kept in self.wire.call_blank else self.wire.call_blank[0]


def put_thinking(written: dict[str, Json], message: Message, pen: Pen, key: str) -> None:
    """Write the thought of a chat or native message under the key that the endpoint reads."""
    if not message.thinking:
        return
    written[key] = message.thinking
    moved = next((part for part in message.parts if isinstance(part, Thought) and part.key not in (None, key)), None)
    if moved is not None:
        pen.report("reasoning-moved", moved.position, f"{moved.key} is {key} for this endpoint")


def put_blank(message: dict[str, Json], blank: Blank) -> None:
    """Write empty content."""
    if blank != "absent":
        message["content"] = None if blank == "null" else ""


class System:
    """Gathers system text for the dialects that have a field of their own for it."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._messages: list[Message] = []
        self._leading = True

    def takes(self, message: Message) -> bool:
        """Whether the message is system text, and so was taken; text from later on is reported as moved."""
        if message.role not in SYSTEM_ROLES:
            self._leading = False
            return False
        self._messages.append(message)
        if not self._leading:
            said = f"a {message.role} message from the middle stands in the system field"
            self._pen.findings.append(HistoryFinding("system-moved", message.position, None, said))
        return True

    def extra(self) -> dict[str, Json]:
        """The extra keys of the field as it was read."""
        return {key: value for message in self._messages for key, value in self._pen.kept(message.extra).items()}

    def blocks(self, block: Callable[[Part], Json]) -> Json:
        """The field's value: a string where all of it is plain text, else blocks; None when there was none."""
        parts = [part for message in self._messages for part in message.parts]
        if not self._messages:
            return None
        if all(isinstance(part, Text) and (part.plain or not self._pen.same) for part in parts):
            return joined_text(parts, "\n\n")
        return [written for part in parts if (written := block(part)) is not None]
