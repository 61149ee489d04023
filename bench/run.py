"""Measure everything, print each figure with what it must reach, keep a dated file of figures.

python -m bench [P1 P4 …]      all figures, or those named
"""

import json
import platform
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from bench import corpora, disk, floor, growth, memory, peers, start, subjects
from bench.protocol import Ratio, Work, compare

RESULTS = Path(__file__).parent / "results"


class Row(NamedTuple):
    """One figure: its value, what it must reach (None: it is for scale only), and whether more is better."""

    figure: str
    what: str
    value: float
    must: float | None
    aim: float | None
    more: bool = False
    quartiles: tuple[float, float] | None = None
    spread: float | None = None

    @property
    def verdict(self) -> str:
        """How the value stands to must and aim."""
        if self.must is None or self.aim is None:
            return "for scale"
        sign = -1 if self.more else 1
        if sign * self.value <= sign * self.aim:
            return "aim"
        return "must" if sign * self.value <= sign * self.must else "MISSES"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _all_corpora() -> Iterator[corpora.Corpus]:
    for protocol in corpora.PROTOCOLS:
        yield corpora.typical(protocol)
        yield corpora.many_calls(protocol)


def _ratios(figure: str, must: float | None, aim: float | None, pairs: dict[str, tuple[Work, Work]]) -> list[Row]:
    return [_row(figure, name, ratio, must, aim) for name, ratio in compare(pairs).items()]


def _row(figure: str, name: str, ratio: Ratio, must: float | None, aim: float | None) -> Row:
    return Row(figure, name, ratio.median, must, aim, quartiles=(ratio.low, ratio.high), spread=ratio.spread)


def whole() -> list[Row]:
    """P1: a body in memory; the recorded streams, which are short, as well."""
    pairs: dict[str, tuple[Work, Work]] = {}
    for protocol in corpora.PROTOCOLS:
        bodies = [capture.body for capture in corpora.recorded(protocol)]
        lines = [line for body in bodies for line in floor.payloads(body, protocol)]
        name = f"{len(bodies)} recorded {protocol}, {len(lines) // len(bodies)} frames each"
        pairs[name] = (floor.floor_of(lines, protocol), subjects.each(bodies, protocol))
    for corpus in _all_corpora():
        subject = subjects.whole(corpus)
        subjects.check(corpus, subject)
        pairs[corpus.name] = (floor.floor(corpus.body, corpus.protocol), subject)
    return _ratios("P1", 3.0, 2.0, pairs)


def in_reads() -> list[Row]:
    """P2: 4 KiB reads, with LF as it came, and for events with CRLF and comments as well."""
    pairs = {}
    for corpus in _all_corpora():
        low = floor.floor(corpus.body, corpus.protocol)
        for name, body in _endings(corpus).items():
            subject = subjects.in_reads(corpus.protocol, subjects.sliced(body, 4096))
            subjects.check(corpus, subject)
            pairs[name] = (low, subject)
    return _ratios("P2", 3.5, 2.5, pairs)


def _endings(corpus: corpora.Corpus) -> dict[str, bytes]:
    if corpus.protocol == "native":
        return {corpus.name: corpus.body}
    frames = corpora.cut(corpus.body, corpus.protocol)
    commented = b"".join(part + (b": ping\n\n" if number % 50 == 0 else b"") for number, part in enumerate(frames))
    return {corpus.name: corpus.body, f"{corpus.name}, CRLF, comments": commented.replace(b"\n", b"\r\n")}


def live() -> list[Row]:
    """P3: one read for each frame."""
    pairs = {}
    for corpus in _all_corpora():
        subject = subjects.in_reads(corpus.protocol, corpora.cut(corpus.body, corpus.protocol))
        subjects.check(corpus, subject)
        pairs[corpus.name] = (floor.floor(corpus.body, corpus.protocol), subject)
    return _ratios("P3", 5.0, 3.5, pairs)


