"""The command line, put together: the commands for one's own logs; each imports what it needs when it runs."""

import io
import os
import sys
from typing import Annotated, Literal

import typer

from wirelab import __version__
from wirelab.cli import laboratory, live
from wirelab.cli.help import OneFile, OutputFormat, Protocol, examples

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
def frames(file: OneFile, protocol: Protocol = "auto", format_: OutputFormat = "table") -> None:
    """Show every frame of a body: byte range, time of arrival, kind, and the ones that are malformed or unfinished."""
    from wirelab.cli import frames as command  # noqa: PLC0415 - see the module's first line

    raise typer.Exit(command.run(file, protocol, format_))


@app.command(
    "compare-policies",
    epilog=examples("wirelab compare-policies stream.log", "wirelab compare-policies stream.log --format json"),
)
def compare_policies(file: OneFile, protocol: Protocol = "auto", format_: OutputFormat = "table") -> None:
    """Read one answer as every kind of client does, and say which of them could have known better."""
    from wirelab.cli import policies as command  # noqa: PLC0415 - see the module's first line

    raise typer.Exit(command.run(file, protocol, format_))


@app.command(
    epilog=examples(
        "wirelab settle request.json | jq .messages",
        "wirelab settle history.json --from chat --to gemini",
        "wirelab settle request.json --profile mistral --repair",
    )
)
def settle(  # noqa: PLR0917 - typer reads the options from here
    file: OneFile,
    source: Annotated[
        str, typer.Option("--from", metavar="NAME", help="chat, native, responses, messages, gemini, or auto.")
    ] = "auto",
    to: Annotated[str, typer.Option(metavar="NAME", help="The protocol of the request, or same.")] = "same",
    profile: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the endpoint accepts; else the protocol's own profile.")
    ] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what is broken instead of refusing it.")] = False,
    result_order: Annotated[
        Literal["arrival", "call"] | None, typer.Option(help="How results are ordered; else the profile's way.")
    ] = None,
    reused_ids: Annotated[
        Literal["rename", "error", "keep"], typer.Option(help="What becomes of an id that is used twice.")
    ] = "rename",
    format_: Annotated[str, typer.Option("--format", metavar="json", help="There is one format.")] = "json",
) -> None:
    """Turn a recorded history into the messages of a request that an endpoint accepts.

    A FILE is a request body (messages, input or contents) or a bare list, a capture or a recording log. Printed is one
    JSON object: messages, system, findings, error. Exit code 1: no request can be made of it, and error says why.
    """
    from wirelab.cli import settle as command  # noqa: PLC0415 - see the module's first line
    from wirelab.history.replay import Replay  # noqa: PLC0415

    if format_ != "json":
        raise typer.BadParameter("there is json only", param_hint="--format")
    raise typer.Exit(
        command.settle(
            file,
            Replay(
                source=source,
                to=to,
                profile=profile,
                result_order=result_order,
                reused_ids=reused_ids,
                repair=repair,
            ),
        )
    )


laboratory.add_to(app)
live.add_to(app)


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
