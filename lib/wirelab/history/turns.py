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


def told(transcript: Transcript) -> list[str]:
    """A transcript in a phrase an entry, in the words of `peer-matrix.json`.

    `user=hurry`, `assistant['c1':get_weather]=still at it`, `tool('c1')=sun`, `tool('c1', name=get_weather)=sun`.
    """
    return [_result_told(each) if isinstance(each, Result) else _message_told(each) for each in transcript.entries]


def _message_told(message: Message) -> str:
    calls = ", ".join(f"{None if call.id is UNSET else call.id!r}:{call.name}" for call in message.calls)
    return f"{message.role}{f'[{calls}]' if calls else ''}{f'={message.text}' if message.text else ''}"


def _result_told(result: Result) -> str:
    identifier = None if result.id is UNSET else result.id
    name = "" if result.name is None else f", name={result.name}"
    return f"tool({identifier!r}{name})={result.text}"
