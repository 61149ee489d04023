"""What the commands' help has in common."""

from typing import Annotated, Literal

import typer

Format = Literal["table", "json"]

PROTOCOL_HELP = "native, chat, responses, messages or gemini; auto looks at the input."

Protocol = Annotated[str, typer.Option("--protocol", metavar="NAME", help=PROTOCOL_HELP)]
OutputFormat = Annotated[Format, typer.Option("--format", help="A table for people, or one JSON object a line.")]
OneFile = Annotated[str, typer.Argument(metavar="FILE", help="The file to read; - is standard input.")]


def examples(*lines: str) -> str:
    """Lines that the help shows as they stand."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
