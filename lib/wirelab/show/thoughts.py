"""What becomes of a thought that is sent back: how it is written, and whether the model gets to see it again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wirelab.capture import Capture
from wirelab.capture.store import Store
from wirelab.claims.exhibit import Exhibit
from wirelab.errors import UnreadableInputError
from wirelab.history.profiles import PROFILES, Profile
from wirelab.history.replay import Replay, replay
from wirelab.history.visibility import visibility
from wirelab.model import Json
from wirelab.protocols.dialects import DIALECTS, read_history
from wirelab.protocols.histories import is_list
from wirelab.show.tables import Table, table
from wirelab.transcript import HistoryError, Message, Recorded, Transcript

_EVIDENCE = ("reasoning", "signed", "reasoning_key", "plain_encrypted")
"""What a profile may say about thoughts, and shows."""


class Fate(msgspec.Struct, frozen=True):
    """A history with thoughts and what became of each in the prompt: `kept`, `moved`, `lost`."""

    capture: str
    server: str
    protocol: str
    scenario: str
    family: str
    states: tuple[str, ...]

    @property
    def word(self) -> str:
        """The states in a word or two: `kept`, `lost`, `1 kept, 1 lost`."""
        counted = Counter(self.states)
        if len(counted) == 1:
            return self.states[0]
        return ", ".join(f"{number} {state}" for state, number in sorted(counted.items()))


def fates(captures: Iterable[Capture]) -> list[Fate]:
    """Every recording whose history holds thoughts and whose prompt was seen."""
    return [fate for exhibit in map(Exhibit, captures) if (fate := _fate(exhibit)) is not None]


def _fate(exhibit: Exhibit) -> Fate | None:
    transcript = _history(exhibit)
    if transcript is None or not exhibit.prompt or not thoughts_of(transcript):
        return None
    source = exhibit.capture.source
    parts = visibility(transcript, exhibit.prompt).parts
    states = tuple(one.state for one in parts if one.part.kind == "thinking")
    server = f"{source.server} {source.version}"
    return Fate(exhibit.name, server, exhibit.protocol, exhibit.scenario, exhibit.family or "none", states)


def _history(exhibit: Exhibit) -> Transcript | None:
    if exhibit.protocol not in DIALECTS:
        return None
    try:
        return read_history(exhibit.request, exhibit.protocol).transcript
    except UnreadableInputError:
        return None


def thoughts_of(transcript: Transcript) -> list[str]:
    """The readable thoughts of a history, a message each."""
    messages = (entry for entry in transcript.entries if isinstance(entry, Message))
    return [message.thinking for message in messages if message.thinking]


def fates_table(found: Sequence[Fate]) -> Table:
    """One row a family and server, one column a protocol: what became of the thoughts, each way once."""
    cells: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for fate in found:
        cells[fate.family, fate.server][fate.protocol].add(fate.word)
    protocols = sorted({fate.protocol for fate in found})
    rows = [
        {"family": family, "server": server, **{protocol: "; ".join(sorted(words)) for protocol, words in cell.items()}}
        for (family, server), cell in sorted(cells.items())
    ]
    return table(rows, ["family", "server", *protocols])


def keepers(found: Iterable[Fate]) -> dict[str, list[str]]:
    """The families by what became of their thoughts; one that is seen to do several things stands under each."""
    families: dict[str, set[str]] = defaultdict(set)
    for fate in found:
        families[fate.word].add(fate.family)
    return {word: sorted(families[word]) for word in sorted(families)}


def places(value: Json, text: str, path: str = "") -> Iterator[str]:
    """The paths in a JSON value at which exactly this text stands: `messages[1].thinking`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, text, f"{path}.{key}" if path else key)
    elif is_list(value):
        for number, inner in enumerate(value):
            yield from places(inner, text, f"{path}[{number}]")
    elif value == text:
        yield path


def carriers_table(captures: Iterable[Capture]) -> Table:
    """One row a protocol: where in a recorded request the thought stands, and a capture that shows it."""
    rows: dict[str, dict[str, str]] = {}
    for exhibit in map(Exhibit, captures):
        transcript = _history(exhibit)
        for thought in thoughts_of(transcript)[:1] if transcript else ():
            where = ", ".join(places(exhibit.request, thought))
            rows.setdefault(exhibit.protocol, {"protocol": exhibit.protocol, "where": where, "shown by": exhibit.name})
    return table([rows[protocol] for protocol in sorted(rows)], ["protocol", "where", "shown by"])


def written_table(history: Json, source: str = "auto") -> Table:
    """One history written for every profile: where its first thought stands then, and what was found."""
    recorded = read_history(history, source)
    rows = [_written(recorded, profile) for profile in PROFILES if not _is_older(profile)]
    return table(rows, ["profile", "protocol", "reasoning is", "written at", "findings", "shown by"])


def _is_older(profile: Profile) -> bool:
    """Whether another row holds for a newer version of the same server."""
    same = [other for other in PROFILES if (other.name, other.dialect) == (profile.name, profile.dialect)]
    return any(other.since > profile.since for other in same)


def _said(profile: Profile) -> str:
    return "accepted with its own signature" if profile.wire.signed else profile.wire.reasoning


def _written(recorded: Recorded, profile: Profile) -> dict[str, str]:
    shown = next((profile.shown[key] for key in _EVIDENCE if key in profile.shown), "")
    told = {
        "profile": profile.name,
        "protocol": profile.dialect,
        "reasoning is": _said(profile) if shown else "not known to matter",
        "shown by": shown,
    }
    try:
        request = replay(recorded, Replay(to=profile.dialect, profile=profile.name))
    except HistoryError as error:
        return {**told, "findings": error.code}
    thought = next(iter(thoughts_of(recorded.transcript)), None)
    where = "" if thought is None else ", ".join(places(request.messages, thought))
    codes = dict.fromkeys(finding.code for finding in request.findings)
    return {**told, "written at": where or "nowhere", "findings": ", ".join(codes)}


class Carried(msgspec.Struct, frozen=True):
    """A turn and the next request: the thought that was read in the answer, and the one that was sent back."""

    capture: str
    read: str
    sent: str


def carried(store: Store, pattern: str = "*") -> list[Carried]:
    """Every recorded turn of a conversation whose next turn was recorded too, where the model thought aloud."""
    known = {entry.name for entry in store.entries}
    found = []
    for capture in store.captures(pattern, evidence="recorded"):
        following = _following(capture)
        if following in known and (turn := _carried(capture, store.load(following))) is not None:
            found.append(turn)
    return found


def _following(capture: Capture) -> str:
    kind, _, number = capture.scenario.partition("-")
    if kind != "conversation" or not number.isdecimal():
        return ""
    return capture.name.replace(f"/{capture.scenario}.", f"/conversation-{int(number) + 1}.")


def _carried(capture: Capture, following: Capture) -> Carried | None:
    reading, transcript = Exhibit(capture).reading, _history(Exhibit(following))
    if reading is None or transcript is None or not reading.thinking:
        return None
    return Carried(capture.name, reading.thinking, next(reversed(thoughts_of(transcript)), ""))


def carried_table(found: Iterable[Carried]) -> Table:
    """One row a turn: what was thought, and whether the very same went back."""
    rows = [[one.capture, one.read, one.sent, one.read == one.sent] for one in found]
    return table(rows, ["answer", "thought", "sent back", "same"], width_limit=60)
