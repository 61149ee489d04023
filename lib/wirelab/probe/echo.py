"""What a conversation's next turn sends back: the server's own output as it came, and a result for every call."""

from collections.abc import Iterator

from wirelab.calls import read_body
from wirelab.capture.types import Capture
from wirelab.claims.failures import decoded
from wirelab.model import Json, ToolCall
from wirelab.probe.bodies import Message, history_of
from wirelab.probe.scenarios import Call, Turn

_RESULTS = {"get_weather": "4 degrees, rain", "get_time": "14:05"}
_NEXT = "And in Bergen?"


def reply(capture: Capture) -> list[Message] | None:
    """The messages that an answer adds to its conversation; None where the answer was refused or broke off.

    Items of Responses, and the message of a whole answer, go back byte for byte; a streamed message is put together
    from what was read. A call that came without an id gets its result without one.
    """
    if capture.response.status >= 400 or capture.end.kind != "complete":
        return None
    reading = read_body(capture.body, capture.protocol, strict=False)
    if reading.error is not None and not reading.calls:
        return None
    calls = tuple(_call(call) for call in reading.calls)
    own = _verbatim(capture)
    if own is None:
        signature = _signature(capture) if reading.thinking else None
        spoken = Turn(think=reading.thinking or None, signature=signature, say=reading.text, calls=calls)
        own = history_of(capture.protocol, [spoken])
    after = [Turn(result=_RESULTS.get(call.name, "ok"), name=call.name, id=call.id) for call in calls]
    return own + history_of(capture.protocol, after or [Turn(user=_NEXT)])


def _call(call: ToolCall) -> Call:
    identifier = None if call.id_source == "allocated" else call.id
    index = next((alias for alias in call.aliases if isinstance(alias, int)), None)
    text = call.arguments_text if call.arguments is not None else None
    return Call(call.name or "", call.arguments or {}, identifier, index, text)


def _signature(capture: Capture) -> str | None:
    """What vouches for the thinking of a Messages stream: it comes in deltas of its own."""
    deltas = [payload.get("delta") for payload in _events(capture) if isinstance(payload, dict)]
    pieces = [delta.get("signature", "") for delta in deltas if isinstance(delta, dict)]
    return "".join(pieces) or None if capture.protocol == "messages" else None


def _verbatim(capture: Capture) -> list[Message] | None:
    """The server's own messages where they stand whole in the answer."""
    for payload in _payloads(capture):
        found = _output_of(capture.protocol, payload)
        if found:
            return found
    return None


def _output_of(protocol: str, payload: Json) -> list[Message] | None:
    if not isinstance(payload, dict):
        return None
    if protocol == "responses":
        output = payload.get("response", payload).get("output")
        return output if isinstance(output, list) and payload.get("type", "response.completed") in _TERMINAL else None
    if protocol == "messages" and isinstance(payload.get("content"), list):
        return [{"role": "assistant", "content": payload["content"]}]
    choices = payload.get("choices")
    holder = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else payload
    message = holder.get("message")
    return [message] if isinstance(message, dict) and message.get("role") == "assistant" else None


_TERMINAL = {"response.completed", "response.incomplete"}


def _payloads(capture: Capture) -> Iterator[Json]:
    """Decoded payloads that may hold a whole message: the body of a whole answer, or a Responses stream's events."""
    if capture.framing == "whole":
        yield decoded(capture.body)
    elif capture.protocol == "responses":
        yield from _events(capture)


def _events(capture: Capture) -> Iterator[Json]:
    """The payloads of a stream of server-sent events."""
    for line in capture.body.splitlines():
        if line.startswith(b"data:"):
            yield decoded(line.removeprefix(b"data:").strip())
