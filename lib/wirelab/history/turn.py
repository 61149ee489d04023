"""The loop of an agent: read the model's turn, add the results of its calls, write the next request."""

from collections.abc import Mapping
from typing import Any

from wirelab.history.replay import NextRequest, Replay, replay
from wirelab.model import Reading, ToolCall
from wirelab.protocols.dialects import read_history
from wirelab.protocols.histories import argument_object
from wirelab.transcript import Call, Entry, Message, Part, Recorded, Result, Text, Thought, Transcript


def message_of(reading: Reading, position: int = 0) -> Message:
    """The assistant's message that a response said: thought, text, then calls, as the reader understood them."""
    parts: list[Part] = []
    if reading.thinking:
        parts.append(Thought(reading.thinking, position=position))
    if reading.text:
        parts.append(Text(reading.text, plain=True, position=position))
    parts.extend(_call(call, position) for call in reading.calls)
    return Message("assistant", tuple(parts), position)


def _call(call: ToolCall, position: int) -> Call:
    """A call as it was read; its text stays where that is what was understood (arguments encoded twice are not)."""
    understood = call.arguments is not None and argument_object(call.arguments_text) == call.arguments
    return Call(
        call.name,
        call.id,
        call.arguments_text if understood or call.arguments is None else call.arguments,
        allocated=call.id_source == "allocated",
        index=next((alias for alias in call.aliases if isinstance(alias, int)), None),
        position=position,
    )


def result_of(identifier: str, text: str, position: int = 0) -> Result:
    """A tool's result as text."""
    parts = (Text(text, plain=True, position=position),) if text else ()
    return Result(id=identifier, parts=parts, position=position)


def next_turn(history: Any, reading: Reading, results: Mapping[str, str], choice: Replay | None = None) -> NextRequest:
    """The request after a response: the history that was sent, the turn that was read, the results by call id.

    Raises what `next_request` raises. `choice.source` tells the dialect of `history`.
    """
    chosen = choice or Replay()
    recorded = read_history(history, chosen.source)
    entries = recorded.transcript.entries
    position = 1 + max((entry.position for entry in entries), default=-1)
    turn: list[Entry] = [message_of(reading, position)]
    turn += [result_of(identifier, text, position + at) for at, (identifier, text) in enumerate(results.items(), 1)]
    transcript = Transcript((*entries, *turn), recorded.transcript.dialect)
    return replay(Recorded(transcript, recorded.findings), chosen)
