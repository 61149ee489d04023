"""Is the argument text so far a JSON object? An incremental scan, so that asking after every piece stays linear."""

import re

_SPACE = " \t\r\n"
_STRUCTURE = re.compile(r'["{}\[\]]')
_STRING_END = re.compile(r'["\\]')


class ObjectScanner:
    """Follows strings and brackets, nothing more: whether the text is valid JSON is decided once, at the end.

    `complete` is True as soon as the outermost `{` has been closed, and stays so while only white space follows.
    """

    __slots__ = ("_depth", "_escaped", "_in_string", "_started", "complete")

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._started = False
        self.complete = False

    def feed(self, piece: str) -> None:
        """Look at the next piece of text; every character is looked at once."""
        position = 0
        if self._depth == 0:
            position = self._outside(piece)
        while position < len(piece):
            position = self._string(piece, position) if self._in_string else self._structure(piece, position)

    def _outside(self, piece: str) -> int:
        """Before the first bracket or after the last: anything but white space spoils it."""
        rest = piece.lstrip(_SPACE)
        if rest:
            self.complete = False
            if self._started or rest[0] != "{":
                self._started = True
                return len(piece)
            self._started = True
        return len(piece) - len(rest)

    def _string(self, piece: str, position: int) -> int:
        if self._escaped:
            self._escaped = False
            return position + 1
        found = _STRING_END.search(piece, position)
        if found is None:
            return len(piece)
        if found[0] == "\\":
            self._escaped = True
        else:
            self._in_string = False
        return found.end()

    def _structure(self, piece: str, position: int) -> int:
        found = _STRUCTURE.search(piece, position)
        if found is None:
            return len(piece)
        mark = found[0]
        if mark == '"':
            self._in_string = True
        elif mark in "{[":
            self._depth += 1
        else:
            self._depth -= 1
            if self._depth == 0:
                self.complete = True
                return found.end() + self._outside(piece[found.end() :])
        return found.end()
