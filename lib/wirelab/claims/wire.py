"""What claims look up in the frames themselves: tool-call entries by frame, and the ids of answers and items."""

from collections.abc import Iterator
from typing import Any

import msgspec

from wirelab.claims.exhibit import Exhibit
from wirelab.framing import Decoder, NdjsonDecoder, SseDecoder, WholeDecoder
from wirelab.model import FrameKind, Json
from wirelab.protocols.decoding import UNDECODABLE, decode_any


class Entry(msgspec.Struct, frozen=True):
    """One tool-call entry as it stood in a frame; None is absent."""

    id: str | None
    index: int | None


def payloads(exhibit: Exhibit) -> Iterator[dict[str, Json]]:
    """The decoded objects of all frames; what is no JSON object is left out."""
    framing: dict[str, type[Decoder]] = {"ndjson": NdjsonDecoder, "sse": SseDecoder, "whole": WholeDecoder}
    decoder = framing[exhibit.capture.framing]()
    for frame in (*decoder.push(exhibit.capture.body), *decoder.close()):
        if frame.kind is FrameKind.DATA:
            value = value_of(frame.data)
            if isinstance(value, dict):
                yield value


def value_of(data: bytes) -> Json:
    """The JSON value of a payload; None where it is no JSON."""
    try:
        return decode_any(data)
    except UNDECODABLE:
        return None


def tool_entries(exhibit: Exhibit) -> Iterator[list[Entry]]:
    """The tool-call entries of each native or chat frame that has any."""
    for payload in payloads(exhibit):
        choices: Any = payload.get("choices") or [payload]
        message = choices[0].get("delta") or choices[0].get("message") if isinstance(choices[0], dict) else None
        entries = message.get("tool_calls") if isinstance(message, dict) else None
        if isinstance(entries, list) and entries:
            yield [_entry(entry) for entry in entries if isinstance(entry, dict)]


def _entry(entry: dict[str, Json]) -> Entry:
    function = entry.get("function")
    inner = function.get("index") if isinstance(function, dict) else None
    return Entry(entry.get("id") or None, entry.get("index", inner))


def item_ids(exhibit: Exhibit) -> list[str]:
    """The ids of the answer and of its items, each once, calls' own ids aside."""
    found: dict[str, None] = {}
    for payload in payloads(exhibit):
        for holder in (payload, payload.get("response"), payload.get("message"), payload.get("item")):
            if isinstance(holder, dict) and isinstance(holder.get("id"), str):
                found[holder["id"]] = None
    return list(found)
