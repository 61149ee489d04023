"""The protocols this package reads, and how a body is recognised as one of them.

A protocol's readers are imported when the first answer in it is read: most programs meet one.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Literal

import msgspec

from wirelab.model import Asked, Json, Reader, Sink
from wirelab.protocols import asked
from wirelab.protocols.recognise import recognise


@cache
def _readers(protocol: str) -> Any:
    return import_module(f"wirelab.protocols.{protocol}.response")


class ProtocolEntry(msgspec.Struct, frozen=True):
    """One protocol: its framing, what its requests ask, and its paths.

    `paths` are regular expressions, searched in a request's path.
    """

    name: str
    framing: Literal["ndjson", "sse"]
    asked: Callable[[Json], Asked]
    paths: tuple[str, ...]

    def stream_reader(self, sink: Sink) -> Reader:
        """A reader of streamed answers."""
        reader: Reader = _readers(self.name).StreamReader(sink)
        return reader

    def whole_reader(self, sink: Sink) -> Reader:
        """A reader of answers that came as one object."""
        reader: Reader = _readers(self.name).WholeReader(sink)
        return reader


PROTOCOLS: dict[str, ProtocolEntry] = {
    entry.name: entry
    for entry in (
        ProtocolEntry("native", "ndjson", asked.native, (r"/api/(chat|generate)\b",)),
        ProtocolEntry("chat", "sse", asked.chat, (r"/chat/completions\b",)),
        ProtocolEntry("responses", "sse", asked.responses, (r"/responses\b",)),
        ProtocolEntry("messages", "sse", asked.messages, (r"/v1/messages\b",)),
        ProtocolEntry("gemini", "sse", asked.gemini, (r":(streamGenerateContent|generateContent)\b",)),
    )
}


def detect(body: bytes, path: str | None = None) -> str | None:
    """The name of the protocol that an answer is in: by the request's path where that is known, else by what it says.

    None where neither says so (an empty body, plain text, a gateway's own error).
    """
    for entry in PROTOCOLS.values():
        if path is not None and any(re.search(pattern, path) for pattern in entry.paths):
            return entry.name
    return recognise(body)
