"""Targets: which server is asked, at which addresses, and which key it gets.

A base URL may be written in many ways; all of them map to one origin. The native protocol lives under `/api`, the
others under `/v1` of the same host (specification 3). A path that is none of the known ones is refused: guessing sends
a key, or a whole conversation, to a place nobody meant (wire case BR-158).
"""

from urllib.parse import SplitResult, urlsplit

import msgspec

from wirelab.errors import MisuseError

ENDPOINTS: dict[str, str] = {
    "native": "/api/chat",
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
}
"""Where each protocol is asked, as a path below the origin."""

_NAMED = {"local": "http://127.0.0.1:11434", "cloud": "https://ollama.com"}
_CLOUD_HOSTS = {"ollama.com", "www.ollama.com"}
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what OLLAMA_HOST holds; a client can't ask it
_LOCAL_PORT = 11434
_BASE_PATHS = {
    "",
    "/api",
    "/v1",
    *ENDPOINTS.values(),
    "/api/generate",
    "/api/tags",
    "/api/show",
    "/api/ps",
    "/api/version",
    "/v1/models",
    "/v1/completions",
    "/v1/messages/count_tokens",
}


class Target(msgspec.Struct, frozen=True):
    """One server to ask. `origin` is scheme, host and port without a path; `key_variable` names the environment
    variable that holds its key, None for a server that is never sent one.
    """

    name: str
    origin: str
    key_variable: str | None = None

    def url(self, protocol: str) -> str:
        """The full address at which this target is asked in a protocol."""
        return self.origin + ENDPOINTS[protocol]


def resolve(text: str, *, key_variable: str | None = None) -> Target:
    """The target that a name (`local`, `cloud`) or a base URL means.

    Only the cloud has a key variable of its own (`OLLAMA_API_KEY`); any other server gets a key only when the caller
    names the variable. Raises `MisuseError` for a URL that would have to be guessed at.
    """
    parts = _split(_NAMED.get(text.strip(), text.strip()))
    host = _host(parts)
    _check_path(text, parts)
    if host in _CLOUD_HOSTS:
        return Target("cloud", _NAMED["cloud"], key_variable or "OLLAMA_API_KEY")
    origin = f"{parts.scheme}://{_bracketed(host)}{_port(parts)}"
    if key_variable and parts.scheme == "http" and host not in _LOOPBACK:
        raise MisuseError(f"{origin} would get the key in {key_variable} unencrypted: use https, or leave the key away")
    return Target("local" if host in _LOOPBACK else "other", origin, key_variable)


def _split(text: str) -> SplitResult:
    if not text:
        raise MisuseError("no target: say local, cloud, or a base URL such as http://127.0.0.1:8080")
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        _ = parts.port
    except ValueError as error:
        raise MisuseError(f"{text!r} is no base URL: {error}") from None
    _check_shape(parts)
    return parts if "://" in text else _without_scheme(text, parts)


def _without_scheme(text: str, parts: SplitResult) -> SplitResult:
    """A bare host is taken the way OLLAMA_HOST is, with port 11434, but only on this machine."""
    if _host(parts) not in _LOOPBACK:
        raise MisuseError(f"{text!r} has no scheme: write http:// or https:// in front")
    netloc = parts.netloc.rstrip(":")
    return parts if parts.port else parts._replace(netloc=f"{netloc}:{_LOCAL_PORT}")


def _check_shape(parts: SplitResult) -> None:
    if parts.scheme not in {"http", "https"}:
        raise MisuseError(f"a target is asked over http or https, not {parts.scheme!r}")
    if not parts.hostname:
        raise MisuseError("the base URL names no host")
    if parts.username is not None or parts.password is not None:
        raise MisuseError("the base URL holds a user name or password: put the key into an environment variable")
    if parts.query or parts.fragment:
        raise MisuseError("the base URL holds a query or fragment: leave everything from ? or # away")


def _check_path(text: str, parts: SplitResult) -> None:
    path = parts.path.rstrip("/")
    if path in _BASE_PATHS:
        return
    raise MisuseError(
        f"{text!r}: the path {path!r} is none of the known ones ('', /api, /v1, or a full endpoint): "
        "give the address at which /api and /v1 live"
    )


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    return _ANY_ADDRESS.get(host, host)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _port(parts: SplitResult) -> str:
    """The port as it stands in an origin: the scheme's own is left away."""
    usual = {"http": 80, "https": 443}[parts.scheme]
    return "" if parts.port in {None, usual} else f":{parts.port}"
