"""Reading one entry: which of its fields are valid (specification 1, reading one entry)."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET

from wirelab.model import Fragment

ID_CHARACTERS = 512
_INDEX_DIGITS = 18

Noter = Callable[[str, str], None]
"""Called with a finding's code and detail."""


class Entry(msgspec.Struct, gc=False):
    """One tool-call entry with its valid fields only; None is absent, whatever the wire had there.

    `text` is a piece of argument text, `value` an argument object byte for byte. `slot` is the index when it is valid,
    else `-1 - position`: indexes and positions are separate slots. `repeat` is set by identity where the entry only
    says again what its call already has.
    """

    fragment: Fragment
    id: str | None
    index: int | None
    name: str | None
    text: str | None
    value: bytes | None
    slot: int
    repeat: bool = False

    @property
    def is_nothing(self) -> bool:
        """Neither id, nor name, nor argument text."""
        return self.id is None and self.name is None and not self.text and self.value is None


def read_entry(fragment: Fragment, note: Noter) -> Entry:
    """The entry of a fragment; `note` hears of every field that is there and not valid."""
    identifier = fragment.id
    if identifier is UNSET or identifier is None or identifier == "":
        identifier = None
    elif type(identifier) is not str or len(identifier) > ID_CHARACTERS or identifier.isspace():
        note(
            "invalid-id", f"the id {_short(identifier)} is no string of 1 to {ID_CHARACTERS} characters; read as absent"
        )
        identifier = None
    index = fragment.index
    if index is UNSET or index is None:
        index = None
    elif type(index) is not int or index < 0:
        index = _odd_index(index, note)
    name = fragment.name
    if type(name) is not str or not name or name.isspace():
        name = None
    slot = -1 - fragment.position if index is None else index
    arguments = fragment.arguments
    if type(arguments) is str:
        return Entry(fragment, identifier, index, name, arguments, None, slot)
    value = None if arguments is UNSET or arguments is None else _object(arguments, note)
    return Entry(fragment, identifier, index, name, None, value, slot)


def _odd_index(index: Any, note: Noter) -> int | None:
    if type(index) is str and index.isascii() and index.isdigit() and len(index) <= _INDEX_DIGITS:
        note("index-not-integer", f"the index {index!r} is a string; read as {int(index)}")
        return int(index)
    note("invalid-index", f"the index {_short(index)} is no integer from 0 up; read as absent")
    return None


def _object(arguments: Any, note: Noter) -> bytes | None:
    raw = bytes(arguments) if isinstance(arguments, msgspec.Raw) else msgspec.json.encode(arguments)
    if raw.startswith(b"{") or raw.lstrip().startswith(b"{"):
        return raw
    if raw.strip() != b"null":
        note("invalid-arguments", f"arguments are neither a string nor an object: {_short(raw)}")
    return None


def _short(value: Any) -> str:
    shown = ascii(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
