"""The incremental scan says complete exactly where a JSON object has just been closed."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.calls.limits import utf8_length
from wirelab.calls.opencall import NOT_JSON, OpenCall, decode
from wirelab.calls.scan import ObjectScanner

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def scan(*pieces: str) -> bool:
    scanner = ObjectScanner()
    for piece in pieces:
        scanner.feed(piece)
    return scanner.complete


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", False),
        (" \n", False),
        ("{}", True),
        (' {"a": [1, {"b": "}"}]} \r\n', True),
        ('{"a": "\\"}', False),
        ('{"a": "\\\\"}', True),
        ("{}x", False),
        ("{}{}", False),
        ("[]", False),
        ('"{}"', False),
        ("x{}", False),
        ("{", False),
        ("{}}", False),
    ],
)
def test_scan(text: str, complete: bool) -> None:
    assert scan(text) is complete
    assert scan(*text) is complete


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.data())
def test_scan_of_any_object_at_any_split(value: dict[str, object], data: st.DataObject) -> None:
    text = msgspec.json.encode(value).decode()
    cut = data.draw(st.integers(0, len(text)))
    scanner = ObjectScanner()
    scanner.feed(text[:cut])
    assert scanner.complete is (cut == len(text))
    scanner.feed(text[cut:])
    assert scanner.complete


def test_a_call_scans_only_what_is_new_and_forgets_what_was_replaced() -> None:
    call = OpenCall("text")
    assert not call.complete
    call.parts.append('{"a":')
    assert not call.complete
    call.parts.append("1}")
    assert call.complete
    call.replace_text('{"b":')
    assert not call.complete
    call.replace_text("")
    assert call.arguments_text == ""
    call.set_value(b'{"c":1}')
    assert call.complete
    assert call.arguments_value() == {"c": 1}
    assert call.arguments_value() == {"c": 1}


def test_arguments_that_are_not_there() -> None:
    assert OpenCall("object").complete
    assert OpenCall("object").arguments_value() == {}
    broken = OpenCall("object")
    broken.set_value(b"{oops}")
    assert broken.arguments_value() is NOT_JSON


def test_decode_never_raises() -> None:
    assert decode("[" * 100_000) is NOT_JSON
    assert decode(b"\xff") is NOT_JSON
    assert decode("\ud800") is NOT_JSON
    assert decode("1") == 1


@pytest.mark.parametrize(("text", "length"), [("abc", 3), ("å", 2), ("雪", 3), ("😀", 4), ("\ud800", 3)])
def test_utf8_length(text: str, length: int) -> None:
    assert utf8_length(text) == length
