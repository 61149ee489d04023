"""Messages: histories as `messages` of content blocks and a `system` field, read and written."""

from typing import Any

from msgspec import UNSET

from wirelab.model import Json
from wirelab.protocols import chatlike
from wirelab.protocols.histories import (
    Pen,
    System,
    Wire,
    Written,
    argument_object,
    blank_of,
    content_parts,
    entries_of,
    extra,
    is_list,
)
from wirelab.transcript import (
    FIELD,
    Call,
    Entry,
    HistoryFinding,
    Message,
    Other,
    Part,
    Recorded,
    Result,
    Text,
    Thought,
    Transcript,
)


def read(messages: Any, system: Any = UNSET) -> Recorded:
    """Read a list of messages and the system field; UnreadableInputError where they are no such thing."""
    findings: list[HistoryFinding] = []
    entries: list[Entry] = []
    if system is not UNSET and system is not None:
        entries.append(Message("system", tuple(content_parts(system, FIELD)), FIELD))
    for position, message in enumerate(entries_of(messages)):
        if message.get("role") == "assistant":
            content = message.get("content")
            blocks = content if is_list(content) else None
            parts = content_parts(content, position) if blocks is None else _blocks(blocks, position)
            keys = extra(message, "role", "content")
            entries.append(Message("assistant", tuple(parts), position, blank_of(message, "content"), keys))
            continue
        entries.extend(chatlike.results_and_rest(message, position))
        if chatlike.result_after_text(message):
            findings.append(chatlike.results_first(position))
    return Recorded(Transcript(tuple(entries), "messages"), tuple(findings))


def _blocks(content: Any, position: int) -> list[Part]:
    return [chatlike.assistant_block(block, position) for block in content]


def write(transcript: Transcript, wire: Wire) -> Written:
    """Write a settled transcript as messages; the results of a batch are one leading run of the next user message."""
    pen = Pen("messages", transcript.dialect, wire)
    system = System(pen)
    messages: list[Json] = []
    run: set[int] = set()
    for entry in transcript.entries:
        if isinstance(entry, Result):
            if not run:
                messages.append({"role": "user", "content": []})
            run.add(entry.position)
            messages[-1]["content"].append(_result(entry, pen))
        elif not system.takes(entry):
            beside = pen.same and entry.role == "user" and entry.position in run
            if beside:
                messages[-1]["content"].extend(_all_blocks(entry, pen))
            else:
                run = set()
                messages.append(_message(entry, pen))
    return Written(messages, system.blocks(lambda part: _block(part, pen)), tuple(pen.findings))


def _message(message: Message, pen: Pen) -> dict[str, Json]:
    return {**pen.message_extra(message), "role": message.role, "content": _content(message, pen, "")}


def _content(holder: Message | Result, pen: Pen, nothing: Json) -> Json:
    """A string where one plain text is all there is, else blocks."""
    if len(holder.parts) == 1 and isinstance(holder.parts[0], Text) and holder.parts[0].plain:
        return holder.parts[0].text
    return _all_blocks(holder, pen) or nothing


def _all_blocks(holder: Message | Result, pen: Pen) -> list[Json]:
    return [block for part in holder.parts if (block := _block(part, pen)) is not None]


def _result(result: Result, pen: Pen) -> dict[str, Json]:
    block: dict[str, Json] = {"type": "tool_result", "tool_use_id": result.id}
    if result.parts or not (pen.same and result.blank == "absent"):
        block["content"] = _content(result, pen, "")
    if result.error:
        block["is_error"] = True
    return {**pen.kept(result.extra), **block}


def _block(part: Part, pen: Pen) -> Json:
    if isinstance(part, Call):
        pen.object_arguments(part)
        call = {"type": "tool_use", "id": part.id, "name": part.name, "input": argument_object(part.arguments)}
        return {**pen.kept(part.extra), **call}
    if isinstance(part, Thought):
        return _thought(part, pen)
    if not isinstance(part, Other):
        return {**pen.kept(part.extra), "type": "text", "text": part.text}
    return pen.other(part)


def _thought(thought: Thought, pen: Pen) -> Json:
    if thought.redacted:
        return {**pen.kept(thought.extra), "type": "redacted_thinking", "data": thought.encrypted}
    signature = {} if thought.signature is None or not pen.same else {"signature": thought.signature}
    return {**pen.kept(thought.extra), "type": "thinking", "thinking": thought.text, **signature}