def against_peers() -> list[Row]:
    """P4: other clients on the same bytes; a client that reads a body wrongly is named, not timed.

    What the clients themselves cost over the floor is said as well: it tells how fast this Python is beside msgspec.
    """
    pairs: dict[str, tuple[Work, Work]] = {}
    scale: dict[str, tuple[Work, Work]] = {}
    for corpus in _all_corpora():
        found = peers.peer(corpus)
        if found is None:
            continue
        name, theirs = found
        try:
            peers.check(corpus, theirs, ids=corpus.protocol != "native")
        except Exception as error:  # noqa: BLE001  whatever another client makes of a body
            _say(f"  {name} does not read {corpus.name}: {type(error).__name__}: {error}")
            continue
        pairs[f"{corpus.name}: {name}"] = (subjects.whole(corpus), theirs)
        scale[f"{corpus.name}: {name} over the floor"] = (floor.floor(corpus.body, corpus.protocol), theirs)
    rows = []
    for name, ratio in compare(pairs, rounds=7).items():
        must, aim = (5.0, 10.0) if ": ollama" in name else (25.0, 60.0)
        rows.append(_row("P4", name, ratio, must, aim)._replace(more=True))
    return rows + _ratios("P4", None, None, scale)


def growths() -> list[Row]:
    """P5: the exponent of time."""
    return [Row("P5", name, found.exponent, 1.15, 1.10) for name, found in growth.all_series().items()]


def memories() -> list[Row]:
    """P7: traced peak above the input."""
    return [Row("P7", name, value, 1.0, 0.6) for name, value in memory.peaks().items()]


def scans() -> list[Row]:
    """P8: the corpus from its files."""
    paths = disk.files()
    pairs: dict[str, tuple[Work, Work]] = {
        f"{len(paths)} capture files": (disk.scan_floor(paths), disk.scan(list(paths)))
    }
    return _ratios("P8", 3.0, 2.0, pairs)


def sizes() -> list[Row]:
    """P10: what the format adds."""
    streams = [path for path in disk.files() if ".stream" in path.name]
    return [Row("P10", f"lines of {len(streams)} streams over wire bytes", disk.overhead(streams), 1.10, 1.0)]


def starts() -> list[Row]:
    """P12: importing the reconcilers."""
    return [Row("P12", "importing the reconcilers over bare Python", start.start(), 5.0, 4.0)]


FIGURES: dict[str, Callable[[], list[Row]]] = {
    "P1": whole,
    "P2": in_reads,
    "P3": live,
    "P4": against_peers,
    "P5": growths,
    "P7": memories,
    "P8": scans,
    "P10": sizes,
    "P12": starts,
}


def _printed(row: Row) -> str:
    quartiles = f"{row.quartiles[0]:.2f} to {row.quartiles[1]:.2f}" if row.quartiles else ""
    must = "" if row.must is None else f"{row.must:.2f}"
    return f"{row.figure:4} {row.what:52.52} {row.value:8.2f} {quartiles:>18} {must:>6} {row.verdict}"


def _result(rows: list[Row]) -> dict[str, Any]:
    packages = {name: version(name) for name in ("wirelab", "msgspec", "openai", "anthropic", "ollama")}
    figures = [{**row._asdict(), "verdict": row.verdict} for row in rows]
    return {"python": platform.python_version(), "packages": packages, "figures": figures}


def main(names: list[str] | None = None) -> int:
    """Measure, print, keep. 1 where a figure misses what it must reach."""
    wanted = (sys.argv[1:] if names is None else names) or list(FIGURES)
    rows: list[Row] = []
    print(f"{'':4} {'':52} {'median':>8} {'quartiles':>18} {'must':>6}")
    for name in wanted:
        _say(f"{name}: {FIGURES[name].__doc__.split(': ')[1] if FIGURES[name].__doc__ else ''}")
        found = FIGURES[name]()
        rows += found
        print("\n".join(_printed(row) for row in found), flush=True)
    if wanted == list(FIGURES):
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{datetime.now(UTC):%Y-%m-%d}.json"
        path.write_text(json.dumps(_result(rows), indent=1) + "\n")
    misses = sum(row.verdict == "MISSES" for row in rows)
    print(f"{len(rows)} figures, {misses} miss what they must reach")
    return int(misses > 0)
