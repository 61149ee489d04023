"""Each policy's answer to the one question, and each of its small choices, on the smallest stream that shows it."""

import json
from typing import Any

import msgspec
import pytest

from wirelab.calls import CLIENTS, POLICIES, Limits, ResponseMachine, client_policy, find_policy, read_body
from wirelab.calls.compare import WORDS, compare_policies, word_of
from wirelab.calls.contradictions import CONTRADICTIONS
from wirelab.calls.otherclient import OtherClient, leading_object
from wirelab.calls.policy import Policy
from wirelab.codes import CODES
from wirelab.errors import MisuseError, ProtocolViolationError
from wirelab.model import Asked, Fragment, Reading, Severity

NAMED = (
    "id-first",
    "id-then-index",
    "index-first-strict",
    "index-concat",
    "index-last-wins",
    "index-first-wins",
    "index-and-id",
    "id-or-last",
    "one-open-call",
    "append-each",
    "content-dedupe",
    "frame-ordinal",
    "evidence",
)
A, B = '{"city":"Oslo"}', '{"tz":"CET"}'
ENTRY = dict[str, Any]


def entry(index: int | None = 0, id: str | None = None, name: str | None = None, arguments: Any = None) -> ENTRY:  # noqa: A002
    fields = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    return {key: value for key, value in fields.items() if value is not None}


def chat(*frames: list[ENTRY], finish: str | None = "tool_calls") -> bytes:
    """A chat stream whose chunks have these entries."""
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": entries}}]} for entries in frames]
    ends = [{"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}] if finish else []
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in (*chunks, *ends))


def native(*frames: list[ENTRY]) -> bytes:
    """A native stream whose lines have these calls; indexes stand in the function."""
    lines: list[ENTRY] = [{"message": {"tool_calls": [_native(each) for each in entries]}} for entries in frames]
    return b"".join(json.dumps(line).encode() + b"\n" for line in (*lines, {"done": True, "done_reason": "stop"}))


def _native(each: ENTRY) -> ENTRY:
    function = {**each["function"], "index": each.get("index")}
    return {"id": each.get("id"), "function": function}


def made_up(policy: str, **choices: Any) -> Policy:
    return msgspec.structs.replace(POLICIES[policy], **choices)


def feed(policy: Policy, *fragments: Fragment, protocol: str = "chat", **options: Any) -> Reading:
    """A reading of fragments by a policy that need not have a name."""
    machine = OtherClient(policy, protocol, strict=False, **options)
    for fragment in fragments:
        machine.fragment(fragment)
    machine.finish(99, "completed" if protocol == "responses" else "tool_calls")
    return machine.close()


def calls(reading: Reading) -> list[tuple[str, str | None, str]]:
    ids = ["*" if call.id_source == "allocated" else call.id for call in reading.calls]
    return [(one, call.name, call.arguments_text) for one, call in zip(ids, reading.calls, strict=True)]


def codes(reading: Reading) -> list[str]:
    return [finding.code for finding in reading.findings]


TWO_AT_ONE_INDEX = chat([entry(0, "a", "weather", A)], [entry(0, "b", "time", B)])


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("id-first", [("a", "weather", A), ("b", "time", B)]),
        ("id-then-index", [("a", "weather", A), ("b", "time", B)]),
        ("index-concat", [("ab", "weathertime", A + B)]),
        ("index-last-wins", [("b", "time", A + B)]),
        ("index-first-wins", [("a", "weather", A + B)]),
        ("index-and-id", [("a", "weather", A), ("b", "time", B)]),
        ("id-or-last", [("a", "weather", A), ("b", "time", B)]),
        ("one-open-call", [("b", "time", A + B)]),
        ("append-each", [("a", "weather", A), ("b", "time", B)]),
        ("content-dedupe", [("a", "weather", A), ("b", "time", B)]),
        ("frame-ordinal", [("a", "weather", A), ("b", "time", B)]),
        ("evidence", [("a", "weather", A), ("b", "time", B)]),
    ],
)
def test_two_ids_at_one_index(policy: str, expected: list[tuple[str, str, str]]) -> None:
    reading = read_body(TWO_AT_ONE_INDEX, "chat", policy=policy)
    assert calls(reading) == expected
    assert reading.policy == policy
    assert reading.error is None
    assert reading.executable == tuple(call.id for call in reading.calls)
    if len(expected) == 1:
        assert {"id-changed", "name-changed", "arguments-changed", "invalid-arguments"} <= set(codes(reading))


