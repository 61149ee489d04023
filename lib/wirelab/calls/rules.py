"""The reconciler's theory of operation, and its rules as data.

Theory of operation
-------------------
A response is a row of frames; a protocol's reader turns each into events and tells them to the reconciler, in order.
Text and thinking are only collected. A tool-call entry goes through four steps, each in a room of its own:

1. *Reading* (`entry`): which of id, index, name and arguments are valid. What is not valid is noted and read as absent.
2. *Identity* (`identity`): which call the entry belongs to, or that it opens a new one. The id decides; without an id
   the index, without an index the position. What could belong to two calls is never guessed: it is a violation.
3. *Folding* (`fold`): the entry's name and arguments go into the call; a contradiction is a violation.
4. *Closing* (`closing`, `verdict`): at the end of the stream, not at the finish signal, the stream is judged first,
   then each call: only what is whole, named, declared and not suspected of being cut may be executed.

An anomaly is recorded and changes nothing else. A violation stops a strict reconciler with a typed error and leaves a
lenient one going; in both the response then has no executable calls.

Every rule below is a switch of the code it names: tests turn each off and see a named case fail. The diagram and the
table of the notebooks are drawn from these rows.
"""

import msgspec


class Rule(msgspec.Struct, frozen=True):
    """One rule: when it applies, what then happens, the finding codes it can give, and where it is specified."""

    id: str
    step: str
    when: str
    then: str
    codes: tuple[str, ...] = ()
    source: str = ""


_READING = (
    Rule(
        "id-is-text",
        "reading",
        "an id that is no string of 1 to 512 characters",
        "read as absent",
        ("invalid-id",),
        "1, reading",
    ),
    Rule(
        "index-counts",
        "reading",
        "an index that is no integer from 0 up",
        "read as absent",
        ("invalid-index",),
        "1, reading",
    ),
    Rule(
        "index-as-text",
        "reading",
        "an index that is a decimal string",
        "it counts",
        ("index-not-integer",),
        "1, reading",
    ),
    Rule(
        "arguments-kind",
        "reading",
        "arguments that are neither text nor object",
        "nobody may execute them",
        ("invalid-arguments",),
        "1",
    ),
)

_IDENTITY = (
    Rule(
        "known-id",
        "identity",
        "the entry has an id that a call has or had",
        "it belongs to that call, whatever its index",
        (),
        "1.1",
    ),
    Rule(
        "late-id-adopts",
        "identity",
        "a new id, and in its slot a call without an id untouched by this frame, of no other name, incomplete or equal",
        "that call, the earliest, gets the id",
        (),
        "1.2a",
    ),
    Rule(
        "second-id",
        "identity",
        "a new id without a name, and the slot's occupant is incomplete and not touched by this frame",
        "it is another name of that call; the first id stays",
        ("id-changed",),
        "1.2b",
    ),
    Rule(
        "name-joins-incomplete",
        "identity",
        "a name without an id, and the slot's occupant is incomplete",
        "it belongs to the occupant",
        (),
        "1.3",
    ),
    Rule(
        "complete-is-closed",
        "identity",
        "a name without an id, and the slot's occupant is complete",
        "it opens a new call",
        ("index-reused", "repeated-entry"),
        "1.3",
    ),
    Rule(
        "repeat-is-one",
        "identity",
        "the same name and equal arguments again in a later frame, and the occupant has an id",
        "it is a repeat of the occupant",
        ("repeated-entry",),
        "1.3",
    ),
    Rule(
        "one-frame-two-calls",
        "identity",
        "two named entries of one frame without a common id",
        "they are two calls, whatever their slots",
        (),
        "1.3",
    ),
    Rule(
        "continuation-by-index",
        "identity",
        "neither id nor name, but an index",
        "it belongs to the index's occupant",
        (),
        "1.4",
    ),
    Rule(
        "continuation-of-last",
        "identity",
        "neither id, name nor index, alone in its frame",
        "it belongs to the call touched last",
        (),
        "1.4",
    ),
    Rule(
        "continuation-by-position",
        "identity",
        "neither id, name nor index, one of several in its frame",
        "it belongs to the call last touched at its position",
        (),
        "1.4",
    ),
    Rule(
        "stray-continuation",
        "identity",
        "a continuation under an index nobody has used, and exactly one call is incomplete",
        "it joins that call",
        ("stray-continuation",),
        "1.4",
    ),
    Rule(
        "ambiguous-identity",
        "identity",
        "a continuation under an index nobody has used, and several calls are incomplete",
        "nobody guesses",
        ("ambiguous-identity",),
        "1.4",
    ),
    Rule(
        "known-key",
        "identity",
        "the protocol joins deltas by a key of its own, and the key is known",
        "that call",
        (),
        "1, others",
    ),
    Rule(
        "done-renames",
        "identity",
        "a done event has another call id",
        "it replaces the announced one",
        ("id-changed",),
        "1, Responses",
    ),
    Rule(
        "snapshot-never-renames",
        "identity",
        "the terminal snapshot has another call id",
        "the streamed id stays",
        ("terminal-id-mismatch",),
        "1, Responses",
    ),
)

