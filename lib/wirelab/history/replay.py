"""The whole way back: a recorded history in, the next request for one endpoint out."""

from typing import Any

import msgspec

from wirelab.errors import MisuseError
from wirelab.history.pairing import pair
from wirelab.history.profiles import Profile, find_profile
from wirelab.history.reasoning import fit_reasoning
from wirelab.history.settle import ResultOrder, ReusedIds, settle
from wirelab.ids import IdAllocator, IdMap
from wirelab.model import Json
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.transcript import Call, Dialect, Entry, HistoryFinding, Message, Recorded, Result, Transcript


class Replay(msgspec.Struct, frozen=True):
    """What the caller chooses. `result_order` and `profile` None: the profile's order, the target's own profile."""

    source: str = "auto"
    to: str = "same"
    profile: str | None = None
    result_order: ResultOrder | None = None
    reused_ids: ReusedIds = "rename"
    repair: bool = False


class NextRequest(msgspec.Struct, frozen=True):
    """What to send: the list of the request body, its system field, what was changed, and the ids' way back."""

    dialect: Dialect
    profile: Profile
    messages: list[Json]
    system: Json
    findings: tuple[HistoryFinding, ...]
    ids: IdMap


def next_request(history: Any, choice: Replay | None = None, *, allocator: IdAllocator | None = None) -> NextRequest:
    """Settle a request body, or a bare list of messages, and write it for one endpoint.

    Raises UnreadableInputError (it is no history), HistoryError (no request can be made of it) and MisuseError (no
    such dialect or profile).
    """
    chosen = choice or Replay()
    _known(chosen.source, "auto")
    return replay(read_history(history, chosen.source), chosen, allocator=allocator)


def replay(recorded: Recorded, choice: Replay, *, allocator: IdAllocator | None = None) -> NextRequest:
    """Settle a history that was read, and write it for one endpoint."""
    _known(choice.to, "same")
    transcript = recorded.transcript
    target: Dialect = transcript.dialect if choice.to == "same" else DIALECTS[choice.to].name
    endpoint = find_profile(choice.profile, target)
    findings = list(recorded.findings)
    if transcript.dialect == "gemini":
        paired = pair(transcript, rename=choice.reused_ids == "rename")
        findings += [each for each in paired.findings if target != "gemini" or each.code != "call-id-allocated"]
        transcript = paired.transcript
    settled = settle(
        transcript,
        result_order=choice.result_order or _order(transcript, endpoint),
        reused_ids=choice.reused_ids,
        repair=choice.repair,
        allocator=allocator,
    )
    fitted = fit_reasoning(settled.transcript, target, endpoint.wire)
    mapped, ids, renamed = map_ids(fitted.transcript, endpoint)
    written = DIALECTS[target].write(mapped, endpoint.wire)
    findings += [*settled.findings, *fitted.findings, *renamed, *written.findings]
    ordered = tuple(sorted(findings, key=lambda each: each.position or 0))
    return NextRequest(target, endpoint, written.messages, written.system, ordered, ids)


def _known(dialect: str, word: str) -> None:
    if dialect != word and dialect not in DIALECTS:
        raise MisuseError(f"no dialect {dialect!r}: there are {word}, {', '.join(DIALECTS)}")


def _order(transcript: Transcript, endpoint: Profile) -> ResultOrder:
    """The order that the endpoint wants results in."""
    if endpoint.nameless_order == endpoint.result_order or transcript.dialect != endpoint.dialect:
        return endpoint.result_order
    calls = (call for entry in transcript.entries if isinstance(entry, Message) for call in entry.calls)
    return endpoint.nameless_order if any(call.allocated for call in calls) else endpoint.result_order


def map_ids(transcript: Transcript, profile: Profile) -> tuple[Transcript, IdMap, list[HistoryFinding]]:
    """Give calls and results alike the ids that the endpoint allows; the very input where it allows them all."""
    calls = [call for entry in transcript.entries if isinstance(entry, Message) for call in entry.calls]
    ids = IdMap(profile.ids, ((call.id, call.name) for call in calls))
    changed = ids.changed()
    if not changed:
        return transcript, ids, []
    entries: list[Entry] = []
    for entry in transcript.entries:
        if isinstance(entry, Result):
            entries.append(msgspec.structs.replace(entry, id=ids.there(entry.id)))
        else:
            parts = tuple(_mapped(part, ids) if isinstance(part, Call) else part for part in entry.parts)
            entries.append(msgspec.structs.replace(entry, parts=parts))
    findings = [
        HistoryFinding("id-mapped", call.position, call.id, f"{profile.name} gets {changed[call.id]}")
        for call in calls
        if call.id in changed
    ]
    return Transcript(tuple(entries), transcript.dialect), ids, findings


def _mapped(call: Call, ids: IdMap) -> Call:
    return msgspec.structs.replace(call, id=ids.there(call.id))
