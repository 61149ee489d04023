"""Gemini: the parts of an answer as they stood on the wire, the ids that calls get, and what of them goes back."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wirelab.calls import read_body
from wirelab.capture import Capture, read_capture
from wirelab.history.pairing import pair
from wirelab.history.replay import Replay
from wirelab.history.turn import next_turn
from wirelab.ids import IdAllocator
from wirelab.model import Json, Reading
from wirelab.protocols.dialects import read_history
from wirelab.show.tables import Table, table
from wirelab.show.verdict import ID_SOURCES, call_words
from wirelab.show.wire import mapping, objects, recorder, share, text_of, version_order, wire_objects
from wirelab.transcript import Message, Result

_QUESTION: list[Json] = [{"role": "user", "parts": [{"text": "(a question)"}]}]
"""What a history begins with where the capture has no request."""


class Chunk(msgspec.Struct, frozen=True):
    """One chunk of an answer: the parts of its first candidate, and its finish reason, None where it has none."""

    frame: int
    seconds: float | None
    parts: tuple[dict[str, Any], ...]
    finish: str | None

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The `functionCall` objects among the parts."""
        return [mapping(part["functionCall"]) for part in self.parts if "functionCall" in part]


def chunks(capture: Capture) -> list[Chunk]:
    """The chunks of an answer in the order they came; a whole answer is one."""
    found = []
    for each in wire_objects(capture):
        candidate = next(iter(objects(each.value.get("candidates"))), {})
        parts = objects(mapping(candidate.get("content")).get("parts"))
        finish = text_of(candidate.get("finishReason")) or None
        found.append(Chunk(each.frame, each.seconds, tuple(parts), finish))
    return found


def parts_table(capture: Capture) -> Table:
    """One row a part, with its chunk; a chunk without parts has a row too."""
    columns = ["chunk", "ms", "part", "kind", "id", "says", "finish"]
    return table([_row(chunk, *placed) for chunk in chunks(capture) for placed in _placed(chunk)], columns)


def _placed(chunk: Chunk) -> list[tuple[str, dict[str, Any]]]:
    total = len(chunk.parts)
    return [(f"{at} of {total}", part) for at, part in enumerate(chunk.parts, 1)] or [("none", {})]


def _row(chunk: Chunk, place: str, part: dict[str, Any]) -> dict[str, Json]:
    kind, identifier, says = _told(part)
    return {
        "chunk": chunk.frame,
        "ms": None if chunk.seconds is None else round(chunk.seconds * 1000),
        "part": place,
        "kind": kind,
        "id": identifier,
        "says": says,
        "finish": chunk.finish,
    }


def _told(part: dict[str, Any]) -> tuple[str, Json, str]:
    """A part's kind, the id it has, and what it says."""
    for kind, held in (("functionCall", "args"), ("functionResponse", "response")):
        if kind in part:
            function = mapping(part[kind])
            said = msgspec.json.encode(function.get(held)).decode()
            return kind, function.get("id"), f"{function.get('name')} {said}"
    kind = "thought" if part.get("thought") is True else "text" if "text" in part else ", ".join(part)
    return kind, None, text_of(part.get("text"))


def ids_table(captures: Iterable[Capture]) -> Table:
    """One row a server and way to answer: how many calls have an id, and how they stand in chunks."""
    groups: dict[tuple[str, str], list[list[Chunk]]] = defaultdict(list)
    for capture in captures:
        way = "streamed" if capture.framing == "sse" else "whole"
        groups[recorder(capture), way].append(chunks(capture))
    ordered = sorted(groups, key=lambda group: (version_order(group[0]), group[1]))
    return table([_counts(server, way, groups[server, way]) for server, way in ordered])


def _counts(server: str, way: str, answers: Sequence[Sequence[Chunk]]) -> dict[str, Json]:
    every = [chunk for answer in answers for chunk in answer]
    calls = [call for chunk in every for call in chunk.calls]
    calling = [answer for answer in answers if any(chunk.calls for chunk in answer)]
    return {
        "server": server,
        "way": way,
        "answers": len(answers),
        "with calls": len(calling),
        "calls with an id": share(sum("id" in call for call in calls), len(calls)),
        "most calls in a chunk": max((len(chunk.calls) for chunk in every), default=0),
        "finish in a chunk of its own": share(sum(_ends_alone(answer) for answer in calling), len(calling)),
    }


