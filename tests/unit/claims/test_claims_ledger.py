"""Verdicts from made-up captures: every kind of verdict, and every claim on a capture that shows it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from wirelab.capture.types import Capture, End, Head, Observed, Read, Request, Response, Source, framing_of
from wirelab.claims.claim import Claim, Row, Verdict, judge
from wirelab.claims.exhibit import Exhibit
from wirelab.claims.ledger import CLAIMS, ledger
from wirelab.model import Json

TYPES = {"native": "application/x-ndjson", "discovery": "application/json"}


def made(
    name: str, *payloads: Json, status: int = 200, request: Json = None, kind: Any = "recorded", **observed: Any
) -> Capture:
    """A capture of made-up payloads, framed as its protocol streams, or as one answer for `whole` and `plain`."""
    target, protocol, rest = name.split("/")
    scenario, _, variant = rest.partition(".")
    whole = not variant.startswith("stream")
    content = "application/json" if whole else TYPES.get(protocol, "text/event-stream")
    head = Head(
        name=name,
        scenario=scenario,
        protocol=protocol,
        framing=framing_of(content),
        recorded_at="2026-11-30T00:00:00Z",
        source=Source(kind=kind, target="local", server="made", version=target),
        request=Request(json=request),
        response=Response(status, {"content-type": content}),
        observed=Observed(**observed) if observed else None,
    )
    lines = [one if isinstance(one, str) else json.dumps(one) for one in payloads]
    framed = [line if whole else f"{line}\n" if protocol == "native" else f"data: {line}\n\n" for line in lines]
    return Capture(head, (Read(0.0, "".join(framed).encode()),), End("complete", 0.0))


def native(*entries: Json, **more: Json) -> list[Json]:
    """The lines of a native answer whose first has the tool calls given."""
    return [
        {"message": {"content": "", "tool_calls": list(entries)}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop", **more},
    ]


def call(identifier: str | None, index: int, name: str = "f") -> dict[str, Json]:
    """One native tool-call entry."""
    entry: dict[str, Json] = {"function": {"index": index, "name": name, "arguments": {"n": index}}}
    return entry if identifier is None else {"id": identifier, **entry}


def chat(*entries: Json, reason: str | None = "tool_calls") -> list[Json]:
    """The chunks of a chat answer, a chunk an entry."""
    chunks: list[Json] = [
        {"id": "c1", "choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]} for entry in entries
    ]
    return [*chunks, {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]


def entry(identifier: str, index: int) -> Json:
    """One chat tool-call entry."""
    return {"id": identifier, "index": index, "function": {"name": "f", "arguments": "{}"}}


def row(captures: Sequence[Capture], claim: str) -> Row:
    """A claim's verdict over some captures."""
    return next(one for one in ledger(captures).overall if one.claim == claim)


def test_there_are_35_claims_in_order() -> None:
    assert [claim.id for claim in CLAIMS] == [f"C{number}" for number in range(1, 36)]
    assert all(claim.statement and claim.check.__name__.startswith("_") for claim in CLAIMS)


def test_without_captures_nothing_is_tested() -> None:
    assert {one.verdict for one in ledger([]).overall} == {Verdict.NOT_TESTED}
    assert row([], "C2").detail == "needs the schema"


@pytest.mark.parametrize(
    ("mode", "seen", "verdict"),
    [
        ("every", [], "not tested"),
        ("every", [True], "holds"),
        ("every", [True, False], "mixed"),
        ("every", [False], "does not hold"),
        ("some", [True, False], "holds"),
        ("some", [False], "does not hold"),
    ],
)
def test_verdicts(mode: Any, seen: list[bool], verdict: str) -> None:
    exhibit = Exhibit(made("v1/native/single.stream.x", *native(call("a", 0))))
    claim = Claim("C0", "made up", lambda _: iter(()), mode)
    judged = judge(claim, [(exhibit, holds, "seen") for holds in seen])
    assert judged.verdict == verdict
    assert (judged.agreeing, judged.differing) == (seen.count(True), seen.count(False))
    assert (judged.shown is not None) == (True in seen)
    assert (judged.against is not None) == (False in seen)
    assert judged.newest == ("2026-11-30" if seen else "")


def test_synthetic_captures_show_nothing_and_documented_ones_say_so() -> None:
    lines = native(call("a", 0))
    assert row([made("v1/native/single.stream.x", *lines, kind="synthetic")], "C1").verdict is Verdict.NOT_TESTED
    assert row([made("v1/native/single.stream.x", *lines, kind="documented")], "C1").kinds == ("documented",)


