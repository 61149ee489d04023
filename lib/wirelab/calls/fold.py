"""Folding: what becomes of a call's name and arguments as its entries come in (specification 1, folding)."""

from collections.abc import Set as AbstractSet
from typing import Any

from wirelab.calls.entry import Entry
from wirelab.calls.identity import CallNoter
from wirelab.calls.opencall import NOT_JSON, OpenCall, decode, same_json


class Conflict(Exception):  # noqa: N818  control flow between fold and reconciler, never seen outside
    """The entry cannot be this call: carries the violation."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


class Fold:
    """Folds one entry into its call. `note` hears of anomalies; a contradiction is raised as `Conflict`."""

    def __init__(self, rules: AbstractSet[str], tools: frozenset[str] | None) -> None:
        self._rules = rules
        self._tools = tools

    def name(self, call: OpenCall, name: str) -> None:
        """Another name for a call that has one. The first wins; before any argument text it may still grow.

        Raises Conflict: `name-changed`.
        """
        assert call.name is not None
        if name == call.name:
            return
        started = call.value is not None or any(part.strip() for part in call.parts)
        if not started and "name-grows" in self._rules and name.startswith(call.name):
            call.name = name
            return
        joined = call.name + name
        if not started and "name-in-pieces" in self._rules and self._is_declared(joined):
            call.name = joined
            return
        if "one-name" in self._rules:
            detail = f"the call {call.id!r} was {call.name!r} and is now called {name!r}"
            raise Conflict("name-changed", detail)

    def _is_declared(self, name: str) -> bool:
        return any(tool.startswith(name) for tool in self._tools or ())

    def arguments(self, call: OpenCall, entry: Entry, note: CallNoter) -> None:
        """Text is kept in pieces, objects are whole. Raises Conflict: `arguments-changed`."""
        if entry.fragment.mode == "done":
            self._authoritative(call, entry, note)
        elif entry.fragment.mode == "whole" and entry.fragment.key is not None and (call.parts or call.done):
            self._confirm(call, entry, note)
        elif entry.text:
            self._text(call, entry.text, note)
        elif entry.value is not None:
            self._object(call, entry.value, note)

    def _text(self, call: OpenCall, text: str, note: CallNoter) -> None:
        if call.value is not None and "one-shape" in self._rules:
            raise Conflict("arguments-changed", f"the call {call.id!r} has an argument object, and then text")
        if call.shape == "object" and not call.parts and "arguments-shape" in self._rules:
            note("arguments-shape", call, f"the arguments of {call.id!r} are text where the protocol has objects")
        call.parts.append(text)

    def _object(self, call: OpenCall, value: bytes, note: CallNoter) -> None:
        if call.parts and "one-shape" in self._rules:
            raise Conflict("arguments-changed", f"the call {call.id!r} has argument text, and then an object")
        if call.value is None:
            if call.shape == "text" and "arguments-shape" in self._rules:
                note("arguments-shape", call, f"the arguments of {call.id!r} are an object where the protocol has text")
            call.set_value(value)
            return
        before, after = call.arguments_value(), decode(value)
        if same_json(before, after):
            note("repeated-entry", call, f"the complete call {call.id!r} was sent again")
        elif "object-grows" in self._rules and _extends(after, before):
            note("arguments-replaced", call, f"the arguments of {call.id!r} came again with more in them")
            call.set_value(value)
        elif "one-object" in self._rules:
            raise Conflict("arguments-changed", f"the call {call.id!r} was sent with two different argument objects")

    def _authoritative(self, call: OpenCall, entry: Entry, note: CallNoter) -> None:
        """The whole text of a done event counts, whatever was streamed before it."""
        call.done = True
        if entry.value is not None:
            call.parts = []
            call.set_value(entry.value)
        elif entry.text and "done-is-authoritative" in self._rules:
            streamed = "".join(call.parts)
            if streamed and streamed != entry.text:
                note("arguments-replaced", call, f"the done event of {call.id!r} has other arguments than its deltas")
            call.replace_text(entry.text)

    def _confirm(self, call: OpenCall, entry: Entry, note: CallNoter) -> None:
        """A terminal snapshot of a call that streamed: it fills what never came, and changes nothing else."""
        theirs = _whole_value(entry)
        if not call.parts and call.value is None and entry.text:
            call.replace_text(entry.text)
        elif theirs is not NOT_JSON and not same_json(theirs, call.arguments_value()):
            detail = f"the final snapshot of {call.id!r} has other arguments than its events; the events count"
            note("arguments-replaced", call, detail)


def _whole_value(entry: Entry) -> Any:
    if entry.value is not None:
        return decode(entry.value)
    return decode(entry.text) if entry.text else NOT_JSON


def _extends(after: Any, before: Any) -> bool:
    """All members of `before`, and more."""
    both = isinstance(after, dict) and isinstance(before, dict)
    return both and all(key in after and same_json(after[key], value) for key, value in before.items())
