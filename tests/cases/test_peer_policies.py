"""The policies say what the measured clients did: calls, names, ids and arguments, stream by stream.

`captures/cases/peer-matrix.json` holds what each client made of the battery. A reading by a client's policy must give
the same, or its exception must stand below with the reason in words. Both tables are held complete in both directions.
Streams whose connection was dropped are left out: there the client's transport raises, whatever it reads.
"""

import json
from typing import Any

import msgspec
import pytest
from casebook import BATTERY, FOLDER, Case, body_of

from wirelab.calls import CLIENTS, POLICIES, find_policy, read_body
from wirelab.calls.compare import compare_policies
from wirelab.calls.contradictions import CONTRADICTIONS
from wirelab.model import Reading

MATRIX = msgspec.json.decode((FOLDER / "peer-matrix.json").read_bytes())
STREAMS = {(stream["proto"], stream["id"]): stream for stream in BATTERY if stream["tail"] != "abort"}
SENT = {(row["proto"], row["id"]): row["sent"] for row in MATRIX["sent"]}
PEERS = {peer["peer"]: peer for peer in MATRIX["peers"] if peer["kind"] == "peer"}

_JOINED_OBJECT = "JavaScript joins an object to a string: `[object Object]` (and what a lenient parser makes of that)"
_TYPED_BLOCKS = "the client's schema refuses a block or item without an id; an empty one passes"
_STOP_ONLY = "the client hands a block over at its stop event alone, which no fragment tells"
_EMPTY_END = "the client takes the terminal snapshot for the whole truth, even an empty one"
_FAILED = "the client takes `response.failed` for an end without calls, and raises nothing"
_ITEM_IDENTITY = "the client checks item ids and output indexes, which the reader has resolved into keys by then"
_NO_START_INPUT = "the client does not read the input of a start event"
_OBJECT_MERGE = "the client merges two argument objects member by member; a policy joins their text"
_PARTIAL_JSON = "the client's partial JSON parser makes something of any text"

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("ollama-ai-provider-v2", "T7"): "the client makes an id for a missing one and keeps an empty one",
    ("ollama-ai-provider-v2", "T12"): "the client drops arguments that are text where the protocol has objects",
    ("@langchain/ollama", "T12"): "the client drops arguments that are text where the protocol has objects",
    ("@langchain/openai", "T12"): "the client puts a call with an argument object among the invalid ones",
    ("@langchain/openai", "T10b"): "a null index equals a null index here, a missing one equals nothing",
    ("haystack OpenAIChatGenerator", "T7"): "the last id wins even if it is empty",
    ("TanStack ai-ollama", "T16"): "every entry is a call, but an id keeps its first name",
    ("@mariozechner/pi-ai", "T10a"): _PARTIAL_JSON,
    ("@mariozechner/pi-ai", "T10b"): _PARTIAL_JSON,
    ("@mariozechner/pi-ai", "T20"): _PARTIAL_JSON,
    **{
        (peer, "T12"): _JOINED_OBJECT
        for peer in (
            "@openai/agents chat",
            "openai-node 6.x stream()",
            "openai-node 7.x stream()",
            "@earendil-works/pi-ai",
            "@mariozechner/pi-ai",
        )
    },
    **{
        ("semantic-kernel Ollama", test): _OBJECT_MERGE for test in ("T2", "T4", "T6b", "T8", "T9", "T11", "T16", "T22")
    },
    # Messages
    **{(f"AI SDK {major} @ai-sdk/anthropic", "M6"): _STOP_ONLY for major in (6, 7)},
    **{(f"AI SDK {major} @ai-sdk/anthropic", "M11"): _TYPED_BLOCKS for major in (6, 7)},
    ("@earendil-works/pi-ai anthropic-messages", "M9"): _NO_START_INPUT,
    (
        "@earendil-works/pi-ai anthropic-messages",
        "M12",
    ): "the client waits for `message_stop`; a stop reason ends it here",
    ("litellm anthropic/", "M5"): "every start opens a call, whatever its id",
    ("litellm anthropic/", "M9"): _NO_START_INPUT,
    ("litellm anthropic/", "M11"): "a missing id raises, an empty one is dropped",
    (
        "litellm anthropic/",
        "M15",
    ): "a delta for a block that was never opened goes to the newest one; the reader drops it",
    ("langchain-anthropic", "M15"): "a delta for a block that was never opened is a call; the reader drops it",
    # Responses
    **{(f"AI SDK {major} @ai-sdk/openai responses", "R12"): _TYPED_BLOCKS for major in (6, 7)},
    **{(f"openai-node {major} responses.stream()", "R7"): _EMPTY_END for major in ("6.x", "7.x")},
    **{(f"openai-node {major} responses.stream()", "R11"): _FAILED for major in ("6.x", "7.x")},
    **{("openai-node 7.x responses.stream()", test): _ITEM_IDENTITY for test in ("R3", "R12", "R14")},
    ("openai-python responses.stream()", "R3"): _ITEM_IDENTITY,
    ("openai-python responses.stream()", "R7"): _EMPTY_END,
    ("langchain-openai responses", "R4"): "the client counts blocks anew whenever the output index changes",
    ("langchain-openai responses", "R14"): "the client merges by the running number of the block, not by item",
}
"""By client and stream: why a reading by policy is not what the client did."""

