"""What reaches the model: markers in a prompt, whatever its template."""

from typing import Any

import pytest

from wirelab.history.places import Place, best_places, call_places, text_places
from wirelab.history.visibility import visibility
from wirelab.model import Json
from wirelab.protocols.dialects import read_history


def call(identifier: str, name: str, **arguments: Json) -> dict[str, Any]:
    return {"id": identifier, "function": {"name": name, "arguments": arguments}}


def result(identifier: str, text: str, name: str = "get_weather") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "tool_name": name, "content": text}


TWO = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Oslo and Bergen?"},
    {
        "role": "assistant",
        "content": "Let me look.",
        "thinking": "Two look-ups.",
        "tool_calls": [call("a", "get_weather", city="Oslo"), call("b", "get_weather", city="Bergen")],
    },
    result("b", "nine"),
    result("a", "four"),
]
HEAD = "[sys]Be brief.[user]Weather in Oslo and Bergen?[bot]"
BODY = HEAD + "(Two look-ups.)Let me look.<get_weather(city=Oslo)><get_weather(city=Bergen)>"


def states(history: Json, prompt: Json) -> list[tuple[str, str]]:
    return [
        (seen.part.kind, seen.state) for seen in visibility(read_history(history, "native").transcript, prompt).parts
    ]


def ties(history: Json, prompt: Json) -> list[tuple[str, str | None, bool]]:
    seen = visibility(read_history(history, "native").transcript, prompt).parts
    return [(one.part.text, one.tie, one.swapped) for one in seen if one.part.kind == "result"]


def test_everything_arrives() -> None:
    whole = visibility(read_history(TWO, "native").transcript, BODY + "<nine><four>")
    assert {seen.state for seen in whole.parts} == {"kept"}
    assert {seen.part.text for seen in whole.losses} == {"nine", "four"}
    starts = [seen.start for seen in whole.parts if seen.start is not None]
    assert starts == sorted(starts)


def test_parts_get_lost_and_moved() -> None:
    prompt = HEAD + "<get_weather(city=Oslo)><get_weather(city=Bergen)>(Two look-ups.)<nine>Let me look."
    assert states(TWO, prompt) == [
        ("system", "kept"),
        ("user", "kept"),
        ("thinking", "moved"),
        ("text", "moved"),
        ("call", "kept"),
        ("call", "kept"),
        ("result", "kept"),
        ("result", "lost"),
    ]


def test_an_empty_part_is_unknown() -> None:
    history = [{"role": "assistant", "content": "", "tool_calls": [call("a", "f", x="1")]}, result("a", "")]
    assert states(history, "f x=1") == [("call", "kept"), ("result", "unknown")]


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("<nine><four>", [("nine", "position", True), ("four", "position", True)]),
        ("<four><nine>", [("nine", "position", False), ("four", "position", False)]),
        ("<b: nine><a: four>", [("nine", "id", False), ("four", "id", False)]),
        ("<get_weather nine><get_weather four>", [("nine", "position", True), ("four", "position", True)]),
        ("<nine>", [("nine", "position", True), ("four", None, False)]),
    ],
)
def test_how_a_result_is_tied(tail: str, expected: list[tuple[str, str | None, bool]]) -> None:
    history = [*TWO[:3], result("b", "nine"), result("a", "four")]
    assert ties(history, BODY + tail) == expected


def test_a_number_of_the_templates_own_ties() -> None:
    prompt = HEAD + "{id: 0, get_weather, Oslo}{id: 1, get_weather, Bergen}[id: 1, is: nine][id: 0, is: four]"
    assert ties(TWO, prompt) == [("nine", "id", False), ("four", "id", False)]


def test_a_name_ties_where_the_batch_calls_it_once() -> None:
    calls = [call("a", "get_weather", city="Oslo"), call("b", "get_time", city="Oslo")]
    history = [{"role": "assistant", "tool_calls": calls}, result("b", "noon", "get_time"), result("a", "four")]
    head = "<get_weather(Oslo)><get_time(Oslo)>"
    assert ties(history, head + "<get_time: noon><get_weather: four>") == [
        ("noon", "name", False),
        ("four", "name", False),
    ]
    assert ties(history, head + "<noon><four>") == [("noon", "position", True), ("four", "position", True)]