def test_the_policies_are_those_of_the_specification() -> None:
    assert tuple(POLICIES) == NAMED
    assert all(policy.says and policy.read_by for policy in POLICIES.values())


@pytest.mark.parametrize("policy", NAMED)
def test_the_whole_way_is_the_same_for_every_policy(policy: str) -> None:
    whole = read_body(TWO_AT_ONE_INDEX, "chat", policy=policy, strict=False)
    machine = ResponseMachine("chat", policy=policy, strict=False)
    for byte in TWO_AT_ONE_INDEX:
        machine.push(bytes([byte]))
    assert machine.snapshot().executable == ()
    assert machine.close() == whole
    with pytest.raises(MisuseError):
        machine.push(b"data: {}\n\n")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (TWO_AT_ONE_INDEX, "id-changed"),
        (chat([entry(0, None, "weather", A)], [entry(0, None, "time", B)]), "name-changed"),
    ],
)
def test_index_first_strict_stops_at_a_contradiction(body: bytes, code: str) -> None:
    machine = ResponseMachine("chat", policy="index-first-strict")
    with pytest.raises(ProtocolViolationError, match=code) as stopped:
        machine.push(body)
    assert stopped.value.finding.severity is Severity.VIOLATION
    lenient = read_body(body, "chat", policy="index-first-strict", strict=False)
    assert lenient.error is not None
    assert lenient.error.code == code
    assert lenient.executable == ()


def test_a_contradiction_is_an_anomaly_to_those_who_go_on() -> None:
    reading = read_body(TWO_AT_ONE_INDEX, "chat", policy="index-last-wins")
    assert {finding.severity for finding in reading.findings} == {Severity.ANOMALY}
    assert set(codes(reading)) <= CONTRADICTIONS <= set(CODES)


def test_a_machine_that_has_ended_says_so() -> None:
    machine = OtherClient(POLICIES["append-each"], "chat")
    machine.close(empty_body=True)
    with pytest.raises(MisuseError, match="has ended"):
        machine.fragment(Fragment(0, 0, 1, name="weather"))


def test_an_unknown_policy_is_told() -> None:
    with pytest.raises(MisuseError, match="no policy 'guess'; there are id-first, "):
        find_policy("guess")


def test_a_client_is_a_policy_with_its_own_choices() -> None:
    name = "smolagents OpenAIModel"
    row = client_policy(CLIENTS[name])
    assert (row.name, row.key, row.ids, row.missing_index) == (name, "index", "last-wins", "raise")
    assert find_policy(name) == row
    assert read_body(TWO_AT_ONE_INDEX, "chat", policy=name).policy == name


# Where an entry without an index stands, and what a call without an id becomes.

NO_INDEX = chat([entry(None, "a", "weather"), entry(None, "b", "time")], [entry(None, arguments=A)])


@pytest.mark.parametrize(
    ("choice", "expected", "code"),
    [
        ("position", [("a", "weather", A), ("b", "time", "")], None),
        ("one-slot", [("b", "time", A)], "id-changed"),
        ("own-call", [("a", "weather", ""), ("b", "time", ""), ("", None, A)], "call-split"),
        ("drop", [], "missing-index"),
    ],
)
def test_a_missing_index(choice: str, expected: list[tuple[str, str | None, str]], code: str | None) -> None:
    policy = made_up("index-last-wins", missing_index=choice)
    fragments = [
        Fragment(0, 0, 2, id="a", name="weather"),
        Fragment(0, 1, 2, id="b", name="time"),
        Fragment(1, 0, 1, arguments=A),
    ]
    reading = feed(policy, *fragments)
    assert calls(reading) == expected
    assert reading.error is None
    assert code is None or code in codes(reading)


def test_a_missing_index_may_be_an_error() -> None:
    reading = read_body(NO_INDEX, "chat", policy="openai-python stream()")
    assert reading.error is not None
    assert reading.error.code == "missing-index"


@pytest.mark.parametrize(
    ("choice", "expected", "error"),
    [
        ("allocate", [("*", "weather", A)], None),
        ("keep", [("", "weather", A)], None),
        ("drop", [], None),
        ("raise", [], "missing-id"),
    ],
)
def test_a_missing_id(choice: str, expected: list[tuple[str, str, str]], error: str | None) -> None:
    reading = feed(
        made_up("index-first-wins", missing_id=choice), Fragment(0, 0, 1, index=0, name="weather", arguments=A)
    )
    assert calls(reading) == expected
    assert (reading.error.code if reading.error else None) == error
    assert ("missing-id" in codes(reading)) == (choice != "allocate")


