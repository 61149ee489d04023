"""Gemini: histories as `contents` and `systemInstruction`, read and written.

Reading leaves ids as the wire has them; `wirelab.history.pairing` gives every call and response one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from wirelab.errors import UnreadableInputError
from wirelab.model import Json
from wirelab.protocols.histories import (
    Pen,
    System,
    Wire,
    Written,
    argument_object,
    entries_of,
    extra,
    is_list,
    joined_text,
    json_text,
    name_of,
    thaw,
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

_ROLES = {"model": "assistant", "function": "user", None: "user"}


def read(contents: Any, system: Any = UNSET) -> Recorded:
    """Read contents and the system instruction; UnreadableInputError where they are no such thing."""
    entries: list[Entry] = []
    findings: list[HistoryFinding] = []
    if isinstance(system, str):
        system = {"parts": [{"text": system}]}
    if isinstance(system, Mapping):
        parts = [_part(part, FIELD) for part in _parts_of(system, FIELD)]
        entries.append(Message("system", tuple(parts), FIELD, extra=extra(system, "parts")))
    if isinstance(contents, Mapping):
        contents = [contents]
    for position, content in enumerate(entries_of(contents, "contents")):
        entries.extend(_content(content, position, findings))
    return Recorded(Transcript(tuple(entries), "gemini"), tuple(findings))


def _parts_of(content: Mapping[str, Json], position: int) -> list[Mapping[str, Json]]:
    parts: Any = content.get("parts", ())
    if isinstance(parts, Mapping):
        parts = [parts]
    if not is_list(parts) or not all(isinstance(part, Mapping) for part in parts):
        raise UnreadableInputError(f"contents[{position}]: parts is no list of objects")
    return list(parts)


def _content(content: Mapping[str, Json], position: int, findings: list[HistoryFinding]) -> list[Entry]:
    """One content: the model's message comes before responses in it, another's after them."""
    parts = _parts_of(content, position)
    results: list[Entry] = [_result(part, position) for part in parts if "functionResponse" in part]
    rest = [part for part in parts if "functionResponse" not in part]
    if results and rest:
        said = "function responses stand in a content of their own"
        findings.append(HistoryFinding("results-set-apart", position, None, said))
    if results and not rest:
        return results
    role = content.get("role")
    role = _ROLES.get(role, role) if isinstance(role, str | None) else role
    message = Message(
        role, tuple(_part(part, position) for part in rest), position, extra=extra(content, "role", "parts")
    )
    return [message, *results] if role == "assistant" else [*results, message]


def _part(part: Mapping[str, Json], position: int) -> Part:
    signature = part.get("thoughtSignature")
    signature = signature if isinstance(signature, str) else None
    function = part.get("functionCall")
    if isinstance(function, Mapping):
        return Call(
            name_of(function, "name"),
            function.get("id", UNSET),
            function.get("args", UNSET),
            position=position,
            signature=signature,
            extra=extra(part, "functionCall", "thoughtSignature"),
            function=extra(function, "id", "name", "args"),
        )
    text = part.get("text")
    if not isinstance(text, str):
        return Other(part, position)
    keys = extra(part, "text", "thought", "thoughtSignature")
    if part.get("thought") is True:
        return Thought(text, signature=signature, position=position, extra=keys)
    return Text(text, position=position, signature=signature, extra=keys)


def _result(part: Mapping[str, Json], position: int) -> Result:
    response: Any = part["functionResponse"]
    if not isinstance(response, Mapping):
        raise UnreadableInputError(f"contents[{position}]: a functionResponse is no object")
    value = response.get("response", UNSET)
    text, error = _response_text(value)
    return Result(
        id=response.get("id", UNSET),
        name=name_of(response, "name"),
        parts=(Text(text, plain=True, position=position),) if text else (),
        value=value,
        error=error,
        position=position,
        extra=extra(response, "id", "name", "response"),
    )


def _response_text(value: Any) -> tuple[str, bool]:
    """A response as text, and whether the tool failed: `{"output": text}`, `{"error": text}`, else JSON."""
    if value is UNSET or value is None:
        return "", False
    if isinstance(value, str):
        return value, False
    if isinstance(value, Mapping) and len(value) == 1:
        for key in ("output", "error"):
            if isinstance(value.get(key), str):
                return value[key], key == "error"
    return json_text(thaw(value)), False


def write(transcript: Transcript, wire: Wire) -> Written:
    """Write a settled transcript as contents: the responses of a batch are one content; ids of ours stay out."""
    pen = Pen("gemini", transcript.dialect, wire)
    system = System(pen)
    contents: list[Json] = []
    called: dict[str, Call] = {}
    running = False
    for entry in _told_apart(transcript.entries):
        if isinstance(entry, Result):
            if not running:
                contents.append({"role": "user", "parts": []})
            running = True
            contents[-1]["parts"].append(_response(entry, called[entry.id], pen))
        elif not system.takes(entry):
            running = False
            called.update((call.id, call) for call in entry.calls)
            contents.append(_message(entry, pen))
    return Written(contents, _instruction(system, pen), tuple(pen.findings))


def _told_apart(entries: Sequence[Entry]) -> list[Entry]:
    """Responses of one name in call order where a call of it has no id: its reader gives each the oldest open call."""
    homes: dict[str, tuple[int, int, str | None]] = {}
    nameless: set[tuple[int, str | None]] = set()
    answers: dict[tuple[int, str | None], list[tuple[int, int]]] = {}
    for place, entry in enumerate(entries):
        if isinstance(entry, Result):
            batch, rank, name = homes[entry.id]
            answers.setdefault((batch, name), []).append((rank, place))
            continue
        for rank, call in enumerate(entry.calls):
            homes[call.id] = place, rank, call.name
            nameless |= {(place, call.name)} if call.allocated else set()
    ordered = list(entries)
    for group in nameless:
        given = answers.get(group, [])
        for (_, place), (_, source) in zip(given, sorted(given), strict=True):
            ordered[place] = entries[source]
    return ordered


def _instruction(system: System, pen: Pen) -> Json:
    parts = system.blocks(lambda part: _write_part(part, pen))
    if parts is None:
        return None
    return {**system.extra(), "parts": [{"text": parts}] if isinstance(parts, str) else parts}


def _message(message: Message, pen: Pen) -> dict[str, Json]:
    role = "model" if message.role == "assistant" else message.role
    parts = [written for part in message.parts if (written := _write_part(part, pen)) is not None]
    return {**pen.message_extra(message), "role": role, "parts": parts or [{"text": ""}]}


def _write_part(part: Part, pen: Pen) -> Json:
    if isinstance(part, Other):
        return pen.other(part)
    if isinstance(part, Call):
        pen.object_arguments(part)
        named = {} if part.allocated else {"id": part.id}
        function = {**pen.kept(part.function), **named, "name": part.name, "args": argument_object(part.arguments)}
        return {**pen.kept(part.extra), "functionCall": function, **_signed(part.signature, pen)}
    if isinstance(part, Thought):
        return {**pen.kept(part.extra), "text": part.text, "thought": True, **_signed(part.signature, pen)}
    signature = part.signature if isinstance(part, Text) else None
    return {**pen.kept(part.extra), "text": part.text, **_signed(signature, pen)}


def _signed(signature: str | None, pen: Pen) -> dict[str, Json]:
    """A signature goes back on exactly the part it came on, and to nobody else's servers."""
    return {"thoughtSignature": signature} if signature is not None and pen.same else {}


def _response(result: Result, call: Call, pen: Pen) -> dict[str, Json]:
    named = {} if call.allocated else {"id": result.id}
    name = call.name if result.name is None else result.name
    if pen.same and result.value is not UNSET:
        value = thaw(result.value)
    else:
        value = {"error" if result.error else "output": joined_text(result.parts, "\n")}
    return {"functionResponse": {**pen.kept(result.extra), **named, "name": name, "response": value}}
