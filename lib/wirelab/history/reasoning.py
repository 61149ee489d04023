"""Which thoughts go back to an endpoint: those it accepts, from the assistant, with a signature that is its own."""

import msgspec

from wirelab.history.checks import is_empty
from wirelab.protocols.histories import Wire
from wirelab.transcript import Dialect, Entry, HistoryFinding, Message, Recorded, Text, Thought, Transcript

_CARRY_ENCRYPTED = frozenset({"messages", "responses"})
"""The dialects with room for a thought that only a server can read."""


def fit_reasoning(transcript: Transcript, to: Dialect, wire: Wire) -> Recorded:
    """Leave out the thoughts that the endpoint refuses or cannot read; a turn's thoughts stay together or go together.

    The very input when all may stay. `reasoning-missing` tells that the endpoint wants a thought that is not there.
    """
    findings: list[HistoryFinding] = []
    entries: list[Entry] = []
    for entry in transcript.entries:
        if not isinstance(entry, Message) or entry.role != "assistant":
            entries.append(entry)
            continue
        known = entry if transcript.dialect == to else _without_signed_nothing(entry)
        kept = _fit(known, transcript.dialect, to, wire, findings)
        if kept is not None:
            entries.append(kept)
    same = len(entries) == len(transcript.entries) and all(
        new is old for new, old in zip(entries, transcript.entries, strict=True)
    )
    return Recorded(transcript if same else Transcript(tuple(entries), transcript.dialect), tuple(findings))


def _fit(message: Message, source: Dialect, to: Dialect, wire: Wire, findings: list[HistoryFinding]) -> Message | None:
    thoughts = [part for part in message.parts if isinstance(part, Thought)]
    reason = next(filter(None, (_refused(thought, source, to, wire) for thought in thoughts)), None)
    if reason is None:
        if wire.reasoning == "required" and message.calls and not thoughts:
            said = "the endpoint wants the reasoning of a turn with calls, and there is none"
            findings.append(HistoryFinding("reasoning-missing", message.position, None, said))
        return _unless_empty(message, findings)
    findings.append(HistoryFinding("reasoning-dropped", message.position, None, reason))
    parts = tuple(part for part in message.parts if not isinstance(part, Thought))
    return _unless_empty(msgspec.structs.replace(message, parts=parts), findings)


def _without_signed_nothing(message: Message) -> Message:
    """The message without texts that are only there to carry a signature, which means nothing to other servers."""
    parts = tuple(p for p in message.parts if not (isinstance(p, Text) and p.signature and not p.text))
    return message if len(parts) == len(message.parts) else msgspec.structs.replace(message, parts=parts)


def _unless_empty(message: Message, findings: list[HistoryFinding]) -> Message | None:
    if not is_empty(message):
        return message
    said = "nothing but its reasoning was there"
    findings.append(HistoryFinding("empty-assistant-dropped", message.position, None, said))
    return None


def _refused(thought: Thought, source: Dialect, to: Dialect, wire: Wire) -> str | None:
    """Why a thought cannot be sent, None when it can."""
    if wire.reasoning == "rejected":
        return "the endpoint refuses reasoning in a history"
    if thought.encrypted is not None and not thought.text and (source != to or to not in _CARRY_ENCRYPTED):
        return "the reasoning is encrypted for another protocol"
    if wire.signed and not thought.redacted and not (source == to and thought.signature):
        return "the endpoint wants its own signature on reasoning, and there is none"
    return None
