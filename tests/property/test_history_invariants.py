"""Histories of few ids in any disorder: what settling gives always holds together, and settling it again does nothing."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from wirelab.history.codes import HISTORY_CODES
from wirelab.history.settle import ResultOrder, ReusedIds, settle
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


@settings(max_examples=600)
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
