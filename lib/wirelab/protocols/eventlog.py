"""An event log: a sink for people and tests, which keeps what a reader tells as frozen records."""

from collections.abc import Mapping, Sequence

import msgspec

from wirelab.model import Fragment, Json, Place, fragments_of


class Text(msgspec.Struct, frozen=True):
    """A piece of answer text, refusals included."""

    frame: int
    piece: str


class Thinking(msgspec.Struct, frozen=True):
    """A piece of reasoning."""

    frame: int
    piece: str


class Finish(msgspec.Struct, frozen=True):
    """A finish signal; `reason` is None where it has none."""

    frame: int
    reason: str | None


class Usage(msgspec.Struct, frozen=True):
    """Token counts as sent."""

    frame: int
    counts: dict[str, Json]
    output_tokens: int | None


class Error(msgspec.Struct, frozen=True):
    """The server says that it failed."""

    frame: int | None
    message: str
    status: int | None = None


class Note(msgspec.Struct, frozen=True):
    """Something the reader itself noticed."""

    code: str
    frame: int | None
    position: int | None
    detail: str
    call: str | None = None


Event = Text | Thinking | Fragment | Finish | Usage | Error | Note


class EventLog:
    """Keeps every event in the order told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def text(self, frames: Sequence[int], pieces: Sequence[str]) -> None:
        """Keep pieces of text."""
        self.events += map(Text, frames, pieces)

    def thinking(self, frames: Sequence[int], pieces: Sequence[str]) -> None:
        """Keep pieces of reasoning."""
        self.events += map(Thinking, frames, pieces)

    def fragment(self, fragment: Fragment) -> None:
        """Keep a tool-call entry."""
        self.events.append(fragment)

    def arguments(self, frames: Sequence[int], pieces: Sequence[str], places: Sequence[Place]) -> None:
        """Keep tool-call entries."""
        self.events += fragments_of(frames, pieces, places)

    def finish(self, frame: int, reason: str | None) -> None:
        """Keep a finish signal."""
        self.events.append(Finish(frame, reason))

    def usage(self, frame: int, counts: Mapping[str, Json], output_tokens: int | None) -> None:
        """Keep token counts."""
        self.events.append(Usage(frame, dict(counts), output_tokens))

    def error(self, frame: int | None, message: str, status: int | None = None) -> None:
        """Keep a failure."""
        self.events.append(Error(frame, message, status))

    def note(self, code: str, frame: int | None, position: int | None, detail: str, call: str | None = None) -> None:
        """Keep a remark."""
        self.events.append(Note(code, frame, position, detail, call))

    @property
    def said(self) -> str:
        """All text so far."""
        return "".join(event.piece for event in self.events if isinstance(event, Text))

    @property
    def thought(self) -> str:
        """All reasoning so far."""
        return "".join(event.piece for event in self.events if isinstance(event, Thinking))

    @property
    def fragments(self) -> list[Fragment]:
        """All tool-call entries so far."""
        return [event for event in self.events if isinstance(event, Fragment)]

    @property
    def notes(self) -> list[Note]:
        """All remarks so far."""
        return [event for event in self.events if isinstance(event, Note)]

    @property
    def errors(self) -> list[Error]:
        """All failures so far."""
        return [event for event in self.events if isinstance(event, Error)]
