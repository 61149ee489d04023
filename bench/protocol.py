"""How a ratio is taken: in one process, on the same bytes, as floor, subject, floor in shuffled order.

A subject's answer is checked before it is timed, outside of this module. Times are processor time of this process, so
that another one on the same core does not count.
"""

import gc
import random
import statistics
import sys
from collections.abc import Callable
from time import process_time_ns
from typing import Any, NamedTuple

ROUNDS = 9
ATTEMPTS = 4
SLICE_NS = 20_000_000
"""What one timing should last at least: the first run of a slice finds nothing in the caches, and should not count."""
STEADY = 0.15
"""How far apart the floor's own quartiles may lie, over their median, before the rounds are done again."""

Work = Callable[[], Any]


class Ratio(NamedTuple):
    """Median and quartiles of subject over floor, and how far the floor's own quartiles spread."""

    median: float
    low: float
    high: float
    spread: float


def seconds(work: Work, repeats: int) -> float:
    """Processor time of one run, averaged over some."""
    start = process_time_ns()
    for _ in range(repeats):
        work()
    return (process_time_ns() - start) / repeats / 1e9


def repeats_for(work: Work) -> int:
    """How many runs make a timing long enough."""
    once = max(seconds(work, 1), 1e-7)
    return max(1, min(2000, round(SLICE_NS / 1e9 / once)))


def compare(pairs: dict[str, tuple[Work, Work]], rounds: int = ROUNDS) -> dict[str, Ratio]:
    """Subject over floor for each name in `pairs` (floor, subject). Progress goes to stderr."""
    counts = {name: (repeats_for(low), repeats_for(subject)) for name, (low, subject) in pairs.items()}
    results: dict[str, Ratio] = {}
    waiting = list(pairs)
    for attempt in range(ATTEMPTS):
        for name, ratio in _attempt({name: pairs[name] for name in waiting}, counts, rounds).items():
            if name not in results or ratio.spread < results[name].spread:
                results[name] = ratio
        waiting = [name for name in waiting if results[name].spread > STEADY]
        if not waiting:
            break
        print(f"  unsteady, again ({attempt + 1}): {', '.join(waiting)}", file=sys.stderr)
    return {name: results[name] for name in pairs}


def _attempt(pairs: dict[str, tuple[Work, Work]], counts: dict[str, tuple[int, int]], rounds: int) -> dict[str, Ratio]:
    ratios: dict[str, list[float]] = {name: [] for name in pairs}
    floors: dict[str, list[float]] = {name: [] for name in pairs}
    order = list(pairs) * rounds
    random.shuffle(order)
    for name in order:
        low, subject = pairs[name]
        low_count, subject_count = counts[name]
        gc.collect()
        before = seconds(low, low_count)
        between = seconds(subject, subject_count)
        after = seconds(low, low_count)
        floors[name] += [before, after]
        ratios[name].append(2 * between / (before + after))
    return {name: _ratio(ratios[name], floors[name]) for name in pairs}


def _ratio(ratios: list[float], floors: list[float]) -> Ratio:
    low, median, high = statistics.quantiles(ratios, n=4)
    bottom, middle, top = statistics.quantiles(floors, n=4)
    return Ratio(median, low, high, (top - bottom) / middle)
