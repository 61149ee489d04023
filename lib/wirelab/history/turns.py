"""The language-neutral form of histories: what the battery of cases is written in.

A turn is `{"role": "user"|"assistant"|…, "text": …, "calls": [{"id", "name", "args"}]}` or
`{"role": "result", "id", "name", "text"}`.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET

from wirelab.model import Json
from wirelab.protocols.histories import entries_of, json_text, name_of, thaw
from wirelab.transcript import Call, Dialect, Entry, Message, Part, Result, Text, Transcript

_TEXT_ARGUMENTS: Final = frozenset({"chat", "responses"})


def read_turns(turns: Any, dialect: Dialect = "chat") -> Transcript:
    """Read neutral turns; `dialect` decides how lenient settling is about ids that are missing.

    Raises UnreadableInputError where they are no list of objects.
    """
    entries: list[Entry] = []
    for position, turn in enumerate(entries_of(turns, "turns")):
        text = turn.get("text")
        said: tuple[Part, ...] = (Text(text, plain=True, position=position),) if text else ()
        if turn.get("role") == "result":
            named = name_of(turn, "name")
            entries.append(Result(turn.get("id", UNSET), named, said, position=position))
            continue
        calls: list[Part] = [
            _call(call, position, dialect) for call in entries_of(turn.get("calls", ()), f"turns[{position}].calls")
        ]
        entries.append(Message(turn.get("role"), (*said, *calls), position))
    return Transcript(tuple(entries), dialect)


def _call(call: Mapping[str, Json], position: int, dialect: Dialect) -> Call:
    arguments: Any = call.get("args", UNSET)
    if dialect in _TEXT_ARGUMENTS and isinstance(arguments, Mapping):
        arguments = json_text(thaw(arguments))
    return Call(name_of(call, "name"), call.get("id", UNSET), arguments, position=position)
