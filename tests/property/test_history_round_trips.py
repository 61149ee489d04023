"""Round trips: between dialects and back, ids there and back, a response into a history and back into a request."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wirelab.calls import read_body
from wirelab.history.profiles import PROFILES
from wirelab.history.replay import Replay, next_request
from wirelab.history.turn import next_turn
from wirelab.ids import IdMap, IdRule
from wirelab.protocols.dialects import DIALECTS
from wirelab.transcript import HistoryError

texts = st.text(max_size=12)
said = st.text(min_size=1, max_size=12)
names = st.sampled_from(["get_weather", "get_time", "list_files"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner, max_size=2), max_leaves=4
)
arguments = st.dictionaries(st.text(max_size=4), values, max_size=3)


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@st.composite
def settled_chats(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Chat messages with nothing left to settle; content beside calls is never null, results have no names."""
    messages: list[dict[str, Any]] = []
    if draw(st.booleans()):
        messages.append({"role": "system", "content": draw(said)})
    number = 0
    for _ in range(draw(st.integers(0, 4))):
        messages.append({"role": "user", "content": draw(said)})
        calls = []
        for name in draw(st.lists(names, max_size=3)):
            number += 1
            function = {"name": name, "arguments": compact(draw(arguments))}
            calls.append({"id": f"c{number}", "type": "function", "function": function})
        message: dict[str, Any] = {"role": "assistant", "content": draw(texts if calls else said)}
        if draw(st.booleans()):
            message["reasoning"] = draw(said)
        messages.append(message)
        if calls:
            message["tool_calls"] = calls
            messages += [{"role": "tool", "tool_call_id": call["id"], "content": draw(texts)} for call in calls]
    return messages


def through(messages: list[dict[str, Any]], dialect: str) -> Any:
    """Chat messages written for another dialect, read there and written as chat messages again."""
    there = next_request(messages, Replay(source="chat", to=dialect))
    body = {DIALECTS[dialect].list_key: there.messages}
    if there.system is not None:
        body[DIALECTS[dialect].system_keys[0]] = there.system
    return next_request(body, Replay(source=dialect, to="chat")).messages


@given(settled_chats())
def test_chat_to_native_and_back(messages: list[dict[str, Any]]) -> None:
    assert through(messages, "native") == messages


@given(settled_chats())
def test_chat_to_gemini_and_back(messages: list[dict[str, Any]]) -> None:
    assert through(messages, "gemini") == messages


@given(settled_chats())
def test_chat_to_messages_and_back(messages: list[dict[str, Any]]) -> None:
    assert through(messages, "messages") == messages


@given(settled_chats())
def test_chat_to_responses_and_back(messages: list[dict[str, Any]]) -> None:
    assert through(messages, "responses") == messages


def frozen(value: Any) -> Any:
    """Mapping proxies and tuples all the way down."""
    if isinstance(value, dict):
        return MappingProxyType({key: frozen(each) for key, each in value.items()})
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def containers(value: Any) -> set[int]:
    """The identities of all mappings and sequences inside a value."""
    if isinstance(value, Mapping):
        return {id(value)}.union(*map(containers, value.values()))
    return {id(value)}.union(*map(containers, value)) if isinstance(value, list | tuple) and value else set()


@given(settled_chats(), st.randoms(use_true_random=False), st.sampled_from(sorted(DIALECTS)))
def test_any_order_is_settled_or_refused_and_the_input_stays(messages: list[Any], random: Any, dialect: str) -> None:
    """Messages in any order at all, in any dialect, deeply frozen: settled once and for all, or a typed error."""
    random.shuffle(messages)
    try:
        before = compact(messages)
        request = next_request(frozen(messages), Replay(source="chat", to=dialect))
        other = next_request(messages, Replay(source="chat", to=dialect))
    except HistoryError:
        return
    assert compact(messages) == before
    assert request.messages == other.messages
    assert not containers(messages) & containers(other.messages)
    body = {DIALECTS[dialect].list_key: request.messages}
    if request.system is not None:
        body[DIALECTS[dialect].system_keys[0]] = request.system
    again = next_request(body, Replay(source=dialect))
    assert (again.messages, again.system) == (request.messages, request.system)


@given(st.lists(st.tuples(st.text(min_size=1), names), max_size=8), st.sampled_from([p for p in PROFILES if p.ids]))
def test_ids_there_and_back(calls: list[tuple[str, str]], profile: Any) -> None:
    rule: IdRule = profile.ids
    ids = IdMap(rule, calls)
    wires = {identifier: ids.there(identifier) for identifier, _ in calls}
    assert len(set(wires.values())) == len(wires)
    for identifier, wire in wires.items():
        assert rule.allows(wire)
        assert ids.back(wire) == identifier
        assert wire == identifier or not rule.allows(identifier)
    assert all(IdMap(rule, calls).there(identifier) == wire for identifier, wire in wires.items())


@given(thinking=texts, text=texts, calls=st.lists(st.tuples(names, arguments), max_size=3))
def test_response_to_history_to_request(thinking: str, text: str, calls: list[tuple[str, Any]]) -> None:
    """What a model said on the native wire is what the next request says that it said."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if thinking:
        message["thinking"] = thinking
    if calls:
        message["tool_calls"] = [
            {"id": f"c{at}", "function": {"name": name, "arguments": given}} for at, (name, given) in enumerate(calls)
        ]
    answer = {
        "model": "m",
        "message": message,
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 1,
        "eval_count": 1,
    }
    reading = read_body(compact(answer).encode() + b"\n", "native", strict=False)
    results = {f"c{at}": "ok" for at in range(len(calls))}
    request = next_turn([{"role": "user", "content": "q"}], reading, results, Replay(source="native"))
    expected = [message] if thinking or text or calls else []
    assert request.messages[1 : 1 + len(expected)] == expected
    assert len(request.messages) == 1 + len(expected) + len(calls)
