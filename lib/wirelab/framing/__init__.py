"""Bytes to frames, with byte offsets: newline-delimited JSON, server-sent events, whole answers."""

from wirelab.framing.decoder import DEFAULT_LIMIT, Decoder, FrameTooLargeError
from wirelab.framing.lenient import lenient
from wirelab.framing.ndjson import NdjsonDecoder
from wirelab.framing.sse import SseDecoder
from wirelab.framing.whole import WholeDecoder

__all__ = [
    "DEFAULT_LIMIT",
    "Decoder",
    "FrameTooLargeError",
    "NdjsonDecoder",
    "SseDecoder",
    "WholeDecoder",
    "lenient",
]