def test_a_late_id_and_one_that_is_taken() -> None:
    late = [Fragment(0, 0, 1, index=0, name="weather"), Fragment(1, 0, 1, index=0, id="a", arguments=A)]
    assert calls(feed(POLICIES["index-first-wins"], *late)) == [("a", "weather", A)]
    reading = feed(POLICIES["evidence"], *late)
    assert calls(reading) == [("*", "weather", A)]
    assert codes(reading) == ["id-changed"]
    shared = [
        Fragment(at, 0, 1, index=at, id="a", name=name, arguments=A) for at, name in enumerate(("weather", "time"))
    ]
    reading = feed(POLICIES["evidence"], *shared)
    assert [call.id_source for call in reading.calls] == ["provider", "allocated"]
    assert "name-changed" in codes(reading)


# Indexes as places in a list.


@pytest.mark.parametrize(
    ("gap", "expected", "error"),
    [
        ("label", [("a", "weather", A)], None),
        ("pad", [("", None, ""), ("", None, ""), ("a", "weather", A)], None),
        ("raise", [("a", "weather", A)], "index-gap"),
    ],
)
def test_an_index_beyond_the_next_free_one(
    gap: str, expected: list[tuple[str, str | None, str]], error: str | None
) -> None:
    policy = made_up("index-last-wins", index_base=None if gap == "label" else 0, gap=gap)
    reading = feed(policy, Fragment(0, 0, 1, index=2, id="a", name="weather", arguments=A))
    assert calls(reading) == expected
    assert (reading.error.code if reading.error else None) == error


def test_a_padded_place_is_filled_later_and_a_huge_index_ends_at_the_limit() -> None:
    policy = made_up("index-last-wins", index_base=0, gap="pad", missing_index="own-call")
    reading = feed(
        policy,
        Fragment(0, 0, 1, index=1, id="b", name="time", arguments=B),
        Fragment(1, 0, 1, index=0, id="a", name="weather", arguments=A),
        Fragment(2, 0, 1, id="c", name="place", arguments=A),
    )
    assert calls(reading) == [("a", "weather", A), ("b", "time", B), ("c", "place", A)]
    huge = feed(policy, Fragment(0, 0, 1, index=10**17, id="a", name="weather"), limits=Limits(calls=5))
    assert len(huge.calls) == 5
    assert "too-many-calls" in codes(huge)
    assert huge.error is None


# Folds.


def test_what_is_joined_to_itself_is_noticed() -> None:
    again = [entry(0, "xy", "weather", A)], [entry(0, "xy", "weather", "")]
    reading = read_body(chat(*again), "chat", policy="index-concat")
    assert calls(reading) == [("xyxy", "weatherweather", A)]
    assert {"id-changed", "name-changed", "id-doubled"} <= set(codes(reading))
    assert reading.calls[0].aliases == ("xy", 0)


def test_a_name_in_pieces_is_no_contradiction() -> None:
    pieces = [Fragment(0, 0, 1, index=0, id="a", name="wea"), Fragment(1, 0, 1, index=0, name="ther", arguments=A)]
    reading = feed(POLICIES["index-concat"], *pieces, asked=Asked(tools=frozenset({"weather"})))
    assert calls(reading) == [("a", "weather", A)]
    assert codes(reading) == []
    grows = [Fragment(0, 0, 1, index=0, id="a", name="wea"), Fragment(1, 0, 1, index=0, name="weather", arguments=A)]
    assert codes(feed(POLICIES["index-last-wins"], *grows)) == []


@pytest.mark.parametrize(
    ("choice", "expected"), [("first-wins", '{"x":1}'), ("last-wins", '{"y":2}'), ("concat", '{"x":1}{"y":2}{"z":3}')]
)
def test_objects_fold(choice: str, expected: str) -> None:
    values = [msgspec.Raw(b'{"x":1}'), msgspec.Raw(b'{"y":2}')] + (
        [msgspec.Raw(b'{"z":3}')] if choice == "concat" else []
    )
    fragments = [Fragment(at, 0, 1, index=0, id="a", name="f", arguments=value) for at, value in enumerate(values)]
    reading = feed(made_up("index-first-wins", arguments=choice), *fragments, protocol="native")
    assert reading.calls[0].arguments_text == expected
    assert "arguments-changed" in codes(reading)


