"""The protocols this package reads, and how a body is recognised as one of them."""

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from wirelab.model import Asked, Json, Reader, Sink
from wirelab.protocols import asked
from wirelab.protocols.chat import response as chat
from wirelab.protocols.gemini import response as gemini
from wirelab.protocols.messages import response as messages
from wirelab.protocols.native import response as native
from wirelab.protocols.recognise import recognise
from wirelab.protocols.responses import response as responses


class ProtocolEntry(msgspec.Struct, frozen=True):
    """One protocol: its framing, the readers of its answers, what its requests ask, and its paths.

    `paths` are regular expressions, searched in a request's path.
    """

    name: str
    framing: Literal["ndjson", "sse"]
    stream_reader: Callable[[Sink], Reader]
    whole_reader: Callable[[Sink], Reader]
    asked: Callable[[Json], Asked]
    paths: tuple[str, ...]


PROTOCOLS: dict[str, ProtocolEntry] = {
    entry.name: entry
    for entry in (
        ProtocolEntry(
            "native", "ndjson", native.StreamReader, native.WholeReader, asked.native, (r"/api/(chat|generate)\b",)
        ),
        ProtocolEntry("chat", "sse", chat.StreamReader, chat.WholeReader, asked.chat, (r"/chat/completions\b",)),
        ProtocolEntry(
            "responses", "sse", responses.StreamReader, responses.WholeReader, asked.responses, (r"/responses\b",)
        ),
        ProtocolEntry(
            "messages", "sse", messages.StreamReader, messages.WholeReader, asked.messages, (r"/v1/messages\b",)
        ),
        ProtocolEntry(
            "gemini",
            "sse",
            gemini.StreamReader,
            gemini.WholeReader,
            asked.gemini,
            (r":(streamGenerateContent|generateContent)\b",),
        ),
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
