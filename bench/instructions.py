"""Instruction ratios by callgrind: what a quiet machine would say, repeatable to a tenth of a percent.

    python -m bench.instructions [word …]      all rows, or those whose name holds every word

Each work is run a few times and more often under callgrind, with a fixed hash seed and no collector; the difference is
what the additional runs cost.
"""

import gc
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import floor, subjects
from bench.corpora import PROTOCOLS, Corpus, cut, many_calls, typical

FEW, MANY = 3, 13
WAYS = ("floor", "whole", "4 KiB", "live")


def work(way: str, corpus: Corpus) -> Callable[[], Any]:
    """The floor of a corpus, or one way to read it."""
    if way == "floor":
        return floor.floor(corpus.body, corpus.protocol)
    if way == "whole":
        return subjects.whole(corpus)
    reads = cut(corpus.body, corpus.protocol) if way == "live" else subjects.sliced(corpus.body, 4096)
    return subjects.in_reads(corpus.protocol, reads)


def cost(way: str, corpus: Corpus) -> float:
    """Instructions of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        path.write_bytes(pickle.dumps(tuple(corpus)))
        few, many = (_count(path, way, repeats) for repeats in (FEW, MANY))
        return (many - few) / (MANY - FEW)


def _count(path: Path, way: str, repeats: int) -> int:
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}.out"]
    command += [sys.executable, "-m", "bench.instructions", "--run", str(path), way, str(repeats)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    told = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=600)
    found = re.search(r"Collected : (\d+)", told.stderr)
    assert found is not None, told.stderr[-500:]
    return int(found[1])


def main(words: list[str]) -> int:
    """Print each row's instructions over its floor's."""
    for protocol in PROTOCOLS:
        for corpus in (typical(protocol), many_calls(protocol)):
            ways = [way for way in WAYS[1:] if all(word in f"{corpus.name} {way}" for word in words)]
            low = cost("floor", corpus) if ways else 1.0
            for way in ways:
                own = cost(way, corpus)
                print(f"{corpus.name:20} {way:6} {own / low:6.2f}   {own:12.0f} / {low:.0f}", flush=True)
    return 0


def run(path: str, way: str, repeats: str) -> None:
    """Run one work so often: what callgrind watches."""
    subject = work(way, Corpus(*pickle.loads(Path(path).read_bytes())))
    gc.disable()
    for _ in range(int(repeats)):
        subject()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    else:
        raise SystemExit(main(sys.argv[1:]))
