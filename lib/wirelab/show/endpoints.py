"""How endpoints answer, in tables: statuses and what they say, how streams end, and claims side by side by group."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from wirelab.capture import Capture
from wirelab.claims.exhibit import Exhibit
from wirelab.claims.failures import classify, history_arguments_valid
from wirelab.claims.ledger import Ledger
from wirelab.model import Json
from wirelab.show.tables import Table, table

_FAILED = 400
_ENDINGS = (
    ("upstream-error", "says that it failed"),
    ("empty-stream", "no byte came"),
    ("stream-cut", "just stops"),
    ("malformed-event", "sends what is no event"),
    ("contract-violation", "counts tokens, delivers nothing"),
    ("truncated-arguments", "sends half a call"),
    ("truncation-suspected", "admits the limit"),
    ("limit-unverified", "hides the limit"),
    ("leaked-tool-markup", "leaves the call in the text"),
    ("empty-answer", "delivers nothing"),
    ("empty-after-thinking", "stops after thinking"),
)


def exhibits(captures: Iterable[Capture]) -> list[Exhibit]:
    """Captures as evidence, for the tables below."""
    return [Exhibit(capture) for capture in captures]


def statuses_table(shown: Iterable[Exhibit]) -> Table:
    """One row an answer: what was asked, the status, what kind of failure that is, and what the body says."""
    columns = ["capture", "asked", "status", "kind", "says"]
    return table([_status(exhibit) for exhibit in shown], columns, width_limit=90)


def _status(exhibit: Exhibit) -> dict[str, object]:
    request = exhibit.capture.request
    return {
        "capture": exhibit.name,
        "asked": f"{request.method} {request.path}",
        "status": exhibit.status,
        "kind": failure_kind(exhibit),
        "says": _says(exhibit),
    }


def keys_table(shown: Iterable[Exhibit]) -> Table:
    """One row an answer that is JSON: its keys, and the keys one level below each."""
    rows = [{"capture": one.name, "keys": _keys(one.body)} for one in shown if isinstance(one.body, dict)]
    return table(rows, ["capture", "keys"], width_limit=200)


def _keys(body: dict[str, Json]) -> str:
    return ", ".join(f"{key}{_below(value)}" for key, value in body.items())


def _below(value: Json) -> str:
    inner = value[0] if isinstance(value, list) and value else value
    return f" {{{', '.join(inner)}}}" if isinstance(inner, dict) and inner else ""


def failure_kind(exhibit: Exhibit) -> str:
    """The kind of failure that a status of 400 or more is; empty for an answer."""
    if exhibit.status < _FAILED:
        return ""
    body = exhibit.body if exhibit.body is not None else exhibit.capture.body.decode("utf-8", "replace")
    return classify(exhibit.status, body, history_valid=history_arguments_valid(exhibit.request)).kind.value


def _says(exhibit: Exhibit) -> str:
    reading = exhibit.reading
    if reading is None or exhibit.status >= _FAILED:
        return exhibit.capture.body.decode("utf-8", "replace").strip()
    calls = [f"{call.name}({call.arguments_text})" for call in reading.calls]
    return "; ".join([*calls, reading.text.strip()]).strip("; ") or "nothing"


def ending(exhibit: Exhibit) -> str:
    """How an answer ended, in a few words: by its most serious finding, else by what it delivered."""
    for code, words in _ENDINGS:
        if code in exhibit.codes:
            return f"status {exhibit.status}" if exhibit.status >= _FAILED else words
    reading = exhibit.reading
    if reading is None:
        return f"status {exhibit.status}"
    return "sends whole calls" if reading.calls else "answers"


def endings_table(shown: Iterable[Exhibit]) -> Table:
    """One row a scenario and server, one column a protocol: how the answers ended, each way once."""
    cells: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    protocols: dict[str, None] = {}
    for exhibit in shown:
        source = exhibit.capture.source
        protocols[exhibit.protocol] = None
        cells[exhibit.scenario, f"{source.server} {source.version}"][exhibit.protocol].add(ending(exhibit))
    rows = [
        {"scenario": scenario, "server": server, **{name: "; ".join(sorted(words)) for name, words in cell.items()}}
        for (scenario, server), cell in sorted(cells.items())
    ]
    return table(rows, ["scenario", "server", *sorted(protocols)], width_limit=70)


def verdicts_table(ledger: Ledger, claims: Sequence[str] = ()) -> Table:
    """One row a claim, one column a group of the ledger: the verdict, with how many agree and differ where mixed."""
    groups = sorted({row.group for row in ledger.grouped}, key=_natural)
    names = [" ".join(group) for group in groups]
    cells: dict[str, dict[str, Json]] = defaultdict(dict)
    for row in ledger.grouped:
        mixed = f"mixed {row.agreeing}:{row.differing}" if row.verdict == "mixed" else row.verdict.value
        cells[row.claim][" ".join(row.group)] = mixed
    rows = [
        {"claim": claim.id, "statement": claim.statement, **cells[claim.id]}
        for claim in ledger.claims
        if (not claims or claim.id in claims) and cells[claim.id]
    ]
    return table(rows, ["claim", "statement", *names], width_limit=60)


def _natural(group: Sequence[str]) -> list[tuple[int, str]]:
    """Version numbers in the order of their numbers: 0.9 before 0.12."""
    pieces = " ".join(group).replace(".", " ").split()
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in pieces]
