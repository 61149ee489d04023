"""`wirelab record`: ask a server the scenarios, keep every byte with its time, and say what became of each."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from wirelab.capture.index import INDEX, write_index
from wirelab.capture.types import Source
from wirelab.capture.verify import verify_store
from wirelab.cli.console import OK, UNREADABLE, VIOLATION, complain, say
from wirelab.errors import MisuseError, WirelabError
from wirelab.probe.admission import admit
from wirelab.probe.identify import QUESTIONS, identify
from wirelab.probe.plan import Step, Wish, plan, slug
from wirelab.probe.run import Outcome, Setting, file_of, preview, run
from wirelab.probe.scenarios import load_book, select
from wirelab.probe.targets import Target, resolve
from wirelab.transport.client import Client, TransportError, open_client, open_transport
from wirelab.transport.keys import Key, find_key
from wirelab.transport.record import Bounds, RecordingTransport

_CLOUD_PACE = 1.0


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `wirelab record`. `target` is local, cloud or a base URL and has no default: nothing is sent
    anywhere that nobody named. `pace` is seconds between requests (None: 1 for the cloud, else 0), `label` the
    captures' first name, `admit_into` a captures root that takes what may join it.
    """

    target: str
    wish: Wish
    scenarios: tuple[str, ...] = ()
    folder: Path = Path("runs/recordings")
    label: str = ""
    note: str = ""
    server: str = ""
    version: str = ""
    key_variable: str | None = None
    use_keyring: bool = False
    pace: float | None = None
    timeout: float = 300.0
    longest: float = 900.0
    dry_run: bool = False
    admit_into: Path | None = None


class Ready(msgspec.Struct, frozen=True):
    """A run that could begin: its steps, the target, and the key if there is one."""

    steps: list[Step]
    target: Target
    key: Key | None
    wish: Wish


def record(options: Options) -> int:
    """Record, and report. The exit code: 0 all well, 1 something was not recorded or not admitted, 2 misused."""
    return guarded(options, lambda: _recorded(options))


def guarded(options: Options, action: Callable[[], int]) -> int:
    """Run something that opens connections; what goes wrong becomes one line and an exit code."""
    try:
        return action()
    except TransportError as error:
        complain(f"{options.target}: no answer ({type(error).__name__}): is the server running there?")
        return UNREADABLE
    except OSError as error:
        complain(f"{options.folder}: {error.strerror or 'can not be written'}")
        return UNREADABLE
    except WirelabError as error:
        complain(str(error))
        return UNREADABLE if isinstance(error, MisuseError) else VIOLATION
    except KeyboardInterrupt:
        complain("stopped: what had arrived is kept, and the next run goes on")
        return VIOLATION


def _recorded(options: Options) -> int:
    ready = prepare(options)
    return _show(ready, options) if options.dry_run else _record(ready, options)


def prepare(options: Options) -> Ready:
    """Resolve target and key and make the plan; opens no connection. Raises `MisuseError`."""
    ready = aimed(options)
    steps = plan(select(load_book().scenarios, options.scenarios), ready.wish)
    if not steps:
        raise MisuseError("nothing to ask: no scenario fits these protocols and modes (some need a key or two models)")
    return msgspec.structs.replace(ready, steps=steps)


def aimed(options: Options) -> Ready:
    """Target, key and wish, without steps yet. Raises `MisuseError`."""
    target = resolve(options.target, key_variable=options.key_variable)
    key = find_key(target.origin, target.key_variable, os.environ, use_keyring=options.use_keyring)
    tag = options.wish.tag or slug(options.wish.model)
    return Ready([], target, key, msgspec.structs.replace(options.wish, has_key=key is not None, tag=tag))


def _show(ready: Ready, options: Options) -> int:
    """What would be sent, without sending it."""
    setting = _setting(ready, options, options.server, options.version)
    say(budget(ready, options))
    for step in ready.steps:
        asked = preview(step, setting)
        if asked is None:
            say(f"{step.name(ready.wish.tag)}: what turn {step.turn + 1} sends depends on the answers before it")
            continue
        proof = asked.auth if ready.key or asked.auth == "wrong-bearer" else "no key"
        body = "" if asked.body is None else f" {msgspec.json.encode(asked.body).decode()}"
        say(f"{step.name(ready.wish.tag)}: {asked.method} {ready.target.origin}{asked.path} ({proof}){body}")
    return OK


