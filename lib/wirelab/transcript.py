"""A history in no protocol's terms: what passes between the readers of requests, settling, and the writers.

A *transcript* is a tuple of entries; an entry is a *message* (system, developer, user, assistant) or the *result* of a
tool call. All types are frozen and nothing of a transcript is ever changed in place; JSON values inside it (arguments,
foreign content parts) are the caller's own and are only read: writers copy them.

Values that only settling may judge (`Call.id`, `Call.arguments`, `Result.id`, `Message.role`) are kept as the wire had
them, `msgspec.UNSET` where the key is missing, so that the first error by position can be the one reported.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from wirelab.errors import WirelabError
from wirelab.model import Json

Dialect = Literal["chat", "native", "responses", "messages", "gemini"]
"""A protocol whose histories can be read and written."""

Extra = Mapping[str, Json]
"""Keys that only the dialect they were read from knows; written back to that dialect, left out elsewhere."""

NOTHING: Extra = {}
FIELD = -1
"""The position of system text that stands in a field of its own (`system`, `systemInstruction`, `instructions`)."""
MADE = -2
"""The position of an entry that no history held: a placeholder."""


class Text(msgspec.Struct, frozen=True, gc=False):
    """Visible text. `plain`: it is the whole content, as a string rather than a list of parts.

    `item` holds the extra keys of the Responses message item around it, `signature` a Gemini `thoughtSignature`.
    """

    text: str
    plain: bool = False
    position: int = 0
    signature: str | None = None
    extra: Extra = NOTHING
    item: Extra = NOTHING


class Thought(msgspec.Struct, frozen=True, gc=False):
    """Reasoning. `signature` vouches for `text` (Messages, Gemini); `encrypted` is what only the server can read.

    `key` is the field of a chat or native message that held it.
    """

    text: str
    signature: str | None = None
    encrypted: str | None = None
    redacted: bool = False
    position: int = 0
    extra: Extra = NOTHING
    key: str | None = None


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """The model declined, in its own words."""

    text: str
    position: int = 0
    extra: Extra = NOTHING


class Other(msgspec.Struct, frozen=True, gc=False):
    """A content part that only its dialect knows (an image, a document, a hosted tool's item), as it was read."""

    value: Mapping[str, Json]
    position: int = 0


class Call(msgspec.Struct, frozen=True, gc=False):
    """A tool call. After settling, `id` is a string and `arguments` an object or an object's JSON text.

    `allocated`: the id is ours, no provider sent one. `index` is the number a server gave the call, `signature` a
    Gemini `thoughtSignature`; `function` holds the extra keys of the function inside a chat or native entry.
    """

    name: str | None
    id: Any = msgspec.UNSET
    arguments: Any = msgspec.UNSET
    allocated: bool = False
    index: int | None = None
    position: int = 0
    signature: str | None = None
    extra: Extra = NOTHING
    function: Extra = NOTHING


Part = Text | Thought | Refusal | Other | Call

Blank = Literal["null", "empty", "absent"]
"""How a message said that it has no content: null, an empty string or list, or no key at all."""


class Message(msgspec.Struct, frozen=True, gc=False):
    """What somebody said: its parts in the order of the wire. Only an assistant's has calls and thoughts."""

    role: Any
    parts: tuple[Part, ...] = ()
    position: int = 0
    blank: Blank | None = None
    extra: Extra = NOTHING

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    @property
    def text(self) -> str:
        """The visible text, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def thinking(self) -> str:
        """The readable reasoning, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Thought))


class Result(msgspec.Struct, frozen=True, gc=False):
    """What a tool call gave. `value` is a structured result (Gemini's `response` object), `UNSET` elsewhere.

    `placeholder`: written by settling because the real one is not known.
    """

    id: Any = msgspec.UNSET
    name: str | None = None
    parts: tuple[Part, ...] = ()
    value: Any = msgspec.UNSET
    error: bool = False
    placeholder: bool = False
    position: int = 0
    blank: Blank | None = None
    extra: Extra = NOTHING

    @property
    def text(self) -> str:
        """The result's text, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


Entry = Message | Result


class Transcript(msgspec.Struct, frozen=True):
    """A history. `dialect` is the one it was read from: what `extra`, `Other` and signatures belong to."""

    entries: tuple[Entry, ...]
    dialect: Dialect = "chat"


class HistoryFinding(msgspec.Struct, frozen=True, gc=False):
    """Something that was changed, or that a reader must know. `position` is the message's in the input list."""

    code: str
    position: int | None
    id: str | None
    detail: str


class Recorded(msgspec.Struct, frozen=True):
    """A history as it was read, and what reading it had to decide."""

    transcript: Transcript
    findings: tuple[HistoryFinding, ...] = ()


class HistoryError(WirelabError):
    """A history that no settling can make a valid request of. `code` is one of `wirelab.history.codes`."""

    def __init__(self, code: str, position: int, identifier: Json, detail: str) -> None:
        super().__init__(f"{code}: message {position}: {detail}")
        self.code = code
        self.position = position
        self.id = identifier
        self.detail = detail
