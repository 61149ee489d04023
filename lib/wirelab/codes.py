"""The codes of findings: one row each, with its severity and what it means to the person who reads it."""

import msgspec

from wirelab.model import Severity


class Code(msgspec.Struct, frozen=True):
    """A finding's code: how much it weighs, and its meaning in a sentence."""

    name: str
    severity: Severity
    meaning: str


_VIOLATIONS = {
    "upstream-error": "the server reported a failure",
    "stream-cut": "the stream ended without any finish signal",
    "empty-stream": "the body is empty",
    "malformed-event": "a frame is not the JSON that the protocol has there",
    "frame-too-large": "one frame passed the size limit",
    "ambiguous-identity": "a fragment could belong to several open calls",
    "continuation-without-call": "a fragment continues a call that was never opened",
    "name-changed": "one call was given two names",
    "invalid-arguments": "arguments are no JSON object",
    "arguments-changed": "one call was given two different argument objects",
    "truncated-arguments": "the arguments stop in the middle",
    "missing-name": "a call never got a name",
    "contract-violation": "the server counted output but delivered nothing",
    "parallel-calls-disabled": "a second call came although parallel calls were switched off",
    "too-many-calls": "more calls than the limit",
    "argument-budget": "arguments of one call passed their limit",
    "metadata-budget": "ids and names of one call passed their limit",
    "total-budget": "all calls together passed the limit",
}

_ANOMALIES = {
    "invalid-id": "an id that is no string of 1 to 512 characters, read as absent",
    "index-not-integer": "an index sent as a decimal string",
    "invalid-index": "an index that is no integer from 0 up, read as absent",
    "id-changed": "one call was sent under another id; the first stays",
    "id-doubled": "an id that is another string twice over",
    "index-reused": "another call took the index of a complete one",
    "repeated-entry": "a complete call was sent again",
    "stray-continuation": "a fragment under an unknown index joined the only open call",
    "arguments-replaced": "a longer argument object replaced a shorter one",
    "arguments-shape": "arguments as text where the protocol has objects, or the other way round",
    "cumulative-arguments": "argument fragments were snapshots; the last one counts",
    "double-encoded-arguments": "the arguments were JSON inside a JSON string",
    "nested-json-string": "a string value is itself an object's JSON text",
    "replacement-character": "the arguments hold U+FFFD: a character was broken on the way",
    "after-finish": "a call entry came after the finish signal",
    "second-finish": "a second, different finish reason; the first stays",
    "other-choices": "the response has several choices; the first is reported",
    "finish-reason-mismatch": "the finish reason does not admit the calls that came",
    "truncation-suspected": "the token limit was reached: the last call may be half of one",
    "limit-unverified": "a limit was set, a call came, and no tokens were counted",
    "empty-answer": "nothing was delivered, and no usage was counted",
    "empty-after-thinking": "thinking came, and then nothing",
    "leaked-tool-markup": "tool-call markup stands in the text or the thinking",
    "unknown-tool": "a call to a tool that the request did not declare",
    "output-index-shared": "two items of one response share an output_index",
    "terminal-id-mismatch": "the terminal snapshot has another id for the call",
    "block-restarted": "a content block started again before it was stopped",
    "content-null": "the content of a whole answer is null",
    "prompt-rendered": "the server rendered the prompt instead of running the model",
    "unterminated-event": "the body ended inside an event",
    "missing-id": "a call never got an id, and this policy has no other name for it",
    "missing-index": "an entry has no index, and this policy goes by nothing else",
    "index-gap": "an index beyond the next free one, where indexes are taken for positions in a list",
    "call-split": "an entry that continues a call was taken for a call of its own",
    "call-dropped": "this policy leaves an entry or a call out",
}

CODES: dict[str, Code] = {
    **{name: Code(name, Severity.VIOLATION, meaning) for name, meaning in _VIOLATIONS.items()},
    **{name: Code(name, Severity.ANOMALY, meaning) for name, meaning in _ANOMALIES.items()},
}
