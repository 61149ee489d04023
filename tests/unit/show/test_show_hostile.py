"""The hostile capture tries everything; nothing of it may reach a page as markup or a terminal as an order."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from wirelab.capture import Capture, read_capture
from wirelab.capture.store import Store
from wirelab.show.diagrams import lanes_picture
from wirelab.show.frames import frames_table
from wirelab.show.identity import answer_of, answers_table, policies_table, shapes, shapes_table, versions_table
from wirelab.show.lanes import lanes_grid, lanes_table
from wirelab.show.story import about_table, capture_frames, capture_lanes, events_table, said_table
from wirelab.show.verdict import calls_table, findings_table, summary_table

ALLOWED = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")

SHOWN: dict[str, Callable[[Capture], Any]] = {
    "about": about_table,
    "frames": lambda capture: frames_table(capture_frames(capture), excerpt=5000),
    "events": events_table,
    "lanes table": lambda capture: lanes_table(capture_lanes(capture), title=capture.source.server),
    "lanes grid": lambda capture: lanes_grid(capture_lanes(capture)),
    "lanes picture": lambda capture: lanes_picture(capture_lanes(capture), title=capture.source.server),
    "calls": lambda capture: calls_table(read_capture(capture, strict=False)),
    "findings": lambda capture: findings_table(read_capture(capture, strict=False)),
    "summary": lambda capture: summary_table(read_capture(capture, strict=False)),
    "said": lambda capture: said_table(capture, read_capture(capture, strict=False)),
    "shapes": lambda capture: shapes_table(shapes([capture])),
    "versions": lambda capture: versions_table(shapes([capture])),
    "answers": lambda capture: answers_table([answer_of(capture)]),
    "policies": lambda capture: policies_table([capture], ["id-first", "index-concat"]),
}


class Elements(HTMLParser):
    """Every element and attribute of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_hostile_gets_through(name: str) -> None:
    for capture in Store().captures("*hostile*"):
        bundle = SHOWN[name](capture)._repr_mimebundle_()
        assert not STEERING.search(bundle["text/plain"])
        parser = Elements()
        parser.feed(bundle.get("text/html", ""))
        assert parser.tags <= ALLOWED
        assert parser.attributes <= {"style"}


def test_there_is_a_hostile_capture() -> None:
    (capture,) = Store().captures("*hostile*")
    assert b"<script>" in capture.body
    assert "\x1b" in capture.source.version
