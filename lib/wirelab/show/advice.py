"""What to do about a finding: one sentence a code, for the engineer who has to act on it at night."""

import msgspec

from wirelab.codes import CODES
from wirelab.model import Finding, Severity

ADVICE: dict[str, str] = {
    # The stream as a whole.
    "upstream-error": "Read the server's message and its log; run none of the calls, then repeat the request.",
    "stream-cut": "Repeat the request and look in the server's log: a clean end of the connection proves nothing.",
    "empty-stream": "Repeat the request and look in the server's log: it answered without a body.",
    "malformed-event": "Look at that frame with `wirelab frames`: a proxy that rewrites bodies is the usual cause.",
    "frame-too-large": "Raise the frame limit only if you trust the server.",
    "unterminated-event": "The last event has no end mark: check whether a proxy cuts the body.",
    "contract-violation": "The server lost what its model said, often a call it could not parse: try another version.",
    "empty-answer": "Nothing to run and nothing to show: repeat the request.",
    "empty-after-thinking": "Either the model stopped or its call was swallowed: repeat, or raise the token limit.",
    "prompt-rendered": "Nothing to run: the server showed its prompt instead of asking the model.",
    "content-null": "Nothing to do: read as an empty answer.",
    "other-choices": "Ask for one choice (`n: 1`), or read the others on their own.",
    "after-finish": "Do not stop reading at the finish reason: calls follow it here.",
    "second-finish": "Trust the first finish reason.",
    "finish-reason-mismatch": "Decide by the calls that came, not by the finish reason.",
    # Which call is it?
    "ambiguous-identity": "Run none of them: the server must send an id or an index with each fragment.",
    "continuation-without-call": "The start of that call was lost: look for a proxy that drops frames.",
    "stray-continuation": "Harmless here, since only one call was open; report it to the server.",
    "name-changed": "Two calls were sent as one, or one under two names: run neither, key calls by id and report it.",
    "missing-name": "The call cannot be run: its name was never sent.",
    "parallel-calls-disabled": "The server ignores `parallel_tool_calls: false`: run none, or allow parallel calls.",
    "invalid-id": "Give the call an id of your own, and do not echo it to the server as its id.",
    "index-not-integer": "Nothing to do: the number in the string was used.",
    "invalid-index": "Nothing to do: the call was told apart by its id or position.",
    "id-changed": "Answer under the first id; the later one is listed as an alias.",
    "id-doubled": "A proxy joined the id to itself: answer under the id as sent, and report it.",
    "index-reused": "Tell calls apart by id: a client that goes by index alone merges these two.",
    "repeated-entry": "Run it once: the second copy is the same call.",
    "block-restarted": "Nothing to do: the open block was closed and a new call begun.",
    "output-index-shared": "Join deltas by item id: two items have the same output index.",
    "terminal-id-mismatch": "Answer under the id that was streamed, not the one in the final snapshot.",
    # What another client's policy does.
    "missing-id": "Use a client that makes an id of its own, or one that answers by position.",
    "missing-index": "Use a client that tells calls apart by id: this one needs an index on each entry.",
    "index-gap": "Use a client that takes the index for a label: this one counts from its base without gaps.",
    "call-split": "Use a client that goes by id: this one runs the pieces of one call as several.",
    "call-dropped": "Use another client for this server: this one never runs what it leaves out.",
    # What does the call say?
    "invalid-arguments": "Do not run it, and do not repair the text: repeat the request.",
    "arguments-changed": "Two different argument objects for one call: run neither.",
    "arguments-replaced": "The longer object was taken; check it before anything irreversible.",
    "arguments-shape": "Nothing to do: both forms are read.",
    "truncated-arguments": "Do not run it, do not close the JSON yourself: raise the token limit or look for the cut.",
    "truncation-suspected": "The last call may be half of one although it parses: raise the token limit and repeat.",
    "limit-unverified": "No token counts came, so nobody can tell whether the limit cut the call: ask for usage.",
    "cumulative-arguments": "The server sends snapshots, not pieces: joining them would give broken JSON.",
    "double-encoded-arguments": "Decoded once more for you: report it to the server.",
    "nested-json-string": "Left as sent: the tool may expect an object there.",
    "replacement-character": "A character was broken on the way: check the value before you use it.",
    "unknown-tool": "Do not run it: the request declared no such tool. Tell the model so.",
    "leaked-tool-markup": "The server left a call in the text: check its template or parser for this model.",
    # Limits.
    "too-many-calls": "Raise the limit only if so many calls are expected.",
    "argument-budget": "Raise the limit only if such long arguments are expected.",
    "metadata-budget": "Ids or names are absurdly long: suspect the server.",
    "total-budget": "Raise the limit only if so large an answer is expected.",
}


class CodeRow(msgspec.Struct, frozen=True):
    """A finding code for people: severity, meaning and what to do."""

    code: str
    severity: str
    meaning: str
    advice: str


def explain(code: str) -> CodeRow:
    """The row of one code; a code from a newer version gets an empty explanation rather than an error."""
    known = CODES.get(code)
    severity = known.severity.value if known else Severity.ANOMALY.value
    return CodeRow(code, severity, known.meaning if known else "", ADVICE.get(code, ""))


def advice_for(finding: Finding) -> str:
    """What to do about a finding."""
    return explain(finding.code).advice
