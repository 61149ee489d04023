"""How much one response may make us keep (specification 1, limits)."""

import msgspec

KIB = 1024
MIB = 1024 * KIB


class Limits(msgspec.Struct, frozen=True):
    """The most that one response may hold; passing one is a violation.

    `argument_bytes` and `metadata_bytes` count per call, in UTF-8 bytes of the text as it stood on the wire;
    `metadata_bytes` counts every different id and name sent for a call, so that a server which repeats the id beside
    each delta is not punished for it. `total_bytes` is both over all calls.
    """

    calls: int = 128
    argument_bytes: int = MIB
    metadata_bytes: int = 4 * KIB
    total_bytes: int = 16 * MIB


def utf8_length(text: str) -> int:
    """Bytes of the text in UTF-8. Lone surrogates, which JSON escapes can spell, count as the three bytes they take."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