def test_the_other_shape_is_noticed_and_read() -> None:
    reading = feed(POLICIES["append-each"], Fragment(0, 0, 1, name="f", arguments=msgspec.Raw(b"{}")))
    assert "arguments-shape" in codes(reading)
    reading = feed(POLICIES["append-each"], Fragment(0, 0, 1, name="f", arguments=A), protocol="native")
    assert "arguments-shape" in codes(reading)
    assert reading.calls[0].arguments == json.loads(A)


# What is left out, split or sent again.


def test_equal_calls_are_left_out_and_it_is_said() -> None:
    body = native([entry(0, "a", "weather", {"city": "Oslo"}), entry(1, "b", "weather", {"city": "Oslo"})])
    reading = read_body(body, "native", policy="content-dedupe")
    assert [call.id for call in reading.calls] == ["a"]
    assert codes(reading) == ["call-dropped"]


def test_an_entry_that_says_nothing_is_nothing() -> None:
    assert feed(POLICIES["append-each"], Fragment(0, 0, 1, index=0, id="", name="", arguments="")).calls == ()


def test_pieces_that_become_calls_are_noticed() -> None:
    body = chat([entry(0, "a", "weather", '{"ci')], [entry(0, "a", arguments='ty":1}')], [entry(0, arguments=" ")])
    reading = read_body(body, "chat", policy="append-each")
    assert len(reading.calls) == 3
    assert codes(reading).count("call-split") == 2


@pytest.mark.parametrize(
    ("second", "code"),
    [
        (entry(0, "a", "weather", A), "repeated-entry"),
        (entry(0, "a", "weather", B), "arguments-changed"),
        (entry(0, "a", "time", A), "name-changed"),
        (entry(0, None, "time", A), "index-reused"),
    ],
)
def test_a_second_call_where_one_was_is_noticed(second: ENTRY, code: str) -> None:
    reading = read_body(chat([entry(0, "a", "weather", A)], [second]), "chat", policy="append-each")
    assert len(reading.calls) == 2
    assert code in codes(reading)


def test_equal_arguments_under_one_index_are_a_repeat_only_of_the_same_name() -> None:
    again = read_body(chat([entry(0, "a", "w", A)], [entry(0, "a", "w", A)]), "chat", policy="index-first-wins")
    assert "repeated-entry" in codes(again)
    other = read_body(chat([entry(0, "a", "w", A)], [entry(0, "a", "t", A)]), "chat", policy="index-first-wins")
    assert "repeated-entry" not in codes(other)
    assert "name-changed" in codes(other)


def test_only_the_first_entry_of_a_frame_is_read_by_some() -> None:
    reading = read_body(chat([entry(0, "a", "w", A), entry(1, "b", "t", B)]), "chat", policy="llama-index-llms-openai")
    assert [call.id for call in reading.calls] == ["a"]
    assert codes(reading) == ["call-dropped"]


# Evidence.


@pytest.mark.parametrize(
    ("frames", "names"),
    [
        ([[entry(0, None, "w", A)], [entry(0, None, "w", A)]], ["w", "w"]),
        ([[entry(0, None, "w", '{"a":')], [entry(0, None, "w", "1}")]], ["w"]),
        ([[entry(0, None, "w", A)], [entry(0, None, "t", B)]], ["w", "t"]),
        ([[entry(0, "a", "w", '{"a":')], [entry(7, "a", None, "1}")]], ["w"]),
        ([[entry(0, "a", "w", '{"a":')], [entry(7, None, None, "1}")]], ["w"]),
        ([[entry(0, "a", "w", "{"), entry(1, "b", "t", "{")], [entry(7, None, None, "}")]], ["w", "t"]),
    ],
)
def test_evidence(frames: list[list[ENTRY]], names: list[str]) -> None:
    assert [call.name for call in read_body(chat(*frames), "chat", policy="evidence").calls] == names


# The end.


