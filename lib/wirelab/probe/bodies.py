"""Request bodies: neutral turns in the words of each protocol, broken ones included.

`history` sends only what a server accepts; a probe has to be able to send what none should accept (a call without an
id, a result without a call). So nothing here repairs or refuses: an entry comes out as the scenario has it.
"""

from collections.abc import Callable, Sequence

import msgspec

from wirelab.model import Json
from wirelab.probe.scenarios import Call, Scenario, Tool, Turn

Body = dict[str, Json]
Message = dict[str, Json]


class Settings(msgspec.Struct, frozen=True):
    """What a run asks of every model: output tokens at most, temperature, seed; None leaves it to the server."""

    limit: int | None = None
    temperature: float | None = None
    seed: int | None = None


def body_of(
    scenario: Scenario,
    protocol: str,
    turns: Sequence[Turn | list[Message]],
    *,
    stream: bool,
    model: str,
    tools: dict[str, Tool],
    settings: Settings,
) -> Body:
    """The JSON body of one request. A list among the turns holds messages that are sent as they are."""
    history = history_of(protocol, turns)
    only = history[0] if len(history) == 1 else {}
    single = protocol == "responses" and set(only) == {"role", "content"} and only["role"] == "user"
    body: Body = {
        "model": scenario.model or model,
        "input" if protocol == "responses" else "messages": only["content"] if single else history,
        "stream": stream,
    }
    if tools:
        body["tools"] = [tool_of(protocol, name, tool) for name, tool in tools.items()]
    limit = scenario.limit if scenario.limit is not None else settings.limit
    _set(body, protocol, settings, limit)
    _merge(body, scenario.fields.get(protocol, {}))
    for field in scenario.drop:
        body.pop(field, None)
    return body


def _set(body: Body, protocol: str, settings: Settings, limit: int | None) -> None:
    """Output limit, temperature and seed, where each protocol has them; Messages demands a limit."""
    values = {"temperature": settings.temperature, "seed": settings.seed}
    if protocol == "native":
        options = {"num_predict": limit, **values}
        if given := {name: value for name, value in options.items() if value is not None}:
            body["options"] = given
        return
    name = "max_output_tokens" if protocol == "responses" else "max_tokens"
    values[name] = 1024 if limit is None and protocol == "messages" else limit
    if protocol != "chat":
        values.pop("seed")
    body.update({name: value for name, value in values.items() if value is not None})


def _merge(body: Body, fields: dict[str, Json]) -> None:
    for name, value in fields.items():
        merged = isinstance(value, dict) and isinstance(body.get(name), dict)
        body[name] = {**body[name], **value} if merged else value


def tool_of(protocol: str, name: str, tool: Tool) -> Message:
    """A declared tool in the words of a protocol."""
    described = {"name": name, "description": tool.description}
    if protocol == "messages":
        return {**described, "input_schema": tool.parameters}
    function = {**described, "parameters": tool.parameters}
    return {"type": "function", **function} if protocol == "responses" else {"type": "function", "function": function}


def history_of(protocol: str, turns: Sequence[Turn | list[Message]]) -> list[Message]:
    """The messages (items, on Responses) of turns; a turn's results stand in one message on Messages."""
    messages: list[Message] = []
    for turn in turns:
        for message in turn if isinstance(turn, list) else _WRITERS[protocol](turn):
            if protocol == "messages" and _both_results(messages, message):
                messages[-1]["content"].extend(message["content"])
            else:
                messages.append(dict(message))
    return messages


def _both_results(messages: list[Message], message: Message) -> bool:
    """Whether a Messages entry of results follows another: a turn's results stand in one message."""
    return bool(messages) and all(
        isinstance(entry["content"], list) and all(block["type"] == "tool_result" for block in entry["content"])
        for entry in (messages[-1], message)
    )


def _native(turn: Turn) -> list[Message]:
    if turn.user is not None:
        return [{"role": "user", "content": turn.user}]
    if turn.result is not None:
        return [_present(role="tool", tool_name=turn.name, tool_call_id=turn.id, content=turn.result)]
    calls = [
        _present(id=call.id, function=_present(index=call.index, name=call.name, arguments=call.arguments))
        for call in turn.calls
    ]
    return [
        _present(role="assistant", content=turn.say or "", thinking=turn.think or None, tool_calls=calls or None),
    ]


def _chat(turn: Turn) -> list[Message]:
    if turn.user is not None:
        return [{"role": "user", "content": turn.user}]
    if turn.result is not None:
        return [_present(role="tool", tool_call_id=turn.id, content=turn.result)]
    calls = [
        _present(id=call.id, index=call.index, type="function", function={"name": call.name, "arguments": _text(call)})
        for call in turn.calls
    ]
    content = turn.say if turn.say or calls else ""
    rest = _present(reasoning=turn.think or None, tool_calls=calls or None)
    return [{"role": "assistant", "content": content, **rest}]


def _responses(turn: Turn) -> list[Message]:
    if turn.user is not None:
        return [{"role": "user", "content": turn.user}]
    if turn.result is not None:
        return [_present(type="function_call_output", call_id=turn.id, output=turn.result)]
    items: list[Message] = []
    if turn.think:
        items.append({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": turn.think}]})
    if turn.say or not turn.calls:
        text = {"type": "output_text", "text": turn.say or ""}
        items.append({"type": "message", "role": "assistant", "content": [text]})
    items.extend(
        _present(type="function_call", call_id=call.id, name=call.name, arguments=_text(call)) for call in turn.calls
    )
    return items


def _messages(turn: Turn) -> list[Message]:
    if turn.user is not None:
        return [{"role": "user", "content": turn.user}]
    if turn.result is not None:
        result = _present(type="tool_result", tool_use_id=turn.id, content=turn.result)
        return [{"role": "user", "content": [result]}]
    blocks: list[Message] = []
    if turn.think:
        blocks.append(_present(type="thinking", thinking=turn.think, signature=turn.signature))
    if turn.say or not turn.calls:
        blocks.append({"type": "text", "text": turn.say or ""})
    blocks.extend(_present(type="tool_use", id=call.id, name=call.name, input=call.arguments) for call in turn.calls)
    return [{"role": "assistant", "content": blocks}]


_WRITERS: dict[str, Callable[[Turn], list[Message]]] = {
    "native": _native,
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
}


def _text(call: Call) -> str:
    return msgspec.json.encode(call.arguments).decode() if call.text is None else call.text


def _present(**fields: Json) -> Message:
    return {name: value for name, value in fields.items() if value is not None}
