"""The rows of what endpoints accept: dated, shown by something that exists, found by name and version."""

import re
from pathlib import Path

import pytest

from wirelab.errors import MisuseError
from wirelab.history.profiles import PROFILES, Profile, find_profile, names
from wirelab.protocols.dialects import DIALECTS

REPORT = re.compile(r"[\w.-]+/[\w.-]+#\d+")


@pytest.mark.parametrize("profile", PROFILES, ids=[f"{p.name}-{p.dialect}-{p.since}" for p in PROFILES])
def test_every_row_is_dated_and_shown(profile: Profile, project: Path) -> None:
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", profile.dated)
    assert profile.shown
    assert profile.dialect in DIALECTS
    for evidence in profile.shown.values():
        name = evidence.split(": ")[0]
        found = list((project / "captures" / "recorded").glob(f"{name}.jsonl"))
        assert found or REPORT.fullmatch(name), f"{profile.name}: nothing shows {evidence!r}"


def test_ollamas_rows_write_results_in_call_order() -> None:
    assert {profile.result_order for profile in PROFILES if profile.name == "ollama"} == {"call"}


def test_the_newest_row_counts_unless_a_version_is_named() -> None:
    assert find_profile(None, "chat") is find_profile("ollama-0.32.15", "chat")
    assert find_profile("ollama-0.12.8", "chat").wire.call_blank == ("empty",)
    assert find_profile("ollama-0.12.9", "native").wire.ids == "ignored"
    assert find_profile("ollama-1", "native") is find_profile("ollama", "native")
    assert find_profile(None, "gemini").name == "gemini"
    assert find_profile("llama-server", "chat").name == "llama-server"
    assert find_profile("llama-server-11434", "chat").name == "llama-server"


@pytest.mark.parametrize(
    ("name", "dialect", "said"),
    [
        ("nobody", "chat", "no profile 'nobody': there are ollama,"),
        ("mistral", "messages", "the profile mistral is for chat, not messages"),
        ("ollama-0.9.0", "messages", "ollama-0.9.0 has no messages: it came with 0.20.4"),
        ("-1", "chat", "no profile '-1'"),
    ],
)
def test_a_profile_that_is_not_there_says_what_is(name: str, dialect: str, said: str) -> None:
    with pytest.raises(MisuseError, match=re.escape(said)):
        find_profile(name, DIALECTS[dialect].name)


def test_names_are_told_once() -> None:
    assert len(set(names())) == len(names()) >= 10
