"""What a capture holds: one exchange with a server, byte for byte and with its times."""

import hashlib
from typing import Literal

import msgspec

from wirelab.model import Json

Evidence = Literal["recorded", "documented", "synthetic"]
"""Recorded from a running server; written down from a public report; or made up by us."""

Framing = Literal["ndjson", "sse", "whole"]
"""How the body is cut into frames: lines, server-sent events, or not at all."""

EndKind = Literal["complete", "cut", "error"]


class Source(msgspec.Struct, frozen=True):
    """Where an exchange comes from. `target` is a label, never a host name; `note` says what was scripted."""

    kind: Evidence
    target: str = ""
    server: str = ""
    version: str = ""
    model: str | None = None
    note: str = ""


class Request(msgspec.Struct, frozen=True):
    """What was asked. `headers` hold allow-listed names only; `json` is None where there was no JSON body."""

    method: str = "POST"
    path: str = "/"
    headers: dict[str, str] = {}
    json: Json = None


class Response(msgspec.Struct, frozen=True):
    """The answer's status and allow-listed headers; its body stands in the reads."""

    status: int = 200
    headers: dict[str, str] = {}


class Observed(msgspec.Struct, frozen=True):
    """What was seen behind the server while it answered, which no client can see.

    `prompt` is what the server handed to the model (text, or a list of messages), `model_output` the model's raw text,
    `model_said` what that text means: `{"calls": [{"name", "arguments"}], "text", "thinking"}`.
    """

    prompt: Json = None
    model_output: str | None = None
    model_said: dict[str, Json] | None = None


class Read(msgspec.Struct, frozen=True, gc=False):
    """What one transport read gave, `t` seconds after the request was sent."""

    t: float
    data: bytes


class End(msgspec.Struct, frozen=True):
    """How the recording ended.

    `by` names who cut it (`client`, `server`, `recorder`), `detail` says more, `redacted` counts the secrets that were
    replaced in the body.
    """

    kind: EndKind
    t: float | None = None
    by: str | None = None
    detail: str | None = None
    redacted: int | None = None


class Head(msgspec.Struct, frozen=True):
    """Everything that is known before the first byte of the body arrives.

    `name` is `<target>/<protocol>/<scenario>.<variant>`, `recorded_at` an ISO 8601 instant in UTC.
    """

    name: str
    scenario: str
    protocol: str
    framing: Framing
    recorded_at: str
    source: Source
    request: Request = Request()
    response: Response = Response()
    observed: Observed | None = None


class Capture(msgspec.Struct, frozen=True):
    """One recorded exchange, as it is read from a file. It is evidence: nothing here is ever edited."""

    head: Head
    reads: tuple[Read, ...]
    end: End

    @property
    def name(self) -> str:
        """`<target>/<protocol>/<scenario>.<variant>`, the same on every machine."""
        return self.head.name

    @property
    def scenario(self) -> str:
        """What was tried."""
        return self.head.scenario

    @property
    def variant(self) -> str:
        """What follows the scenario in the name, such as `stream.gemma4`."""
        return self.head.name.rpartition("/")[2].removeprefix(self.head.scenario).removeprefix(".")

    @property
    def protocol(self) -> str:
        """`native`, `chat`, `responses`, `messages`, `gemini`, or another name where no reader applies."""
        return self.head.protocol

    @property
    def framing(self) -> Framing:
        """How the body is cut into frames."""
        return self.head.framing

    @property
    def recorded_at(self) -> str:
        """When, ISO 8601 in UTC."""
        return self.head.recorded_at

    @property
    def source(self) -> Source:
        """Where it comes from."""
        return self.head.source

    @property
    def request(self) -> Request:
        """What was asked."""
        return self.head.request

    @property
    def response(self) -> Response:
        """Status and headers of the answer."""
        return self.head.response

    @property
    def observed(self) -> Observed | None:
        """What was seen behind the server, where somebody looked."""
        return self.head.observed

    @property
    def body(self) -> bytes:
        """The body of the answer, byte for byte."""
        return b"".join([read.data for read in self.reads])

    @property
    def sha256(self) -> str:
        """The body's SHA-256 in hexadecimal: how anything derived from this capture names it."""
        return hashlib.sha256(self.body).hexdigest()


def framing_of(content_type: str | None) -> Framing:
    """The framing that a `content-type` header announces; anything unknown is one whole."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return "sse"
    return "ndjson" if kind in {"application/x-ndjson", "application/jsonl"} else "whole"
