"""Keys: found where they should be, shown nowhere."""

import sys
from types import SimpleNamespace

import pytest

from wirelab.errors import MisuseError
from wirelab.transport.keys import Key, find_key

ORIGIN = "https://ollama.com"


def test_a_key_comes_from_the_named_variable_only() -> None:
    environment = {"A": " secret-a \n", "B": "secret-b", "EMPTY": " "}
    assert find_key(ORIGIN, "A", environment) == Key("secret-a", ORIGIN)
    assert find_key(ORIGIN, "EMPTY", environment) is None
    assert find_key(ORIGIN, "C", environment) is None
    assert find_key(ORIGIN, None, environment) is None


@pytest.mark.parametrize(
    "secret", ["two words here", "ümlaut-letters", "line\nbreak-here", "\x00\x01\x02\x03\x04\x05\x06\x07"]
)
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(secret: str) -> None:
    with pytest.raises(MisuseError, match="header") as caught:
        find_key(ORIGIN, "A", {"A": secret})
    assert secret not in str(caught.value)


def test_a_key_too_short_to_be_redacted_is_refused() -> None:
    with pytest.raises(MisuseError, match="shorter"):
        find_key(ORIGIN, "A", {"A": "short"})


def test_no_representation_shows_the_key() -> None:
    key = Key("secret-a", ORIGIN)
    assert "secret-a" not in f"{key} {key!r} {[key]}"


def test_the_keyring_is_asked_only_when_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {("wirelab", ORIGIN): "from-ring"}
    monkeypatch.setitem(
        sys.modules, "keyring", SimpleNamespace(get_password=lambda service, name: held.get((service, name)))
    )
    assert find_key(ORIGIN, "A", {}) is None
    assert find_key(ORIGIN, "A", {}, use_keyring=True) == Key("from-ring", ORIGIN)
    assert find_key(ORIGIN, "A", {"A": "first-key"}, use_keyring=True) == Key("first-key", ORIGIN)
    assert find_key("https://else.example", None, {}, use_keyring=True) is None


def test_a_missing_keyring_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(MisuseError, match=r"wirelab\[keyring\]"):
        find_key(ORIGIN, None, {}, use_keyring=True)
