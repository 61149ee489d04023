"""A fixed part of all small histories; `python tests/property/history_permutations.py` checks every one."""

import pytest
from history_permutations import chain_sets, check, labels_of, transcript_of

PARTS = (((1,), 2, 1006), ((2,), 1, 951), ((1, 1), 1, 2626), ((3,), 0, 310), ((1, 2), 0, 844), ((2, 1), 0, 844))


@pytest.mark.parametrize(("shape", "sayings", "count"), PARTS)
def test_every_small_history(shape: tuple[int, ...], sayings: int, count: int) -> None:
    assert sum(check(shape, chains) for chains in chain_sets(shape, sayings)) == count


def test_the_words_of_the_statement() -> None:
    transcript = transcript_of((2,), [("batch", 0, 0), ("say", "user", 0), ("result", 1, 0)])
    assert labels_of(transcript) == ["batch c0,c1", "say 1", "result c1 r1.0"]
