"""Traced peak above the input, over the input's size: captures of a megabyte and more, made here."""

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

from bench.corpora import PROTOCOLS, chat_chunk, frame, many_calls
from bench.growth import UNLIMITED, argument_text, chat_body
from wirelab.calls import read_body


def bodies() -> dict[str, tuple[str, bytes]]:
    """Protocol and body of each case."""
    text = frame(chat_chunk({"content": "a word or two "}), "chat") * 8000 + frame(chat_chunk({}, "stop"), "chat")
    found = {
        "text deltas": ("chat", text),
        "arguments in 8-byte pieces": ("chat", chat_body(1, argument_text(64 * 1024), 8)),
        "arguments in 64-byte pieces": ("chat", chat_body(1, argument_text(512 * 1024), 64)),
        "arguments in 1-KiB pieces": ("chat", chat_body(1, argument_text(1024 * 1024), 1024)),
    }
    for protocol in PROTOCOLS:
        pieces, words = 60, 2000
        body = many_calls(protocol, pieces=pieces, words=words).body
        found[f"128 calls {protocol}"] = (protocol, body)
    return found


def peak(work: Callable[[], Any]) -> int:
    """Traced bytes at the peak above what was there before."""
    work()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def peaks() -> dict[str, float]:
    """Peak over body size of each case."""
    return {
        name: peak(lambda body=body, protocol=protocol: read_body(body, protocol, limits=UNLIMITED)) / len(body)  # type: ignore[misc]
        for name, (protocol, body) in bodies().items()
    }
