"""P11: the offline notebooks under nbval with warm kernels, over as many bare kernels (`python -m bench.kernels`).

A bare kernel is started, asked whether it is ready, and shut down, as nbval does it; it imports nothing of ours.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from jupyter_client.manager import start_new_kernel

from wirelab.rerun.notebooks import find_folder, offline

ROUNDS = 3
MUST, AIM = 2.5, 1.5


def nbval(paths: list[Path]) -> float:
    """Seconds for all notebooks in one process; ends the program when one of them is not as committed."""
    options = ["--nbval", "--nbval-sanitize-with", "tests/notebooks/sanitize.cfg", "tests/conftest.py"]
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", *options, *map(str, paths)]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=paths[0].parent.parent, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"the notebooks are not as committed, so there is nothing to measure:\n{done.stdout[-2000:]}")
    return seconds


def bare_kernel() -> float:
    """Seconds for one kernel that does nothing."""
    began = time.perf_counter()
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=["--log-level=50"])
    client.stop_channels()
    manager.shutdown_kernel()
    return time.perf_counter() - began


def main() -> int:
    """Print the ratio; 1 when it is above what it must be."""
    os.environ.pop("JUPYTER_DEFAULT_PROVISIONER_NAME", None)
    paths = [notebook.path for notebook in offline(find_folder())]
    bare_kernel()
    ratios = []
    for _ in range(ROUNDS):
        bare = statistics.median(bare_kernel() for _ in range(5))
        ratios.append(nbval(paths) / (bare * len(paths)))
        print(f"  {len(paths)} notebooks: {ratios[-1]:.2f} times as many bare kernels at {bare:.2f} s each")
    ratio = statistics.median(ratios)
    print(f"P11  {ratio:.2f}  (must {MUST}, aim {AIM})")
    return int(ratio > MUST)


if __name__ == "__main__":
    raise SystemExit(main())
