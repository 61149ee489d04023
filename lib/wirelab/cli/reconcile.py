"""`wirelab reconcile`: from a file of one's own to calls and a verdict."""

from collections.abc import Sequence
from typing import Any

import msgspec

from wirelab.calls import find_policy, read_body
from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say, say_json, say_table
from wirelab.cli.help import Format
from wirelab.cli.inputs import Exchange, open_exchange
from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.model import Asked, Finding, Frame, Reading
from wirelab.show.advice import advice_for
from wirelab.show.frames import frames_of
from wirelab.show.text import shortened
from wirelab.show.verdict import calls_table, counted, finish_line, verdict_line, violations, where, worst_first

_SHOWN_TEXT = 400
"""Characters of text and thinking that the table view shows of an answer; JSON has all."""


class Options(msgspec.Struct, frozen=True):
    """What the user asked for. `tools` and `parallel` override what a capture's request said."""

    protocol: str = "auto"
    policy: str = "id-first"
    lenient: bool = False
    parallel: bool | None = None
    tools: frozenset[str] | None = None
    format: Format = "table"


def run(files: Sequence[str], options: Options) -> int:
    """Read every file in the order given, print what each says, and return the exit code."""
    try:
        find_policy(options.policy)
    except MisuseError as problem:
        complain(str(problem))
        return UNREADABLE
    codes = [_one(file, options, last=at == len(files) - 1) for at, file in enumerate(files)]
    return max(codes, default=OK)


def _one(file: str, options: Options, *, last: bool) -> int:
    try:
        exchange = open_exchange(file, options.protocol)
        reading = read_exchange(exchange, options)
    except UnreadableInputError as problem:
        complain(str(problem))
        return UNREADABLE
    if reading.error is not None and reading.error.code == "frame-too-large":
        complain(f"{exchange.name}: {without_advice(reading.error.message)}")
        return UNREADABLE
    if options.format == "json":
        say_json(reading_object(file, reading))
    else:
        show_reading(exchange, reading)
        say() if not last else None
    return VIOLATION if violations(reading) or reading.error is not None else OK


def without_advice(message: str) -> str:
    """A message about a frame without the advice to a programmer, which is of no use on the command line."""
    return message.partition(": pass a larger")[0]


def read_exchange(exchange: Exchange, options: Options) -> Reading:
    """One exchange as the chosen policy reads it."""
    asked = exchange.asked
    merged = Asked(
        tools=options.tools if options.tools is not None else asked.tools,
        parallel=options.parallel if options.parallel is not None else asked.parallel,
        output_limit=asked.output_limit,
        stream=asked.stream,
    )
    return read_body(
        exchange.body,
        exchange.protocol,
        asked=merged,
        policy=options.policy,
        strict=not options.lenient,
        status=exchange.status,
        whole=exchange.whole,
    )


def reading_object(file: str, reading: Reading) -> dict[str, Any]:
    """The JSON object of one file: its keys are an interface, and other programs read them."""
    return {
        "file": file,
        "protocol": reading.protocol,
        "policy": reading.policy,
        "calls": [
            {
                "id": call.id,
                "id_source": call.id_source,
                "name": call.name,
                "arguments": call.arguments,
                "arguments_text": call.arguments_text,
                "complete": call.complete,
                "aliases": list(call.aliases),
            }
            for call in reading.calls
        ],
        "executable": list(reading.executable),
        "text": reading.text,
        "thinking": reading.thinking,
        "finish_reason": reading.finish_reason,
        "raw_finish_reason": reading.raw_finish_reason,
        "usage": reading.usage,
        "findings": [msgspec.to_builtins(finding) for finding in reading.findings],
        "error": None if reading.error is None else msgspec.to_builtins(reading.error),
    }


def show_reading(exchange: Exchange, reading: Reading) -> None:
    """The same for a person: where it is from, the verdict, the calls, the findings with what to do."""
    frames = frames_of(exchange.body, exchange.protocol, whole=exchange.whole)
    say(exchange.name)
    say(f"  {', '.join([*exchange.origin, f'policy {reading.policy}'])}")
    if exchange.note:
        say(f"  {exchange.note}")
    say(f"  {counted(len(frames), 'frame')}, {counted(len(exchange.body), 'byte')}, {finish_line(reading)}")
    say(f"  {verdict_line(reading)}")
    if reading.calls:
        say()
        say_table(calls_table(reading))
    for label, text in (("text", reading.text), ("thinking", reading.thinking)):
        if text:
            say(f"\n{label}: {shortened(text, _SHOWN_TEXT)}")
    for finding in worst_first(reading.findings):
        show_finding(finding, frames)


def show_finding(finding: Finding, frames: Sequence[Frame]) -> None:
    """What, where, which call; then the detail, then what to do."""
    place = ", ".join(part for part in (where(finding, frames), finding.call and f"call {finding.call}") if part)
    say(f"\n{finding.severity.value} {finding.code}{f' ({place})' if place else ''}")
    say(f"  {shortened(finding.detail, _SHOWN_TEXT)}")
    say(f"  To do: {advice_for(finding)}")
