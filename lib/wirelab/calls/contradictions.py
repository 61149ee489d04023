"""What an attentive client would have noticed: the contradictions between an entry and the call a policy gave it to.

Told from everything on the wire, whatever the policy itself looks at: the question is whether it *could* have known.
"""

from collections.abc import Hashable

from wirelab.calls.entry import Entry
from wirelab.calls.identity import CallNoter, equal_arguments
from wirelab.calls.opencall import OpenCall

CONTRADICTIONS = frozenset(
    {
        "id-changed",
        "name-changed",
        "index-reused",
        "arguments-changed",
        "arguments-replaced",
        "repeated-entry",
        "call-split",
        "call-dropped",
        "missing-id",
        "missing-index",
        "index-gap",
        "missing-name",
        "stream-cut",
        "truncated-arguments",
        "invalid-arguments",
        "truncation-suspected",
        "continuation-without-call",
        "parallel-calls-disabled",
        "ambiguous-identity",
        "id-doubled",
        "terminal-id-mismatch",
        "upstream-error",
        "malformed-event",
        "unterminated-event",
        "empty-stream",
        "contract-violation",
    }
)
"""Findings that tell a client, of any policy, that its reading of the calls may be wrong."""


class Told:
    """What the wire has said of one call, before any fold made something of it."""

    __slots__ = ("ids", "name")

    def __init__(self) -> None:
        self.ids: dict[str, None] = {}
        self.name: str | None = None


class Watch:
    """Compares each entry with what was said before; `note` hears of every contradiction."""

    def __init__(self, tools: frozenset[str] | None, note: CallNoter) -> None:
        self._tools = tools
        self._note = note
        self._told: dict[OpenCall, Told] = {}
        self._by_id: dict[str, OpenCall] = {}
        self._at: dict[Hashable, OpenCall] = {}

    def opened(self, call: OpenCall, entry: Entry, *, known: bool) -> None:
        """The entry has opened this call. `known`: its key is a new one, too."""
        told = self._told.setdefault(call, Told())
        other = self._by_id.get(entry.id) if entry.id is not None else None
        before = self._at.get(entry.index) if entry.index is not None else None
        if other is not None:
            self._shared_id(other, entry)
        elif entry.fragment.key is not None and not known:
            self._note("call-split", call, "an entry under the key of another call became a call of its own")
        elif entry.id is None and entry.name is None:
            self._note("call-split", call, "an entry with neither id nor name became a call of its own")
        elif before is not None and not (entry.id is not None and self._told[before].ids):
            detail = f"the call of {entry.name!r} opened at index {entry.index}, where {_shown(before)} was"
            self._note("index-reused", before, detail)
        self._keep(told, call, entry)

    def joined(self, call: OpenCall, entry: Entry, *, known: bool) -> None:
        """The entry was given to this call, which others opened. `known`: the protocol's key says the same."""
        told = self._told.setdefault(call, Told())
        other = self._by_id.get(entry.id, call) if entry.id is not None else call
        if other is not call and entry.id not in told.ids:
            self._shared_id(other, entry)
        elif entry.id is not None and told.ids and entry.id not in told.ids:
            self._note("id-changed", call, f"{_shown(call)} goes on under the id {entry.id!r}")
        if entry.name is not None and told.name not in (None, entry.name) and not self._is_piece(told, call, entry):
            self._note("name-changed", call, f"{_shown(call)} was called {told.name!r}, and now {entry.name!r}")
        if known and entry.fragment.mode != "delta":
            self._settled(call, entry)
        else:
            self._arguments(call, entry)
        self._keep(told, call, entry)

    def unread(self, call: OpenCall | None, entry: Entry) -> None:
        """An entry of a kind that the policy does not read; `call` is the one that the protocol's key gives it to."""
        if call is None:
            self._note("call-dropped", None, f"the call {entry.id or entry.name!r} came in events that are not read")
        elif (entry.text or entry.value is not None) and not equal_arguments(call, entry):
            self._note("arguments-replaced", call, f"{_shown(call)} has other arguments in events that are not read")

    def left_out(self, entry: Entry, detail: str) -> None:
        """The policy leaves the entry out."""
        known = self._by_id.get(entry.id) if entry.id is not None else None
        self._note("call-dropped", known, detail)

    def _shared_id(self, known: OpenCall, entry: Entry) -> None:
        told = self._told[known]
        if entry.name is not None and told.name not in (None, entry.name):
            self._note("name-changed", known, f"the id {entry.id!r} was {told.name!r}, and is now {entry.name!r}")
        elif entry.name is not None and equal_arguments(known, entry):
            self._note("repeated-entry", known, f"{_shown(known)} was sent again, and became a second call")
        elif known.complete:
            self._note("arguments-changed", known, f"{_shown(known)} came again with other arguments, as a second call")
        else:
            self._note("call-split", known, f"an entry of {_shown(known)} became a call of its own")

    def _arguments(self, call: OpenCall, entry: Entry) -> None:
        has = call.value is not None or bool(call.parts)
        more = entry.value is not None or bool(entry.text and entry.text.strip())
        if not (has and more and call.complete):
            return
        if equal_arguments(call, entry):
            if entry.name in (None, self._told[call].name):
                self._note("repeated-entry", call, f"{_shown(call)} has equal arguments already")
        else:
            self._note("arguments-changed", call, f"{_shown(call)} was complete, and gets more arguments")

    def _settled(self, call: OpenCall, entry: Entry) -> None:
        streamed = call.value is not None or bool(call.parts)
        said = entry.value is not None or bool(entry.text)
        if streamed and said and call.arguments_text != entry.text and not equal_arguments(call, entry):
            self._note("arguments-replaced", call, f"{_shown(call)} is settled with other arguments than it streamed")

    def _is_piece(self, told: Told, call: OpenCall, entry: Entry) -> bool:
        """Before any argument a name may still grow: a longer snapshot, or a piece of a declared tool's name."""
        if call.value is not None or any(part.strip() for part in call.parts):
            return False
        name, before = entry.name or "", told.name or ""
        return name.startswith(before) or any(tool.startswith(before + name) for tool in self._tools or ())

    def _keep(self, told: Told, call: OpenCall, entry: Entry) -> None:
        if entry.id is not None:
            told.ids[entry.id] = None
            self._by_id.setdefault(entry.id, call)
        if told.name is None:
            told.name = entry.name
        if entry.index is not None:
            self._at[entry.index] = call


def _shown(call: OpenCall) -> str:
    return f"the call {call.id or call.name!r}"
