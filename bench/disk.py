"""Captures on disk: what a scan of the corpus costs over decoding its lines, and what the format adds to the wire."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.corpora import PROTOCOLS, RECORDED
from bench.floor import STRUCTS
from wirelab.capture import load
from wirelab.capture.reading import read_capture


def files() -> dict[Path, str]:
    """The recorded captures of the protocols that are read, whole answers and streams, with their protocol."""
    return {path: protocol for protocol in PROTOCOLS for path in sorted(RECORDED.glob(f"*/{protocol}/*.jsonl"))}


def scan(paths: Sequence[Path]) -> Callable[[], Any]:
    """Every capture loaded, checked and read."""

    def run() -> int:
        return sum(len(read_capture(load(path), strict=False).calls) for path in paths)

    return run


def scan_floor(paths: dict[Path, str]) -> Callable[[], Any]:
    """Every file read, and its lines decoded: payloads into the floor's structs, the other lines as they come."""
    decoders = {protocol: _line_decoder(protocol) for protocol in PROTOCOLS}
    anything = msgspec.json.Decoder()

    def run() -> None:
        for path, protocol in paths.items():
            with path.open("rb", buffering=0) as file:
                lines = file.read().split(b"\n")
            decode = decoders[protocol].decode
            for line in lines:
                if line.startswith(b"["):
                    try:
                        decode(line)
                    except msgspec.ValidationError:  # an error object, a whole answer
                        anything.decode(line)
                elif line:
                    anything.decode(line)

    return run


def _line_decoder(protocol: str) -> msgspec.json.Decoder[Any]:
    fields = [("t", float | None), ("payload", STRUCTS[protocol]), ("wrap", Any, None)]
    return msgspec.json.Decoder(msgspec.defstruct("Line", fields, array_like=True, gc=False))


def overhead(paths: Sequence[Path]) -> float:
    """Bytes of the captures' lines without head and end, over the bytes of their bodies, all together."""
    lines = wire = 0
    for path in paths:
        data = path.read_bytes()
        head = data.index(b"\n") + 1
        end = data.rindex(b"\n", 0, len(data) - 1) + 1
        lines += end - head
        wire += len(load(path).body)
    return lines / wire
