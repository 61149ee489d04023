"""The rules of settling, one after the other; every history is told as chat or native messages."""

from typing import Any

import msgspec
import pytest

from wirelab.history.settle import PLACEHOLDER, Settled, settle
from wirelab.ids import IdAllocator
from wirelab.protocols.dialects import read_history
from wirelab.transcript import Call, HistoryError, Message, Result, Text, Thought, Transcript

USER = {"role": "user", "content": "q"}


def call(identifier: Any = "a", name: str = "look", arguments: Any = "{}", **keys: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}, **keys}
    return entry if identifier == "absent" else {"id": identifier, **entry}


def turn(*calls: dict[str, Any], content: Any = None, **keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **keys}


def result(identifier: Any = "a", content: Any = "ok", **keys: Any) -> dict[str, Any]:
    message = {"role": "tool", "content": content, **keys}
    return message if identifier == "absent" else {"tool_call_id": identifier, **message}


def run(*messages: dict[str, Any], dialect: str = "chat", **options: Any) -> Settled:
    return settle(read_history(list(messages), dialect).transcript, **options)


def shape(settled: Settled) -> list[str]:
    """The settled transcript, a word an entry."""
    return [
        f"{entry.id}={'?' if entry.placeholder else entry.text}"
        if isinstance(entry, Result)
        else "+".join(f"{each.name}:{each.id}" for each in entry.calls) or f"{entry.role} {entry.text}".strip()
        for entry in settled.transcript.entries
    ]


def codes(settled: Settled) -> list[str]:
    return [finding.code for finding in settled.findings]


def refused(*messages: dict[str, Any], dialect: str = "chat", **options: Any) -> tuple[str, int, Any]:
    with pytest.raises(HistoryError) as caught:
        run(*messages, dialect=dialect, **options)
    assert str(caught.value).startswith(f"{caught.value.code}: message {caught.value.position}: ")
    return caught.value.code, caught.value.position, caught.value.id


def test_nothing_to_do_returns_the_very_input() -> None:
    transcript = read_history([USER, turn(call()), result()], "chat").transcript
    assert settle(transcript).transcript is transcript
    assert settle(Transcript(())).transcript.entries == ()


def test_messages_without_new_calls_are_held_back() -> None:
    settled = run(turn(call("a"), call("b")), {"role": "assistant", "content": "soon"}, USER, result("a"), result("b"))
    assert shape(settled) == ["look:a+look:b", "a=ok", "b=ok", "assistant soon", "user q"]
    assert [(each.code, each.position) for each in settled.findings] == [("held-back", 1), ("held-back", 2)]


def test_a_message_that_no_result_follows_was_not_moved() -> None:
    settled = run(turn(call("a"), call("b")), result("a"), USER)
    assert shape(settled) == ["look:a+look:b", "a=ok", "b=?", "user q"]
    assert codes(settled) == ["missing-result"]
    assert settled.transcript.entries[2].text == PLACEHOLDER


def test_results_keep_their_order_of_arrival_or_get_that_of_the_calls() -> None:
    history = (turn(call("a"), call("b"), call("c")), result("c", "3"), result("a", "1"))
    assert shape(run(*history)) == ["look:a+look:b+look:c", "c=3", "a=1", "b=?"]
    settled = run(*history, result_order="call")
    assert shape(settled)[1:] == ["a=1", "b=?", "c=3"]
    assert codes(settled) == ["missing-result", "results-reordered"]


def test_a_new_batch_settles_its_predecessor() -> None:
    settled = run(turn(call("a")), USER, turn(call("b")), result("b"))
    assert shape(settled) == ["look:a", "a=?", "user q", "look:b", "b=ok"]