def test_a_split_by_version_and_family() -> None:
    captures = [
        made("1.0/native/single.stream.x", *native(call("a", 0))),
        made("2.0/native/single.stream.x", *native(call(None, 0))),
    ]
    rows = [one for one in ledger(captures, ("version", "family")).grouped if one.claim == "C1"]
    assert [(one.group, one.verdict.value) for one in rows] == [
        (("made 1.0", "x"), "holds"),
        (("made 2.0", "x"), "does not hold"),
    ]
    assert row(captures, "C1").verdict is Verdict.MIXED
    with pytest.raises(KeyError):
        ledger(captures, ("weather",))


ONE_FRAME = made("v1/native/parallel.stream.x", *native(call("a", 0), call("b", 0)))
OWN_INDEX = made("v1/native/parallel.stream.x", *native(call("a", 0), call("b", 1)))
ONE_INDEX = made("v1/chat/parallel.stream.x", *chat(entry("a", 0), entry("b", 0)))
CUT = made("v1/chat/malformed_arguments.stream.x", {"choices": [{"index": 0, "delta": {"content": "x"}}]})
ANNOUNCED = made("v1/native/malformed_arguments.stream.x", {"error": "error parsing tool call"})
TURN_1 = made("v1/native/conversation-1.stream.x", *native(call("a", 0)))
TURN_2 = made("v1/native/conversation-2.stream.x", *native(call("a", 0)))
LIMIT = made("v1/native/cut_by_limit_in_call.stream.x", *native(call("a", 0), done_reason="length"))
HISTORY = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": "Let me look.", "thinking": "Hm.", "tool_calls": [call("a", 0, "get_weather")]},
    {"role": "tool", "tool_call_id": "a", "content": "rain"},
]
PROMPT = "[Weather?][Hm.][Let me look.][get_weather 0 (a)][a: rain]"


def rendered(scenario: str, prompt: str) -> Capture:
    """An answer to `_debug_render_only`."""
    answer = {"message": {"content": ""}, "_debug_info": {"rendered_template": prompt}}
    return made(f"v1/native/rendered-{scenario}.whole.x", answer, request={"messages": HISTORY})


