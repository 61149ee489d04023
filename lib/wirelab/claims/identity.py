"""Claims about how calls are told apart: ids, indexes, and what shares them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from wirelab.claims.claim import Claim, Seen
from wirelab.claims.exhibit import Exhibit
from wirelab.claims.wire import Entry, item_ids, tool_entries
from wirelab.model import ToolCall

_SHAPE = re.compile(r"^[A-Za-z]+(?=[_-])|^[0-9a-f]{8}-|^$")
_TRUSTED = frozenset({"provider", "adopted"})


def _called(exhibits: Sequence[Exhibit], *protocols: str) -> Iterator[tuple[Exhibit, tuple[ToolCall, ...]]]:
    for exhibit in exhibits:
        if exhibit.reading is not None and exhibit.reading.calls and (not protocols or exhibit.protocol in protocols):
            yield exhibit, exhibit.reading.calls


def _provider_ids(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, calls in _called(exhibits, "native"):
        missing = [call.name for call in calls if call.id_source not in _TRUSTED]
        yield exhibit, not missing, f"no id for {missing[0]!r}" if missing else f"{len(calls)} calls with ids"


def _first_ids(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, calls in _called(exhibits, "chat", "responses", "messages"):
        yield exhibit, calls[0].id_source in _TRUSTED, f"the first call's id is {calls[0].id_source}"


def _frames(exhibits: Sequence[Exhibit], protocol: str) -> Iterator[tuple[Exhibit, list[Entry]]]:
    """Frames with two entries or more."""
    for exhibit, _ in _called(exhibits, protocol):
        for entries in tool_entries(exhibit):
            if len(entries) > 1:
                yield exhibit, entries


def _one_index_in_a_frame(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, entries in _frames(exhibits, "native"):
        indexes, ids = {entry.index for entry in entries}, {entry.id for entry in entries}
        shared = indexes == {0} and len(ids) == len(entries) and None not in ids
        yield exhibit, shared, f"{len(entries)} entries, {len(ids)} ids, indexes {sorted(map(str, indexes))}"


def _one_key(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    """Two calls under one index, in one frame or in several."""
    for exhibit, calls in _called(exhibits, "chat", "native"):
        if len(calls) > 1 and exhibit.streamed and exhibit.protocol == "chat":
            indexes = [alias for call in calls for alias in call.aliases if isinstance(alias, int)]
            shared = len(set(indexes)) < len(indexes)
            yield exhibit, shared, f"{len(calls)} calls on {len(set(indexes))} indexes"


def _told_apart(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    """Several calls of one answer have ids and indexes of their own."""
    for exhibit, calls in _called(exhibits, "native", "chat"):
        if len(calls) > 1 and exhibit.streamed:
            indexes = [alias for call in calls for alias in call.aliases if isinstance(alias, int)]
            ids = [call.id for call in calls if call.id_source in _TRUSTED]
            apart = len(set(indexes)) == len(calls) == len(set(ids))
            yield exhibit, apart, f"{len(calls)} calls, {len(set(ids))} ids, {len(set(indexes))} indexes"


def _ids_over_turns(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    turns: dict[tuple[str, ...], list[Exhibit]] = defaultdict(list)
    for exhibit, _ in _called(exhibits):
        if exhibit.scenario.startswith("conversation-"):
            turns[exhibit.target, exhibit.protocol, exhibit.capture.variant].append(exhibit)
    for group in turns.values():
        ids = [call.id for one in group if one.reading for call in one.reading.calls if call.id_source in _TRUSTED]
        if len(group) > 1 and ids:
            again = len(ids) - len(set(ids))
            yield group[-1], not again, f"{len(ids)} ids in {len(group)} turns, {again} of them twice"


def _one_form(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    forms: dict[tuple[str, str, str], dict[str, tuple[Exhibit, str]]] = defaultdict(dict)
    for exhibit, calls in _called(exhibits):
        if exhibit.scenario == "single" and calls[0].id_source in _TRUSTED:
            shape = _SHAPE.match(calls[0].id)
            forms[exhibit.target, exhibit.family, ""][exhibit.protocol] = (exhibit, shape[0] if shape else "other")
    for found in forms.values():
        if len(found) > 1:
            shapes = {shape for _, shape in found.values()}
            detail = ", ".join(f"{protocol} {shape}" for protocol, (_, shape) in sorted(found.items()))
            yield next(iter(found.values()))[0], len(shapes) == 1, detail


def _unique_answers(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    owners: dict[tuple[str, str], str] = {}
    for exhibit in exhibits:
        ids = item_ids(exhibit)
        taken = [one for one in ids if owners.setdefault((exhibit.target, one), exhibit.name) != exhibit.name]
        if ids:
            yield (
                exhibit,
                not taken,
                f"{taken[0]} was {owners[exhibit.target, taken[0]]}'s" if taken else f"{len(ids)} ids",
            )


def _own_output_index(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.protocol == "responses" and exhibit.streamed and exhibit.status < 400:
            shared = "output-index-shared" in exhibit.codes
            yield exhibit, not shared, "two items on one output_index" if shared else "each its own"


def _passed_on(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if "cloud-gateway" in exhibit.target and exhibit.protocol != "discovery":
            if exhibit.scenario.startswith("upstream_401"):
                yield exhibit, exhibit.status == 401, f"the upstream's 401 came as {exhibit.status}"
            elif exhibit.reading is not None and exhibit.reading.calls:
                kept = all(call.id_source in _TRUSTED for call in exhibit.reading.calls)
                yield exhibit, kept and exhibit.reading.error is None, "calls with ids" if kept else "ids are missing"


def _engine_kept(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, calls in _called(exhibits):
        if exhibit.scenario.startswith("gguf_template_"):
            faults = exhibit.codes & {"id-doubled", "invalid-arguments", "truncated-arguments", "name-changed"}
            yield exhibit, not faults, ", ".join(sorted(faults)) or f"{len(calls)} calls apart"


CLAIMS = (
    Claim("C1", "native /api/chat returns a provider-issued id with every tool call, streamed and not", _provider_ids),
    Claim(
        "C3",
        "several calls of one native frame can share function.index 0 while their ids differ",
        _one_index_in_a_frame,
        "some",
    ),
    Claim("C4", "ids are unique across the turns of a conversation", _ids_over_turns),
    Claim("C5", "chat, responses and messages deliver a first tool call with a provider-issued id", _first_ids),
    Claim("C7", "a call's id has the same form on every protocol of one server", _one_form),
    Claim("C18", "several calls of one streamed answer have an id and an index each of their own", _told_apart),
    Claim("C26", "response and item ids are unique across a session", _unique_answers),
    Claim("C27", "no two items of one Responses stream share an output_index", _own_output_index),
    Claim("C28", "a local server passes a cloud model's ids, frames and errors on", _passed_on),
    Claim("C29", "a server in front of another engine keeps the engine's ids and calls apart", _engine_kept),
    Claim("C31", "two different calls can meet under one index on the chat wire", _one_key, "some"),
)
