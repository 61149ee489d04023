"""Responses: histories as `input` items and `instructions`, read and written."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from wirelab.errors import UnreadableInputError
from wirelab.model import Json
from wirelab.protocols.histories import (
    Pen,
    Wire,
    Written,
    argument_text,
    blank_of,
    content_parts,
    entries_of,
    extra,
    name_of,
    reasoning_text,
)
from wirelab.transcript import (
    FIELD,
    NOTHING,
    Call,
    Entry,
    Extra,
    Message,
    Other,
    Part,
    Recorded,
    Refusal,
    Result,
    Text,
    Thought,
    Transcript,
)


def read(items: Any, instructions: Any = UNSET) -> Recorded:
    """Read input items and the instructions; consecutive items of the model are one assistant message.

    Raises UnreadableInputError where they are no such thing. An input that is one string is a user's message.
    """
    entries: list[Entry] = []
    if isinstance(instructions, str) and instructions:
        entries.append(Message("system", tuple(content_parts(instructions, FIELD)), FIELD))
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    turn: list[Part] = []
    for position, item in enumerate(entries_of(items, "input")):
        entry = _foreign(item, position)
        if entry is None:
            turn.extend(_model_item(item, position))
            continue
        _end_turn(turn, entries)
        entries.append(entry)
    _end_turn(turn, entries)
    return Recorded(Transcript(tuple(entries), "responses"))


def _end_turn(turn: list[Part], entries: list[Entry]) -> None:
    if turn:
        entries.append(Message("assistant", tuple(turn), turn[0].position))
        turn.clear()


def _kind(item: Mapping[str, Json]) -> Any:
    return item.get("type", "message" if "role" in item else None)


def _foreign(item: Mapping[str, Json], position: int) -> Entry | None:
    """What is not the model's: a result, or a message of another role. None for the model's items."""
    if _kind(item) == "function_call_output":
        return Result(
            id=item.get("call_id", UNSET),
            name=name_of(item, "name"),
            parts=tuple(content_parts(item.get("output"), position)),
            position=position,
            blank=blank_of(item, "output"),
            extra=extra(item, "type", "call_id", "name", "output"),
        )
    if _kind(item) != "message" or item.get("role") == "assistant":
        return None
    parts = tuple(content_parts(item.get("content"), position))
    keys = extra(item, "role", "content")
    return Message(item.get("role"), parts, position, blank_of(item, "content"), keys)


def _model_item(item: Mapping[str, Json], position: int) -> list[Part]:
    kind = _kind(item)
    if kind == "function_call":
        known = ("type", "call_id", "name", "arguments")
        call = Call(
            name_of(item, "name"),
            item.get("call_id", UNSET),
            item.get("arguments", UNSET),
            position=position,
            extra=extra(item, *known),
        )
        return [call]
    if kind == "reasoning":
        return [_reasoning(item, position)]
    if kind != "message":
        if not isinstance(kind, str):
            raise UnreadableInputError(f"input[{position}] has neither a type nor a role")
        return [Other(item, position)]
    keys = extra(item, "role", "content")
    return [_in_item(part, keys) for part in content_parts(item.get("content"), position)] or [
        Text("", position=position, item=keys)
    ]


def _in_item(part: Part, keys: Extra) -> Part:
    return Text(part.text, part.plain, part.position, extra=part.extra, item=keys) if isinstance(part, Text) else part


def _reasoning(item: Mapping[str, Json], position: int) -> Thought:
    """A reasoning item. Its status is never sent back (servers refuse it)."""
    text = reasoning_text(item.get("summary") or ()) or reasoning_text(item.get("content") or ()) or ""
    encrypted = item.get("encrypted_content")
    return Thought(
        text,
        encrypted=encrypted if isinstance(encrypted, str) and encrypted else None,
        position=position,
        extra=extra(item, "type", "status", "encrypted_content"),
    )


def write(transcript: Transcript, wire: Wire) -> Written:
    """Write a settled transcript as input items. System text of a field is `instructions`, other stays in place."""
    pen = Pen("responses", transcript.dialect, wire)
    items: list[Json] = []
    instructions: list[str] = []
    for entry in transcript.entries:
        if isinstance(entry, Result):
            items.append(_output(entry, pen))
        elif entry.role == "assistant":
            items.extend(_turn(entry, pen))
        elif entry.position == FIELD and pen.same:
            instructions.append(entry.text)
        else:
            content = _content(entry, pen, "input_text")
            items.append({**pen.kept(entry.extra), "role": entry.role, "content": content})
    return Written(items, "\n\n".join(instructions) or None, tuple(pen.findings))


def _output(result: Result, pen: Pen) -> dict[str, Json]:
    output = _content(result, pen, "input_text")
    name = {"name": result.name} if pen.same and result.name is not None else {}
    item = {"type": "function_call_output", "call_id": result.id, **name, "output": output}
    return {**pen.kept(result.extra), **item}


def _content(holder: Message | Result, pen: Pen, kind: str) -> Json:
    """A string where one plain text is all there is, else content parts."""
    parts = [each for part in holder.parts if (each := _part(part, pen, kind)) is not None]
    only = holder.parts[0] if len(holder.parts) == 1 else None
    if isinstance(only, Text) and (only.plain or not pen.same):
        return only.text
    return parts or ""


def _part(part: Part, pen: Pen, kind: str) -> Json:
    if isinstance(part, Text):
        return {**pen.kept(part.extra), "type": kind, "text": part.text}
    if isinstance(part, Refusal):
        return {**pen.kept(part.extra), "type": "refusal", "refusal": part.text}
    return pen.other(part) if isinstance(part, Other) else None


def _turn(message: Message, pen: Pen) -> list[Json]:
    """The items of one assistant message, in order; texts of one item stay together."""
    items: list[Json] = []
    open_item: tuple[int, Extra] | None = None
    for part in message.parts:
        if isinstance(part, Text | Refusal):
            key = (part.position, part.item if isinstance(part, Text) else NOTHING)
            if open_item is None or open_item[0] != key[0]:
                kind = {} if pen.same else {"type": "message"}
                items.append({**kind, "role": "assistant", "content": [], **pen.kept(key[1])})
            open_item = key
            items[-1]["content"].append(_part(part, pen, "output_text"))
            _unlist(items[-1], part, pen)
            continue
        open_item = None
        item = _item(part, pen)
        if item is not None:
            items.append(item)
    return items


def _unlist(item: dict[str, Json], part: Part, pen: Pen) -> None:
    """Content that was a string stays one."""
    if pen.same and isinstance(part, Text) and part.plain:
        item["content"] = part.text


def _item(part: Part, pen: Pen) -> Json:
    if isinstance(part, Call):
        pen.text_arguments(part)
        call = {"type": "function_call", "call_id": part.id, "name": part.name}
        return {**pen.kept(part.extra), **call, "arguments": argument_text(part.arguments)}
    if isinstance(part, Thought):
        return _thought(part, pen)
    return _part(part, pen, "output_text")


def _thought(thought: Thought, pen: Pen) -> dict[str, Json]:
    """A reasoning item: id, summary and encrypted content; its content only where it is not encrypted."""
    summary = [{"type": "summary_text", "text": thought.text}] if thought.text else []
    item = {"summary": summary, **pen.kept(thought.extra), "type": "reasoning"}
    encrypted = thought.encrypted if pen.same else None
    if encrypted is None and pen.wire.plain_encrypted and thought.text:
        encrypted = thought.text
        pen.report("reasoning-moved", thought.position, "the endpoint reads encrypted_content alone, as plain text")
    if encrypted is not None:
        item["encrypted_content"] = encrypted
        item.pop("content", None)
    return item
