"""Broken histories: what published clients send for them, judged by the same rules as any history, and what it costs.

The clients' requests are phrases in `peer-matrix.json`: `assistant['c1':get_weather]=still at it`, `tool('c1')=sun`,
on Messages `assistant=use 'c1':get_weather; still at it` and `user=result 'c1'=sun; hurry`. They are read back into a
transcript and settled: what settling would change, or refuse, is what the client left broken.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from wirelab.capture.store import Store
from wirelab.claims.exhibit import Exhibit
from wirelab.history.codes import HISTORY_CODES
from wirelab.history.pairing import pair
from wirelab.history.replay import Replay
from wirelab.history.settle import settle
from wirelab.history.turns import read_turns
from wirelab.history.visibility import visibility
from wirelab.show.histories import Settling, entries_told, settling, settling_turns
from wirelab.show.tables import Table, table
from wirelab.show.visibility import view_of
from wirelab.transcript import Call, Dialect, Entry, HistoryError, Message, Part, Result, Text, Transcript

_ID = r"(None|'(?:[^'\\]|\\.)*')"
_CALLS = re.compile(_ID + r":(\w+)")
_RESULT = re.compile(rf"tool\({_ID}(?:, name=(\w+))?\)=(.*)", re.DOTALL)
_MESSAGE = re.compile(r"(\w+)(?:\[(.*?)\])?(?:=(.*))?", re.DOTALL)
_USE = re.compile(rf"use {_ID}:(\w+)")
_GIVEN = re.compile(rf"result {_ID}=(.*)", re.DOTALL)

_LENIENT = frozenset({"call-id-allocated", "result-matched-by-name", "ambiguous-pairing", "blank-arguments"})
"""What is only said of ids that a wire may leave out; the peers' phrases leave out arguments too."""

REFUSES = "refuses to send"
FLAT = "sends no call"
SWAPS = "swaps results"
DROPS = "drops a result"
MENDED = "settled on the way"
WHOLE = "well-formed"

SCENARIOS: Mapping[str, Sequence[str]] = {
    "H1": ("replay_parallel",),
    "H2": ("orphan_result",),
    "H3": ("duplicate_result",),
    "H5": ("user_between",),
    "H6": ("replay_reversed", "replay_same_tool_reversed"),
    "H7": ("name_mismatch",),
    "H8": ("reused_id",),
    "H10": ("commentary_between",),
    "H11": ("missing_result", "no_result", "call_last"),
}
"""The recorded scenarios of the same kind as a history of the battery; of H4, H9 and H12 there is none."""


class Sent(msgspec.Struct, frozen=True):
    """What one client sent for one history of the battery, and the verdict: one of the above, or codes of settling."""

    peer: str
    protocol: str
    case: str
    verdict: str
    wire: tuple[str, ...]


def wire_transcript(phrases: Iterable[str], protocol: Dialect) -> Transcript:
    """The transcript that a client's phrases tell of."""
    entries: list[Entry] = []
    for position, phrase in enumerate(phrases):
        read = _blocks if protocol == "messages" else _entry
        entries.extend(read(phrase, position))
    return Transcript(tuple(entries), protocol)


def _identifier(written: str) -> Any:
    """An id as it stands in a phrase; None is one that was left out."""
    value = ast.literal_eval(written)
    return UNSET if value is None else value


def _entry(phrase: str, position: int) -> list[Entry]:
    if (result := _RESULT.fullmatch(phrase)) is not None:
        return [_result(result[1], result[3], position, result[2])]
    message = _MESSAGE.fullmatch(phrase)
    role, calls, text = message.groups() if message is not None else ("user", None, phrase)
    parts: list[Part] = [_text(text, position)] if text else []
    parts += [_call(identifier, name, position) for identifier, name in _CALLS.findall(calls or "")]
    return [Message(role, tuple(parts), position)]


def _blocks(phrase: str, position: int) -> list[Entry]:
    """The entries of one Messages message: results stand alone, everything else between them is a message."""
    role, _, content = phrase.partition("=")
    entries: list[Entry] = []
    parts: list[Part] = []
    for block in content.split("; "):
        if (given := _GIVEN.fullmatch(block)) is not None:
            entries += [Message(role, tuple(parts), position)] if parts else []
            parts = []
            entries.append(_result(given[1], given[2], position))
        else:
            use = _USE.fullmatch(block)
            parts.append(_text(block, position) if use is None else _call(use[1], use[2], position))
    return [*entries, Message(role, tuple(parts), position)] if parts else entries


