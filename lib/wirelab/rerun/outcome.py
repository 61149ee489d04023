"""What became of one run of one notebook."""

import msgspec


class Outcome(msgspec.Struct, frozen=True):
    """`error` is one line, None when every cell did what its tags say; `output` is relative, without suffix."""

    notebook: str
    title: str
    capture: str | None
    output: str
    seconds: float
    error: str | None

    @property
    def ok(self) -> bool:
        """Whether all went as it should."""
        return self.error is None
