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


def _rules(step: str, *rows: tuple[str, str, str, tuple[str, ...], str]) -> tuple[Rule, ...]:
    return tuple(Rule(name, step, when, then, codes, source) for name, when, then, codes, source in rows)


_READING = _rules(
    "reading",
    ("id-is-text", "an id that is no string of 1 to 512 characters", "read as absent", ("invalid-id",), "1, reading"),
    ("index-counts", "an index that is no integer from 0 up", "read as absent", ("invalid-index",), "1, reading"),
    ("index-as-text", "an index that is a decimal string", "it counts", ("index-not-integer",), "1, reading"),
    (
        "arguments-kind",
        "arguments that are neither text nor object",
        "nobody may execute them",
        ("invalid-arguments",),
        "1",
    ),
)

_IDENTITY = _rules(
    "identity",
    (
        "known-id",
        "the entry has an id that a call has or had",
        "it belongs to that call, whatever its index",
        (),
        "1.1",
    ),
    (
        "late-id-adopts",
        "a new id, and in its slot a call without an id untouched by this frame, of no other name, incomplete or equal",
        "that call, the earliest, gets the id",
        (),
        "1.2a",
    ),
    (
        "second-id",
        "a new id without a name, and the slot's occupant is incomplete and not touched by this frame",
        "it is another name of that call; the first id stays",
        ("id-changed",),
        "1.2b",
    ),
    (
        "name-joins-incomplete",
        "a name without an id, and the slot's occupant is incomplete",
        "it belongs to the occupant",
        (),
        "1.3",
    ),
    (
        "complete-is-closed",
        "a name without an id, and the slot's occupant is complete",
        "it opens a new call",
        ("index-reused", "repeated-entry"),
        "1.3",
    ),
    (
        "repeat-is-one",
        "the same name and equal arguments again in a later frame, and the occupant has an id",
        "it is a repeat of the occupant",
        ("repeated-entry",),
        "1.3",
    ),
    (
        "one-frame-two-calls",
        "two named entries of one frame without a common id",
        "they are two calls, whatever their slots",
        (),
        "1.3",
    ),
    ("continuation-by-index", "neither id nor name, but an index", "it belongs to the index's occupant", (), "1.4"),
    (
        "continuation-of-last",
        "neither id, name nor index, alone in its frame",
        "it belongs to the call touched last",
        (),
        "1.4",
    ),
    (
        "continuation-by-position",
        "neither id, name nor index, one of several in its frame",
        "it belongs to the call last touched at its position",
        (),
        "1.4",
    ),
    (
        "stray-continuation",
        "a continuation under an index nobody has used, and exactly one call is incomplete",
        "it joins that call",
        ("stray-continuation",),
        "1.4",
    ),
    (
        "ambiguous-identity",
        "a continuation under an index nobody has used, and several calls are incomplete",
        "nobody guesses",
        ("ambiguous-identity",),
        "1.4",
    ),
    ("known-key", "the protocol joins deltas by a key of its own, and the key is known", "that call", (), "1, others"),
    (
        "done-renames",
        "a done event has another call id",
        "it replaces the announced one",
        ("id-changed",),
        "1, Responses",
    ),
    (
        "snapshot-never-renames",
        "the terminal snapshot has another call id",
        "the streamed id stays",
        ("terminal-id-mismatch",),
        "1, Responses",
    ),
)

_FOLDING = _rules(
    "folding",
    ("arguments-shape", "text where objects belong, or the other way round", "it counts", ("arguments-shape",), "1"),
    ("name-grows", "before any argument text a name comes that extends the first", "it replaces it", (), "1, folding"),
    (
        "name-in-pieces",
        "before any argument text a name comes, and both together begin or are a declared tool",
        "they are joined",
        (),
        "1, folding",
    ),
    ("one-name", "any other name for a call", "the call has two names", ("name-changed",), "1, folding"),
    (
        "object-grows",
        "an object comes that has all of the first and more",
        "it replaces it",
        ("arguments-replaced",),
        "1",
    ),
    ("one-object", "any other object for a call", "the call has two arguments", ("arguments-changed",), "1, folding"),
    (
        "one-shape",
        "text and an object for one call",
        "the call has two arguments",
        ("arguments-changed",),
        "1, folding",
    ),
    (
        "done-is-authoritative",
        "a done event has the whole text",
        "it counts, whatever was streamed",
        ("arguments-replaced",),
        "1, Responses",
    ),
)

