"""The frozen types that pass between rooms. Words, one meaning each:

a *frame* is one framed payload (an NDJSON line, a server-sent event, a whole JSON answer); an *event* is what a
frame says in any protocol's terms, told to a `Sink`; a *tool call* is what fragments fold into; a *finding* is an
anomaly or a violation; a *reading* is all of it together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, Protocol

import msgspec

Json = Any
"""A decoded JSON value: None, bool, int, float, str, list of Json or dict of str to Json."""


class FrameKind(StrEnum):
    """What a frame is, before any protocol looks at it."""

    DATA = "data"
    """A payload: the bytes of an NDJSON line, of an event's joined data lines, or of a whole answer."""
    COMMENT = "comment"
    """An SSE comment line (keep-alive); kept because its time tells whether the server was alive."""
    IGNORED = "ignored"
    """An SSE block without data (only `id:`, `retry:` or `event:`), or a blank NDJSON line that holds white space."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One framed payload and where it stood.

    `number` counts all frames of the body from 0, comments included. `start` and `end` are byte offsets into the
    body, the terminator included in the range; `data` is the payload without terminators and field names (UTF-8 as it
    came). `terminated` is False only for what was left over when the body ended.
    """

    number: int
    start: int
    end: int
    data: bytes
    kind: FrameKind = FrameKind.DATA
    event: str | None = None
    terminated: bool = True


class FrameRun(Protocol):
    """Frames of one shape after each other, which are only made when someone asks (`wirelab.framing.Run`)."""

    @property
    def number(self) -> int:
        """The number of the first."""

    @property
    def payloads(self) -> list[bytes]:
        """Their payloads, with white space around them at most."""

    def frames(self) -> list[Frame]:
        """The frames themselves."""


Mode = Literal["delta", "whole", "done"]


class Fragment(msgspec.Struct, frozen=True, gc=False):
    """One tool-call entry of one frame, as the wire has it (specification 1, first section).

    `id`, `index`, `name` and `arguments` are raw JSON values, `msgspec.UNSET` where the key is missing, so that absent,
    null and empty stay apart; object arguments come as `msgspec.Raw`, byte for byte. `key` is what the protocol itself
    joins deltas by (an item id, a block number), None on native and chat.
    """

    frame: int
    position: int
    entries: int
    id: Any = msgspec.UNSET
    index: Any = msgspec.UNSET
    name: Any = msgspec.UNSET
    arguments: Any = msgspec.UNSET
    mode: Mode = "delta"
    key: str | int | None = None


Place = tuple[Any, str | int | None]
"""Index and key of a fragment."""


class Severity(StrEnum):
    """How much a finding weighs."""

    ANOMALY = "anomaly"
    """Recorded, changes nothing else."""
    VIOLATION = "violation"
    """No call of the response may be executed."""


class Finding(msgspec.Struct, frozen=True):
    """Something the server should not have sent, or that a client must know. `call` is the call's id."""

    code: str
    severity: Severity
    frame: int | None
    position: int | None
    call: str | None
    detail: str


IdSource = Literal["provider", "adopted", "allocated"]


class ToolCall(msgspec.Struct, frozen=True):
    """One call as it was read.

    `arguments` is the decoded object, None where the text is none; `arguments_text` the text as sent. `aliases` are the
    other ids (str) and the indexes (int) the call was known by. `frames` are the numbers of all frames that touched it.
    """

    id: str
    id_source: IdSource
    name: str | None
    arguments: dict[str, Json] | None
    arguments_text: str
    complete: bool
    aliases: tuple[str | int, ...] = ()
    frames: tuple[int, ...] = ()


class Failure(msgspec.Struct, frozen=True):
    """The first violation of a reading: why nothing of it may be executed."""

    code: str
    message: str


class Reading(msgspec.Struct, frozen=True):
    """What one response says: the result of the whole way from bytes to verdict."""

    protocol: str
    policy: str
    calls: tuple[ToolCall, ...]
    executable: tuple[str, ...]
    text: str
    thinking: str
    finish_reason: str | None
    raw_finish_reason: str | None
    usage: dict[str, Json] | None
    findings: tuple[Finding, ...]
    error: Failure | None


class Asked(msgspec.Struct, frozen=True):
    """What the request said that a reader needs. None: the request did not say, or is not known."""

    tools: frozenset[str] | None = None
    parallel: bool | None = None
    output_limit: int | None = None
    stream: bool | None = None


class Sink(Protocol):
    """Where a protocol's reader tells its events. The reconciler is one; an event log for people is another.

    Most frames bring a piece of something that others brought a piece of before. Pieces that come in a row are told at
    once, with the frame of each.
    """

    def text(self, frames: Sequence[int], pieces: Sequence[str]) -> None:
        """Pieces of answer text."""

    def thinking(self, frames: Sequence[int], pieces: Sequence[str]) -> None:
        """Pieces of reasoning."""

    def fragment(self, fragment: Fragment) -> None:
        """One tool-call entry."""

    def arguments(self, frames: Sequence[int], pieces: Sequence[str], places: Sequence[Place]) -> None:
        """Tool-call entries with nothing but pieces of argument text, each alone in its frame (`fragments_of`)."""

    def finish(self, frame: int, reason: str | None) -> None:
        """A finish signal; `reason` is None where the signal has none (`[DONE]`, `message_stop`)."""

    def usage(self, frame: int, counts: Mapping[str, Json], output_tokens: int | None) -> None:
        """Token counts as sent, and the number of output tokens among them."""

    def error(self, frame: int | None, message: str, status: int | None = None) -> None:
        """The server says that it failed."""

    def note(self, code: str, frame: int | None, position: int | None, detail: str, call: str | None = None) -> None:
        """The reader itself noticed something. The code says whether it is a violation (`wirelab.codes`)."""


def fragments_of(frames: Iterable[int], pieces: Iterable[str], places: Iterable[Place]) -> Iterator[Fragment]:
    """The fragments that `Sink.arguments` is told of, one by one."""
    for frame, piece, (index, key) in zip(frames, pieces, places, strict=True):
        yield Fragment(frame, 0, 1, msgspec.UNSET, index, msgspec.UNSET, piece, "delta", key)


class Reader(Protocol):
    """One protocol's frame reader. Feed it every frame in order, then close it; it tells a sink what it reads."""

    def read(self, frame: Frame) -> None:
        """Read one frame. Never raises on what a server sent: it notes it."""

    def read_run(self, run: FrameRun) -> None:
        """Read the frames of a run, in order."""

    def close(self) -> None:
        """The body has ended: say what was only decidable at the end."""


Messages = Sequence[Mapping[str, Json]]
"""A history as a request body holds it."""