WORDS_DIFFER = {
    **{("autogen-ext ollama", test): "every id that the client makes is '0'" for test in ("T5", "T6", "T6b", "T7")},
    **{(f"AI SDK {major} @ai-sdk/anthropic", "M7"): _STOP_ONLY for major in (6, 7)},
}
"""By client and stream: why the calls are reproduced, and the word for them is another one."""

NOT_DESCRIBED = {
    "anthropic-node stream()": "not named beside a policy: the index is a position in a list that only grows",
    "anthropic-python stream()": "not named beside a policy: the index is a position in a list that only grows",
    "TanStack ai-openai responses": "not named beside a policy: keyed by item id alone",
    "TanStack ai-openai chat": "not named beside a policy: a call starts when both id and name are known",
    "pydantic-ai OpenAIResponsesModel": "not named beside a policy: keyed by item id alone",
    "AI SDK 5.0.0 @ai-sdk/openai chat": "not named beside a policy: an older reading, replaced within the major version",
    "AI SDK 5.0.0 @ai-sdk/openai-compatible": "not named beside a policy: an older reading",
    "AI SDK 7.0.0 @ai-sdk/openai chat": "not named beside a policy: an older reading",
    "AI SDK 7.0.0 @ai-sdk/openai-compatible": "not named beside a policy: an older reading",
    "openai-python 1.x stream()": "not named beside a policy: the first list of a stream is stored unmerged",
}
"""Clients of the matrix that no row of data describes."""

Row = tuple[str, str, Any]


def pairs() -> list[tuple[str, str]]:
    """Every described client with every stream it was sent."""
    return [
        (name, test) for name in CLIENTS for test in PEERS[name]["results"] if (PEERS[name]["proto"], test) in STREAMS
    ]


def arguments(value: Any) -> Any:
    """Arguments as their JSON value, else as their text without white space; nothing is an empty object."""
    if not isinstance(value, str):
        return value if value is not None else {}
    try:
        return json.loads(value) if value.strip() else {}
    except ValueError:
        return "".join(value.split())


def measured(name: str, test: str) -> list[Row] | None:
    """What the client handed over; None where it raised. An id that nobody sent is `*`."""
    result, protocol = PEERS[name]["results"][test], PEERS[name]["proto"]
    if result["outcome"] == "raised":
        return None
    given = result.get("calls", [])
    if result["outcome"] == "ok" and not given:
        given = SENT.get((protocol, test)) or STREAMS[protocol, test]["want"]
    return [(_id(call.get("id")), call.get("name") or "", arguments(call.get("arguments"))) for call in given]


def _id(identifier: str | None) -> str:
    return "" if not identifier else identifier if identifier.startswith("call_") else "*"


def read_by(name: str, test: str) -> Reading:
    stream: Case = STREAMS[PEERS[name]["proto"], test]
    return read_body(body_of(stream), stream["proto"], policy=name)


def predicted(name: str, test: str) -> list[Row] | None:
    """What the client's policy gives; calls that it hands over with a mark count as not handed over."""
    reading = read_by(name, test)
    if reading.error is not None:
        return None
    marks = find_policy(name).broken == "flag"
    return [
        (
            "*" if call.id_source == "allocated" else call.id,
            call.name or "",
            arguments(call.arguments_text if call.arguments is None else call.arguments),
        )
        for call in reading.calls
        if not marks or call.id in reading.executable
    ]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_policy_reads_as_its_client(name: str) -> None:
    streams = [test for client, test in pairs() if client == name]
    differing = {test for test in streams if predicted(name, test) != measured(name, test)}
    excused = {test for client, test in EXCEPTIONS if client == name}
    assert differing == excused
    assert len(streams) > 2 * len(excused) or name == "semantic-kernel Ollama"


def test_every_client_of_the_matrix_is_described_or_said_not_to_be() -> None:
    assert set(PEERS) == set(CLIENTS) | set(NOT_DESCRIBED)
    assert not set(CLIENTS) & set(NOT_DESCRIBED)
    assert all(client.protocol == PEERS[name]["proto"] for name, client in CLIENTS.items())
    assert {name for name, _ in EXCEPTIONS} <= set(CLIENTS)
    assert {client.policy for client in CLIENTS.values()} < set(POLICIES)


def is_as_sent(reading: Reading, wanted: Any) -> bool:
    got = [(call.name, call.arguments) for call in reading.calls]
    return wanted != "error" and got == [(call["name"], call["arguments"]) for call in wanted]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_wrong_reading_could_have_been_known(name: str) -> None:
    """Where the calls are not what was sent, or a broken stream is handed over, the findings say so."""
    for test in [test for client, test in pairs() if client == name]:
        reading, wanted = read_by(name, test), STREAMS[PEERS[name]["proto"], test]["want"]
        known = CONTRADICTIONS & {finding.code for finding in reading.findings}
        assert reading.error is not None or is_as_sent(reading, wanted) or known, test


@pytest.mark.parametrize("name", CLIENTS)
def test_the_words_are_those_of_the_measurement(name: str) -> None:
    """Where the calls are reproduced, and the stream's right reading is agreed on, the same word comes out."""
    differing = set()
    for test in [test for client, test in pairs() if client == name and (name, test) not in EXCEPTIONS]:
        stream, outcome = STREAMS[PEERS[name]["proto"], test], PEERS[name]["results"][test]["outcome"]
        (row,) = compare_policies(body_of(stream), stream["proto"], [name])
        if (stream["proto"], test) not in SENT and row.word != outcome:
            differing.add(test)
    assert differing == {test for client, test in WORDS_DIFFER if client == name}
