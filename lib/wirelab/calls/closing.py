"""Closing a call: what its argument text finally is (specification 1, closing)."""

import re
from collections.abc import Set as AbstractSet
from itertools import accumulate, pairwise
from typing import Any, Literal

import msgspec

from wirelab.calls.opencall import OpenCall, decode

_HALF_NUMBER = r"([:,\[]\s*)-?\d*\.?\d*(?:[eE][+-]?)?$"

Unfinished = Literal["", "cut", "failed"]
"""Why a call may not be finished: it is, the stream or a limit cut it, or the server failed."""


class Closed(msgspec.Struct, frozen=True, gc=False):
    """A call's final arguments: the object, or a violation; the anomalies found on the way as (code, detail)."""

    arguments: dict[str, Any] | None
    text: str
    violation: tuple[str, str] | None = None
    anomalies: tuple[tuple[str, str], ...] = ()


def close_for_good(call: OpenCall, rules: AbstractSet[str], *, unfinished: Unfinished, unsettled: bool) -> Closed:
    """The same as `close_arguments`, at the end: the call keeps one text in place of pieces or bytes.

    Those go before anything is decoded, since together they weigh more than all else.
    """
    if call.value is not None:
        closed = close_arguments(call, rules, unfinished=unfinished, unsettled=unsettled)
        call.value = None
    else:
        lengths = [*map(len, call.parts)]
        call.parts = ["".join(call.parts)]
        closed = close_arguments(call, rules, unfinished=unfinished, unsettled=unsettled, lengths=lengths)
    call.parts = [closed.text] if closed.text else []
    return closed


def close_arguments(
    call: OpenCall,
    rules: AbstractSet[str],
    *,
    unfinished: Unfinished,
    unsettled: bool = False,
    lengths: list[int] | None = None,
) -> Closed:
    """Decide a call's arguments.

    `unfinished`: the stream was cut, or a limit stopped it, in or after this call; or the server failed.
    `unsettled`: the protocol ends each call with an event of its own, and neither that nor a successful end came.
    `lengths`: those of the pieces that the text came in, where they were joined already.
    """
    raw = call.value
    text = "".join(call.parts) if raw is None else raw.decode("utf-8", "replace")
    if unsettled:
        detail = f"the call {call.id or call.name!r} was neither completed nor settled by a successful end"
        return Closed(None, text, ("truncated-arguments", detail))
    if not text.strip():
        if unfinished and call.shape != "object" and not call.done:
            detail = f"the call {call.name!r} was opened, and its arguments never came"
            return Closed(None, text, ("truncated-arguments", detail))
        return Closed({}, text) if "blank-is-empty" in rules else _broken(call, text, cut=unfinished == "cut")
    value = decode(text if raw is None else raw)
    # no second brace, no escape, nothing beyond ASCII: no place for an oddity
    if value.__class__ is dict and text.count("{") == 1 and "\\" not in text and text.isascii():
        return Closed(value, text)
    anomalies: list[tuple[str, str]] = []
    if not isinstance(value, dict) and "snapshots" in rules:
        pieces = call.parts if lengths is None else _cut(text, lengths)
        if _are_snapshots(pieces):
            text, value = pieces[-1], decode(pieces[-1])
            anomalies.append(("cumulative-arguments", "each argument fragment held all before it; the last one counts"))
    if isinstance(value, str) and "double-encoded" in rules and isinstance(decode(value), dict):
        value = decode(value)
        anomalies.append(("double-encoded-arguments", "the arguments were JSON text inside a JSON string"))
    if not isinstance(value, dict):
        return _broken(call, text, cut=unfinished == "cut")
    if "oddities-are-said" in rules:
        anomalies += _oddities(value, text)
    return Closed(value, text, None, tuple(anomalies))


def _cut(text: str, lengths: list[int]) -> list[str]:
    ends = [*accumulate(lengths)]
    return [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _are_snapshots(parts: list[str]) -> bool:
    pieces = [part for part in parts if part]
    extends = all(after.startswith(before) for before, after in pairwise(pieces))
    return len(pieces) > 1 and extends and _is_object(pieces[-1])


def _is_object(text: str) -> bool:
    return isinstance(decode(text), dict)


def _oddities(value: dict[str, Any], text: str) -> list[tuple[str, str]]:
    found = []
    for key, member in value.items():
        if member.__class__ is str and "{" in member and member.lstrip().startswith("{") and _is_object(member):
            found.append(("nested-json-string", f"the argument {key!r} is itself an object's JSON text; left as it is"))
    spelt = "\\u" in text and any("\ufffd" in member for member in value.values() if isinstance(member, str))
    if spelt or "\ufffd" in text:
        found.append(("replacement-character", "the arguments hold U+FFFD: a character was broken on the way"))
    return found


def _broken(call: OpenCall, text: str, *, cut: bool) -> Closed:
    shown = ascii(text if len(text) <= 80 else text[:40] + " … " + text[-40:])
    if cut or is_beginning(text):
        detail = f"the arguments of {call.id or call.name!r} stop in the middle: {shown}"
        return Closed(None, text, ("truncated-arguments", detail))
    return Closed(
        None, text, ("invalid-arguments", f"the arguments of {call.id or call.name!r} are no JSON object: {shown}")
    )


def is_beginning(text: str) -> bool:
    """The text is a proper beginning of a JSON object: the decoder ran off its end without finding a fault.

    A number that is cut after its sign, point or exponent is taken off first: alone it would count as a fault.
    """
    if not text.lstrip().startswith("{"):
        return False
    try:
        msgspec.json.decode(re.sub(_HALF_NUMBER, r"\1", text))
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except (ValueError, RecursionError):
        return False
    return False
