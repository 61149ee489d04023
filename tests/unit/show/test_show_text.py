from html.parser import HTMLParser

import pytest

from wirelab.show.text import cell_width, escaped, shortened, visible, wire_text

HOSTILE = [
    ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
    ("\x1b[2J\x1b[31mred", "\\x1b[2J\\x1b[31mred"),
    ("\x9b31m", "\\x9b31m"),
    ("a\rb", "a\\rb"),
    ("a\nb\tc", "a\\nb\\tc"),
    ("user\u202etxt.exe", "user\\u202etxt.exe"),
    ("\u2066x\u2069", "\\u2066x\\u2069"),
    ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
    ("\U000e0041tag", "\\U000e0041tag"),
    ("line\u2028break", "line\\u2028break"),
    ("\ud800", "\\ud800"),
    ("\u3164", "\\u3164"),
    ("a\ufe0f\U000e0100", "a\\ufe0f\\U000e0100"),
    ("\x00\x7f\x85", "\\x00\\x7f\\x85"),
]


@pytest.mark.parametrize(("text", "shown"), HOSTILE)
def test_what_steers_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_ordinary_text_of_any_script_is_left_alone() -> None:
    for text in ("Oslo", "Tromsø, Ñandú", "東京", "مرحبا", "🌦 °C", "नमस्ते", "  two  blanks "):
        assert visible(text) == text


def test_lines_survive_only_where_they_are_asked_for() -> None:
    assert visible("a\nb\r\nc", keep_lines=True) == "a\nb\\r\nc"


def test_no_character_of_unicode_gets_through_that_a_terminal_would_obey() -> None:
    everything = "".join(map(chr, range(0x110000)))
    shown = visible(everything)
    assert not any(ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0 or 0xD800 <= ord(each) < 0xE000 for each in shown)
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200e\u200f\u2060\ufeff\xad") & set(shown)
    shown.encode()


def test_html_holds_no_markup() -> None:
    found: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(tag)

    parser = Tags()
    parser.feed(f'<i title="{escaped(chr(34) + " onload=x")}">{escaped("<script>alert(1)</script>&amp;")}</i>')
    assert found == ["i"]


def test_shortening_says_how_much_is_missing() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 3) == "abc… (+4)"


def test_width_counts_terminal_cells() -> None:
    assert [cell_width(text) for text in ("ab", "東京", "e\u0301", "ø")] == [2, 4, 1, 1]


def test_bytes_that_are_no_text_are_written_out() -> None:
    assert wire_text(b"a\xffb\xc3\xb8") == "a\\xffbø"
