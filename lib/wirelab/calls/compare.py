"""One answer read by every policy: what each kind of client would make of it, and whether it could have known.

The words are those of `captures/cases/peer-matrix.json`, where published clients were measured. What they compare with
is the reading of `id-first`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from wirelab.calls.contradictions import CONTRADICTIONS
from wirelab.calls.machine import read_body
from wirelab.calls.policies import POLICIES, find_policy
from wirelab.model import Finding, Reading, ToolCall

WORDS: dict[str, str] = {
    "ok": "the same calls, ids included",
    "newid": "the same calls; no id was sent, and each got one of its own",
    "reid": "the same calls, but an id that was sent was replaced, or one id stands for two calls",
    "noid": "the same calls, but an id that was sent is gone",
    "merged": "two calls became one",
    "split": "one call became several",
    "dropped": "a call is missing, without an error",
    "garbled": "the right number of calls, with a wrong id, name or arguments",
    "raised": "the client stops with an error",
    "refused": "nothing may be executed, and the client says so",
    "silent-truncated": "a cut or broken call is handed over as finished",
    "silent-kept": "whole calls of a broken answer are handed over, the break is not reported",
    "flagged": "a broken call is handed over with a mark",
    "discarded": "nothing is handed over of a broken answer, without an error",
}
"""What became of the calls, a word each."""

RIGHT = frozenset({"ok", "newid", "reid", "noid", "raised", "refused", "flagged"})
"""Words of readings by which no wrong call is run, and none is lost, without the caller knowing."""


class PolicyRow(msgspec.Struct, frozen=True):
    """One policy's reading in a word of `WORDS`.

    `could_have_known` are the codes of the contradictions it met, `id-first`'s findings for `id-first`. `runs` counts
    the calls that such a client would execute. `reading` is everything.
    """

    policy: str
    word: str
    runs: int
    could_have_known: tuple[str, ...]
    reading: Reading

    @property
    def misleads(self) -> bool:
        """Wrong calls are handed over, or calls are gone, and no error says so."""
        return self.word not in RIGHT


def compare_policies(
    body: bytes, protocol: str, policies: Iterable[str] = tuple(POLICIES), **options: Any
) -> tuple[PolicyRow, ...]:
    """Read a body by each policy (or client), in the order given. Options as for `read_body`, `policy` aside.

    Each reading stops where such a client stops. Raises MisuseError for an unknown protocol or policy.
    """
    ours = read_body(body, protocol, **{**options, "policy": "id-first", "strict": True})
    return tuple(_row(read_body(body, protocol, **{**options, "policy": name}), ours) for name in policies)


def _row(reading: Reading, ours: Reading) -> PolicyRow:
    return PolicyRow(
        policy=reading.policy,
        word=word_of(reading, ours),
        runs=len(reading.executable),
        could_have_known=could_have_known(reading.findings),
        reading=reading,
    )


def could_have_known(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The codes of the contradictions among findings, each once, in the order they were met."""
    return tuple(dict.fromkeys(finding.code for finding in findings if finding.code in CONTRADICTIONS))


def word_of(reading: Reading, ours: Reading) -> str:
    """What became of the calls that `ours`, the reading of `id-first`, has."""
    if reading.policy == "id-first":
        return "refused" if ours.error is not None else "ok"
    if reading.error is not None:
        return "raised"
    return _of_whole(reading, ours) if ours.error is None else _of_broken(reading, ours.error.code)


def _of_broken(reading: Reading, why: str) -> str:
    """The answer must not be executed: is anything of it handed over all the same?"""
    if not reading.executable:
        return "flagged" if reading.calls else "discarded"
    marked = find_policy(reading.policy).broken == "flag"
    cut = not marked and any(not call.complete for call in reading.calls)
    return "silent-truncated" if cut or why == "continuation-without-call" else "silent-kept"


def _of_whole(reading: Reading, ours: Reading) -> str:
    got, wanted = [_content(call) for call in reading.calls], [_content(call) for call in ours.calls]
    if Counter(got) == Counter(wanted):
        return _of_ids(reading.calls, ours.calls)
    if len(got) == len(wanted):
        return "garbled"
    if len(got) > len(wanted):
        return "split"
    return "merged" if Counter(got) - Counter(wanted) else "dropped"


def _of_ids(got: tuple[ToolCall, ...], wanted: tuple[ToolCall, ...]) -> str:
    """The calls are right: are their ids?"""
    sent = [(None if call.id_source == "allocated" else call.id) for call in _in_order(wanted)]
    held = [call.id or None for call in _in_order(got)]
    given = [(one, other) for one, other in zip(held, sent, strict=True) if other is not None]
    if any(one is None for one, _ in given):
        return "noid"
    if any(one != other for one, other in given):
        theirs = [call.id for call in got if call.id_source != "allocated"]
        joined = any(one != other and str(other) in one for one in theirs for _, other in given)
        return "garbled" if joined else "reid"
    made = [one for one, other in zip(held, sent, strict=True) if other is None and one is not None]
    if len(set(made)) < len(made):
        return "reid"
    return "newid" if made else "ok"


def _in_order(calls: tuple[ToolCall, ...]) -> list[ToolCall]:
    return sorted(calls, key=lambda call: (*_content(call), call.id))


def _content(call: ToolCall) -> tuple[str, str]:
    """Name and arguments, comparable: the object with its keys in order, else the text."""
    known = call.arguments is not None
    text = msgspec.json.encode(call.arguments, order="sorted").decode() if known else call.arguments_text
    return call.name or "", text
