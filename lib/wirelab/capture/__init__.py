"""Captures: recorded exchanges, exactly and readably at once. The format is told in captures/README.md."""

from wirelab.capture.dump import dumps, save
from wirelab.capture.index import Entry
from wirelab.capture.inputs import open_input
from wirelab.capture.logs import loads_log, read_log
from wirelab.capture.reader import load, loads, sniff
from wirelab.capture.reading import asked_of, is_readable, read_capture
from wirelab.capture.recording import Recording
from wirelab.capture.store import Store
from wirelab.capture.types import (
    Capture,
    End,
    Head,
    Observed,
    Read,
    Request,
    Response,
    Source,
    framing_of,
)
from wirelab.capture.writer import CaptureWriter

__all__ = [
    "Capture",
    "CaptureWriter",
    "End",
    "Entry",
    "Head",
    "Observed",
    "Read",
    "Recording",
    "Request",
    "Response",
    "Source",
    "Store",
    "asked_of",
    "dumps",
    "framing_of",
    "is_readable",
    "load",
    "loads",
    "loads_log",
    "open_input",
    "read_capture",
    "read_log",
    "save",
    "sniff",
]
