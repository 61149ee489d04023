"""Writing to a terminal: results to stdout, one clear line a problem to stderr, nothing of a capture unescaped."""

import json
import sys
from typing import Any

import msgspec

from wirelab.show.tables import Table
from wirelab.show.text import visible

OK, VIOLATION, UNREADABLE = 0, 1, 2
"""Exit codes: all well, a violation was found, an input could not be read (or the command was misused)."""


def say(text: str = "") -> None:
    """One or more lines of text that may come from a capture."""
    sys.stdout.write(visible(text, keep_lines=True) + "\n")


def say_json(value: Any) -> None:
    """One JSON object on one line, in UTF-8 whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(json_line(value).encode())
    sys.stdout.buffer.flush()


def json_line(value: Any) -> str:
    """JSON that steers no terminal: what `visible` would write out stands as a JSON escape, and means the same."""
    text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
    return text.translate({ord(each): _json_escape(each) for each in set(text) if visible(each) != each}) + "\n"


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def say_table(shown: Table) -> None:
    """A table: boxed to the terminal's width where there is a terminal, plain aligned text where there is none."""
    if not sys.stdout.isatty():
        sys.stdout.write(shown.text() + "\n")
        return
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - only a terminal needs it
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table as Box  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    box = Box(box=SIMPLE_HEAD, title=Text(visible(shown.title)) if shown.title else None)
    for name in shown.columns:
        box.add_column(Text(visible(name)), overflow="fold")
    for row in shown.safe_rows():
        box.add_row(*map(Text, row))
    Console().print(box)


def complain(text: str) -> None:
    """One line to stderr."""
    sys.stderr.write(f"wirelab: {visible(text)}\n")