def _ends_alone(answer: Sequence[Chunk]) -> bool:
    return any(chunk.finish is not None and not chunk.parts for chunk in answer)


def conversation_table(captures: Iterable[Capture]) -> Table:
    """The calls of several answers of one conversation, in order: one allocator names those that have no id."""
    allocator = IdAllocator()
    rows = []
    for turn, capture in enumerate(captures, 1):
        whole = capture.framing == "whole"
        reading = read_body(capture.body, capture.protocol, strict=False, whole=whole, allocator=allocator)
        rows += [[turn, call.name, call.arguments, call.id, ID_SOURCES[call.id_source]] for call in reading.calls]
    return table(rows, ["answer", "tool", "arguments", "id", "id from"])


def next_contents(capture: Capture) -> list[Json]:
    """The contents of the next request: what was asked, the answer, and a result for each call that may be executed.

    Each result says which call it is of, and the last call's tool finishes first, so that order alone pairs nothing.
    """
    reading = read_capture(capture)
    calls = {call.id: call_text(call.name, call.arguments) for call in reading.calls}
    finished = {identifier: f"of {calls[identifier]}" for identifier in reversed(reading.executable)}
    asked = mapping(capture.request.json).get("contents") or _QUESTION
    return next_turn({"contents": asked}, reading, finished, Replay(source="gemini")).messages


def call_text(name: str | None, arguments: Any) -> str:
    """`get_weather {"city":"Oslo"}`."""
    plain = dict(arguments) if isinstance(arguments, Mapping) else arguments
    return f"{name or 'no name'} {msgspec.json.encode(plain).decode()}"


def contents_table(contents: Sequence[Json]) -> Table:
    """One row a part of a request: the id it has, what it says, and which call a response answers by Gemini's rules."""
    answered = iter(answers_of(contents))
    rows = []
    for content, part in _parts_of(contents):
        kind, identifier, says = _told(part)
        answers = next(answered) if kind == "functionResponse" else None
        rows.append([content.get("role"), kind, identifier, says, answers])
    return table(rows, ["role", "part", "id", "says", "answers"])


def _parts_of(contents: Sequence[Json]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    return ((content, part) for content in objects(contents) for part in objects(content.get("parts")))


def answers_of(contents: Sequence[Json]) -> list[str]:
    """For each function response the call that its receiver gives it to: by id, else the oldest open of that name."""
    entries = pair(read_history({"contents": contents}, "gemini").transcript).transcript.entries
    calls = {
        call.id: call_text(call.name, call.arguments)
        for entry in entries
        if isinstance(entry, Message)
        for call in entry.calls
    }
    return [calls.get(entry.id, "no call") for entry in entries if isinstance(entry, Result)]


def strayed(contents: Sequence[Json]) -> list[str]:
    """The results of `next_contents` that their receiver gives to another call than the one they are of."""
    responses = [mapping(part["functionResponse"]) for _, part in _parts_of(contents) if "functionResponse" in part]
    said = [text_of(mapping(response.get("response")).get("output")) for response in responses]
    return [text for text, call in zip(said, answers_of(contents), strict=True) if text != f"of {call}"]


def beside_table(captures: Iterable[Capture]) -> Table:
    """One row an answer: what was delivered of calls, text and thinking. For one answer over several protocols."""
    rows = [_delivered(capture.name, read_capture(capture, strict=False)) for capture in captures]
    return table(rows, ["capture", "calls", "text", "thinking", "output tokens", "findings"], width_limit=80)


def _delivered(name: str, reading: Reading) -> list[Json]:
    counts = reading.usage or {}
    names = ("output_tokens", "completion_tokens", "candidatesTokenCount", "eval_count")
    tokens = next((counts[key] for key in names if key in counts), None)
    codes = ", ".join(finding.code for finding in reading.findings)
    return [name, call_words(reading), reading.text, reading.thinking, tokens, codes]


def empty_answers(captures: Iterable[Capture]) -> Counter[str]:
    """By scenario, how many answers delivered nothing although output tokens were counted."""
    return Counter(
        capture.scenario
        for capture in captures
        if "contract-violation" in {finding.code for finding in read_capture(capture, strict=False).findings}
    )
