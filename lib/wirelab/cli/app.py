"""The commands, their options and their help; each imports what it needs when it runs."""

import io
import os
import sys
from typing import Annotated

import typer

from wirelab import __version__
from wirelab.cli.reconcile import Format

PROTOCOL_HELP = "native, chat, responses, messages or gemini; auto looks at the input."


def examples(*lines: str) -> str:
    """Lines that the help shows as they stand."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


app = typer.Typer(
    name="wirelab",
    help="What did this endpoint really send, and which call, result and thought belong together?",
    epilog="Start with: wirelab reconcile YOUR-LOG. Exit codes: 0 all well, 1 something found, 2 input not readable.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Protocol = Annotated[str, typer.Option("--protocol", metavar="NAME", help=PROTOCOL_HELP)]
OutputFormat = Annotated[Format, typer.Option("--format", help="A table for people, or one JSON object a line.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wirelab {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The options that belong to no command."""
    del version


@app.command(
    epilog=examples(
        "wirelab reconcile stream.log",
        "wirelab reconcile captures/recorded/*/native/*.jsonl --format json | jq -c '[.file, .error.code]'",
        "curl -sN localhost:11434/api/chat -d @request.json | wirelab reconcile - --lenient",
        "wirelab reconcile stream.log --policy index-concat    # what other clients make of it",
    )
)
def reconcile(  # noqa: PLR0917 - typer reads the options from here
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files to read; - is standard input.")],
    protocol: Protocol = "auto",
    policy: Annotated[str, typer.Option(metavar="NAME", help="Whose reading: id-first is ours.")] = "id-first",
    lenient: Annotated[bool, typer.Option("--lenient", help="Go on after a violation, for investigation.")] = False,
    no_parallel_tool_calls: Annotated[
        bool, typer.Option("--no-parallel-tool-calls", help="A second call is a violation.")
    ] = False,
    tools: Annotated[
        str | None, typer.Option(metavar="A,B", help="The tools that were declared; others are marked.")
    ] = None,
    format_: OutputFormat = "table",
) -> None:
    """Read what a server sent and say which calls it holds, and whether they may be executed.

    A FILE is a capture, a recording log, or a raw body as it came over the wire (newline-delimited JSON, server-sent
    events, one JSON answer), gzip and zstd included. Exit code 1: a violation, do not execute anything.
    """
    from wirelab.cli import reconcile as command  # noqa: PLC0415 - see the module's first line

    options = command.Options(
        protocol=protocol,
        policy=policy,
        lenient=lenient,
        parallel=False if no_parallel_tool_calls else None,
        tools=None if tools is None else frozenset(name.strip() for name in tools.split(",") if name.strip()),
        format=format_,
    )
    raise typer.Exit(command.run(files, options))


@app.command(
    epilog=examples(
        "wirelab frames stream.log",
        "wirelab frames stream.log --format json | jq 'select(.malformed or .pending)'",
    )
)
def frames(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to read; - is standard input.")],
    protocol: Protocol = "auto",
    format_: OutputFormat = "table",
) -> None:
    """Show every frame of a body: byte range, time of arrival, kind, and the ones that are malformed or unfinished."""
    from wirelab.cli import frames as command  # noqa: PLC0415 - see the module's first line

    raise typer.Exit(command.run(file, protocol, format_))


@app.command(
    epilog=examples(
        "wirelab verify",
        "wirelab verify captures/recorded/ollama-0.20.4 my-recording.jsonl",
        "wirelab verify --write-index    # after adding captures",
    )
)
def verify(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Captures, or folders of them; else the committed ones.")
    ] = None,
    write_index: Annotated[bool, typer.Option("--write-index", help="Bring the index up to date.")] = False,
) -> None:
    """Check captures: the format and its proofs, that no secret is in them, and that the index is complete."""
    from wirelab.cli import verify as command  # noqa: PLC0415 - see the module's first line

    raise typer.Exit(command.verify(paths or [], write=write_index))


@app.command(
    "import",
    epilog=examples(
        "wirelab import my-logs/",
        "wirelab import theirs.jsonl --into captures/recorded",
    ),
)
def import_(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE", help="Recording logs or captures, or folders.")],
    into: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Where they go; else among the committed recordings.")
    ] = None,
) -> None:
    """Import recording logs, and captures from elsewhere, proving that no byte is lost; secrets are redacted."""
    from wirelab.cli import importing as command  # noqa: PLC0415 - see the module's first line

    raise typer.Exit(command.import_(sources, into=into))


def main() -> None:
    """The entry point: a reader that stops reading (`| head`) and Ctrl-C end it without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character gets its number
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
