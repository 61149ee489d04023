"""A reading never depends on how the body was cut into reads: whole, byte by byte, and at 200 random splits a case."""

import random

import pytest
from casebook import BATTERY, RULE, WIRE, Case, body_of, machine_of, read, read_pieces

SPLITS = 200
CASES = [*WIRE, *BATTERY, *RULE]
IDS = [f"{case.get('protocol') or case['proto']}-{case['id']}" for case in CASES]


def pieces_of(body: bytes, chance: random.Random) -> list[bytes]:
    """The body, cut at up to eight random places."""
    cuts = sorted(chance.randrange(len(body) + 1) for _ in range(chance.randint(1, 8))) if body else []
    return [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_reading_does_not_depend_on_the_reads(case: Case) -> None:
    body, chance = body_of(case), random.Random(case["id"])
    for strict, splits in ((False, SPLITS), (True, SPLITS // 10)):
        whole = read(case, strict=strict)
        assert read_pieces([bytes([byte]) for byte in body], machine_of(case, strict=strict)) == whole
        for _ in range(splits):
            pieces = pieces_of(body, chance)
            assert read_pieces(pieces, machine_of(case, strict=strict)) == whole, [len(piece) for piece in pieces]
