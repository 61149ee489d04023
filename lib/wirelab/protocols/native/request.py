"""Ollama's native `/api/chat`: histories as `messages`, read and written."""

from typing import Any, Final

import msgspec

from wirelab.model import Json
from wirelab.protocols import chatlike
from wirelab.protocols.histories import (
    Pen,
    Wire,
    Written,
    argument_object,
    extra,
    is_list,
    joined_text,
    put_blank,
    put_thinking,
)
from wirelab.transcript import Call, Entry, Message, Other, Recorded, Result, Text, Transcript

SHAPE: Final = chatlike.Shape("native", ("tool_name", "name"), index_in_function=True)


def read(messages: Any) -> Recorded:
    """Read a list of native messages; UnreadableInputError where it is no such list."""
    recorded = chatlike.read(messages, SHAPE)
    entries = tuple(_with_pictures(entry) for entry in recorded.transcript.entries)
    return Recorded(Transcript(entries, "native"), recorded.findings)


def _with_pictures(entry: Entry) -> Entry:
    """Pictures stand in a list beside the content: here they are parts like any other."""
    images = entry.extra.get("images")
    if not is_list(images) or not images or not all(isinstance(image, str) for image in images):
        return entry
    pictures = tuple(Other({"image": image}, entry.position) for image in images)
    return msgspec.structs.replace(entry, parts=(*entry.parts, *pictures), extra=extra(entry.extra, "images"))


def write(transcript: Transcript, wire: Wire) -> Written:
    """Write a settled transcript as native messages. Content is one string there; arguments are objects."""
    pen = Pen("native", transcript.dialect, wire)
    names: dict[str, str | None] = {}
    messages: list[Json] = []
    for entry in transcript.entries:
        if isinstance(entry, Result):
            messages.append(_result(entry, names.get(entry.id), pen))
        else:
            names.update((call.id, call.name) for call in entry.calls)
            messages.append(_message(entry, pen))
    return Written(messages, findings=tuple(pen.findings))


def _message(message: Message, pen: Pen) -> dict[str, Json]:
    written: dict[str, Json] = {"role": message.role}
    calls = message.calls
    _put_content(written, message, pen, beside_calls=bool(calls))
    put_thinking(written, message, pen, "thinking")
    if calls:
        written["tool_calls"] = [_call(call, pen) for call in calls]
    return {**pen.message_extra(message), **written}


def _result(result: Result, called: str | None, pen: Pen) -> dict[str, Json]:
    written: dict[str, Json] = {"role": "tool", "tool_call_id": result.id}
    name = called if result.name is None and pen.wire.result_names else result.name
    if name is not None:
        written["tool_name"] = name
        if result.name is None and not result.placeholder:
            pen.report("result-named", result.position, f"the endpoint wants the tool's name: {name}", result.id)
    _put_content(written, result, pen, beside_calls=False)
    return {**pen.kept(result.extra), **written}


def _call(call: Call, pen: Pen) -> dict[str, Json]:
    pen.object_arguments(call)
    index = {} if call.index is None else {"index": call.index}
    function = {**pen.kept(call.function), **index, "name": call.name, "arguments": argument_object(call.arguments)}
    return {**pen.kept(call.extra), "id": call.id, "function": function}


def _put_content(written: dict[str, Json], holder: Message | Result, pen: Pen, *, beside_calls: bool) -> None:
    pictures: list[Json] = []
    for part in holder.parts:
        if isinstance(part, Other):
            written_part = pen.other(part)
            pictures.extend([] if written_part is None else [written_part["image"]])
        elif isinstance(part, Text) and not part.plain:
            pen.report("content-joined", part.position, "content is one string here, not a list of parts")
    spoken = isinstance(holder, Message) and holder.role == "assistant"
    text = joined_text(holder.parts, "" if spoken else "\n")
    if text:
        written["content"] = text
    else:
        put_blank(written, pen.blank(holder.blank, beside_calls))
    if pictures:
        written["images"] = pictures