def _text(text: str, position: int) -> Text:
    return Text(text, plain=True, position=position)


def _call(identifier: str, name: str, position: int) -> Call:
    return Call(name, _identifier(identifier), position=position)


def _result(identifier: str, text: str, position: int, name: str | None = None) -> Result:
    return Result(_identifier(identifier), name, (_text(text, position),), position=position)


def answered(transcript: Transcript) -> set[tuple[str | None, str]]:
    """Each result's text with the name of the call that it answers, by its id: the latest call before it."""
    called: dict[Any, str | None] = {}
    found = set()
    for entry in transcript.entries:
        if isinstance(entry, Result):
            found.add((called.get(entry.id), entry.text))
        else:
            called.update((call.id, call.name) for call in entry.calls)
    return found


def verdict(phrases: Sequence[str] | None, protocol: Dialect, turns: Any) -> str:
    """What a client made of a history: refused, flattened, well-formed, or what is still wrong with it."""
    if phrases is None:
        return REFUSES
    sent, history = wire_transcript(phrases, protocol), read_turns(turns)
    if _calls(history) and not _calls(sent):
        return FLAT
    try:
        settled = settle(sent, result_order="call")
    except HistoryError as error:
        return error.code
    codes = dict.fromkeys(each.code for each in settled.findings if each.code not in _LENIENT)
    pairs, truth = answered(settled.transcript), answered(history)
    texts = {text for _, text in truth}
    if {pair for pair in pairs if pair[1] in texts} - truth:
        return SWAPS
    return ", ".join(codes) or (DROPS if texts - {text for _, text in pairs} else WHOLE)


def _calls(transcript: Transcript) -> int:
    return sum(len(entry.calls) for entry in transcript.entries if isinstance(entry, Message))


def peer_histories(store: Store, histories: Mapping[str, Mapping[str, Any]]) -> list[Sent]:
    """What every published client sent for every history of the battery."""
    matrix = msgspec.json.decode((store.root / "cases" / "peer-matrix.json").read_bytes())
    return [_sent(told, histories[told["case"]]["turns"]) for told in matrix["history"]]


def _sent(told: Mapping[str, Any], turns: Any) -> Sent:
    wire = told["wire"]
    judged = verdict(wire, told["proto"], turns)
    return Sent(told["peer"], told["proto"], told["case"], judged, (told["error"],) if wire is None else tuple(wire))


def ours(histories: Mapping[str, Mapping[str, Any]], choice: Replay | None = None) -> dict[str, Settling]:
    """What this project makes of every history."""
    return {name: settling_turns(history["turns"], choice) for name, history in histories.items()}


def verdicts_table(found: Sequence[Sent], histories: Mapping[str, Mapping[str, Any]]) -> Table:
    """One row a history: what the clients made of it, each way with its number, and what this project does."""
    rows = []
    for name, history in histories.items():
        counted = Counter(each.verdict for each in found if each.case == name)
        one = settling_turns(history["turns"])
        rows.append(
            {
                "history": name,
                "what is the matter": history["title"],
                "clients": sum(counted.values()),
                WHOLE: counted.pop(WHOLE, 0),
                "the others": ", ".join(f"{number} {word}" for word, number in counted.most_common()),
                "this project": "sends it" if one.after is not None else "refuses it",
                "and says": ", ".join(one.codes),
            }
        )
    return table(rows, width_limit=140)


def codes_table(found: Iterable[Sent]) -> Table:
    """What the codes in the verdicts mean, each that occurs."""
    said = sorted({code for each in found for code in each.verdict.split(", ")})
    return table([[code, HISTORY_CODES[code].meaning] for code in said if code in HISTORY_CODES], ["code", "meaning"])


def clients_table(found: Sequence[Sent]) -> Table:
    """One row a client: how many of the histories it sent well-formed, and what it did with each of the others."""
    peers: dict[tuple[str, str], list[Sent]] = defaultdict(list)
    for each in found:
        peers[each.peer, each.protocol].append(each)
    rows = [
        {
            "client": peer,
            "protocol": protocol,
            WHOLE: sum(each.verdict == WHOLE for each in sent),
            "otherwise": _by_verdict(sent),
        }
        for (peer, protocol), sent in peers.items()
    ]
    rows.sort(key=lambda row: (-int(str(row[WHOLE])), str(row["client"])))
    return table(rows, ["client", "protocol", WHOLE, "otherwise"], width_limit=200)


