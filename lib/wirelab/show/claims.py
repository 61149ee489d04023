"""The claims ledger as tables: each verdict with the capture that shows it, its kind and its age."""

from collections import Counter
from collections.abc import Sequence

from wirelab.claims.claim import Row, Verdict
from wirelab.claims.ledger import Ledger
from wirelab.show.tables import Table, table


def ledger_table(ledger: Ledger) -> Table:
    """One row a claim: the statement, the verdict over all captures, one capture for it and one against."""
    statements = {claim.id: claim.statement for claim in ledger.claims}
    rows = [{"claim": row.claim, "statement": statements[row.claim], **_verdict(row)} for row in ledger.overall]
    return table(rows, width_limit=90)


def grouped_table(ledger: Ledger, names: Sequence[str], claims: Sequence[str] = ()) -> Table:
    """One row a claim and group: where it holds, and where it does not. Without `claims`, all that are split."""
    rows = [
        {"claim": row.claim, **dict(zip(names, row.group, strict=True)), **_verdict(row)}
        for row in ledger.grouped
        if not claims or row.claim in claims
    ]
    columns = ["claim", *names, "verdict", "for", "against", "shown by", "but", "seen", "evidence", "newest"]
    return table(rows, columns, width_limit=70)


def verdict_counts(ledger: Ledger) -> dict[str, int]:
    """How many claims have each verdict, over all captures."""
    return dict(sorted(Counter(row.verdict.value for row in ledger.overall).items()))


def _verdict(row: Row) -> dict[str, object]:
    tested = row.verdict is not Verdict.NOT_TESTED
    return {
        "verdict": row.verdict.value,
        "for": row.agreeing if tested else "",
        "against": row.differing if tested else "",
        "shown by": row.shown or "",
        "but": row.against or "",
        "seen": row.detail,
        "evidence": ", ".join(row.kinds),
        "newest": row.newest,
    }