@pytest.mark.parametrize(
    ("choice", "text", "held", "runs"),
    [
        ("hand-over", '{"a', None, 1),
        ("empty", '{"a', {}, 1),
        ("flag", '{"a', None, 0),
        ("leading", '{"a', {}, 1),
        ("leading", A + B, json.loads(A), 1),
    ],
)
def test_broken_arguments(choice: str, text: str, held: Any, runs: int) -> None:
    reading = feed(
        made_up("index-first-wins", broken=choice), Fragment(0, 0, 1, index=0, id="a", name="f", arguments=text)
    )
    assert reading.calls[0].arguments == held
    assert reading.calls[0].arguments_text == text
    assert not reading.calls[0].complete
    assert len(reading.executable) == runs
    assert {"truncated-arguments", "invalid-arguments"} & set(codes(reading))


@pytest.mark.parametrize("choice", ["drop", "leading"])
def test_broken_arguments_may_take_the_call_with_them(choice: str) -> None:
    reading = feed(
        made_up("index-first-wins", broken=choice), Fragment(0, 0, 1, index=0, id="a", name="f", arguments="]")
    )
    assert reading.calls == ()
    assert "call-dropped" in codes(reading)


def test_the_leading_object() -> None:
    assert leading_object(" [1] ") is None
    assert leading_object('{"a":' * 5000) is None or leading_object('{"a":' * 5000) == {}


def test_a_cut_stream_is_handed_over_and_it_could_have_been_known() -> None:
    body = chat([entry(0, "a", "weather", A)], finish=None)
    assert read_body(body, "chat").executable == ()
    reading = read_body(body, "chat", policy="index-last-wins")
    assert reading.executable == ("a",)
    assert codes(reading) == ["stream-cut"]
    assert read_body(body, "chat", policy="litellm openai/").error is not None


def test_an_error_object_stops_nearly_everyone() -> None:
    body = chat([entry(0, "a", "weather", A)], finish=None) + b'data: {"error":{"message":"no"}}\n\n'
    assert read_body(body, "chat", policy="index-last-wins").executable == ()
    assert read_body(body, "chat", policy="ollama-ai-provider-v2").executable == ("a",)


def test_limits_hold_for_every_policy_and_are_no_error_of_the_client() -> None:
    body = chat(*[[entry(at, f"c{at}", "w", A)] for at in range(3)])
    reading = read_body(body, "chat", policy="append-each", limits=Limits(calls=2))
    assert len(reading.calls) == 2
    assert reading.error is None
    assert "too-many-calls" in codes(reading)
    short = read_body(body, "chat", policy="append-each", limits=Limits(argument_bytes=3))
    assert [call.arguments_text for call in short.calls] == ["", "", ""]


# Keys of the protocol's own.


def test_events_that_are_not_read_are_compared_at_the_end() -> None:
    deltas = made_up("index-first-wins", modes=frozenset({"delta"}))
    begun = Fragment(0, 0, 1, id="a", name="f", key=0)
    settled = Fragment(1, 0, 1, arguments=A, mode="done", key=0)
    assert "arguments-replaced" in codes(feed(deltas, begun, settled, protocol="responses"))
    assert "call-dropped" in codes(feed(deltas, settled, protocol="responses"))
    assert "call-dropped" in codes(feed(deltas, Fragment(0, 0, 1, name="f", mode="whole"), protocol="native"))
    same = feed(deltas, begun, Fragment(1, 0, 1, arguments=A, key=0), settled, protocol="responses")
    assert codes(same) == []


@pytest.mark.parametrize("policy", ["index-concat", "index-last-wins", "index-first-wins"])
def test_a_done_event_settles_its_call_whatever_the_fold(policy: str) -> None:
    fragments = [
        Fragment(0, 0, 1, id="a", index=0, name="f", key=0),
        Fragment(1, 0, 1, index=0, arguments=B, key=0),
        Fragment(2, 0, 1, id="a", index=0, name="f", arguments=A, mode="done", key=0),
        Fragment(3, 0, 1, id="a", index=0, name="f", arguments=A, mode="whole", key=0),
    ]
    reading = feed(POLICIES[policy], *fragments, protocol="responses")
    assert calls(reading) == [("a", "f", A)]
    assert codes(reading) == ["arguments-replaced"]


def test_a_terminal_snapshot_renames_only_where_the_last_one_wins() -> None:
    fragments = [
        Fragment(0, 0, 1, id="a", index=0, name="f", arguments=A, key=0),
        Fragment(1, 0, 1, id="z", index=0, name="f", arguments=B, mode="whole", key=0),
    ]
    assert calls(feed(POLICIES["index-last-wins"], *fragments, protocol="responses")) == [("z", "f", B)]
    assert calls(feed(POLICIES["index-first-wins"], *fragments, protocol="responses")) == [("a", "f", A)]


