"""Which response answers which call in Gemini contents, by which ids."""

import json
from typing import Any

from wirelab.calls import read_body
from wirelab.history.pairing import Outstanding, pair
from wirelab.history.replay import Replay
from wirelab.history.turn import next_turn
from wirelab.protocols.gemini.request import read
from wirelab.transcript import Message, Recorded, Result


def call(name: str, identifier: Any = None) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **({} if identifier is None else {"id": identifier})}}


def response(name: str | None, text: str, identifier: Any = None) -> dict[str, Any]:
    function: dict[str, Any] = {"response": {"output": text}}
    if name is not None:
        function["name"] = name
    return {"functionResponse": function if identifier is None else {**function, "id": identifier}}


def paired(*contents: tuple[str, list[dict[str, Any]]], **options: Any) -> Recorded:
    return pair(read([{"role": role, "parts": parts} for role, parts in contents]).transcript, **options)


def ids(recorded: Recorded) -> list[str]:
    found: list[str] = []
    for entry in recorded.transcript.entries:
        if isinstance(entry, Result):
            found.append(f"{entry.id}={entry.text}")
        else:
            found += [each.id for each in entry.calls]
    return found


def codes(recorded: Recorded) -> list[str]:
    return [finding.code for finding in recorded.findings]


def test_ids_of_its_own_stay_and_the_others_skip_every_id_of_the_request() -> None:
    recorded = paired(
        ("model", [call("a"), call("b", "call_1")]),
        ("user", [response("b", "1", "call_1"), response("a", "2"), response("z", "3", "call_3")]),
        ("model", [call("a")]),
    )
    assert ids(recorded) == ["call_2", "call_1", "call_1=1", "call_2=2", "call_3=3", "call_4"]
    calls = [each for entry in recorded.transcript.entries if isinstance(entry, Message) for each in entry.calls]
    assert [each.allocated for each in calls] == [True, False, True]


def test_an_id_that_was_used_before_is_taken_and_its_responses_follow() -> None:
    contents = (
        ("model", [call("a", "x")]),
        ("user", [response("a", "1", "x")]),
        ("model", [call("a", "x")]),
        ("user", [response("a", "2", "x")]),
    )
    recorded = paired(*contents)
    assert ids(recorded) == ["x", "x=1", "call_1", "call_1=2"]
    assert codes(recorded) == ["call-id-reused"]
    assert ids(paired(*contents, rename=False)) == ["x", "x=1", "x", "x=2"]


def test_unusable_ids_are_none() -> None:
    recorded = paired(
        ("model", [call("a", " "), call("a", 7)]), ("user", [response("a", "1", ""), response("a", "2", 7)])
    )
    assert ids(recorded) == ["call_1", "call_2", "call_1=1", "call_2=2"]
    assert codes(recorded) == ["call-id-allocated", "call-id-allocated", "ambiguous-pairing"]


def test_parallel_calls_pair_by_name_and_repeated_ones_in_order() -> None:
    recorded = paired(
        ("model", [call("a"), call("b"), call("a")]),
        ("user", [response("b", "b1"), response("a", "a1"), response("a", "a2")]),
    )
    assert ids(recorded)[3:] == ["call_2=b1", "call_1=a1", "call_3=a2"]
    assert codes(recorded)[3:] == ["ambiguous-pairing"]


def test_a_response_to_an_answered_call_keeps_its_id() -> None:
    recorded = paired(
        ("model", [call("a", "x"), call("a", "y")]), ("user", [response("a", "1", "x"), response("a", "2", "x")])
    )
    assert ids(recorded)[2:] == ["x=1", "x=2"]


def test_an_unknown_id_falls_back_to_the_name_and_says_so() -> None:
    recorded = paired(("model", [call("a", "x")]), ("user", [response("a", "1", "nobody")]))
    assert ids(recorded) == ["x", "x=1"]
    assert codes(recorded) == ["result-matched-by-name"]


def test_a_response_that_answers_nothing_gets_an_id_that_collides_with_nothing() -> None:
    recorded = paired(("user", [response("a", "1"), response(None, "2"), response("a", "3", "mine")]))
    assert ids(recorded) == ["call_1=1", "call_2=2", "mine=3"]
    assert codes(recorded) == ["call-id-allocated"] * 3


def test_only_the_open_batch_is_searched_by_name() -> None:
    recorded = paired(
        ("model", [call("a")]), ("model", [call("b")]), ("user", [response("a", "1"), response("b", "2")])
    )
    assert ids(recorded)[2:] == ["call_3=1", "call_2=2"]


def test_outstanding_forgets_what_was_taken_by_another_key() -> None:
    waiting: Outstanding[str] = Outstanding()
    waiting.add("first", "x", "a")
    waiting.add("second", "x", "b")
    assert (waiting.take("name", "a"), waiting.take("id", "x"), waiting.take("any", None)) == ("first", "second", None)
    assert (len(waiting), waiting.count("id", "x"), waiting.count("name", "nobody")) == (0, 0, 0)


def answered(*results: tuple[str, str]) -> list[dict[str, Any]]:
    """What goes back for three calls of which only the second has an id of its own, results in the order given."""
    calls = [call("tap"), call("tap", "theirs"), call("tap"), call("look")]
    body = {"candidates": [{"content": {"parts": calls}, "finishReason": "STOP"}]}
    reading = read_body(json.dumps(body).encode(), "gemini", whole=True)
    assert reading.executable == ("wirelab_1", "theirs", "wirelab_2", "wirelab_3")
    history = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    request = next_turn(history, reading, dict(results), Replay(source="gemini"))
    assert [part["functionCall"].get("id") for part in request.messages[1]["parts"]] == [None, "theirs", None, None]
    return [part["functionResponse"] for part in request.messages[2]["parts"]]


def test_an_id_that_a_reader_gave_goes_back_to_nobody() -> None:
    sent = answered(("wirelab_1", "1"), ("theirs", "2"), ("wirelab_2", "3"), ("wirelab_3", "4"))
    assert [response.get("id") for response in sent] == [None, "theirs", None, None]
    assert [response["response"]["output"] for response in sent] == ["1", "2", "3", "4"]


def test_results_without_ids_can_be_told_apart_in_whatever_order_they_came() -> None:
    sent = answered(("wirelab_2", "3"), ("wirelab_3", "4"), ("theirs", "2"), ("wirelab_1", "1"))
    assert [response["response"]["output"] for response in sent if response["name"] == "tap"] == ["1", "2", "3"]
    assert [response["name"] for response in sent] == ["tap", "look", "tap", "tap"]


def test_a_response_without_an_id_leaves_the_call_that_another_one_names() -> None:
    contents = [
        {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "f"}}, {"functionCall": {"name": "f"}}]},
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "f", "response": {"n": 2}}},
                {"functionResponse": {"id": "a", "name": "f", "response": {"n": 1}}},
            ],
        },
    ]
    answered = pair(read(contents).transcript)
    message, first, second = answered.transcript.entries
    assert isinstance(message, Message)
    assert isinstance(first, Result)
    assert isinstance(second, Result)
    assert [call.id for call in message.calls] == ["a", first.id]
    assert second.id == "a"
