"""The ledger over the committed captures: a verdict for every claim, and none that a capture does not show."""

from functools import cache

from wirelab.capture import Store
from wirelab.claims.claim import Row, Verdict
from wirelab.claims.exhibit import Exhibit
from wirelab.claims.ledger import CLAIMS, Ledger, ledger

UNTESTED = {"C2", "C11"}
"""What no capture can test: the published schema, and the vendor's cloud."""


@cache
def judged() -> Ledger:
    """The ledger of all committed captures, by server version."""
    return ledger(Store())


def test_every_claim_has_a_verdict() -> None:
    assert {row.claim for row in judged().overall if row.verdict is Verdict.NOT_TESTED} == UNTESTED
    assert len(judged().overall) == len(CLAIMS) == 35


def test_every_verdict_names_captures_that_show_it_by_themselves() -> None:
    store, checks = Store(), {claim.id: claim for claim in CLAIMS}
    alone = {"C1", "C3", "C5", "C16", "C18", "C19", "C20", "C21", "C27", "C29", "C30", "C31", "C33", "C35"}
    for row in judged().overall:
        for name, holds in ((row.shown, True), (row.against, False)):
            if name is not None and row.claim in alone:
                seen = list(checks[row.claim].check([Exhibit(store.load(name))]))
                assert holds in {one[1] for one in seen}, (row.claim, name)
            elif name is not None:
                store.load(name)


def test_a_verdict_counts_what_it_says() -> None:
    for row in (*judged().overall, *judged().grouped):
        assert (row.verdict is Verdict.HOLDS) == (row.agreeing > 0 and (row.differing == 0 or _some(row)))
        assert (row.shown is None) == (row.agreeing == 0)
        assert (row.against is None) == (row.differing == 0)
        assert "synthetic" not in row.kinds


def _some(row: Row) -> bool:
    return next(claim.mode for claim in CLAIMS if claim.id == row.claim) == "some"
