"""Folding and closing where the cases do not reach: done events, snapshots, lenient conflicts."""

from typing import Any

import msgspec
import pytest

from wirelab.calls import Limits, Reconciler
from wirelab.calls.closing import is_beginning
from wirelab.model import Fragment, Mode, Reading


def read(*fragments: Fragment, protocol: str = "responses", **options: Any) -> Reading:
    reconciler = Reconciler(protocol, strict=False, **options)
    for fragment in fragments:
        reconciler.fragment(fragment)
    reconciler.finish(len(fragments), "completed")
    return reconciler.close()


def keyed(frame: int, arguments: Any, mode: Mode = "delta", name: str | None = None, id: str | None = None) -> Fragment:  # noqa: A002
    return Fragment(frame, 0, 1, id, None, name, arguments, mode, 0)


def codes(reading: Reading) -> list[str]:
    return [finding.code for finding in reading.findings]


def test_a_done_event_may_bring_an_object() -> None:
    reading = read(keyed(0, '{"x":', name="f", id="a"), keyed(1, {"x": 1}, "done"))
    assert reading.calls[0].arguments == {"x": 1}
    assert codes(reading) == []


def test_a_snapshot_with_other_arguments_changes_nothing() -> None:
    reading = read(keyed(0, '{"x":1}', name="f", id="a"), keyed(1, '{"x":2}', "whole"), keyed(2, {"x": 3}, "whole"))
    assert reading.calls[0].arguments == {"x": 1}
    assert codes(reading) == ["arguments-replaced", "arguments-replaced"]


def test_a_snapshot_fills_what_a_done_event_left_blank() -> None:
    reading = read(keyed(0, "", name="f", id="a"), keyed(1, "", "done"), keyed(2, '{"x":1}', "whole"))
    assert reading.calls[0].arguments == {"x": 1}
    empty = read(keyed(0, "", name="f", id="a"), keyed(1, "", "done"), keyed(2, "", "whole"))
    assert empty.calls[0].arguments == {}


def test_a_known_other_id_is_said_once() -> None:
    reading = read(keyed(0, "", name="f", id="a"), keyed(1, "{}", "done", id="b"), keyed(2, "{}", "done", id="a"))
    assert reading.calls[0].id == "b"
    assert codes(reading) == ["id-changed"]


def test_a_delta_under_another_id_keeps_the_first() -> None:
    reading = read(keyed(0, "{", name="f", id="a"), keyed(1, "}", id="b"))
    assert [(call.id, call.aliases) for call in reading.calls] == [("a", ("b",))]
    assert codes(reading) == ["id-changed"]


def test_lenient_opens_a_new_call_for_another_name_of_one_id() -> None:
    fragments = [keyed(0, "{}", name="f", id="a"), Fragment(1, 0, 1, "a", None, "g", '{"y":1}', "delta", 1)]
    reading = read(*fragments)
    assert [(call.id_source, call.name, call.complete) for call in reading.calls] == [
        ("provider", "f", False),
        ("allocated", "g", False),
    ]
    assert reading.executable == ()


def test_lenient_drops_what_passes_the_limit_on_calls() -> None:
    fragments = [Fragment(0, 0, 1, "a", 0, "f", "{}"), Fragment(1, 0, 1, "a", 0, "g", "{}")]
    reading = read(*fragments, protocol="chat", limits=Limits(calls=1))
    assert codes(reading)[:2] == ["name-changed", "too-many-calls"]
    assert len(reading.calls) == 1


def test_lenient_goes_on_after_a_fragment_of_nobody() -> None:
    fragments = [Fragment(0, 0, 1, None, 3, None, "{}"), Fragment(1, 0, 1, "a", 0, "f", "{}")]
    reading = read(*fragments, protocol="chat")
    assert [call.id for call in reading.calls] == ["a"]


def test_an_entry_with_nothing_in_it_is_nothing() -> None:
    assert read(Fragment(0, 0, 1, "", 0, " ", ""), protocol="chat").calls == ()
    assert read(Fragment(0, 0, 1, None, 0, None, None), protocol="chat").calls == ()


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ('{"x', True),
        ('{"x": 1.', True),
        ('{"x": [1, -', True),
        ('{"x": 1e+', True),
        ("{}", False),
        ("{x", False),
        ("[1", False),
        ("", False),
        ('{"x": "\ud800', False),
        ('{"x":' * 10_000, False),
    ],
)
def test_a_proper_beginning(text: str, beginning: bool) -> None:
    assert is_beginning(text) is beginning


@pytest.mark.parametrize("other", ['{"x":true}', '{"x":1.0}', '{"x":"1"}'])
def test_equal_in_python_is_not_equal_in_json(other: str) -> None:
    entry = [Fragment(n, 0, 1, "a", 0, "f", msgspec.Raw(text.encode())) for n, text in enumerate(['{"x":1}', other])]
    assert codes(read(*entry, protocol="native")) == ["arguments-changed"]
    unnamed = [Fragment(0, 0, 1, "a", 0, "f", '{"x":1}'), Fragment(1, 0, 1, None, 0, "f", other)]
    assert len(read(*unnamed, protocol="chat").calls) == 2


def test_a_nameless_repeat_on_native_is_a_repeat() -> None:
    reading = read(Fragment(0, 0, 1, None, 0, "f"), Fragment(1, 0, 1, "a", 0, "f"), protocol="native")
    assert [(call.id, call.arguments) for call in reading.calls] == [("a", {})]


def test_null_arguments_sent_raw_are_absent() -> None:
    reading = read(Fragment(0, 0, 1, "a", 0, "f", msgspec.Raw(b" null")), protocol="native")
    assert reading.calls[0].arguments == {}
