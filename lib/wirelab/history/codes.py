"""The codes of histories: what makes one impossible to send, and what was changed so that it can be sent."""

import msgspec


class HistoryCode(msgspec.Struct, frozen=True):
    """A code, whether it is an error (the history cannot be sent) and its meaning in a sentence."""

    name: str
    error: bool
    meaning: str


_ERRORS = {
    "duplicate-result": "the call has its result already",
    "late-result": "the call was settled with a placeholder before its result came",
    "orphan-result": "no earlier call has the result's id",
    "result-name-mismatch": "the result names another tool than its call",
    "duplicate-call-id": "two different calls of one batch have the same id",
    "missing-call-id": "a call or a result has no id",
    "invalid-id": "an id is blank or no string",
    "bad-arguments": "arguments are neither blank nor a JSON object",
    "unknown-role": "no such role",
    "call-id-reused": "an id was used again after its batch was settled",
}

_FINDINGS = {
    "missing-result": "a call was never answered: a placeholder says that its outcome is unknown",
    "held-back": "a message stood between calls and their results: it comes after them",
    "results-reordered": "results came in another order than their calls: they are in call order now",
    "call-id-reused": "an id was used again after its batch was settled: the later call has a new one",
    "duplicate-call-folded": "a call stood there twice: it stands there once",
    "call-id-allocated": "a call had no usable id: it has one of ours",
    "result-matched-by-name": "a result had no usable id: it answers the oldest open call of its tool, else the oldest",
    "ambiguous-pairing": "a result could belong to several open calls of its tool: the oldest got it",
    "empty-assistant-dropped": "an assistant message held nothing: it is left out",
    "blank-arguments": "arguments were blank: they are an empty object",
    "id-mapped": "an id that the endpoint refuses was mapped, on the call and its result alike",
    "orphan-dropped": "repair: a result without a call was left out",
    "duplicate-dropped": "repair: a second result of a call was left out",
    "late-result-placed": "repair: a late result took the place of its placeholder",
    "reasoning-unreadable": "reasoning was no text: it is left out",
    "reasoning-dropped": "reasoning that the endpoint refuses or cannot read was left out",
    "reasoning-missing": "the endpoint wants the reasoning of a message that has none",
    "reasoning-moved": "a thought was put where the endpoint reads it",
    "arguments-shape": "arguments came as text where the protocol has objects, or the other way round",
    "result-named": "the endpoint wants a result to name its tool: the call's name was added",
    "content-joined": "content came in parts where the protocol has one string",
    "results-set-apart": "function responses stood beside other parts: they have a content of their own",
    "part-left-out": "a content part has no place in the target's protocol",
    "system-moved": "system text from later in the history stands in the one system field now",
}

HISTORY_CODES: dict[str, HistoryCode] = {
    **{name: HistoryCode(name, error=False, meaning=meaning) for name, meaning in _FINDINGS.items()},
    **{name: HistoryCode(name, error=True, meaning=meaning) for name, meaning in _ERRORS.items()},
}
"""All codes. `call-id-reused` is a finding, and an error where the caller asked for that."""
