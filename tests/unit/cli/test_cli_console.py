import io
import json
import sys

import pytest

from wirelab.cli.console import complain, json_line, say, say_table
from wirelab.show import table

HOSTILE = "<b>\x1b]0;owned\x07\x1b[2J\u202e[red]x[/red]"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_table_says_the_same_with_and_without_a_terminal(
    stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdout = stream()
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setenv("COLUMNS", "200")
    say_table(table([{HOSTILE: HOSTILE}], title=HOSTILE))
    shown = stdout.getvalue()
    assert shown.count("<b>\\x1b]0;owned\\x07\\x1b[2J\\u202e[red]x[/red]") == 3
    for order in ("\x1b]", "\x07", "\x1b[2J", "\u202e"):
        assert order not in shown


def test_lines_and_complaints_are_safe(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"{HOSTILE}\nnext")
    complain(f"{HOSTILE}\nnext")
    out, err = capsys.readouterr()
    assert out == "<b>\\x1b]0;owned\\x07\\x1b[2J\\u202e[red]x[/red]\nnext\n"
    assert err == "wirelab: <b>\\x1b]0;owned\\x07\\x1b[2J\\u202e[red]x[/red]\\nnext\n"


def test_json_keeps_the_text_and_steers_nothing() -> None:
    value = {HOSTILE: [HOSTILE, "Tromsø", "\U000e0041", "\x7f\x9b", "\ud800", "\u2028"]}
    line = json_line(value)
    assert json.loads(line) == value
    assert line.count("\n") == 1
    assert "Tromsø" in line
    assert all(each.isprintable() for each in line[:-1])
