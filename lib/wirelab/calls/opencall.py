"""A call while its fragments still come in: everything that is known of it, and what its arguments are so far."""

from typing import Any, Literal

import msgspec

from wirelab.calls.scan import ObjectScanner
from wirelab.model import IdSource

Shape = Literal["text", "object", "either"]
"""What the protocol has as arguments: pieces of JSON text, whole objects, or (Messages) both."""

_DECODER = msgspec.json.Decoder()
NOT_JSON: Any = object()
"""What `decode` gives for a text that is no JSON."""


def decode(text: str | bytes) -> Any:
    """The JSON value of a text, or `NOT_JSON`."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):  # msgspec.DecodeError and UnicodeError are ValueErrors
        return NOT_JSON


def same_json(one: Any, other: Any) -> bool:
    """Equal as JSON: unlike in Python, true is not 1, and 1 is not 1.0. The order of members counts for nothing."""
    return bool(one == other) and _encode(one) == _encode(other)


def _encode(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


class OpenCall(msgspec.Struct, eq=False, gc=False):
    """One call under construction. `parts` are the pieces of argument text in order, joined once at the end;
    `value` is a whole argument object as bytes. `slots` are all slots the call was seen in, in order. `metadata` are
    the ids and names that were counted.
    """

    shape: Shape
    id: str | None = None
    given: str | None = None
    id_source: IdSource = "allocated"
    name: str | None = None
    parts: list[str] = []
    value: bytes | None = None
    slots: dict[int, None] = {}
    other_ids: dict[str, None] = {}
    frames: list[int] = []
    last_frame: int = -1
    metadata: set[str] = set()
    metadata_bytes: int = 0
    argument_bytes: int = 0
    done: bool = False
    echo: bool = False
    broken: bool = False
    executable: bool = True
    closed: Any = None
    _scanner: ObjectScanner | None = None
    _scanned: int = 0
    _decoded: Any = NOT_JSON

    @property
    def complete(self) -> bool:
        """The arguments so far are a JSON object; where the protocol has objects, none at all are complete too.

        Scans only what came since the last question: most streams never ask.
        """
        if self.value is not None:
            return True
        if not self.parts:
            return self.shape == "object"
        if self._scanner is None:
            self._scanner = ObjectScanner()
        for part in self.parts[self._scanned :]:
            self._scanner.feed(part)
        self._scanned = len(self.parts)
        return self._scanner.complete

    @property
    def arguments_text(self) -> str:
        """The argument text as sent, the pieces joined, or the object as it stood on the wire."""
        return self.value.decode("utf-8", "replace") if self.value is not None else "".join(self.parts)

    def arguments_value(self) -> Any:
        """The decoded arguments so far, `NOT_JSON` while they are none. Decodes at most once an object."""
        if self.value is None:
            return decode("".join(self.parts)) if self.parts else {}
        if self._decoded is NOT_JSON:
            self._decoded = decode(self.value)
        return self._decoded

    def set_value(self, value: bytes) -> None:
        """Take a whole argument object."""
        self.value = value
        self._decoded = NOT_JSON

    def replace_text(self, text: str) -> None:
        """Take an authoritative whole text instead of the pieces."""
        self.parts = [text] if text else []
        self._scanner = None
        self._scanned = 0

    @property
    def aliases(self) -> tuple[str | int, ...]:
        """The other ids, then the indexes, each in the order they were seen."""
        return (*self.other_ids, *[slot for slot in self.slots if slot >= 0])
