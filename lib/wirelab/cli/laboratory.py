"""The commands for the laboratory's own captures and notebooks."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from wirelab.cli.help import OutputFormat, examples
from wirelab.cli.live import record_first


class RunCommand(TyperCommand):
    """Takes `-p NAME VALUE`, which typer has no word for: an option of two values that may be given again."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Join the two values before the options are parsed; `-p NAME=VALUE` is the same."""
        return super().parse_args(ctx, list(joined_pairs(args)))


def joined_pairs(args: list[str]) -> Iterator[str]:
    """`-p a b` as `-p a=b`. A name without its value is left as it is."""
    left = iter(args)
    for arg in left:
        yield arg
        if arg in {"-p", "--parameter"} and (name := next(left, None)) is not None:
            value = None if "=" in name else next(left, None)
            yield name if value is None else f"{name}={value}"


def parameter_of(pair: str) -> tuple[str, str]:
    """`a=b` as a name and a value. Raises BadParameter."""
    name, equals, value = pair.partition("=")
    if not name or not equals:
        raise typer.BadParameter(f"{pair!r} needs a value: -p {pair or 'NAME'} VALUE", param_hint="-p")
    return name, value


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(
        epilog=examples(
            "wirelab run",
            "wirelab run 00 -p capture ollama-0.12.10/native/parallel.stream.qwen3-coder",
            "wirelab run 00 --captures 'ollama-0.32.15/chat/*'",
            "wirelab run --all",
            "wirelab run --target local --model qwen3",
        ),
        cls=RunCommand,
    )(run)
    app.command(
        epilog=examples(
            "wirelab verify",
            "wirelab verify captures/recorded/ollama-0.20.4 my-recording.jsonl",
            "wirelab verify --write-index    # after adding captures",
        )
    )(verify)
    app.command(
        epilog=examples(
            "wirelab compare runs/before runs/after",
            "wirelab compare captures/recorded/ollama-0.20.4 captures/recorded/ollama-0.32.15 --least critical",
        )
    )(compare)
    app.command(
        epilog=examples(
            "wirelab claims", "wirelab claims --only C3 --only C18 --by version", "wirelab claims mine/*.jsonl"
        )
    )(claims)
    app.command("import", epilog=examples("wirelab import my-logs/", "wirelab import theirs.jsonl --into mine"))(
        import_
    )


def run(  # noqa: PLR0917 - typer reads the options from here
    notebooks: Annotated[
        list[str] | None, typer.Argument(metavar="NOTEBOOK", help="Names, numbers or paths; else all offline ones.")
    ] = None,
    captures: Annotated[
        str | None, typer.Option(metavar="GLOB", help="Run once for each capture whose name fits (00, 40, 43).")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("-p", "--parameter", metavar="NAME VALUE", help="A parameter's value; may be given again."),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="00, 40 and 43 over all captures; a run that was stopped goes on.")
    ] = False,
    target: Annotated[
        str | None, typer.Option(metavar="NAME|URL", help="Record this server first, then run over what it said.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model to ask, with --target.")] = None,
) -> None:
    """Run notebooks with papermill and write one page that says what was found.

    The executed notebooks and index.html go to runs/<n>/. One failed notebook does not stop the others. Without
    arguments: every offline notebook once, and a survey of all captures that can be read. Exit code 1: one failed.
    """
    pairs = [parameter_of(pair) for pair in parameters or []]
    if target is not None:
        captures = captures or "*"
        record_first(target, model)
    from wirelab.cli import run as command  # noqa: PLC0415 - heavy: only when it runs

    raise typer.Exit(command.run(notebooks or [], captures, pairs, product=all_))


def verify(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Captures, or folders of them; else the committed ones.")
    ] = None,
    write_index: Annotated[bool, typer.Option("--write-index", help="Bring the index up to date.")] = False,
) -> None:
    """Check captures: the format and its proofs, that no secret is in them, and that the index is complete."""
    from wirelab.cli import verify as command  # noqa: PLC0415 - only when it runs

    raise typer.Exit(command.verify(paths or [], write=write_index))


def import_(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE", help="Recording logs or captures, or folders.")],
    into: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Where they go; else among the committed recordings.")
    ] = None,
) -> None:
    """Import recording logs, and captures from elsewhere, proving that no byte is lost; secrets are redacted."""
    from wirelab.cli import importing as command  # noqa: PLC0415 - only when it runs

    raise typer.Exit(command.import_(sources, into=into))


class Least(StrEnum):
    """The lowest grade that is listed."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


def compare(
    before: Annotated[str, typer.Argument(metavar="A", help="The older recording: a folder of captures, or one.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The newer one, of the same scenarios.")],
    least: Annotated[Least, typer.Option(help="The lowest grade that is listed.")] = Least.INFO,
    format_: OutputFormat = "table",
) -> None:
    """Say what moved between two recordings of the same scenarios. Exit code 1: something critical did."""
    from wirelab.cli import compare as command  # noqa: PLC0415 - only when it runs
    from wirelab.probe.compare import Grade  # noqa: PLC0415 - only when it runs

    raise typer.Exit(command.compare(before, after, as_json=format_ == "json", least=Grade(least.value)))


def claims(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Captures, logs or folders; else the committed ones.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="C1", help="One claim; may be given again.")] = None,
    by: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Split by target, version, protocol or family.")
    ] = None,
    format_: OutputFormat = "table",
) -> None:
    """Say of every claim about endpoints whether the captures show that it holds, and which capture shows it."""
    from wirelab.cli import claims as command  # noqa: PLC0415 - only when it runs

    raise typer.Exit(command.run(paths or [], only or [], by or [], format_))
