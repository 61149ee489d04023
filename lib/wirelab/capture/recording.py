"""Recording an exchange into a file while it happens: redacted, flushed at every read, proven at the end."""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from wirelab.capture.reader import loads
from wirelab.capture.redact import BodyRedactor, Redactor
from wirelab.capture.types import Capture, End, Head
from wirelab.capture.writer import CaptureWriter
from wirelab.errors import MisuseError


class Recording:
    """A capture file that grows with the exchange. Raises MisuseError where the file exists already.

    `secrets` are the keys in use; they, and whatever looks like a key, never reach the file. As a context manager it
    ends the capture as `error` if the block is left before `end`.
    """

    def __init__(self, path: Path, head: Head, secrets: Iterable[str] = ()) -> None:
        redactor = Redactor(secrets)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._file = path.open("xb", buffering=0)
        except FileExistsError:
            raise MisuseError(f"{path.name} exists already: a capture is evidence and is never overwritten") from None
        self._path = path
        self._body = BodyRedactor(redactor)
        self._writer = CaptureWriter(self._file, redactor.head(head))
        self._last = 0.0

    def read(self, t: float, data: bytes) -> None:
        """Keep what one transport read gave, `t` seconds after the request was sent."""
        self._last = t
        self._writer.read(t, self._body.push(data))

    def end(self, end: End) -> Capture:
        """Write the end, close the file, and give back what it holds now."""
        if rest := self._body.close():
            self._writer.read(self._last, rest)
        redacted = self._body.count or end.redacted
        self._writer.end(msgspec.structs.replace(end, redacted=redacted))
        self._file.close()
        return loads(self._path.read_bytes(), label=self._path.name)

    def __enter__(self) -> Self:
        """The recording itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End as `error` what was not ended."""
        if not self._file.closed:
            self.end(End("error", self._last, detail=kind.__name__ if kind is not None else "left without an end"))
