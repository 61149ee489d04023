"""Where parts of a history could stand in a prompt, and the best way to assign them to places."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

_LONGEST = 2000
"""Characters of a text that are looked for word by word; a longer one is looked for by its beginning and its end."""
_MOST = 200
"""Places of one part that are looked at: a text of one letter would else stand everywhere."""
_ROOM = 120
"""Characters that a template may put around and between a call's name and its values, beside the values themselves."""
_CERTAIN = 100


class Place(msgspec.Struct, frozen=True, order=True):
    """A stretch of the prompt, from character `start` to before `end`; `weight` grows with how unmistakable it is."""

    start: int
    end: int
    weight: int

    def overlaps(self, other: "Place") -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


def text_places(prompt: str, text: str) -> list[Place]:
    """Where a text stands, as it is or as JSON writes it; white space between words may differ."""
    places: dict[tuple[int, int], Place] = {}
    for spelling in dict.fromkeys([text, _escaped(text, ascii_only=False), _escaped(text, ascii_only=True)]):
        for match in _matches(spelling, prompt):
            weight = 10 + min(match.end() - match.start(), _CERTAIN)
            places[match.span()] = Place(match.start(), match.end(), weight)
    return sorted(places.values())


def call_places(prompt: str, name: str, values: Sequence[str]) -> list[Place]:
    """Where a call stands: its name with all of its values close by, after it or, failing that, before it."""
    if not name.strip():
        return []
    room = _ROOM + 3 * sum(len(value) for value in values)
    places = []
    for match in _matches(name, prompt):
        after = _span(prompt, values, match.end(), match.end() + room, match.end())
        if after is not None:
            places.append(Place(match.start(), after, _call_weight(name, values, after - match.start())))
            continue
        begin = max(0, match.start() - room)
        if _span(prompt, values, begin, match.start(), begin) is not None:
            start = _first(prompt, values, begin, match.start())
            places.append(Place(start, match.end(), _call_weight(name, values, match.end() - start)))
    return places


def _call_weight(name: str, values: Sequence[str], length: int) -> int:
    """The closer a name and its values stand together, the more it is that call."""
    own = len(name) + sum(len(value) for value in values)
    return max(1, 10 + 10 * len(values) + min(own, _CERTAIN) - (length - own) // 2)


def _matches(text: str, prompt: str) -> Iterator[re.Match[str]]:
    pattern = _pattern(text)
    if pattern is not None:
        for _, match in zip(range(_MOST), pattern.finditer(prompt), strict=False):
            yield match


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str] | None:
    """Where a text stands as words of its own. Kept, since the same few texts are looked for in many prompts."""
    words = text.split()
    if not words:
        return None
    if len(text) > _LONGEST:
        between = rf"[\s\S]{{0,{2 * len(text)}}}?"
        pattern = re.escape(text[:_CERTAIN].strip()) + between + re.escape(text[-_CERTAIN:].strip())
    else:
        pattern = r"\s+".join(map(re.escape, words))
    edge = r"(?<!\w)" if words[0][0].isalnum() else ""
    close = r"(?!\w)" if words[-1][-1].isalnum() else ""
    return re.compile(edge + pattern + close)


def _escaped(text: str, *, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _span(prompt: str, values: Sequence[str], begin: int, end: int, last: int) -> int | None:
    """The end of the furthest of all values between `begin` and `end`; None when one is not there."""
    for value in values:
        found = [place for place in (_find(prompt, spelling, begin, end) for spelling in _spellings(value)) if place]
        if not found:
            return None
        last = max(last, min(found))
    return last


def _first(prompt: str, values: Sequence[str], begin: int, end: int) -> int:
    starts = [prompt.find(value, begin, end) for value in values]
    return min([start for start in starts if start >= 0], default=begin)


def _spellings(value: str) -> list[str]:
    return list(dict.fromkeys([value, _escaped(value, ascii_only=False), _escaped(value, ascii_only=True)]))


def _find(prompt: str, value: str, begin: int, end: int) -> int | None:
    start = prompt.find(value, begin, end)
    return None if start < 0 else start + len(value)


def best_places(candidates: Sequence[Sequence[Place]]) -> list[Place | None]:
    """For each part, in order, its place in the heaviest assignment whose places follow one another; None without.

    Weighted chaining: parts are taken in their order, and what a place may follow is looked up by where it ends, so the
    cost is that of sorting all candidates.
    """
    ends = sorted({place.end for places in candidates for place in places})
    best = _Best(len(ends))
    links: list[tuple[int, Place, int]] = []
    for number, places in enumerate(candidates):
        fresh = []
        for place in places:
            weight, before = best.up_to(bisect_left(ends, place.start + 1))
            links.append((number, place, before))
            fresh.append((bisect_left(ends, place.end), weight + place.weight, len(links) - 1))
        for row in fresh:
            best.put(*row)
    chosen: list[Place | None] = [None] * len(candidates)
    _, link = best.up_to(len(ends))
    while link >= 0:
        number, place, link = links[link]
        chosen[number] = place
    return chosen


class _Best:
    """The greatest weight, with its link, among all places that end before a point: a Fenwick tree of maxima."""

    def __init__(self, size: int) -> None:
        self._rows = [(0, -1)] * (size + 1)

    def put(self, position: int, weight: int, link: int) -> None:
        position += 1
        while position < len(self._rows):
            if weight > self._rows[position][0]:
                self._rows[position] = (weight, link)
            position += position & -position

    def up_to(self, count: int) -> tuple[int, int]:
        """The heaviest of the first `count` ends."""
        found = (0, -1)
        while count > 0:
            if self._rows[count][0] > found[0]:
                found = self._rows[count]
            count -= count & -count
        return found
