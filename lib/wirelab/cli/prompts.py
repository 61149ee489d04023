"""`wirelab prompts`: which parts of a conversation a model's template lets through, without running the model."""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from wirelab.capture.index import INDEX
from wirelab.capture.reader import load
from wirelab.capture.types import Capture
from wirelab.claims.failures import FailureKind
from wirelab.cli.console import OK, say, say_json, say_table
from wirelab.cli.record import Options, Ready, aimed, budget, guarded, index, keep, known_setting, recording_client
from wirelab.errors import WirelabError
from wirelab.history.seen import Seen
from wirelab.history.visibility import Visibility
from wirelab.model import Json
from wirelab.probe.prompts import FIRST, RENDERERS, Judged, Renderer, Rendering, judge, prompt_of, renderings
from wirelab.probe.run import Outcome, Setting, failure_of, file_of, preview, run
from wirelab.probe.scenarios import load_book
from wirelab.show.tables import table
from wirelab.transport.client import Client


def prompts(options: Options, *, renderer: Renderer | None = None, as_json: bool = False) -> int:
    """Render the histories, judge and tell. `renderer` None: the first of the known ones that this server has.

    The exit code: 0 told, 1 the server renders no prompts, 2 misused or no answer.
    """
    return guarded(options, lambda: _prompts(options, (renderer,) if renderer else RENDERERS, as_json=as_json))


def _prompts(options: Options, renderers: tuple[Renderer, ...], *, as_json: bool) -> int:
    ready = aimed(options)
    jobs = [*_jobs(renderers[0], ready, settled=False), *_jobs(renderers[0], ready, settled=True)]
    counted = msgspec.structs.replace(ready, steps=[job.step for job in jobs if not job.refused])
    say(budget(counted, options))
    if options.dry_run:
        _show(counted, options)
        return OK
    setting = known_setting(ready, options)
    (setting.folder / INDEX).unlink(missing_ok=True)
    with recording_client(ready, options) as client:
        found = _renderer(renderers, setting, ready, client)
        judged = [
            judge(job, found, None if job.refused else _capture(job, setting, client))
            for settled in (False, True)
            for job in _jobs(found, ready, settled=settled)
        ]
    index(setting.folder)
    _tell(judged, as_json=as_json)
    return OK


def _jobs(renderer: Renderer, ready: Ready, *, settled: bool) -> list[Rendering]:
    return list(renderings(renderer, load_book(), ready.wish.model, settled=settled))


def _renderer(renderers: Iterable[Renderer], setting: Setting, ready: Ready, client: Client) -> Renderer:
    """The first renderer that the server has, found with one request each; none is asked after the model ran."""
    for renderer in renderers:
        job = next(job for job in _jobs(renderer, ready, settled=False) if job.history == FIRST)
        outcome, capture = _asked(job, setting, client)
        if capture is not None and prompt_of(capture) is not None:
            return renderer
        if outcome.status is not None and outcome.status < 400:
            raise WirelabError(
                "this server runs the model instead of rendering the prompt: it was left alone after that"
            )
        failure = failure_of(capture) if capture is not None else None
        if failure is None or failure.kind not in {FailureKind.NO_SUCH_ENDPOINT, FailureKind.REQUEST_REFUSED}:
            raise WirelabError(f"no prompt from {renderer}: {failure.message if failure else outcome.detail}")
    raise WirelabError("this server renders no prompts: it has none of the endpoints that do")


def _capture(job: Rendering, setting: Setting, client: Client) -> Capture | None:
    return _asked(job, setting, client)[1]


def _asked(job: Rendering, setting: Setting, client: Client) -> tuple[Outcome, Capture | None]:
    """Ask one rendering, or take it from an earlier run."""
    (outcome,) = run([job.step], setting, client)
    keep(outcome, setting)
    if outcome.kind == "unanswered":
        return outcome, None
    capture = load(file_of(setting.folder, outcome.name))
    return outcome, capture


def _show(ready: Ready, options: Options) -> None:
    setting = known_setting(ready, msgspec.structs.replace(options, server=options.server or "unknown"))
    for step in ready.steps:
        asked = preview(step, setting)
        assert asked is not None
        body = msgspec.json.encode(asked.body).decode()
        say(f"{step.name(ready.wish.tag)}: {asked.method} {ready.target.origin}{asked.path} {body}")


def _tell(judged: list[Judged], *, as_json: bool) -> None:
    if as_json:
        for each in judged:
            say_json(each)
        return
    pairs = {each.history: each for each in judged if each.settled}
    rows = [
        (each.history.removeprefix("history-"), _words(each), _words(pairs[each.history]))
        for each in judged
        if not each.settled
    ]
    say_table(table(rows, ("history", "as it is", "settled"), width_limit=70))
    say_table(table(list(_kinds(judged)), ("part", "arrived", "of", "settled: arrived", "of"), width_limit=70))


def _words(judged: Judged) -> str:
    """What did not arrive as it should, in a few words."""
    if judged.seen is None:
        return judged.reason
    return ", ".join(f"{_fate(seen)} {seen.part.kind}" for seen in judged.seen.losses) or "all there, in order"


def _fate(seen: Seen) -> str:
    return "swapped" if seen.swapped and seen.state == "kept" else seen.state


def _kinds(judged: list[Judged]) -> Iterator[tuple[Json, ...]]:
    """How many parts of each kind arrived where they should, before and after settling."""
    counts = [
        _counts([each.seen for each in judged if each.seen and each.settled is settled]) for settled in (False, True)
    ]
    for kind in ("system", "user", "text", "thinking", "call", "result"):
        told = [(count[kind, True], count[kind, True] + count[kind, False]) for count in counts]
        if any(total for _, total in told):
            yield (kind, *told[0], *told[1])


def _counts(visible: list[Visibility]) -> Counter[tuple[str, bool]]:
    seen = [seen for each in visible for seen in each.parts if seen.state != "unknown"]
    return Counter((each.part.kind, each.state == "kept" and not each.swapped) for each in seen)
