"""`wirelab compare-policies`: one answer as every kind of client reads it, and whether it could have known."""

from typing import Any

from wirelab.calls.compare import WORDS, PolicyRow, compare_policies
from wirelab.cli.console import OK, UNREADABLE, complain, say, say_json, say_table
from wirelab.cli.help import Format
from wirelab.cli.inputs import open_exchange
from wirelab.cli.reconcile import reading_object
from wirelab.errors import UnreadableInputError
from wirelab.show.matrix import comparison_table


def run(file: str, protocol: str, format_: Format) -> int:
    """Print one row a policy and return the exit code: 0, or 2 where the file cannot be read."""
    try:
        exchange = open_exchange(file, protocol)
    except UnreadableInputError as problem:
        complain(str(problem))
        return UNREADABLE
    rows = compare_policies(
        exchange.body, exchange.protocol, asked=exchange.asked, status=exchange.status, whole=exchange.whole
    )
    if format_ == "json":
        for row in rows:
            say_json(policy_object(file, row))
        return OK
    say(f"{exchange.name}\n  {', '.join(exchange.origin)}\n")
    say_table(comparison_table(rows))
    say()
    for word in dict.fromkeys(row.word for row in rows):
        say(f"{word}: {WORDS[word]}")
    return OK


def policy_object(file: str, row: PolicyRow) -> dict[str, Any]:
    """The JSON object of one policy: its word, what could have been known, and the reading."""
    reading = reading_object(file, row.reading)
    return {
        "file": file,
        "policy": row.policy,
        "outcome": row.word,
        "misleads": row.misleads,
        "could_have_known": list(row.could_have_known),
        **{name: value for name, value in reading.items() if name not in {"file", "policy"}},
    }
