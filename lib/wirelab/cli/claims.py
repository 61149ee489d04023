"""`wirelab claims`: what the captures say of every claim, with the capture that shows it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from wirelab.capture import Capture, Store
from wirelab.capture.importing import read_any, sources_below
from wirelab.claims.ledger import GROUPS, Ledger, ledger
from wirelab.cli.console import OK, UNREADABLE, complain, say, say_json, say_table
from wirelab.cli.help import Format
from wirelab.errors import UnreadableInputError
from wirelab.show.claims import grouped_table, ledger_table


def run(paths: Sequence[str], claims: Sequence[str], by: Sequence[str], format_: Format) -> int:
    """Print the ledger and return the exit code: 0, or 2 where a capture or a name cannot be read."""
    unknown = [name for name in by if name not in GROUPS]
    if unknown:
        complain(f"there is no split by {unknown[0]!r}: choose of {', '.join(GROUPS)}")
        return UNREADABLE
    try:
        judged = ledger(_captures(paths), by or ("version",))
        _check(claims, judged)
    except UnreadableInputError as problem:
        complain(str(problem))
        return UNREADABLE
    if format_ == "json":
        for row in (*judged.overall, *(judged.grouped if by else ())):
            if not claims or row.claim in claims:
                say_json(msgspec.to_builtins(row))
        return OK
    overall = [row for row in judged.overall if not claims or row.claim in claims]
    say_table(ledger_table(msgspec.structs.replace(judged, overall=tuple(overall))))
    if by:
        say()
        say_table(grouped_table(judged, by, claims))
    return OK


def _check(claims: Sequence[str], judged: Ledger) -> None:
    known = {claim.id for claim in judged.claims}
    for name in claims:
        if name not in known:
            raise UnreadableInputError(f"there is no claim {name!r}: C1 to {judged.claims[-1].id}")


def _captures(paths: Sequence[str]) -> list[Capture]:
    if not paths:
        return list(Store())
    return [read_any(file) for path in paths for file in sources_below(Path(path))]
