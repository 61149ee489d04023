"""Base URLs: many spellings, one target; and none that would have to be guessed at."""

import pytest

from wirelab.errors import MisuseError
from wirelab.probe.targets import ENDPOINTS, Target, resolve

LOCAL = "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    "path", ["", "/", "/api", "/api/", "/v1", "/v1/", *ENDPOINTS.values(), "/v1/models", "/api/tags"]
)
@pytest.mark.parametrize(
    ("base", "name"),
    [
        (LOCAL, "local"),
        ("https://ollama.com", "cloud"),
        ("http://10.0.0.7:8080", "other"),
        ("http://[::1]:99", "local"),
    ],
)
def test_every_spelling_of_a_base_url_is_one_target(base: str, name: str, path: str) -> None:
    target = resolve(base + path)
    assert (target.name, target.origin) == (name, base)
    assert target.url("native") == f"{base}/api/chat"
    assert target.url("chat") == f"{base}/v1/chat/completions"


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("local", LOCAL),
        (" cloud ", "https://ollama.com"),
        ("localhost:8080", "http://localhost:8080"),
        ("localhost", "http://localhost:11434"),
        ("0.0.0.0:11434", LOCAL),
        ("127.0.0.1:", LOCAL),
        ("http://localhost", "http://localhost"),
        ("HTTPS://OLLAMA.COM:443/v1/", "https://ollama.com"),
        ("https://www.ollama.com/api", "https://ollama.com"),
        ("http://ollama.com", "https://ollama.com"),
        ("https://ollama.com./api", "https://ollama.com"),
        ("https://llm.example:8443/v1", "https://llm.example:8443"),
    ],
)
def test_names_and_loose_spellings(text: str, origin: str) -> None:
    assert resolve(text).origin == origin


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no target"),
        ("https://llm.example/openai/v1", "none of the known ones"),
        ("https://ollama.com/v2", "none of the known ones"),
        ("https://ollama.com/api/api/chat", "none of the known ones"),
        ("https://ollama.com/API", "none of the known ones"),
        ("llm.example:8080", "no scheme"),
        ("ftp://llm.example", "over http or https"),
        ("https://", "names no host"),
        ("https://me:secret@llm.example", "password"),
        ("https://llm.example/v1?key=1", "query"),
        ("https://llm.example/#x", "fragment"),
        ("http://localhost:port", "no base URL"),
        ("http://[::1", "no base URL"),
    ],
)
def test_what_is_refused_says_why(text: str, says: str) -> None:
    with pytest.raises(MisuseError, match=says) as caught:
        resolve(text)
    assert "secret" not in str(caught.value)


def test_only_the_cloud_has_a_key_of_its_own() -> None:
    assert resolve("cloud").key_variable == "OLLAMA_API_KEY"
    assert resolve("local").key_variable is None
    assert resolve("https://llm.example").key_variable is None
    assert resolve("https://llm.example", key_variable="MY_KEY") == Target("other", "https://llm.example", "MY_KEY")
    assert resolve("local", key_variable="MY_KEY").key_variable == "MY_KEY"


def test_a_key_is_not_sent_unencrypted() -> None:
    with pytest.raises(MisuseError, match="unencrypted"):
        resolve("http://llm.example/v1", key_variable="MY_KEY")


def test_case_br_158_a_v1_base_given_to_a_native_client() -> None:
    """ollama/base-url-mapping: verified with one path, used with another, and refused for want of a key."""
    assert resolve("https://ollama.com/v1").url("native") == "https://ollama.com/api/chat"
