"""How other clients fold: the first, the last, or everything in a row (specification 1, policies)."""

import msgspec

from wirelab.calls.entry import Entry
from wirelab.calls.identity import CallNoter
from wirelab.calls.opencall import OpenCall
from wirelab.calls.policy import Policy


def fold_id(policy: Policy, call: OpenCall, identifier: str, note: CallNoter, *, opens: bool, taken: bool) -> None:
    """The id of an entry goes into its call. `opens`: the entry opened it; `taken`: another call has had the id."""
    before = call.id
    if before is None and (opens or policy.late_id) and not (taken and policy.unique_ids):
        call.id, call.id_source = identifier, "provider" if opens else "adopted"
    elif before is None:
        call.other_ids[identifier] = None
        note("id-changed", call, f"the id {identifier!r} is not used: it came late, or another call has it")
    elif policy.ids == "concat":
        call.other_ids.setdefault(before if not call.other_ids else identifier)
        call.other_ids[identifier] = None
        call.id = before + identifier
        if before.endswith(identifier):
            note("id-changed", call, f"the id {identifier!r} came again, and was joined to itself")
    elif identifier != before:
        last = policy.ids == "last-wins"
        call.other_ids[before if last else identifier] = None
        call.id = identifier if last else before
        call.other_ids.pop(call.id, None)


def fold_name(policy: Policy, call: OpenCall, name: str, note: CallNoter) -> None:
    """The name of an entry goes into its call."""
    before = call.name
    if before is None or policy.names == "last-wins":
        call.name = name
    elif policy.names == "concat":
        call.name = before + name
        if before.endswith(name) or name.startswith(before):
            note("name-changed", call, f"the name {name!r} came again, and was joined to itself")


def settling(policy: Policy, entry: Entry, *, known: bool) -> Policy:
    """The folds for an entry that says a whole call again: nothing is joined.

    A done event replaces what streamed, as in all clients; a terminal snapshot (`known`: under a key that the call has)
    only where the last one wins.
    """
    mode = entry.fragment.mode
    if mode == "delta" or (mode == "whole" and not known):
        return policy
    arguments = "last-wins" if mode == "done" or policy.ids == "last-wins" else "first-wins"
    return msgspec.structs.replace(
        policy,
        ids="last-wins" if policy.ids == "concat" else policy.ids,
        names="last-wins" if policy.names == "concat" else policy.names,
        arguments=arguments,
    )


def fold_arguments(policy: Policy, call: OpenCall, entry: Entry, note: CallNoter) -> None:
    """The arguments of an entry go into its call."""
    call.done = call.done or entry.fragment.mode == "done"
    if entry.value is None and not entry.text:
        return
    has = call.value is not None or bool(call.parts)
    if has and policy.arguments == "first-wins":
        return
    if has and policy.arguments == "concat":
        _append(call, entry)
        return
    _note_shape(call, entry, note)
    _replace(call, entry)


def _note_shape(call: OpenCall, entry: Entry, note: CallNoter) -> None:
    if entry.value is not None and call.shape == "text":
        note("arguments-shape", call, f"the arguments of {call.id!r} are an object where the protocol has text")
    elif entry.value is None and call.shape == "object":
        note("arguments-shape", call, f"the arguments of {call.id!r} are text where the protocol has objects")


def _replace(call: OpenCall, entry: Entry) -> None:
    call.value = None
    call.replace_text(entry.text or "")
    if entry.value is not None:
        call.set_value(entry.value)


def _append(call: OpenCall, entry: Entry) -> None:
    """Pieces in a row; an object becomes its text."""
    if call.value is not None:
        text = call.arguments_text
        call.value = None
        call.replace_text(text)
    call.parts.append(entry.text if entry.text is not None else (entry.value or b"").decode("utf-8", "replace"))