@pytest.mark.parametrize(
    ("claim", "captures", "verdict"),
    [
        ("C1", [ONE_FRAME], "holds"),
        ("C3", [ONE_FRAME], "holds"),
        ("C3", [OWN_INDEX], "does not hold"),
        ("C4", [TURN_1], "not tested"),
        ("C4", [TURN_1, TURN_2], "does not hold"),
        ("C5", [ONE_INDEX], "holds"),
        ("C6", [made("v1/native/history-replay_one.stream.x", *native(call("a", 0)))], "holds"),
        ("C6", [made("v1/native/history-replay_one.stream.x", "{}", status=400)], "does not hold"),
        ("C7", [made("v1/native/single.stream.x", *native(call("call_1", 0)))], "not tested"),
        (
            "C7",
            [
                made("v1/native/single.stream.x", *native(call("call_1", 0))),
                made("v1/chat/single.stream.x", *chat(entry("toolu_1", 0))),
            ],
            "does not hold",
        ),
        (
            "C8",
            [
                made("v1/native/single.stream.x", *native(call("a", 0))),
                made("v1/native/single.whole.x", *native(call("b", 0))[:1]),
            ],
            "not tested",
        ),
        (
            "C8",
            [
                made("v1/native/single.stream.x", *native(call("a", 0))),
                made("v1/native/single.whole.x", {**native()[1], "message": {"tool_calls": [call("b", 0)]}}),
            ],
            "holds",
        ),
        ("C9", [made("v1/discovery/show.plain", {"capabilities": [], "model_info": {"x.context_length": 5}})], "holds"),
        ("C9", [made("v1/discovery/v1_models.plain", {"data": [{"id": "m", "context": 5}]})], "does not hold"),
        ("C10", [made("v1/discovery/web_search_local.plain", "404", status=404)], "does not hold"),
        ("C12", [made("v1/responses/stateful_truncation.whole", {"status": "completed"})], "holds"),
        ("C12", [made("v1/responses/stateful_weather.whole", {"status": "completed"})], "not tested"),
        ("C13", [made("v1/chat/max_completion_tokens.stream.x", *chat(entry("a", 0)))], "holds"),
        ("C15", [made("v1/chat/parallel_false.stream.x", *chat(entry("a", 0), entry("b", 1)))], "holds"),
        ("C15", [made("v1/chat/tool_choice_none.stream.x", *chat(reason="stop"))], "does not hold"),
        ("C15", [CUT], "not tested"),
        ("C16", [ONE_INDEX], "holds"),
        ("C16", [made("v1/chat/single.stream.x", *chat(entry("a", 0), reason="stop"))], "does not hold"),
        ("C17", [made("v1/native/history-orphan_result.stream.x", "{}", status=500)], "does not hold"),
        ("C18", [OWN_INDEX], "holds"),
        ("C18", [ONE_INDEX], "does not hold"),
        ("C19", [ANNOUNCED], "holds"),
        ("C19", [CUT], "does not hold"),
        ("C20", [LIMIT], "holds"),
        ("C22", [rendered("replay_one", PROMPT)], "holds"),
        ("C22", [rendered("replay_one", PROMPT.replace("a: ", ""))], "does not hold"),
        ("C23", [rendered("user_between", PROMPT)], "holds"),
        ("C23", [rendered("user_between", "[Weather?]")], "does not hold"),
        ("C24", [rendered("text_and_call", PROMPT)], "holds"),
        ("C25", [rendered("thinking_and_call", PROMPT.replace("Hm.", ""))], "does not hold"),
        ("C26", [ONE_INDEX], "holds"),
        ("C26", [ONE_INDEX, made("v1/chat/other.stream.x", *chat(entry("z", 0)))], "mixed"),
        ("C27", [made("v1/responses/single.stream", {"type": "response.completed", "response": {}})], "holds"),
        ("C28", [made("x-cloud-gateway/native/single.stream.x", *native(call("a", 0)))], "holds"),
        ("C28", [made("x-cloud-gateway/native/upstream_401.whole", "{}", status=502)], "does not hold"),
        ("C29", [made("v1/chat/gguf_template_x.stream", *chat(entry("abab", 0)))], "does not hold"),
        ("C30", [made("v1/chat/undeclared_tool.stream.x", *chat(entry("a", 0)))], "holds"),
        ("C30", [made("v1/native/undeclared_tool.stream.x", *native())], "does not hold"),
        ("C31", [ONE_INDEX], "holds"),
        ("C32", [made("v1/native/single.stream.x", '{"error":"x does not support tools"}', status=400)], "holds"),
        ("C32", [made("v1/discovery/v1_models.plain", {"models": [{"capabilities": ["tools"]}, {}]})], "does not hold"),
        ("C33", [LIMIT], "does not hold"),
        ("C33", [made("v1/native/single.stream.x", *native(call("a", 0), eval_count=3))], "holds"),
        ("C34", [made("v1/discovery/ps.plain", {}), made("v1/chat/n_two.stream.x", "{}", status=400)], "mixed"),
        ("C35", [made("v1/chat/auth_x.stream.x", '{"error":"unauthorized"}', status=401)], "holds"),
        ("C35", [made("v1/chat/single.stream.x", "oops", status=500)], "does not hold"),
    ],
)
def test_claims(claim: str, captures: list[Capture], verdict: str) -> None:
    judged = row(captures, claim)
    assert judged.verdict == verdict
    assert judged.detail or verdict == "not tested"


def test_what_the_model_said_and_thought() -> None:
    said = {"calls": [{"name": "f", "arguments": {"n": 0}}], "text": None, "thinking": "Hm."}
    lines = native(call("a", 0))
    lost = [made("v1/native/think_then_call.stream.x", *lines, model_said=said, model_output="<think>Hm.</think>")]
    assert row(lost, "C21").verdict is Verdict.DOES_NOT_HOLD
    assert row(lost, "C21").detail == "thinking lost"
    assert row(lost, "C14").verdict is Verdict.DOES_NOT_HOLD
    kept = [made("v1/native/single.stream.x", *lines, model_said={**said, "thinking": None}, model_output="f")]
    assert row(kept, "C21").verdict is Verdict.HOLDS
    assert row(kept, "C14").verdict is Verdict.NOT_TESTED


def test_the_cloud_takes_a_bearer_key() -> None:
    captures = []
    for scenario, status in (("auth_bearer", 200), ("auth_x_api_key", 401), ("auth_wrong_bearer", 401)):
        capture = made(f"v1/messages/{scenario}.whole", "{}", status=status)
        source = Source(kind="recorded", target="cloud", server="made", version="1")
        captures.append(Capture(_with(capture.head, source), capture.reads, capture.end))
    assert row(captures, "C11").verdict is Verdict.HOLDS


def _with(head: Head, source: Source) -> Head:
    values = {name: getattr(head, name) for name in Head.__struct_fields__}
    return Head(**{**values, "source": source})


def test_odd_bodies_break_nothing() -> None:
    captures = [
        made("v1/discovery/show.plain", "not json"),
        made(
            "v1/chat/single.stream.x", "{oops}", {"choices": ["x"]}, {"choices": [{"delta": {"tool_calls": [1, {}]}}]}
        ),
        made("v1/native/history-orphan_result.stream.x", *native(), request={"messages": "x"}, prompt="p"),
    ]
    assert len(ledger(captures).overall) == 35
