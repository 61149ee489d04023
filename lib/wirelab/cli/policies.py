"""`wirelab compare-policies`: one answer as every kind of client reads it, and whether it could have known."""

from typing import Any

from wirelab.calls import POLICIES
from wirelab.cli.console import OK, UNREADABLE, complain, say, say_json, say_table
from wirelab.cli.help import Format
from wirelab.cli.inputs import Exchange, open_exchange
from wirelab.cli.reconcile import Options, read_exchange, reading_object
from wirelab.errors import UnreadableInputError
from wirelab.model import Reading
from wirelab.show.tables import Table, table
from wirelab.show.verdict import call_words


def run(file: str, protocol: str, format_: Format) -> int:
    """Print one row a policy and return the exit code: 0, or 2 where the file cannot be read."""
    try:
        exchange = open_exchange(file, protocol)
    except UnreadableInputError as problem:
        complain(str(problem))
        return UNREADABLE
    readings = {name: _read(exchange, name) for name in POLICIES}
    if format_ == "json":
        for reading in readings.values():
            say_json(reading_object(file, reading))
    else:
        say(f"{exchange.name}\n  {', '.join(exchange.origin)}\n")
        say_table(policies_table(readings))
    return OK


def _read(exchange: Exchange, policy: str) -> Reading:
    return read_exchange(exchange, Options(policy=policy, lenient=True))


def policies_table(readings: dict[str, Reading]) -> Table:
    """One row a policy: whose reading it is, what it makes of the answer, what it should have noticed."""
    ours = next(iter(readings.values()))
    rows: list[dict[str, Any]] = [
        {
            "policy": name,
            "read so by": ", ".join(POLICIES[name].read_by) or "this project",
            "calls": call_words(reading),
            "same as id-first": _same(reading, ours),
            "could have known": ", ".join(dict.fromkeys(finding.code for finding in reading.findings)),
        }
        for name, reading in readings.items()
    ]
    return table(rows, title="", width_limit=160)


def _same(reading: Reading, ours: Reading) -> bool:
    """Whether the calls are the same by name and arguments, in the same order."""
    return _content(reading) == _content(ours)


def _content(reading: Reading) -> list[tuple[str | None, Any]]:
    return [
        (call.name, call.arguments if call.arguments is not None else call.arguments_text) for call in reading.calls
    ]