def test_a_block_that_opens_at_a_used_index_is_a_new_one_only_by_its_key() -> None:
    fragments = [
        Fragment(0, 0, 1, id="a", index=0, name="f", arguments=A, key=0),
        Fragment(1, 0, 1, id="b", index=0, name="g", arguments=B, key=1),
    ]
    assert len(feed(POLICIES["index-first-wins"], *fragments, protocol="messages").calls) == 1
    assert len(feed(made_up("index-first-wins", blocks="key"), *fragments, protocol="messages").calls) == 2


def test_another_id_under_a_known_key_that_opens_a_call_is_noticed() -> None:
    fragments = [
        Fragment(0, 0, 1, id="a", name="f", arguments=A, key=0),
        Fragment(1, 0, 1, id="b", name="f", arguments=A, mode="done", key=0),
    ]
    reading = feed(POLICIES["id-or-last"], *fragments, protocol="responses")
    assert [call.id for call in reading.calls] == ["a", "b"]
    assert "call-split" in codes(reading)


def test_an_id_of_another_call_under_a_joined_entry_is_noticed() -> None:
    fragments = [
        Fragment(0, 0, 1, id="a", index=0, name="f", arguments=A),
        Fragment(1, 0, 1, index=1, name="g"),
        Fragment(2, 0, 1, id="a", index=1, arguments=B),
    ]
    assert "arguments-changed" in codes(feed(POLICIES["index-first-wins"], *fragments))


# The words.


@pytest.mark.parametrize(
    ("policy", "body", "word"),
    [
        ("id-first", TWO_AT_ONE_INDEX, "ok"),
        ("id-first", chat([entry(0, "a", "f", A)], finish=None), "refused"),
        ("index-first-strict", TWO_AT_ONE_INDEX, "raised"),
        ("index-concat", TWO_AT_ONE_INDEX, "merged"),
        ("append-each", chat([entry(0, "a", "f", '{"x":')], [entry(0, None, None, "1}")]), "split"),
        ("content-dedupe", chat([entry(0, "a", "f", A)], [entry(1, "b", "f", A)]), "dropped"),
        ("index-concat", chat([entry(0, "a", "f", "{")], [entry(0, "a", None, "}")]), "garbled"),
        ("index-concat", chat([entry(0, "a", "f", "{")], [entry(0, None, "f", "}")]), "garbled"),
        ("ollama-python", chat([entry(0, "a", "f", A)]), "noid"),
        ("agno Ollama", chat([entry(0, "a", "f", A)]), "reid"),
        ("agno Ollama", chat([entry(0, None, "f", A)]), "newid"),
        ("append-each", chat([entry(0, None, "f", A)]), "ok"),
        ("append-each", chat([entry(0, "a", "f", A)], finish=None), "silent-kept"),
        ("append-each", chat([entry(0, "a", "f", "{")], finish=None), "silent-truncated"),
        ("evidence", chat([entry(0, "a", "f", "{")], finish=None), "flagged"),
        ("haystack OpenAIChatGenerator", chat([entry(0, "a", "f", "{")], finish=None), "discarded"),
    ],
)
def test_what_became_of_the_calls(policy: str, body: bytes, word: str) -> None:
    (row,) = compare_policies(body, "chat", [policy])
    assert row.word == word
    assert row.word in WORDS
    assert row.misleads == (word in {"merged", "split", "dropped", "garbled", "discarded"} or word.startswith("silent"))
    assert row.could_have_known or not row.misleads


def test_one_made_up_id_for_two_calls_is_another_id() -> None:
    body = native([entry(0, None, "f", {}), entry(1, None, "g", {})])
    ours = read_body(body, "native")
    both = [msgspec.structs.replace(call, id="same") for call in ours.calls]
    assert word_of(msgspec.structs.replace(ours, policy="append-each", calls=tuple(both)), ours) == "reid"


def test_every_policy_is_compared_unless_some_are_named() -> None:
    rows = compare_policies(TWO_AT_ONE_INDEX, "chat", asked=Asked(tools=frozenset({"weather"})))
    assert tuple(row.policy for row in rows) == NAMED
    assert rows[0].runs == 1
    assert rows[0].reading.policy == "id-first"
