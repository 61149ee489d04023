"""The commands that open connections. Nothing is sent anywhere without a target that was named."""

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirelab.cli.help import OutputFormat, examples

if TYPE_CHECKING:
    from wirelab.probe.plan import Wish


class Mode(StrEnum):
    """How an answer is asked for: streamed, as one, or with the field left out."""

    STREAM = "stream"
    WHOLE = "whole"
    PLAIN = "plain"


Target = Annotated[str, typer.Option(metavar="NAME|URL", help="local, cloud, or a base URL; there is no default.")]
Model = Annotated[str, typer.Option(metavar="NAME", help="The model to ask.")]
Names = Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only these; may be given again.")]
Modes = Annotated[list[Mode] | None, typer.Option(help="Only these; may be given again.")]
Times = Annotated[int, typer.Option(min=1, help="Ask everything so often, where chance decides.")]
SecondModel = Annotated[str | None, typer.Option(metavar="NAME", help="For a switch between turns.")]
Worked = Annotated[bool, typer.Option("--worked", help="Worked turns first: small models call then.")]
OutputLimit = Annotated[int | None, typer.Option(min=1, help="Output tokens at most.")]
Temperature = Annotated[float | None, typer.Option(min=0, help="Left to the server if not given.")]
Seed = Annotated[int | None, typer.Option(help="Left to the server if not given.")]
Label = Annotated[str, typer.Option(metavar="NAME", help="The captures' first name; else server-version.")]
Tag = Annotated[str, typer.Option(metavar="NAME", help="Stands in the captures' names, to tell models apart.")]
Note = Annotated[str, typer.Option(metavar="TEXT", help="What a reader of the captures must know.")]
Server = Annotated[str, typer.Option(metavar="NAME", help="What it is; else it is asked.")]
ServerVersion = Annotated[str, typer.Option(metavar="NAME", help="Its version, with --server.")]
Folder = Annotated[Path, typer.Option(metavar="FOLDER", help="Where they go.")]
KeyVariable = Annotated[str | None, typer.Option(metavar="NAME", help="The environment variable that holds the key.")]
Keyring = Annotated[bool, typer.Option("--keyring", help="Take the key from the system's keyring.")]
Pace = Annotated[float | None, typer.Option(min=0, help="Seconds between requests; else 1 in the cloud, 0 elsewhere.")]
Timeout = Annotated[float, typer.Option(min=1, help="Seconds without a byte before giving up.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be sent, and send nothing.")]
Admit = Annotated[Path | None, typer.Option(metavar="FOLDER", help="A captures folder; it takes what passes checks.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(
        epilog=examples(
            "wirelab record --target local --model qwen3 --dry-run",
            "wirelab record --target local --model qwen3 --protocol chat --scenario parallel",
            "OLLAMA_API_KEY=... wirelab record --target cloud --model gpt-oss:20b",
        )
    )(record)
    app.command(
        epilog=examples(
            "wirelab prompts --target local --model qwen3 --dry-run",
            "wirelab prompts --target local --model qwen3 --renderer native",
        )
    )(prompts)


def record(  # noqa: PLR0917 - typer reads the options from here
    target: Target,
    model: Model,
    scenario: Names = None,
    protocol: Names = None,
    mode: Modes = None,
    times: Times = 1,
    second_model: SecondModel = None,
    worked: Worked = False,
    tag: Tag = "",
    output_limit: OutputLimit = None,
    temperature: Temperature = None,
    seed: Seed = None,
    label: Label = "",
    note: Note = "",
    server: Server = "",
    server_version: ServerVersion = "",
    folder: Folder = Path("runs/recordings"),
    key_variable: KeyVariable = None,
    keyring: Keyring = False,
    pace: Pace = None,
    timeout: Timeout = 300.0,
    dry_run: DryRun = False,
    admit: Admit = None,
) -> None:
    """Ask a server the scenarios and keep every byte with its time; what was recorded is never asked again."""
    from wirelab.cli import record as command  # noqa: PLC0415 - heavy: only when it runs

    wish = _wish(protocol, mode, model=model, times=times, second_model=second_model, worked=worked, tag=tag)
    options = command.Options(
        target=target,
        wish=_with_settings(wish, output_limit, temperature, seed),
        scenarios=tuple(scenario or ()),
        folder=folder,
        label=label,
        note=note,
        server=server,
        version=server_version,
        key_variable=key_variable,
        use_keyring=keyring,
        pace=pace,
        timeout=timeout,
        dry_run=dry_run,
        admit_into=admit,
    )
    raise typer.Exit(command.record(options))


def _wish(protocols: list[str] | None, modes: list[Mode] | None, **choices: Any) -> "Wish":
    """What is to be asked; protocols and modes that were not named are all of them."""
    from wirelab.probe.plan import Wish  # noqa: PLC0415 - heavy: only when it runs

    if protocols:
        choices["protocols"] = tuple(protocols)
    if modes:
        choices["modes"] = tuple(mode.value for mode in modes)
    return Wish(**choices)


def _with_settings(wish: "Wish", limit: int | None, temperature: float | None, seed: int | None) -> "Wish":
    from msgspec.structs import replace  # noqa: PLC0415

    from wirelab.probe.bodies import Settings  # noqa: PLC0415 - heavy: only when it runs

    return replace(wish, settings=Settings(limit, temperature, seed))


class Renderer(StrEnum):
    """The endpoints that show a prompt instead of running the model."""

    NATIVE = "native"
    CHAT = "chat"
    APPLY_TEMPLATE = "apply-template"


AskedRenderer = Annotated[Renderer | None, typer.Option(help="The endpoint that renders; else the first that does.")]


def prompts(  # noqa: PLR0917 - typer reads the options from here
    target: Target,
    model: Model,
    renderer: AskedRenderer = None,
    label: Label = "",
    server: Server = "",
    server_version: ServerVersion = "",
    folder: Folder = Path("runs/prompts"),
    key_variable: KeyVariable = None,
    keyring: Keyring = False,
    pace: Pace = None,
    timeout: Timeout = 300.0,
    dry_run: DryRun = False,
    format_: OutputFormat = "table",
) -> None:
    """Show which parts of a conversation a model's template lets through, without running the model.

    A server that runs the model instead of rendering the prompt is left alone after one request.
    """
    from wirelab.cli import prompts as command  # noqa: PLC0415 - heavy: only when it runs
    from wirelab.cli.record import Options  # noqa: PLC0415 - heavy: only when it runs

    options = Options(
        target=target,
        wish=_wish(None, None, model=model),
        folder=folder,
        label=label,
        server=server,
        version=server_version,
        key_variable=key_variable,
        use_keyring=keyring,
        pace=pace,
        timeout=timeout,
        dry_run=dry_run,
    )
    raise typer.Exit(
        command.prompts(options, renderer=None if renderer is None else renderer.value, as_json=format_ == "json")
    )


def record_first(target: str, model: str | None) -> None:
    """Record a server, so that what runs after this runs over what it said. Ends the command where nothing came."""
    if model is None:
        raise typer.BadParameter("a model is needed too: --model NAME", param_hint="--target")
    from wirelab.capture.store import ROOT_VARIABLE  # noqa: PLC0415 - heavy: only when it runs
    from wirelab.cli import record as command  # noqa: PLC0415 - heavy: only when it runs

    folder = Path("runs/recordings")
    code = command.record(command.Options(target=target, wish=_wish(None, None, model=model), folder=folder))
    if code > 1 or not (folder / "recorded").is_dir():
        raise typer.Exit(2)
    os.environ[ROOT_VARIABLE] = str(folder.resolve())