_CLOSING = _rules(
    "closing",
    (
        "oddities-are-said",
        "a string value that is an object's JSON text, or U+FFFD in the arguments",
        "it is said, and left as it is",
        ("nested-json-string", "replacement-character"),
        "1, closing",
    ),
    (
        "echo-is-no-call",
        "a complete call's name again without id and arguments, and nothing after it",
        "it is a repeat, not a call without arguments",
        ("repeated-entry",),
        "1.3",
    ),
    ("first-seen-order", "ids and indexes may change", "calls keep the order they were first seen in", (), "1.5"),
    ("failure-is-said", "an error object, or status 400 or more", "the stream ends there", ("upstream-error",), "1"),
    ("empty-is-noticed", "a body without a byte", "it is a fault of its own", ("empty-stream",), "1, closing"),
    ("needs-finish", "the stream ends without a finish signal", "it was cut", ("stream-cut",), "1, closing"),
    ("blank-is-empty", "blank argument text on a finished call", "it is an empty object", (), "1, closing"),
    (
        "snapshots",
        "the joined text is no object, each part extends the one before, and the last is an object",
        "the last one counts",
        ("cumulative-arguments",),
        "1, closing",
    ),
    (
        "double-encoded",
        "the text is a JSON string that holds an object",
        "the object",
        ("double-encoded-arguments",),
        "1",
    ),
    (
        "whole-object",
        "the text is still no JSON object",
        "nobody may execute it",
        ("truncated-arguments", "invalid-arguments"),
        "1",
    ),
    ("needs-name", "a call never got a name", "nobody may execute it", ("missing-name",), "1, closing"),
    ("ids-for-all", "a call never got an id", "it gets one from the allocator, and says so", (), "1, closing"),
    (
        "calls-decide",
        "calls came, and the finish reason is stop or the like",
        "the finish reason is reported as a tool call's",
        ("finish-reason-mismatch",),
        "1, closing",
    ),
    (
        "limit-casts-doubt",
        "the finish is a length limit, or the output tokens reach the limit that the request set",
        "the last call is not executed",
        ("truncation-suspected",),
        "1, closing",
    ),
    (
        "limit-needs-count",
        "a limit was set, a call came, no tokens were counted",
        "it is said",
        ("limit-unverified",),
        "1",
    ),
    (
        "nothing-is-noticed",
        "neither text, thinking nor calls",
        "a violation when output was counted or a call promised, else an anomaly",
        ("contract-violation", "empty-answer", "empty-after-thinking"),
        "1, closing",
    ),
    ("doubled-id", "an id is another string twice over", "it is said, and kept as sent", ("id-doubled",), "1, closing"),
    (
        "markup-is-no-call",
        "tool-call markup in text or thinking",
        "it is said; text is never a call",
        ("leaked-tool-markup",),
        "1",
    ),
    (
        "declared-tools-only",
        "a tool that the request did not declare",
        "the call is not executed",
        ("unknown-tool",),
        "1",
    ),
    (
        "parallel-off",
        "a second call although parallel calls were switched off",
        "none is executed",
        ("parallel-calls-disabled",),
        "1, violations",
    ),
    ("fail-closed", "any violation", "no call of the response is executed", (), "1, violations"),
    (
        "limits",
        "calls or bytes pass a limit",
        "the excess is a violation",
        ("too-many-calls", "argument-budget", "metadata-budget", "total-budget"),
        "1, limits",
    ),
    ("after-finish", "an entry after the finish signal", "it is folded all the same", ("after-finish",), "1, folding"),
    ("first-finish", "two finish reasons", "the first stays", ("second-finish",), "1, folding"),
)

RULES: tuple[Rule, ...] = (*_READING, *_IDENTITY, *_FOLDING, *_CLOSING)
ALL_RULES: frozenset[str] = frozenset(rule.id for rule in RULES)
