"""A capture as evidence: what it is, and its reading, taken once."""

import json
from functools import cached_property

from wirelab.calls import read_body
from wirelab.capture.types import Capture
from wirelab.errors import UnreadableInputError
from wirelab.history.pairing import pair
from wirelab.history.seen import Seen
from wirelab.history.visibility import visibility
from wirelab.model import Json, Reading
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.protocols.registry import PROTOCOLS


class Exhibit:
    """One capture with everything that claims ask of it. Readings and decoded bodies are made once and kept."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    @property
    def name(self) -> str:
        """The capture's name."""
        return self.capture.name

    @property
    def scenario(self) -> str:
        """What was tried."""
        return self.capture.scenario

    @property
    def protocol(self) -> str:
        """The capture's protocol, `discovery` included."""
        return self.capture.protocol

    @property
    def target(self) -> str:
        """The folder of the recording: server, version and how it was set up."""
        return self.capture.name.partition("/")[0]

    @property
    def family(self) -> str:
        """The syntax of the model, or the route and the syntax behind a gateway; empty where there is none."""
        return self.capture.variant.partition(".")[2]

    @property
    def streamed(self) -> bool:
        """Whether the answer was asked for as a stream."""
        return self.capture.variant.startswith("stream")

    @property
    def status(self) -> int:
        """The HTTP status of the answer."""
        return self.capture.response.status

    @cached_property
    def reading(self) -> Reading | None:
        """The lenient reading; None where no reader knows the protocol."""
        entry = PROTOCOLS.get(self.protocol)
        if entry is None:
            return None
        asked = entry.asked(self.capture.request.json or {})
        return read_body(self.capture.body, self.protocol, asked=asked, status=self.status, strict=False)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of the reading's findings."""
        return frozenset(finding.code for finding in self.reading.findings) if self.reading else frozenset()

    @cached_property
    def body(self) -> Json:
        """The decoded body of a whole answer; None where it is no JSON."""
        try:
            return json.loads(self.capture.body)
        except (ValueError, RecursionError):
            return None

    @property
    def request(self) -> dict[str, Json]:
        """The JSON object that was asked, empty where there was none."""
        return self.capture.request.json if isinstance(self.capture.request.json, dict) else {}

    @property
    def _rendered_apart(self) -> bool:
        """Whether this is an answer of llama-server's own endpoint for prompts, which takes chat messages."""
        return self.capture.request.path == "/apply-template"

    @property
    def dialect(self) -> str:
        """What the request's history is written in: the protocol, or chat where a prompt was rendered apart."""
        return "chat" if self._rendered_apart else self.protocol

    @property
    def prompt(self) -> Json:
        """The prompt that the server made: seen behind it, or the answer itself; None where nobody saw it."""
        if self._rendered_apart and isinstance(self.body, dict):
            return self.body.get("prompt")
        debug = self.body.get("_debug_info") if isinstance(self.body, dict) else None
        if isinstance(debug, dict):
            return debug.get("rendered_template")
        return self.capture.observed.prompt if self.capture.observed is not None else None

    @cached_property
    def parts(self) -> tuple[Seen, ...]:
        """What became of the parts of its history in the prompt; empty where either is missing or unreadable."""
        if self.dialect not in DIALECTS or not self.prompt:
            return ()
        try:
            transcript = read_history(self.request, self.dialect).transcript
        except UnreadableInputError:
            return ()
        if self.protocol == "gemini":  # ids may be left out there, and without them no result is anybody's
            transcript = pair(transcript).transcript
        return visibility(transcript, self.prompt).parts
