"""Pages on which nothing from a capture or a notebook can do anything."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from wirelab.capture.store import Store
from wirelab.model import Severity
from wirelab.rerun.html import ALLOWED, POLICY, cleaned, page
from wirelab.rerun.outcome import Outcome
from wirelab.rerun.page import notebook_of, write_page
from wirelab.rerun.reading import notebook_page
from wirelab.rerun.survey import Found, Survey, survey

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'\x1b[2J\u202e</pre></details>"


class Elements(HTMLParser):
    """Every element of a page, with its attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.depth: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(source: str) -> None:
    elements = Elements(source).found
    assert not {"script", "iframe", "object", "form", "base", "svg"} & {tag for tag, _ in elements}
    for tag, attributes in elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src"):
            target = attributes.get(name) or ""
            assert target.startswith(("#", "data:image/png")) or re.fullmatch(r"[\w./\-]*", target), (tag, target)
    assert "\x1b" not in source
    assert "\u202e" not in source
    assert POLICY in source


def found(**changes: Any) -> Found:
    evil: dict[str, Any] = dict.fromkeys(
        ("capture", "evidence", "recorded_at", "server", "protocol", "detail", "place", "call", "excerpt"), EVIL
    )
    return Found(**{**evil, "code": "stream-cut", "severity": Severity.VIOLATION, "frame": 3, **changes})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<table><tr><td style='x' onclick=y>a</td></tr></table>", "<table><tr><td>a</td></tr></table>"),
        ("<b>a", "<b>a</b>"),
        ("<table><tr><td>a</table>b", "<table><tr><td>a</td></tr></table>b"),
        ("a</div>b", "ab"),
        ("<script>x</script>y<style>z</style>", "y"),
        ("<svg><script>x</script></svg>y", "y"),
        ("<a href='javascript:x'>y</a>", "y"),
        ("&lt;script&gt;", "&lt;script&gt;"),
        ("a<br>b<img src=x>", "a<br>b"),
        ("<scr<script>ipt>x", "ipt&gt;x"),
        ("<!-- --><b onx>c\x1b</b>", "<b>c\\x1b</b>"),
    ],
)
def test_html_of_unknown_origin_is_cleaned(source: str, expected: str) -> None:
    assert cleaned(source) == expected
    assert {tag for tag, _ in Elements(cleaned(source)).found} <= ALLOWED


def test_a_hostile_finding_stays_text(tmp_path: Path) -> None:
    outcomes = [Outcome("00_x", EVIL, None, "00_x", 1.0, EVIL)]
    path = write_page(tmp_path, outcomes, Survey((), (found(), found(code="id-changed")), {EVIL: 1}, (EVIL,)))
    source = path.read_text(encoding="utf-8")
    assert_harmless(source)
    assert "alert(1)" in source, "it is evidence, and shown"


def test_a_hostile_notebook_stays_text() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": [EVIL]},
        {"output_type": "error", "ename": EVIL, "evalue": EVIL, "traceback": ["\x1b[31mred\x1b[0m", EVIL]},
        {"output_type": "display_data", "data": {"text/html": f"<table><tr><td>{EVIL}</td></tr></table>"}},
        {"output_type": "display_data", "data": {"text/plain": EVIL}},
        {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
        {"output_type": "display_data", "data": {"image/png": '" onerror="x'}},
        {"output_type": "display_data", "data": {"application/javascript": "alert(1)"}},
    ]
    cells = [
        {"cell_type": "markdown", "source": f"# {EVIL}\n[x](javascript:alert(1)) `a`", "metadata": {}},
        {"cell_type": "code", "source": EVIL, "metadata": {}, "outputs": outputs},
    ]
    source = notebook_page(EVIL, {"cells": cells}, "index.html")
    assert_harmless(source)
    assert ">red" in source, "colours of a traceback are dropped"


def test_the_committed_hostile_capture_does_nothing(project: Path, tmp_path: Path) -> None:
    store = Store(project / "captures")
    hostile = survey(store.captures("synthetic/hostile/*"))
    assert hostile.readings > 0
    assert_harmless(write_page(tmp_path, [], hostile).read_text(encoding="utf-8"))


def test_a_page_names_its_policy_and_loads_nothing() -> None:
    assert_harmless(page("t", "<p>x</p>"))


def test_a_finding_links_to_the_notebook_of_its_capture_then_of_its_protocol_then_to_how_to_run_one() -> None:
    mine, native, any_ = (
        Outcome("00_read", "", "t/native/a", "00_read/t--native--a", 1.0, None),
        Outcome("10_native", "", None, "10_native", 1.0, None),
        Outcome("00_read", "", None, "00_read", 1.0, None),
    )
    one = found(capture="t/native/a", protocol="native")
    assert notebook_of(one, [any_, native, mine]) == '<a href="00_read/t--native--a.html">00</a>'
    assert notebook_of(one, [any_, native]) == '<a href="10_native.html">10</a>'
    assert notebook_of(one, [any_]) == '<a href="00_read.html">00</a>'
    assert notebook_of(one, []) == "<code>wirelab run 00 -p capture t/native/a</code>"


def test_the_survey_counts_what_it_reads_and_names_what_it_cannot(project: Path) -> None:
    store = Store(project / "captures")
    whole = survey(store.captures("*/opencodex-2.63.0/*"))
    assert whole.readings == sum(group.readings for group in whole.groups) > 0
    assert whole.readings + sum(whole.unread.values()) + len(whole.broken) == len(store.select("*/opencodex-2.63.0/*"))
    assert whole.with_findings == len({one.capture for one in whole.found})
    assert {one.code for one in whole.found} == {code for group in whole.groups for code in group.codes}


def test_a_traceback_does_not_say_where_this_machine_keeps_its_files() -> None:
    lines = [
        "File /srv/someone/project/lib/wirelab/calls/machine.py:12",
        "File ~/x/.venv/lib/python3.11/site-packages/a.py",
    ]
    error = {"output_type": "error", "ename": "E", "evalue": "no", "traceback": lines}
    cell = {"cell_type": "code", "source": "f()", "metadata": {"tags": []}, "outputs": [error]}
    html = notebook_page("00", {"cells": [cell]}, "index.html")
    assert "lib/wirelab/calls/machine.py:12" in html
    assert "someone" not in html
    assert ".venv" not in html