def test_the_first_error_by_position_is_reported() -> None:
    assert refused(turn(call("a")), result("z"), turn(call(" "))) == ("orphan-result", 1, "z")
    assert refused(turn(call("a", arguments="["), call(None)), result("z")) == ("bad-arguments", 0, "a")


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ([turn(call("a")), result("a"), result("a")], ("duplicate-result", 2, "a")),
        ([turn(call("a")), turn(call("b")), result("a")], ("late-result", 2, "a")),
        ([USER, result("z")], ("orphan-result", 1, "z")),
        ([USER, result("absent")], ("orphan-result", 1, None)),
        ([USER, result(None)], ("orphan-result", 1, None)),
        ([turn(call("a", "look")), result("a", name="peek")], ("result-name-mismatch", 1, "a")),
        ([turn(call("a"), call("a", "peek"))], ("duplicate-call-id", 0, "a")),
        ([turn(call("a"), call("a", arguments='{"x":1}'))], ("duplicate-call-id", 0, "a")),
        ([turn(call(None))], ("missing-call-id", 0, None)),
        ([turn(call("absent"))], ("missing-call-id", 0, None)),
        ([turn(call("a")), result("absent")], ("missing-call-id", 1, None)),
        ([turn(call(""))], ("invalid-id", 0, "")),
        ([turn(call(7))], ("invalid-id", 0, 7)),
        ([turn(call("a")), result("  ")], ("invalid-id", 1, "  ")),
        ([USER, result(["a"])], ("invalid-id", 1, ["a"])),
        ([turn(call("a", arguments="[1]"))], ("bad-arguments", 0, "a")),
        ([turn(call("a", arguments='{"x":'))], ("bad-arguments", 0, "a")),
        ([turn(call("a", arguments='{"x":NaN}'))], ("bad-arguments", 0, "a")),
        ([turn(call("a", arguments=5))], ("bad-arguments", 0, "a")),
        ([turn(call("a", arguments="[" * 100_000))], ("bad-arguments", 0, "a")),
        ([{"role": "function", "content": "x"}], ("unknown-role", 0, None)),
        ([{"content": "x"}], ("unknown-role", 0, None)),
        ([{"role": ["user"], "content": "x"}], ("unknown-role", 0, None)),
    ],
)
def test_errors(messages: list[dict[str, Any]], error: tuple[str, int, Any]) -> None:
    assert refused(*messages) == error


def test_bad_arguments_without_an_id_where_that_may_be() -> None:
    assert refused(turn(call("absent", arguments="x")), dialect="native") == ("bad-arguments", 0, None)


def test_an_identical_clone_folds() -> None:
    twice = run(turn(call("a", arguments='{"x":1}'), call("a", arguments='{"x": 1}')), result("a"))
    assert (shape(twice), codes(twice)) == (["look:a", "a=ok"], ["duplicate-call-folded"])


def test_a_message_that_repeats_the_open_batch_is_commentary() -> None:
    again = run(turn(call("a")), turn(call("a"), content="still looking"), turn(call("a")), result("a"))
    assert shape(again) == ["look:a", "a=ok", "assistant still looking"]
    assert codes(again) == ["duplicate-call-folded", "held-back", "duplicate-call-folded"]


def test_a_repeated_call_beside_a_new_one_opens_a_batch() -> None:
    settled = run(turn(call("a")), turn(call("a"), call("b")), result("a"), result("b"))
    assert shape(settled) == ["look:a", "a=?", "look:wirelab_1+look:b", "wirelab_1=ok", "b=ok"]


def test_an_id_that_is_used_again_is_renamed_with_its_results() -> None:
    history = (
        turn(call("a")),
        result("a", "1"),
        turn(call("a"), call("wirelab_1")),
        result("a", "2"),
        result("wirelab_1"),
    )
    settled = run(*history)
    assert shape(settled)[2:] == ["look:wirelab_2+look:wirelab_1", "wirelab_2=2", "wirelab_1=ok"]
    assert [(each.code, each.id) for each in settled.findings] == [("call-id-reused", "a")]
    assert shape(run(*history, allocator=IdAllocator("x")))[2:4] == ["look:x1+look:wirelab_1", "x1=2"]


def test_an_id_is_used_again_although_its_batch_is_open() -> None:
    settled = run(turn(call("a", arguments='{"x":1}')), turn(call("a", arguments='{"x":2}')), result("a"))
    assert shape(settled) == ["look:a", "a=?", "look:wirelab_1", "wirelab_1=ok"]


def test_reused_ids_may_be_refused_or_kept() -> None:
    history = (turn(call("a")), result("a", "1"), turn(call("a")), result("a", "2"))
    assert refused(*history, reused_ids="error") == ("call-id-reused", 2, "a")
    beside_a_new_one = (turn(call("a")), turn(call("a"), call("b")), result("a"), result("b"))
    assert refused(*beside_a_new_one, reused_ids="error") == ("call-id-reused", 1, "a")
    kept = run(*history, reused_ids="keep")
    assert (shape(kept), codes(kept)) == (["look:a", "a=1", "look:a", "a=2"], [])
    assert refused(*history, result("a"), reused_ids="keep")[0] == "duplicate-result"


def test_blank_arguments_are_an_empty_object() -> None:
    for blank in ("", "  ", None):
        settled = run(turn(call("a", arguments=blank)), result("a"))
        assert codes(settled) == ["blank-arguments"]
        assert settled.transcript.entries[0].calls[0].arguments == {}  # type: ignore[union-attr]