def test_more_results_than_calls_and_results_of_nobody() -> None:
    history = [{"role": "assistant", "tool_calls": [call("a", "f", x="1")]}, result("a", "one"), result("a", "two")]
    assert ties(history, "f(1) <one> <two>") == [("one", "position", False), ("two", "position", False)]
    assert ties([result("z", "one")], "<one>") == [("one", None, False)]


def test_a_call_that_is_lost_still_has_its_result() -> None:
    assert ties([{"role": "assistant", "tool_calls": [call("a", "f", x="1")]}, result("a", "one")], "<one>") == [
        ("one", "position", False)
    ]


def test_other_kinds_of_prompts_and_parts() -> None:
    history = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Grüße"}, {"type": "image_url", "image_url": {"url": "data:"}}],
        },
        {"role": "assistant", "refusal": "No.", "tool_calls": [{"id": 7, "function": {"name": "", "arguments": "{}"}}]},
    ]
    recorded = read_history(history, "chat").transcript
    assert [seen.state for seen in visibility(recorded, [{"role": "user", "content": "Grüße"}, "No."]).parts] == [
        "kept",
        "kept",
        "unknown",
    ]
    assert [seen.state for seen in visibility(recorded, None).parts] == ["lost", "lost", "unknown"]


def test_a_structured_result_is_known_by_its_values() -> None:
    contents = [
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "f", "args": {"n": 3, "ok": True, "no": None, "blank": " "}}}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"sky": "grey", "t": [4, 5]}}}]},
    ]
    seen = visibility(read_history(contents, "gemini").transcript, "f(3, true) -> grey 4 5").parts
    assert [one.state for one in seen] == ["kept", "kept"]


@pytest.mark.parametrize(
    ("prompt", "text", "spans"),
    [
        ("a b", "a b", [(0, 3)]),
        ("a\n  b", "a b", [(0, 5)]),
        ("cab", "ab", []),
        ("ab.", "ab", [(0, 2)]),
        ("!?", "!", [(0, 1)]),
        ('say \\"hi\\"', 'say "hi"', [(0, 10)]),
        ("caf\\u00e9", "café", [(0, 9)]),
        ("anything", "  ", []),
        ("x" * 5000, "x" * 3000, [(0, 5000)]),
        ("<" + "ab " * 900 + "end>", "ab " * 900 + "end", [(1, 2704)]),
    ],
)
def test_text_places(prompt: str, text: str, spans: list[tuple[int, int]]) -> None:
    assert [(place.start, place.end) for place in text_places(prompt, text)] == spans


def test_call_places() -> None:
    assert [place.start for place in call_places("tool f. f(x=1)", "f", ["1"])] == [5, 8]
    assert call_places("f(x=1)", " ", []) == []
    assert call_places("f" + "." * 500 + "1", "f", ["1"]) == []
    (before,) = call_places('{"arguments": {"x": "one"}, "name": "f"}', "f", ["one"])
    assert before.start == 21
    (escaped,) = call_places('{"x": "caf\\u00e9", "f"', "f", ["café"])
    assert escaped.start == 0
    near, far = sorted(call_places("f f(Oslo)", "f", ["Oslo"]), key=lambda place: -place.weight)
    assert near.start == 2
    assert far.start == 0


def test_the_heaviest_assignment_keeps_the_order() -> None:
    one, two, three = Place(0, 2, 5), Place(4, 6, 5), Place(8, 9, 5)
    assert best_places([[two], [one, three]]) == [two, three]
    assert best_places([[three], [one], [two]]) == [None, one, two]
    assert best_places([[Place(0, 5, 1)], [Place(3, 6, 9)]]) == [None, Place(3, 6, 9)]
    assert best_places([[Place(0, 2, 5)], [Place(2, 3, 1)]]) == [Place(0, 2, 5), Place(2, 3, 1)]
    assert best_places([]) == []
    assert best_places([[], []]) == [None, None]
    assert one.overlaps(Place(1, 3, 1))
    assert not one.overlaps(two)