def _record(ready: Ready, options: Options) -> int:
    say(budget(ready, options))
    setting = known_setting(ready, options)
    secrets = [ready.key.secret] if ready.key else []
    outcomes: list[Outcome] = []
    (setting.folder / INDEX).unlink(missing_ok=True)  # a run that is killed leaves none rather than a stale one
    try:
        with recording_client(ready, options) as client:
            for outcome in run(ready.steps, setting, client):
                outcomes.append(outcome)
                keep(outcome, setting)
                say(_line(outcome))
    finally:
        say(_summary(outcomes, setting.label, options))
        index(setting.folder)
    refused = _admit(outcomes, setting, options, secrets) if options.admit_into else []
    unwell = refused or any(outcome.kind == "unanswered" for outcome in outcomes)
    return VIOLATION if unwell else OK


def known_setting(ready: Ready, options: Options) -> Setting:
    """The setting of a run, with server and version asked for where nobody said them."""
    server, version = options.server, options.version
    if not server:
        with open_client(open_transport(), read=min(options.timeout, 30.0)) as client:
            server, version = identify(client, ready.target.origin, ready.key)
    return _setting(ready, options, server, version)


def recording_client(ready: Ready, options: Options) -> Client:
    """A client over real sockets that records every exchange."""
    secrets = [ready.key.secret] if ready.key else []
    transport = RecordingTransport(open_transport(), secrets, bounds=Bounds(seconds=options.longest))
    return open_client(transport, read=options.timeout)


def _setting(ready: Ready, options: Options, server: str, version: str) -> Setting:
    pace = options.pace if options.pace is not None else _CLOUD_PACE if ready.target.name == "cloud" else 0.0
    label = options.label or slug(f"{server}-{version}") or slug(ready.target.name)
    source = Source("recorded", ready.target.name, server, version, ready.wish.model, options.note)
    return Setting(ready.target, options.folder, label, source, load_book(), ready.wish, ready.key, pace)


def budget(ready: Ready, options: Options) -> str:
    """How many requests a run sends at most, where to, and with which key: said before the first one."""
    known = 0 if options.server else QUESTIONS
    scenarios = len({step.scenario.name for step in ready.steps})
    with_key = f"with the key in {ready.target.key_variable}" if ready.key else "without a key"
    return (
        f"{len(ready.steps) + known} requests at most to {ready.target.origin}, {with_key}: "
        f"{scenarios} scenarios{', and which server it is' if known else ''}"
    )


def keep(outcome: Outcome, setting: Setting) -> None:
    """Write one line a step in the run's journal, written at once: what gave no capture is told here."""
    setting.folder.mkdir(parents=True, exist_ok=True)
    with (setting.folder / "journal.ndjson").open("ab") as journal:
        journal.write(msgspec.json.encode(outcome) + b"\n")


def index(folder: Path) -> None:
    """Write the index of a run's folder, so that it can be used as `captures/` is."""
    if (folder / "recorded").is_dir():
        write_index(folder, verify_store(folder).entries)


def _line(outcome: Outcome) -> str:
    status = "" if outcome.status is None else f" {outcome.status}"
    failure = f" {outcome.failure.kind}" if outcome.failure else ""
    return f"  {outcome.kind}{status}{failure} {outcome.name}{f' ({outcome.detail})' if outcome.detail else ''}"


def _summary(outcomes: list[Outcome], label: str, options: Options) -> str:
    counts = Counter(outcome.kind for outcome in outcomes)
    told = ", ".join(f"{number} {kind}" for kind, number in counts.items()) or "nothing recorded"
    return f"{label}: {told}; in {options.folder}"


def _admit(outcomes: list[Outcome], setting: Setting, options: Options, secrets: list[str]) -> list[str]:
    assert options.admit_into is not None
    paths = [file_of(setting.folder, outcome.name) for outcome in outcomes if outcome.kind in {"recorded", "kept"}]
    admitted, refused = admit(paths, options.admit_into, setting.book, secrets)
    say(f"{len(admitted)} admitted, {len(refused)} problems; bring the index up to date: wirelab verify --write-index")
    for problem in refused:
        say(f"  {problem}")
    return refused
