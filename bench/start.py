"""What it takes to import the reconcilers, over starting Python: both as fresh processes, in turns."""

import statistics
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

ROUNDS = 11


def start() -> float:
    """Processor time of importing `wirelab.calls` over that of bare Python, both without `site`'s extras."""
    ratios = []
    for _ in range(ROUNDS):
        bare = _seconds("pass")
        ours = _seconds("import wirelab.calls")
        ratios.append(ours / ((bare + _seconds("pass")) / 2))
    return statistics.median(ratios)


def _seconds(code: str) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
