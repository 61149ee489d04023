"""The committed captures: sound, small, and hardly larger than the wire's own bytes."""

from pathlib import Path

import pytest

from wirelab.capture import Store
from wirelab.capture.verify import verify_store

ROOT = Path(__file__).resolve().parents[3] / "captures"


def test_verifying_finds_nothing() -> None:
    report = verify_store(ROOT)
    assert report.problems == []
    assert report.counts["recorded"] == 2805 + 67  # of others, and from the live target


def test_all_of_it_stays_small() -> None:
    sizes = [path.stat().st_size for path in ROOT.rglob("*") if path.is_file()]
    assert sum(sizes) < 24_000_000
    assert sum(-(-size // 4096) * 4096 for size in sizes) < 24 * 1024**2


def test_lines_cost_hardly_more_than_the_wire() -> None:
    wire = sum(entry.bytes for entry in Store(ROOT).select(evidence="recorded"))
    lines = 0
    for path in (ROOT / "recorded").rglob("*.jsonl"):
        data = path.read_bytes()
        lines += data.rindex(b'{"end"') - data.index(b"\n") - 1
    assert lines / wire <= 1.10


@pytest.mark.parametrize("protocol", ["native", "chat", "responses", "messages", "gemini", "discovery"])
def test_every_protocol_was_recorded(protocol: str) -> None:
    assert Store(ROOT).select(evidence="recorded", protocol=protocol)
