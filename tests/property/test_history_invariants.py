"""Histories of few ids in any disorder: what settling gives always holds together, and settling it again does nothing."""

import itertools
import json
from collections import Counter
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from wirelab.history.codes import HISTORY_CODES
from wirelab.history.pairing import pair
from wirelab.history.replay import Replay, next_request
from wirelab.history.settle import ResultOrder, ReusedIds, settle
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.protocols.histories import argument_object
from wirelab.transcript import Call, Dialect, Entry, HistoryError, Message, Result, Text, Transcript

ids = st.sampled_from(["a", "b", "wirelab_1", None, UNSET])
names = st.sampled_from(["look", "peek"])
calls = st.builds(Call, name=names, id=ids, arguments=st.sampled_from(["{}", '{"x":1}', "", UNSET]))
turns = st.builds(Message, st.just("assistant"), st.lists(calls, min_size=1, max_size=3).map(tuple))
words = st.builds(Message, st.sampled_from(["assistant", "user", "system"]), st.just((Text("hm"),)))
silence = st.just(Message("assistant"))
results = st.builds(Result, id=ids, name=st.none() | names, parts=st.just((Text("ok"),)))
histories = st.lists(turns | words | silence | results | results, max_size=8)


def numbered(entries: list[Entry]) -> tuple[Entry, ...]:
    """The entries with their positions, and texts that tell them apart."""
    placed: list[Entry] = []
    for at, entry in enumerate(entries):
        if isinstance(entry, Result):
            placed.append(Result(entry.id, entry.name, (Text(f"result {at}"),), position=at))
        else:
            parts = [Text(f"words {at}") if isinstance(part, Text) else part for part in entry.parts]
            placed.append(Message(entry.role, tuple(parts), at))
    return tuple(placed)


def holds_together(transcript: Transcript) -> None:
    """Every call is directly followed by exactly its results, and there is no other result."""
    entries = list(transcript.entries)
    at = 0
    while at < len(entries):
        entry = entries[at]
        assert isinstance(entry, Message), "a result without its call"
        wanted = [call.id for call in entry.calls]
        answers = entries[at + 1 : at + 1 + len(wanted)]
        assert Counter(each.id for each in answers if isinstance(each, Result)) == Counter(wanted)
        at += 1 + len(wanted)


def texts_of(transcript: Transcript) -> Counter[str]:
    """What is said, placeholders aside."""
    return Counter(
        entry.text
        for entry in transcript.entries
        if entry.text and not (isinstance(entry, Result) and entry.placeholder)
    )


def is_fair(error: HistoryError, source: Transcript, repair: bool) -> None:
    """An error is one of the table's, about a message that is there, and not one that was to be repaired or allowed."""
    assert HISTORY_CODES[error.code].error
    assert 0 <= error.position < len(source.entries)
    assert not (repair and error.code in {"orphan-result", "duplicate-result", "late-result"})
    assert not (source.dialect == "native" and error.code == "missing-call-id")


@settings(max_examples=200)
@given(
    histories,
    st.sampled_from(["chat", "native"]),
    st.sampled_from(["arrival", "call"]),
    st.sampled_from(["rename", "error", "keep"]),
    st.booleans(),
)
def test_what_is_settled_holds_together(
    entries: list[Entry], dialect: Dialect, order: ResultOrder, reused: ReusedIds, repair: bool
) -> None:
    source = Transcript(numbered(entries), dialect)
    try:
        settled = settle(source, result_order=order, reused_ids=reused, repair=repair)
    except HistoryError as refusal:
        is_fair(refusal, source, repair)
        return
    holds_together(settled.transcript)
    codes = Counter(finding.code for finding in settled.findings)
    assert codes.keys() <= HISTORY_CODES.keys()
    dropped = codes["orphan-dropped"] + codes["duplicate-dropped"]
    assert (texts_of(source) - texts_of(settled.transcript)).total() == dropped
    assert (settled.transcript is source) == (not settled.findings)
    if reused != "keep":
        named = [call.id for entry in settled.transcript.entries if isinstance(entry, Message) for call in entry.calls]
        assert len(set(named)) == len(named)
    again = settle(settled.transcript, result_order=order, reused_ids=reused, repair=repair)
    assert again.transcript is settled.transcript
    assert again.findings == ()


def gemini_part(kind: str, name: str, identifier: str | None) -> dict[str, Any]:
    """A part; every call and response has a number of its own, put in later."""
    named = {"name": name} if identifier is None else {"id": identifier, "name": name}
    if kind == "text":
        return {"text": "hm"}
    return (
        {"functionCall": {**named, "args": {}}} if kind == "call" else {"functionResponse": {**named, "response": {}}}
    )


gemini_ids = st.sampled_from(["x", "call_1", None, None])
said_by_model = st.builds(gemini_part, st.sampled_from(["call", "call", "text"]), names, gemini_ids)
said_by_user = st.builds(gemini_part, st.sampled_from(["result", "result", "text"]), names, gemini_ids)
contents = st.lists(
    st.builds(lambda parts: {"role": "model", "parts": parts}, st.lists(said_by_model, min_size=1, max_size=3))
    | st.builds(lambda parts: {"role": "user", "parts": parts}, st.lists(said_by_user, min_size=1, max_size=3)),
    max_size=6,
)


def with_numbers(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Contents in which no two calls and no two responses are alike."""
    numbers = itertools.count()
    copy = []
    for content in drawn:
        parts = [json.loads(json.dumps(part)) for part in content["parts"]]
        for part in parts:
            part.get("functionCall", {}).get("args", {})["n"] = next(numbers)
            if "functionResponse" in part:
                part["functionResponse"]["response"]["output"] = f"result {next(numbers)}"
        copy.append({**content, "parts": parts})
    return copy


def pairs_of(messages: Any, dialect: str) -> dict[int, str]:
    """The result of each call, as the one who reads the request pairs them."""
    transcript = read_history(messages, dialect).transcript
    if dialect == "gemini":
        transcript = pair(transcript).transcript
    numbers: dict[str, int] = {}
    found = {}
    for entry in transcript.entries:
        if isinstance(entry, Result):
            found[numbers[entry.id]] = entry.text
        else:
            numbers.update({call.id: (argument_object(call.arguments) or {})["n"] for call in entry.calls})
    return found


@settings(max_examples=120)
@given(contents, st.sampled_from([None, "arrival", "call"]), st.sampled_from(sorted(DIALECTS)))
def test_gemini_pairs_survive_every_dialect(drawn: list[dict[str, Any]], order: ResultOrder | None, to: str) -> None:
    choice = Replay(source="gemini", repair=True, result_order=order)
    try:
        request = next_request(with_numbers(drawn), choice)
    except HistoryError as error:
        assert error.code == "result-name-mismatch"  # noqa: PT017 - the one thing that repair does not mend
        return
    assert next_request(request.messages, choice).messages == request.messages
    there = next_request(with_numbers(drawn), msgspec.structs.replace(choice, to=to))
    assert pairs_of(there.messages, to) == pairs_of(request.messages, "gemini")
