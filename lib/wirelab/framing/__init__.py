"""Bytes to frames, with byte offsets: newline-delimited JSON, server-sent events, whole answers."""

from wirelab.framing.decoder import BYTE_ORDER_MARK, DEFAULT_LIMIT, Decoder, FrameTooLargeError
from wirelab.framing.lenient import is_json, lenient
from wirelab.framing.ndjson import NdjsonDecoder
from wirelab.framing.run import Run
from wirelab.framing.sse import SseDecoder
from wirelab.framing.whole import WholeDecoder

__all__ = [
    "BYTE_ORDER_MARK",
    "DEFAULT_LIMIT",
    "Decoder",
    "FrameTooLargeError",
    "NdjsonDecoder",
    "Run",
    "SseDecoder",
    "WholeDecoder",
    "is_json",
    "lenient",
]
