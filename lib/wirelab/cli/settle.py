"""`wirelab settle`: from a history that an agent recorded to the messages of a request that an endpoint accepts."""

import json
from typing import Any

import msgspec

from wirelab.capture import loads, loads_log, open_input, sniff
from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say_json
from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.history.replay import Replay, next_request
from wirelab.model import Json
from wirelab.show.text import visible
from wirelab.transcript import HistoryError


def settle(file: str, choice: Replay | None = None) -> int:
    """Print the request's messages as one JSON object, and return the exit code: 0, 1 with an error, 2 unreadable."""
    try:
        answer = settled(open_history(file), choice or Replay())
    except (UnreadableInputError, MisuseError) as problem:
        complain(str(problem))
        return UNREADABLE
    say_json(answer)
    return OK if answer["error"] is None else VIOLATION


def open_history(file: str) -> Json:
    """The JSON of a file, `-` for standard input; of a capture or a recording log, the body of its request.

    Raises UnreadableInputError with one line that names the file and says what to do.
    """
    label = "standard input" if file == "-" else visible(file)
    data = open_input(file)
    kind = sniff(data)
    if kind == "capture":
        return loads(data, label).request.json
    if kind == "log":
        return loads_log(data, label).request.json
    try:
        return json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        said = f"{label}: no JSON ({error}); pass a request body or its list of messages"
        raise UnreadableInputError(said) from None


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def settled(history: Json, choice: Replay) -> dict[str, Any]:
    """The answer as an object: `messages` (empty with an error), `system`, `findings`, `error`."""
    try:
        request = next_request(history, choice)
    except HistoryError as error:
        told = {"code": error.code, "message": error.detail, "position": error.position, "id": error.id}
        return {"messages": [], "system": None, "findings": [], "error": told}
    findings = [msgspec.structs.asdict(finding) for finding in request.findings]
    return {"messages": request.messages, "system": request.system, "findings": findings, "error": None}
