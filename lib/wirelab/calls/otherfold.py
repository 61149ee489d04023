"""How other clients fold: the first, the last, or everything in a row (specification 1, policies)."""

from wirelab.calls.entry import Entry
from wirelab.calls.identity import CallNoter
from wirelab.calls.opencall import OpenCall
from wirelab.calls.policy import Policy


def fold_id(policy: Policy, call: OpenCall, identifier: str, note: CallNoter, *, opens: bool, taken: bool) -> None:
    """The id of an entry goes into its call. `opens`: the entry opened it; `taken`: another call has had the id."""
    before = call.id
    if before is None and (opens or policy.late_id) and not (taken and policy.unique_ids):
        call.id, call.id_source = identifier, "provider" if opens else "adopted"
    elif before is not None and policy.ids == "concat":
        if not call.other_ids:
            call.other_ids[before] = None
        call.other_ids[identifier] = None
        call.id = before + identifier
        if before.endswith(identifier):
            note("id-changed", call, f"the id {identifier!r} came again, and was joined to itself")
    elif before is not None and policy.ids == "last-wins" and identifier != before:
        call.other_ids[before] = None
        call.id = identifier
    elif identifier != before:
        call.other_ids[identifier] = None


def fold_name(policy: Policy, call: OpenCall, name: str, note: CallNoter) -> None:
    """The name of an entry goes into its call."""
    before = call.name
    if before is None or policy.names == "last-wins":
        call.name = name
    elif policy.names == "concat":
        call.name = before + name
        if before.endswith(name) or name.startswith(before):
            note("name-changed", call, f"the name {name!r} came again, and was joined to itself")


def fold_arguments(policy: Policy, call: OpenCall, entry: Entry, note: CallNoter) -> None:
    """The arguments of an entry go into its call; a done event's whole text replaces the pieces, as in all clients."""
    mode = entry.fragment.mode
    call.done = call.done or mode == "done"
    if entry.value is None and not entry.text:
        return
    has = call.value is not None or bool(call.parts)
    settles = mode == "done" or (mode == "whole" and entry.fragment.key is not None)
    if settles and mode == "whole" and has and policy.ids != "last-wins":
        return
    if not settles and has and policy.arguments == "first-wins":
        return
    if settles or policy.arguments == "last-wins" or not has:
        _note_shape(call, entry, note)
        _replace(call, entry)
    else:
        _append(call, entry)


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
