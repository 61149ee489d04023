"""What it takes to import the reconcilers, over starting Python: both as fresh processes, in turns."""

import os
import statistics
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

ROUNDS = 21
IMPORT = "from wirelab.calls import Reconciler, ResponseMachine, read_body"


def start() -> float:
    """Processor time of importing what reads a response over that of bare Python; modules are compiled already."""
    ratios = []
    _seconds(IMPORT)
    for _ in range(ROUNDS):
        bare = _seconds("pass")
        ours = _seconds(IMPORT)
        ratios.append(ours / ((bare + _seconds("pass")) / 2))
    return statistics.median(ratios)


def _seconds(code: str) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
