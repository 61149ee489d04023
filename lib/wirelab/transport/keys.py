"""Keys: where they come from, and how they stay out of everything that is printed or written."""

from collections.abc import Mapping

import msgspec

from wirelab.errors import MisuseError

_KEYRING_SERVICE = "wirelab"
_SHORTEST = 8
"""Characters: a shorter key could not be told from ordinary text, so it could not be kept out of recordings."""


class Key(msgspec.Struct, frozen=True):
    """A secret and the origin it may be sent to. Its text never shows in a representation."""

    secret: str
    origin: str

    def __repr__(self) -> str:
        return f"Key(secret=[redacted], origin={self.origin!r})"

    __str__ = __repr__


def find_key(
    origin: str, variable: str | None, environment: Mapping[str, str], *, use_keyring: bool = False
) -> Key | None:
    """The key for an origin, from the environment variable or else from the system's keyring; None where there is none.

    Raises `MisuseError` for a key that can't stand in a header.
    """
    secret = environment.get(variable, "").strip() if variable else ""
    if not secret and use_keyring:
        secret = _from_keyring(origin)
    if not secret:
        return None
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise MisuseError(f"the key for {origin} holds characters that no header can carry")
    if len(secret) < _SHORTEST:
        raise MisuseError(f"the key for {origin} is shorter than {_SHORTEST} characters: it could not be redacted")
    return Key(secret, origin)


def _from_keyring(origin: str) -> str:
    try:
        import keyring  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise MisuseError("no keyring is installed: install wirelab[keyring], or use an environment variable") from None
    return (keyring.get_password(_KEYRING_SERVICE, origin) or "").strip()
