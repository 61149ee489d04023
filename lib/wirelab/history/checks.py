"""What settling asks of one message, one call, one result, before any of them meets another."""

from typing import Any, Final

from msgspec import UNSET

from wirelab.model import Json
from wirelab.protocols.histories import CARRIERS, argument_object
from wirelab.transcript import Call, HistoryError, Message, Other, Refusal, Result, Text, Thought

ROLES: Final = frozenset({"system", "developer", "user", "assistant"})
"""The roles of a message; `tool` is a result's."""


def checked_role(message: Message) -> None:
    """Raise `unknown-role` where a message has none of the roles."""
    if not isinstance(message.role, str) or message.role not in ROLES:
        raise HistoryError("unknown-role", message.position, None, f"{message.role!r} is no role of a message")


def checked_id(identifier: Any, position: int, what: str, *, lenient: bool) -> str | None:
    """A usable id, or None where it is missing and may be. Raises `missing-call-id` and `invalid-id`."""
    if identifier is None or identifier is UNSET:
        if lenient:
            return None
        raise HistoryError("missing-call-id", position, None, f"the {what} has no id")
    if not isinstance(identifier, str) or not identifier.strip():
        raise HistoryError("invalid-id", position, identifier, f"the id of the {what} is {identifier!r}")
    return identifier


def arguments_of(call: Call) -> tuple[dict[str, Json], bool]:
    """A call's arguments as an object, and whether they were blank. Raises `bad-arguments`."""
    found = argument_object(call.arguments)
    if found is None:
        identifier = None if call.id is UNSET else call.id
        raise HistoryError("bad-arguments", call.position, identifier, f"arguments of {call.name} are no JSON object")
    given = call.arguments
    return found, given is None or given is UNSET or (isinstance(given, str) and not given.strip())


def mismatched(result: Result, call: Call) -> None:
    """Raise `result-name-mismatch` where a result names another tool than its call."""
    if result.name is not None and call.name is not None and result.name != call.name:
        said = f"the result is {result.name}'s, the call {call.id} was to {call.name}"
        raise HistoryError("result-name-mismatch", result.position, result.id, said)


def is_empty(message: Message) -> bool:
    """Whether an assistant's message holds nothing at all: no content, refusal, call or reasoning of any kind."""
    return not any(_holds(part) for part in message.parts) and not any(message.extra.get(key) for key in CARRIERS)


def _holds(part: Text | Thought | Refusal | Other | Call) -> bool:
    if isinstance(part, Thought):
        return bool(part.text or part.signature or part.encrypted)
    if isinstance(part, Text):
        return bool(part.text or part.signature)
    return not isinstance(part, Refusal) or bool(part.text)
