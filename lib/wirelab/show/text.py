r"""Text from a wire, made safe for a terminal and for HTML.

What a server, a model or a stranger's capture holds may move the cursor, retitle the window, reverse the reading
order or hide behind characters of no width. Such characters are replaced by their written escape (`\x1b`, `\u202e`),
never dropped: that they were there is part of the evidence.
"""

import html
import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Controls, formats (bidirectional overrides, zero-width, tags), surrogates, private ones, separators. Unassigned
characters are left: which they are changes with the Python version, and a box is drawn for them."""

_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")
"""Letters and marks that draw nothing although their category says otherwise."""

_SHORT_FORMS = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _is_hidden(character: str) -> bool:
    if character.isascii():
        return not character.isprintable()
    return (
        unicodedata.category(character) in _HIDDEN_CATEGORIES
        or character in _BLANK_LETTERS
        or 0xFE00 <= ord(character) <= 0xFE0F  # variation selectors: no ink, and they carry smuggled bytes
        or 0xE0000 <= ord(character) <= 0xE0FFF  # tags and their unassigned neighbours, the same
    )


def _written(character: str) -> str:
    number = ord(character)
    if character in _SHORT_FORMS:
        return _SHORT_FORMS[character]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def visible(text: str, *, keep_lines: bool = False) -> str:
    """The text with every character that draws nothing or steers a terminal written out; lines survive if asked."""
    if text.isascii() and text.isprintable():
        return text
    hidden = {ord(each): _written(each) for each in set(text) if _is_hidden(each)}
    if keep_lines:
        hidden.pop(ord("\n"), None)
    return text.translate(hidden)


def escaped(text: str, *, keep_lines: bool = False) -> str:
    """The same, safe as HTML text and inside a quoted attribute."""
    return html.escape(visible(text, keep_lines=keep_lines), quote=True)


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters and, where that cut something, how many are missing: `Oslo is… (+1200)`."""
    return text if len(text) <= limit else f"{text[:limit]}… (+{len(text) - limit})"


def cell_width(text: str) -> int:
    """How many terminal cells the text takes: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_character_width(each) for each in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wire_text(data: bytes) -> str:
    """Bytes as text for people: UTF-8, and what is none written out as a hexadecimal escape."""
    return data.decode("utf-8", "backslashreplace")
