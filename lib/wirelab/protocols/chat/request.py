"""Chat completions: histories as `messages`, read and written."""

from typing import Any, Final

from wirelab.model import Json
from wirelab.protocols import chatlike
from wirelab.protocols.histories import Pen, Wire, Written, argument_text, put_blank, put_thinking
from wirelab.transcript import Call, Message, Other, Part, Recorded, Refusal, Result, Text, Transcript

SHAPE: Final = chatlike.Shape("chat", ("name",), index_in_function=False)


def read(messages: Any) -> Recorded:
    """Read a list of chat messages; UnreadableInputError where it is no such list."""
    return chatlike.read(messages, SHAPE)


def write(transcript: Transcript, wire: Wire) -> Written:
    """Write a settled transcript as chat messages."""
    pen = Pen("chat", transcript.dialect, wire)
    messages: list[Json] = [
        _result(entry, pen) if isinstance(entry, Result) else _message(entry, pen) for entry in transcript.entries
    ]
    return Written(messages, findings=tuple(pen.findings))


def _message(message: Message, pen: Pen) -> dict[str, Json]:
    written: dict[str, Json] = {"role": message.role}
    calls = message.calls
    _put_content(written, message, pen, beside_calls=bool(calls))
    put_thinking(written, message, pen, pen.wire.reasoning_key)
    for refusal in (part for part in message.parts if isinstance(part, Refusal)):
        written["refusal"] = written.get("refusal", "") + refusal.text
    if calls:
        written["tool_calls"] = [_call(call, pen) for call in calls]
    return {**pen.message_extra(message), **written}


def _result(result: Result, pen: Pen) -> dict[str, Json]:
    written: dict[str, Json] = {"role": "tool", "tool_call_id": result.id}
    if result.name is not None and (pen.same or pen.wire.result_names):
        written["name"] = result.name
    _put_content(written, result, pen, beside_calls=False)
    return {**pen.kept(result.extra), **written}


def _call(call: Call, pen: Pen) -> dict[str, Json]:
    index = {} if call.index is None else {"index": call.index}
    pen.text_arguments(call)
    function = {**pen.kept(call.function), "name": call.name, "arguments": argument_text(call.arguments)}
    return {**pen.kept(call.extra), "id": call.id, **index, "type": "function", "function": function}


def _put_content(written: dict[str, Json], holder: Message | Result, pen: Pen, *, beside_calls: bool) -> None:
    texts = [part for part in holder.parts if isinstance(part, Text)]
    parts = [each for part in holder.parts if (each := _content_part(part, pen)) is not None]
    if not parts:
        put_blank(written, pen.blank(holder.blank, beside_calls))
    elif len(parts) == len(texts) == 1 and (texts[0].plain or not pen.same):
        written["content"] = texts[0].text
    else:
        written["content"] = parts


def _content_part(part: Part, pen: Pen) -> dict[str, Json] | None:
    if isinstance(part, Text):
        return {**pen.kept(part.extra), "type": "text", "text": part.text}
    return pen.other(part) if isinstance(part, Other) else None