_FOLDING = (
    Rule(
        "arguments-shape",
        "folding",
        "text where objects belong, or the other way round",
        "it counts",
        ("arguments-shape",),
        "1",
    ),
    Rule(
        "name-grows",
        "folding",
        "before any argument text a name comes that extends the first",
        "it replaces it",
        (),
        "1, folding",
    ),
    Rule(
        "name-in-pieces",
        "folding",
        "before any argument text a name comes, and both together begin or are a declared tool",
        "they are joined",
        (),
        "1, folding",
    ),
    Rule("one-name", "folding", "any other name for a call", "the call has two names", ("name-changed",), "1, folding"),
    Rule(
        "object-grows",
        "folding",
        "an object comes that has all of the first and more",
        "it replaces it",
        ("arguments-replaced",),
        "1",
    ),
    Rule(
        "one-object",
        "folding",
        "any other object for a call",
        "the call has two arguments",
        ("arguments-changed",),
        "1, folding",
    ),
    Rule(
        "one-shape",
        "folding",
        "text and an object for one call",
        "the call has two arguments",
        ("arguments-changed",),
        "1, folding",
    ),
    Rule(
        "done-is-authoritative",
        "folding",
        "a done event has the whole text",
        "it counts, whatever was streamed",
        ("arguments-replaced",),
        "1, Responses",
    ),
)

_CLOSING = (
    Rule(
        "oddities-are-said",
        "closing",
        "a string value that is an object's JSON text, or U+FFFD in the arguments",
        "it is said, and left as it is",
        ("nested-json-string", "replacement-character"),
        "1, closing",
    ),
    Rule(
        "first-seen-order",
        "closing",
        "ids and indexes may change",
        "calls keep the order they were first seen in",
        (),
        "1.5",
    ),
    Rule(
        "failure-is-said",
        "closing",
        "an error object, or status 400 or more",
        "the stream ends there",
        ("upstream-error",),
        "1",
    ),
    Rule(
        "empty-is-noticed",
        "closing",
        "a body without a byte",
        "it is a fault of its own",
        ("empty-stream",),
        "1, closing",
    ),
    Rule(
        "needs-finish",
        "closing",
        "the stream ends without a finish signal",
        "it was cut",
        ("stream-cut",),
        "1, closing",
    ),
    Rule(
        "blank-is-empty", "closing", "blank argument text on a finished call", "it is an empty object", (), "1, closing"
    ),
    Rule(
        "snapshots",
        "closing",
        "the joined text is no object, each part extends the one before, and the last is an object",
        "the last one counts",
        ("cumulative-arguments",),
        "1, closing",
    ),
    Rule(
        "double-encoded",
        "closing",
        "the text is a JSON string that holds an object",
        "the object",
        ("double-encoded-arguments",),
        "1",
    ),
    Rule(
        "whole-object",
        "closing",
        "the text is still no JSON object",
        "nobody may execute it",
        ("truncated-arguments", "invalid-arguments"),
        "1",
    ),
    Rule("needs-name", "closing", "a call never got a name", "nobody may execute it", ("missing-name",), "1, closing"),
    Rule(
        "ids-for-all",
        "closing",
        "a call never got an id",
        "it gets one from the allocator, and says so",
        (),
        "1, closing",
    ),
    Rule(
        "calls-decide",
        "closing",
        "calls came, and the finish reason is stop or the like",
        "the finish reason is reported as a tool call's",
        ("finish-reason-mismatch",),
        "1, closing",
    ),
    Rule(
        "limit-casts-doubt",
        "closing",
        "the finish is a length limit, or the output tokens reach the limit that the request set",
        "the last call is not executed",
        ("truncation-suspected",),
        "1, closing",
    ),
    Rule(
        "limit-needs-count",
        "closing",
        "a limit was set, a call came, no tokens were counted",
        "it is said",
        ("limit-unverified",),
        "1",
    ),
    Rule(
        "nothing-is-noticed",
        "closing",
        "neither text, thinking nor calls",
        "a violation when output was counted or a call promised, else an anomaly",
        ("contract-violation", "empty-answer", "empty-after-thinking"),
        "1, closing",
    ),
    Rule(
        "doubled-id",
        "closing",
        "an id is another string twice over",
        "it is said, and kept as sent",
        ("id-doubled",),
        "1, closing",
    ),
    Rule(
        "markup-is-no-call",
        "closing",
        "tool-call markup in text or thinking",
        "it is said; text is never a call",
        ("leaked-tool-markup",),
        "1",
    ),
    Rule(
        "declared-tools-only",
        "closing",
        "a tool that the request did not declare",
        "the call is not executed",
        ("unknown-tool",),
        "1",
    ),
    Rule(
        "parallel-off",
        "closing",
        "a second call although parallel calls were switched off",
        "none is executed",
        ("parallel-calls-disabled",),
        "1, violations",
    ),
    Rule("fail-closed", "closing", "any violation", "no call of the response is executed", (), "1, violations"),
    Rule(
        "limits",
        "closing",
        "calls or bytes pass a limit",
        "the excess is a violation",
        ("too-many-calls", "argument-budget", "metadata-budget", "total-budget"),
        "1, limits",
    ),
    Rule(
        "after-finish",
        "closing",
        "an entry after the finish signal",
        "it is folded all the same",
        ("after-finish",),
        "1, folding",
    ),
    Rule("first-finish", "closing", "two finish reasons", "the first stays", ("second-finish",), "1, folding"),
)

RULES: tuple[Rule, ...] = (*_READING, *_IDENTITY, *_FOLDING, *_CLOSING)
ALL_RULES: frozenset[str] = frozenset(rule.id for rule in RULES)