def test_native_calls_without_id_get_one_and_results_find_them() -> None:
    settled = run(
        turn(call("absent", "look"), call("absent", "peek"), call("absent", "look")),
        result("absent", "p", tool_name="peek"),
        result("absent", "l1", tool_name="look"),
        result("absent", "l2"),
        dialect="native",
        result_order="call",
    )
    assert shape(settled)[1:] == ["wirelab_1=l1", "wirelab_2=p", "wirelab_3=l2"]
    assert sorted(codes(settled)) == [
        "ambiguous-pairing",
        "call-id-allocated",
        "call-id-allocated",
        "call-id-allocated",
        "result-matched-by-name",
        "result-matched-by-name",
        "result-matched-by-name",
        "results-reordered",
    ]


def test_a_native_result_of_an_unknown_tool_answers_the_oldest_and_loses_the_name() -> None:
    settled = run(
        turn(call("a", "look"), call("b", "look")), result("absent", tool_name="peek"), result("b"), dialect="native"
    )
    assert shape(settled) == ["look:a+look:b", "a=ok", "b=ok"]
    assert settled.transcript.entries[1].name is None  # type: ignore[union-attr]
    assert codes(settled) == ["result-matched-by-name", "ambiguous-pairing"]
    assert settle(settled.transcript).transcript is settled.transcript


def test_results_with_and_without_id_share_the_calls() -> None:
    history = (turn(call("a"), call("b"), call("c")), result("absent", "1"), result("b", "2"), result("absent", "3"))
    assert shape(run(*history, dialect="native"))[1:] == ["a=1", "b=2", "c=3"]
    known_first = (history[0], result("b", "2"), result("absent", "1"), result("c", "3"))
    assert shape(run(*known_first, dialect="native", result_order="call"))[1:] == ["a=1", "b=2", "c=3"]


def test_repair_drops_orphans_and_duplicates_and_places_late_results() -> None:
    settled = run(
        result("z"),
        result(None),
        turn(call("a"), call("b")),
        result("a", "1"),
        result("a", "again"),
        turn(call("c")),
        result("c"),
        result("b", "2"),
        result("b", "too late"),
        repair=True,
    )
    assert shape(settled) == ["look:a+look:b", "a=1", "b=2", "look:c", "c=ok"]
    assert codes(settled) == [
        "orphan-dropped",
        "orphan-dropped",
        "duplicate-dropped",
        "late-result-placed",
        "duplicate-dropped",
    ]
    assert refused(turn(call("a")), turn(call("b")), result("a", name="peek"), repair=True)[0] == "result-name-mismatch"


def test_a_placeholder_that_was_stored_is_one_still() -> None:
    stored = (turn(call("a"), call("b")), result("a", PLACEHOLDER))
    assert refused(*stored, result("a"), result("b"))[0] == "late-result"
    assert shape(run(*stored, result("a", "1"), result("b"), repair=True)) == ["look:a+look:b", "a=1", "b=ok"]
    settled = run(*stored, result("b"), turn(call("c")), result("c"), result("a", "1"), repair=True)
    assert shape(settled)[:3] == ["look:a+look:b", "a=1", "b=ok"]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": ""},
        {"role": "assistant"},
        {"role": "assistant", "content": [{"type": "text", "text": ""}], "tool_calls": []},
        {"role": "assistant", "content": None, "refusal": None, "reasoning": ""},
    ],
)
def test_an_assistant_message_that_holds_nothing_is_dropped(message: dict[str, Any]) -> None:
    settled = run(USER, message, turn(call()), message, result())
    assert shape(settled) == ["user q", "look:a", "a=ok"]
    assert codes(settled) == ["empty-assistant-dropped"] * 2


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "assistant", "content": None, "reasoning": "hm"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "s"}]},
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]},
        {"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": None, "audio": {"id": "x"}},
        {"role": "user", "content": ""},
    ],
)
def test_a_message_that_holds_anything_stays(message: dict[str, Any]) -> None:
    transcript = read_history([message], "chat").transcript
    assert settle(transcript).transcript is transcript


def test_a_signed_but_empty_part_of_gemini_holds_something() -> None:
    signed = Message("assistant", (Text("", signature="s"),))
    thought = Message("assistant", (Thought("", encrypted="x"),))
    assert settle(Transcript((signed, thought))).findings == ()


def test_calls_of_one_message_stay_where_they_were_among_its_parts() -> None:
    parts = (Text("one"), Call("look", "a", {}), Text("two"), Call("look", "a", {}), Thought("three"))
    settled = settle(Transcript((Message("assistant", parts), Result("a"))))
    assert settled.transcript.entries[0] == Message("assistant", (parts[0], parts[1], parts[2], parts[4]))


def test_findings_come_in_the_order_of_the_messages() -> None:
    settled = run(turn(call("a"), call("b", arguments="")), USER, result("b"), {"role": "assistant"}, turn(call("b")))
    positions = [finding.position for finding in settled.findings]
    assert positions == sorted(p for p in positions if p is not None)
    assert all(msgspec.json.encode(finding) for finding in settled.findings)
