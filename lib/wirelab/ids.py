"""Ids: issuing fresh ones that collide with nothing, and mapping those that an endpoint refuses."""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

_ALPHABET: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HASH: Final = 8
"""Letters and digits of a hash beside what is kept of a foreign id: 47 bits."""


class IdAllocator:
    """Issues `prefix1`, `prefix2`, … and never an id that was reserved or issued before.

    One allocator serves a whole conversation, so no id is issued twice across responses and none collides with a
    provider's (specification 1, closing; specification 2, rule 1).
    """

    def __init__(self, prefix: str = "wirelab_", reserved: Iterable[str] = ()) -> None:
        self._prefix = prefix
        self._taken = set(reserved)
        self._next = 1

    def reserve(self, identifier: str) -> None:
        """Keep an id that someone else issued from being issued here."""
        self._taken.add(identifier)

    def allocate(self) -> str:
        """A fresh id."""
        while (candidate := f"{self._prefix}{self._next}") in self._taken:
            self._next += 1
        self._taken.add(candidate)
        return candidate


class IdRule(msgspec.Struct, frozen=True):
    """The ids one endpoint allows. `pattern` must match the whole id, of at most `longest` characters.

    `make` says how a foreign id becomes an allowed one: `sanitise` keeps what it can of it and adds a hash, `hash`
    gives `longest` letters and digits, `numbered` gives `functions.NAME:N` with N counting through the conversation.
    """

    pattern: str
    longest: int = 64
    make: Literal["sanitise", "hash", "numbered"] = "sanitise"

    def allows(self, identifier: str) -> bool:
        """Whether an id may stay as it is."""
        return len(identifier) <= self.longest and re.fullmatch(self.pattern, identifier) is not None


class IdMap:
    """One injective, deterministic map from a history's ids to those an endpoint allows, with a way back.

    Allowed ids stay byte for byte. The others depend on the id alone (but for `numbered` and for collisions), so the
    same id is mapped alike in every request of a conversation.
    """

    def __init__(self, rule: IdRule | None, calls: Iterable[tuple[str, str | None]]) -> None:
        """`calls` are the ids of a history with the names of their tools, in order."""
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}
        named = list(calls)
        foreign: list[tuple[int, str, str | None]] = []
        for ordinal, (identifier, name) in enumerate(named):
            if rule is None or rule.allows(identifier):
                self._set(identifier, identifier)
            else:
                foreign.append((ordinal, identifier, name))
        for ordinal, identifier, name in foreign:
            if rule is not None and identifier not in self._there:
                candidates = _candidates(rule, identifier, name, ordinal)
                self._set(identifier, next(each for each in candidates if each not in self._back))

    def _set(self, identifier: str, wire: str) -> None:
        self._there[identifier] = wire
        self._back[wire] = identifier

    def there(self, identifier: str) -> str:
        """The id as the endpoint gets it; an id that is not of the history stays."""
        return self._there.get(identifier, identifier)

    def back(self, wire: str) -> str:
        """The history's id for one that the endpoint knows."""
        return self._back.get(wire, wire)

    def changed(self) -> dict[str, str]:
        """The ids that were mapped, and what to."""
        return {identifier: wire for identifier, wire in self._there.items() if identifier != wire}


def _candidates(rule: IdRule, identifier: str, name: str | None, ordinal: int) -> Iterator[str]:
    """Allowed ids for a foreign one, best first."""
    attempts = itertools.count()
    if rule.make == "numbered":
        return (f"functions.{name or 'tool'}:{ordinal + attempt}" for attempt in attempts)
    digests = (_digest(identifier, attempt) for attempt in attempts)
    if rule.make == "hash":
        return (_base62(digest, rule.longest) for digest in digests)
    readable = re.sub("[^a-zA-Z0-9_-]", "_", identifier)[: rule.longest - _HASH - 1]
    return (f"{readable}_{_base62(digest, _HASH)}" for digest in digests)


def _digest(identifier: str, attempt: int) -> int:
    seed = identifier if attempt == 0 else f"{identifier}#{attempt}"
    import hashlib  # noqa: PLC0415  loads OpenSSL, a tenth of what importing the reconcilers costs (P12)

    return int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest())


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(digits)
