"""Running a plan: ask, record, and go on where an earlier run stopped.

Every step is one capture file in the run's folder. A file whose end line is there settles its step; one without (the
recording was killed) is kept as it is, and the step is asked again under the next free name.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from wirelab.capture.names import path_of
from wirelab.capture.reader import load
from wirelab.capture.redact import Redactor
from wirelab.capture.types import Capture, Source
from wirelab.claims.failures import Failure, FailureKind, classify, decoded
from wirelab.errors import MisuseError, WirelabError
from wirelab.probe.bodies import Message
from wirelab.probe.echo import reply
from wirelab.probe.plan import Asking, Step, Wish, asking
from wirelab.probe.scenarios import Book, recorded_name
from wirelab.probe.targets import Target
from wirelab.transport.client import Client, OriginAuth, TransportError
from wirelab.transport.keys import Key
from wirelab.transport.record import EXTENSION, Slot, spellings

_ATTEMPTS = 20
_HOPELESS = 3
_LONGEST_WAIT = 60.0


class Outcome(msgspec.Struct, frozen=True):
    """What became of one step: `recorded` now, `kept` from an earlier run, `unanswered` (no answer came), `skipped`
    (the turn before it gave nothing to go on with). `detail` says more in a line.
    """

    name: str
    kind: str
    status: int | None = None
    failure: Failure | None = None
    detail: str = ""


class Setting(msgspec.Struct, frozen=True):
    """Everything about a run but its steps. `label` is the captures' first name, `pace` seconds between requests."""

    target: Target
    folder: Path
    label: str
    source: Source
    book: Book
    wish: Wish
    key: Key | None = None
    pace: float = 0.0
    sleep: Callable[[float], None] = time.sleep


def run(steps: list[Step], setting: Setting, client: Client) -> Iterator[Outcome]:
    """Ask every step that is not settled yet, and say what became of it.

    Raises `WirelabError` where going on is useless: no answer several times in a row, a key that is refused, a quota
    that is used up. What was recorded by then is kept, and the next run goes on.
    """
    unanswered = 0
    replies: list[list[Message]] = []
    for step in steps:
        replies = replies if step.turn else []
        outcome, capture = _step(step, setting, client, replies)
        yield outcome
        unanswered = unanswered + 1 if outcome.kind == "unanswered" else 0
        if unanswered >= _HOPELESS:
            raise WirelabError(f"{setting.target.origin} gave no answer {_HOPELESS} times in a row ({outcome.detail})")
        _stop_if_hopeless(step, outcome)
        if capture is not None and (found := reply(capture) if step.scenario.follow_ups else None) is not None:
            replies = [*replies, found]


def _step(step: Step, setting: Setting, client: Client, replies: list[list[Message]]) -> tuple[Outcome, Capture | None]:
    name = f"{setting.label}/{step.name(setting.wish.tag)}"
    settled, free = attempts(setting.folder, name)
    if settled is not None:
        return Outcome(settled.name, "kept", settled.response.status), settled
    if len(replies) < step.turn:
        return Outcome(name, "skipped", detail="the turn before it gave nothing to go on with"), None
    try:
        capture = _ask(step, setting, client, replies, free)
    except TransportError as error:
        return Outcome(name, "unanswered", detail=_words(error, setting.key)), None
    setting.sleep(setting.pace)
    failure = failure_of(capture)
    if failure is not None and failure.kind is FailureKind.RATE_LIMITED:
        setting.sleep(_wait(capture))
    return Outcome(capture.name, "recorded", capture.response.status, failure, _ending(capture)), capture


def attempts(folder: Path, name: str) -> tuple[Capture | None, str]:
    """The capture that settles a step, if there is one, and the next free name for it."""
    for number in range(1, _ATTEMPTS):
        candidate = name if number == 1 else f"{name}.again-{number}"
        path = file_of(folder, candidate)
        if not path.exists():
            return None, candidate
        if (capture := _settled(path)) is not None:
            return capture, candidate
    raise MisuseError(f"{name} was begun {_ATTEMPTS} times and never ended: look at the files in {folder.name}")


def file_of(folder: Path, name: str) -> Path:
    """Where a capture of a name lies in a run's folder, which is laid out as `captures/` is."""
    return path_of(folder / "recorded", name)


def _settled(path: Path) -> Capture | None:
    try:
        capture = load(path)
    except WirelabError:
        return None
    died = capture.end.kind == "error" or capture.end.by == "recorder"
    return None if died else capture


def _ask(step: Step, setting: Setting, client: Client, replies: list[list[Message]], name: str) -> Capture:
    asked = asking(step, setting.book, setting.wish, replies)
    path = file_of(setting.folder, name)
    slot = Slot(path, name, recorded_name(step.scenario, step.turn), step.protocol, setting.source)
    request = client.build_request(
        asked.method, setting.target.origin + asked.path, json=asked.body, headers=_headers(step)
    )
    request.extensions[EXTENSION] = slot
    response = client.send(request, auth=OriginAuth(setting.key, asked.auth), stream=True)
    try:
        _drain(response.iter_raw(), step.scenario.hang_up_after)
    except TransportError:  # the answer broke off: what came stands in the file, with how it ended
        pass
    finally:
        response.close()
    return load(path)


def _headers(step: Step) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01"} if step.protocol == "messages" else {}


def _drain(reads: Iterable[bytes], hang_up_after: int | None) -> None:
    for number, _ in enumerate(reads, 1):
        if hang_up_after is not None and number >= hang_up_after:
            return


def failure_of(capture: Capture) -> Failure | None:
    """What kind of failure an answer is; None for a status below 400."""
    if capture.response.status < 400:
        return None
    return classify(capture.response.status, decoded(capture.body))


def _stop_if_hopeless(step: Step, outcome: Outcome) -> None:
    failure = outcome.failure
    if failure is None or step.scenario.group in {"auth", "web"}:
        return
    if failure.kind is FailureKind.QUOTA_EXHAUSTED:
        raise WirelabError(f"the {failure.window or 'usage'} quota is used up: {failure.message}")
    if failure.kind is FailureKind.AUTH and step.scenario.group != "discovery":
        raise WirelabError(f"the server refuses the key (status {outcome.status}): {failure.message}")


def _wait(capture: Capture) -> float:
    """Seconds that a server asks to be left alone, within reason."""
    try:
        return min(float(capture.response.headers.get("retry-after", "5")), _LONGEST_WAIT)
    except ValueError:
        return 5.0


def _ending(capture: Capture) -> str:
    end = capture.end
    return "" if end.kind == "complete" else " ".join(part for part in (end.kind, "by", end.by, end.detail) if part)


def _words(error: TransportError, key: Key | None) -> str:
    """An error's own words: what came may stand in them, and so may a key that it echoed."""
    words = f"{type(error).__name__}: {error}"[:300]
    return Redactor(spellings([key.secret] if key else [])).text(words)[0]


def preview(step: Step, setting: Setting) -> Asking | None:
    """What a step would send; None for a later turn, which depends on the answers before it."""
    return None if step.turn else asking(step, setting.book, setting.wish)
