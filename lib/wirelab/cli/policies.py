"""`wirelab compare-policies`: one answer as every kind of client reads it, and whether it could have known."""

from wirelab.calls.compare import PolicyRow, compare_policies
from wirelab.cli.console import OK, UNREADABLE, complain, say, say_json, say_table
from wirelab.cli.help import Format
from wirelab.cli.inputs import Exchange, open_exchange
from wirelab.cli.reconcile import reading_object
from wirelab.errors import UnreadableInputError
from wirelab.show.matrix import Compared, comparison_table, summary, words_table


def run(file: str, protocol: str, format_: Format) -> int:
    """Print one row a policy and return the exit code: 0, or 2 where the file cannot be read."""
    try:
        exchange = open_exchange(file, protocol)
    except UnreadableInputError as problem:
        complain(str(problem))
        return UNREADABLE
    rows = compare_exchange(exchange)
    if format_ == "json":
        for row in rows:
            could_have_known = list(row.could_have_known)
            say_json({**reading_object(file, row.reading), "outcome": row.word, "could_have_known": could_have_known})
    else:
        show_rows(exchange, rows)
    return OK


def compare_exchange(exchange: Exchange) -> tuple[PolicyRow, ...]:
    """One exchange by every named policy."""
    return compare_policies(
        exchange.body,
        exchange.protocol,
        asked=exchange.asked,
        status=exchange.status,
        whole=exchange.whole,
    )


def show_rows(exchange: Exchange, rows: tuple[PolicyRow, ...]) -> None:
    """The same for a person: where it is from, the table, what its words mean, and the sum of it."""
    compared = [Compared(exchange.name, "", "", rows)]
    say(f"{exchange.name}\n  {', '.join(exchange.origin)}\n")
    say_table(comparison_table(rows))
    say()
    say_table(words_table(compared))
    say(f"\n{summary(compared)}")
