"""Whose result is it? How a model that sees a prompt can know which call a result answers.

A template may show the call's id, or a number that stands beside call and result alike, or the tool's name. Without
parsing any, a result is tied to a call by what stands around both and around no other call of the batch; else the name
ties it, where the batch calls that tool once; else only its position does.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from wirelab.history.seen import Seen, Tie

_TOKEN = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_NEXT = re.compile(r"[<\n{\[]")
_BEFORE = 160
_AFTER = 60

Tokens = frozenset[tuple[str, str]]


def tie_results(seen: Sequence[Seen], prompt: str) -> tuple[Seen, ...]:
    """The same parts, with `tie` and `swapped` of every result that arrived."""
    tied = list(seen)
    for calls, results in _batches(seen):
        shown = sorted(
            (number for number in results if seen[number].start is not None), key=lambda one: seen[one].start or 0
        )
        around = {number: _around(seen, seen[number], prompt) for number in (*calls, *shown)}
        for place, number in enumerate(shown):
            tie, call = _whose(seen, calls, shown, place, around)
            wrong = call is not None and seen[call].part.id != seen[number].part.id
            tied[number] = msgspec.structs.replace(seen[number], tie=tie, swapped=wrong)
    return tuple(tied)


def _batches(seen: Sequence[Seen]) -> list[tuple[list[int], list[int]]]:
    """The calls of each assistant message with the results that answer them, as numbers of parts."""
    batches: list[tuple[list[int], list[int]]] = []
    position = None
    for number, one in enumerate(seen):
        if one.part.kind == "call":
            if one.part.position != position:
                batches.append(([], []))
                position = one.part.position
            batches[-1][0].append(number)
        elif one.part.kind == "result":
            asked = [pair for pair in batches if any(seen[call].part.id == one.part.id for call in pair[0])]
            if asked:
                asked[-1][1].append(number)
    return batches


def _around(seen: Sequence[Seen], one: Seen, prompt: str) -> str:
    """What a template put around a part: back to what belongs to the part before it, on to the next piece of syntax."""
    if one.start is None or one.end is None:
        return ""
    earlier = max([other.end for other in seen if other.end is not None and other.end <= one.start], default=0)
    before = min(one.start, earlier + len(_after(prompt, earlier))) if earlier else 0
    return prompt[max(before, one.start - _BEFORE) : one.start] + " " + _after(prompt, one.end)


def _after(prompt: str, end: int) -> str:
    """What still belongs to a part that ends at `end`: up to the next piece of syntax, such as its id."""
    after = prompt[end : end + _AFTER]
    found = _NEXT.search(after)
    return after[: found.start() if found else None]


def _whose(
    seen: Sequence[Seen], calls: Sequence[int], shown: Sequence[int], place: int, around: dict[int, str]
) -> tuple[Tie, int | None]:
    """How a result is tied, and to which call: the one that a model would take it for."""
    number = shown[place]
    context = around[number]
    for call in calls:
        identifier = seen[call].part.id
        if identifier and re.search(rf"(?<!\w){re.escape(identifier)}(?!\w)", context):
            return "id", call
    marked = [call for call in calls if _marks(call, calls, around) & _pairs(context)]
    if len(marked) == 1 and len(calls) > 1:
        return "id", marked[0]
    named = [call for call in calls if _names(seen[call].part.name, context)]
    if len(named) == 1:
        return "name", named[0]
    like = named or list(calls)
    rivals = [other for other in shown if not named or _names(seen[named[0]].part.name, around[other])]
    rank = rivals.index(number) if number in rivals else place
    return "position", like[rank] if rank < len(like) else None


def _names(name: str | None, context: str) -> bool:
    return name is not None and name in _TOKEN.findall(context)


def _pairs(context: str) -> Tokens:
    """Each two words in a row of which the second holds a digit: how a template writes a number, or an id."""
    return frozenset(pair for pair in pairwise(_TOKEN.findall(context)) if _DIGIT.search(pair[1]))


def _marks(call: int, calls: Sequence[int], around: dict[int, str]) -> Tokens:
    """The pairs of words that stand around this call and around no other of its batch."""
    others = [_pairs(around[other]) for other in calls if other != call]
    return _pairs(around[call]).difference(*others)
