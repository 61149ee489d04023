"""Claims about the way back: which histories a server takes, and what of them reaches the model."""

from collections.abc import Iterator, Sequence

from wirelab.claims.claim import Claim, Seen
from wirelab.claims.exhibit import Exhibit
from wirelab.history.seen import Seen as Part
from wirelab.protocols.dialects import DIALECTS

_REPLAYED = ("history-replay_one", "history-replay_parallel", "history-third_turn", "conversation-2", "conversation-3")
_BROKEN = (
    "history-orphan_result",
    "history-duplicate_result",
    "history-unknown_id",
    "history-missing_result",
    "history-no_result",
)
_BAD_REQUEST = 400
Shown = Iterator[tuple[Exhibit, tuple[Part, ...]]]


def _shown(exhibits: Sequence[Exhibit], *scenarios: str) -> Shown:
    """Every exhibit whose prompt was seen, with what became of its history's parts."""
    for exhibit in exhibits:
        bare = exhibit.scenario.removeprefix("history-").removeprefix("rendered-")
        if (not scenarios or bare in scenarios) and exhibit.parts:
            yield exhibit, exhibit.parts


def _accepted(exhibits: Sequence[Exhibit], scenarios: Sequence[str]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.scenario in scenarios and exhibit.protocol in DIALECTS:
            good = exhibit.status < _BAD_REQUEST and "upstream-error" not in exhibit.codes
            yield exhibit, good, f"{exhibit.scenario}: status {exhibit.status}"


def _replay_accepted(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    return _accepted(exhibits, _REPLAYED)


def _broken_accepted(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    return _accepted(exhibits, _BROKEN)


def _ids_shown(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, parts in _shown(exhibits):
        results = [part for part in parts if part.part.kind == "result" and part.tie is not None]
        if results:
            by_id = sum(part.tie == "id" for part in results)
            yield exhibit, by_id == len(results), f"{by_id} of {len(results)} results say whose they are"


def _kept(shown: Shown, *kinds: str) -> Iterator[Seen]:
    for exhibit, parts in shown:
        asked = [part for part in parts if part.part.kind in kinds and part.state != "unknown"]
        gone = [part for part in asked if part.is_gone]
        if asked:
            detail = f"the {gone[0].part.kind} is {gone[0].state}" if gone else f"all {len(asked)} arrive"
            yield exhibit, not gone, detail


def _late_results(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    return _kept(_shown(exhibits, "commentary_between", "user_between", "orphan_result"), "result")


def _text_beside_call(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    return _kept(_shown(exhibits, "text_and_call"), "text", "call")


def _thoughts(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    return _kept(_shown(exhibits, "thinking_and_call"), "thinking")


CLAIMS = (
    Claim("C6", "a tool result replayed under its call's id is accepted, and the answer goes on", _replay_accepted),
    Claim("C17", "orphan, duplicate and unknown results, and calls without a result, are accepted", _broken_accepted),
    Claim("C22", "the model can see by an id which call a result answers", _ids_shown),
    Claim("C23", "a result that does not directly follow its calls, or has none, reaches the model", _late_results),
    Claim(
        "C24", "assistant text beside a call reaches the model in its place, and so does the call", _text_beside_call
    ),
    Claim("C25", "replayed thinking reaches the model", _thoughts),
)
