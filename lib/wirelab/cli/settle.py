"""`wirelab settle`: from a history that an agent recorded to the messages of a request that an endpoint accepts."""

import json
from typing import Any

import msgspec

from wirelab.capture import loads, loads_log, open_input, sniff
from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say_json
from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.history.replay import next_request
from wirelab.history.settle import ResultOrder, ReusedIds
from wirelab.model import Json
from wirelab.show.text import visible
from wirelab.transcript import HistoryError


class Options(msgspec.Struct, frozen=True):
    """What the user asked for; `result_order` None is the profile's."""

    source: str = "auto"
    to: str = "same"
    profile: str | None = None
    repair: bool = False
    result_order: ResultOrder | None = None
    reused_ids: ReusedIds = "rename"


def settle(file: str, options: Options | None = None) -> int:
    """Print the request's messages as one JSON object, and return the exit code: 0, 1 with an error, 2 unreadable."""
    chosen = options or Options()
    try:
        answer = settled(open_history(file), chosen)
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


def settled(history: Json, options: Options) -> dict[str, Any]:
    """The answer as an object: `messages` (empty with an error), `system`, `findings`, `error`."""
    try:
        request = next_request(
            history,
            source=options.source,
            to=options.to,
            profile=options.profile,
            result_order=options.result_order,
            reused_ids=options.reused_ids,
            repair=options.repair,
        )
    except HistoryError as error:
        told = {"code": error.code, "message": error.detail, "position": error.position, "id": error.id}
        return {"messages": [], "system": None, "findings": [], "error": told}
    findings = [msgspec.structs.asdict(finding) for finding in request.findings]
    return {"messages": request.messages, "system": request.system, "findings": findings, "error": None}
