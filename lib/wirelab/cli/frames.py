"""`wirelab frames`: what stood in the body, byte for byte, and when it came."""

from wirelab.cli.console import OK, UNREADABLE, complain, say, say_json, say_table
from wirelab.cli.help import Format
from wirelab.cli.inputs import open_exchange
from wirelab.cli.reconcile import without_advice
from wirelab.errors import UnreadableInputError
from wirelab.framing import FrameTooLargeError
from wirelab.show.frames import FrameRow, frame_rows, frames_table


def run(file: str, protocol: str, format_: Format) -> int:
    """Print the frames of one file and return the exit code."""
    try:
        exchange = open_exchange(file, protocol)
        rows = frame_rows(exchange.body, exchange.protocol, exchange.reads, whole=exchange.whole)
    except UnreadableInputError as problem:
        complain(str(problem))
        return UNREADABLE
    except FrameTooLargeError as problem:
        complain(f"{exchange.name}: {without_advice(str(problem))}")
        return UNREADABLE
    if format_ == "json":
        for row in rows:
            say_json(frame_object(file, row))
    else:
        say(f"{exchange.name}\n  {', '.join(exchange.origin)}\n")
        say_table(frames_table(rows))
    return OK


def frame_object(file: str, row: FrameRow) -> dict[str, object]:
    """The JSON object of one frame."""
    return {
        "file": file,
        "frame": row.frame,
        "start": row.start,
        "end": row.end,
        "t": row.seconds,
        "kind": row.kind,
        "event": row.event,
        "pending": row.state == "pending",
        "malformed": row.state == "malformed",
        "data": row.data,
    }
