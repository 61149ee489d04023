"""Writing a finished exchange, and the proof that the file gives it back."""

import io
from pathlib import Path

from wirelab.capture.reader import loads
from wirelab.capture.types import Capture
from wirelab.capture.writer import CaptureWriter
from wirelab.errors import MisuseError, UnreadableInputError


def dumps(capture: Capture) -> bytes:
    """The capture's file, byte for byte the same for the same exchange."""
    target = io.BytesIO()
    writer = CaptureWriter(target, capture.head)
    for read in capture.reads:
        writer.read(read.t, read.data)
    writer.end(capture.end)
    return target.getvalue()


def save(capture: Capture, path: Path) -> int:
    """Write a capture where no file is yet, after proving that what is written reads back the same. Its size in bytes.

    Raises MisuseError where a file is there already, or where head, reads or end would not come back.
    """
    data = dumps(capture)
    prove(capture, data)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise MisuseError(f"{path.name} exists already: a capture is evidence and is never overwritten") from None
    return len(data)


def prove(capture: Capture, data: bytes) -> None:
    """Raise MisuseError unless a capture's file gives back every read with its time, the head and the end."""
    try:
        back = loads(data)
    except UnreadableInputError as error:
        raise MisuseError(f"this exchange cannot be written as a capture: {error}") from error
    if back != capture:
        raise MisuseError("this exchange would not come back from its file as it went in")