def _by_verdict(sent: Iterable[Sent]) -> str:
    cases: dict[str, list[str]] = defaultdict(list)
    for each in sent:
        if each.verdict != WHOLE:
            cases[each.verdict].append(each.case)
    return "; ".join(f"{', '.join(names)}: {word}" for word, names in cases.items())


def wire_table(found: Iterable[Sent], case: str) -> Table:
    """The requests that clients send for one history, each shape once, and one client that sends it."""
    shapes: dict[tuple[str, ...], list[Sent]] = defaultdict(list)
    for each in found:
        if each.case == case:
            shapes[each.wire].append(each)
    rows = [
        {"clients": len(sent), "verdict": sent[0].verdict, "such as": sent[0].peer, "sends": " · ".join(wire)}
        for wire, sent in sorted(shapes.items(), key=lambda shape: -len(shape[1]))
    ]
    return table(rows, ["clients", "verdict", "such as", "sends"], width_limit=220)


def repaired_table(histories: Mapping[str, Mapping[str, Any]]) -> Table:
    """The histories that this project refuses: what a repair makes of them, on demand."""
    rows = []
    for name, plain in ours(histories).items():
        if plain.error is not None:
            one = settling_turns(histories[name]["turns"], Replay(repair=True))
            sent = "refused all the same" if one.after is None else " · ".join(entries_told(one.after))
            rows.append([name, plain.error.code, str(plain.error.detail), sent, ", ".join(one.codes)])
    return table(rows, ["history", "error", "because", "with repair", "findings"], width_limit=160)


class Cost(msgspec.Struct, frozen=True):
    """A recorded answer to a broken history: its status, and what of the history the model did not see as it should."""

    case: str
    scenario: str
    capture: str
    status: int
    seen: str


def costs(store: Store, pattern: str = "*") -> list[Cost]:
    """Every recording of the same kind as a history of the battery, sent as it was."""
    kinds = {scenario: case for case, scenarios in SCENARIOS.items() for scenario in scenarios}
    found = []
    for entry in store.select(pattern, evidence="recorded"):
        prefix, _, kind = entry.scenario.partition("-")
        if prefix in ("history", "rendered") and kind in kinds:
            found.append(_cost(Exhibit(store.load(entry.name)), kinds[kind], kind))
    return found


def _cost(exhibit: Exhibit, case: str, kind: str) -> Cost:
    view = view_of(exhibit)
    seen = "not seen" if view is None else "all arrive" if not view.losses else _mended(exhibit) or view.word
    return Cost(case, kind, exhibit.name, exhibit.status, seen)


def _mended(exhibit: Exhibit) -> str | None:
    """Whether the prompt shows the settled history whole: then a gateway settled it, as a client should have."""
    one = settling(exhibit.request, Replay(source=exhibit.dialect))
    if one.after is None:
        return None
    after = pair(one.after).transcript if exhibit.protocol == "gemini" else one.after
    return None if visibility(after, exhibit.prompt).losses else MENDED


def costs_table(found: Sequence[Cost]) -> Table:
    """One row a recorded kind of history: how many took it, how many refused, and what came of it in the prompts."""
    groups: dict[tuple[str, str], list[Cost]] = defaultdict(list)
    for cost in found:
        groups[cost.case, cost.scenario].append(cost)
    rows = [
        {
            "history": case,
            "recorded as": scenario,
            "answers": len(group),
            "refused": sum(cost.status >= 400 for cost in group),
            "prompts seen": sum(cost.seen != "not seen" for cost in group),
            "all arrive": sum(cost.seen == "all arrive" for cost in group),
            MENDED: sum(cost.seen == MENDED for cost in group),
            "otherwise": _otherwise(group),
        }
        for (case, scenario), group in sorted(groups.items(), key=lambda each: (int(each[0][0][1:]), each[0][1]))
    ]
    return table(rows)


def _otherwise(group: Iterable[Cost]) -> str:
    counted = Counter(cost.seen for cost in group if cost.seen not in ("not seen", "all arrive", MENDED))
    return ", ".join(f"{number} times {word}" for word, number in counted.most_common())
