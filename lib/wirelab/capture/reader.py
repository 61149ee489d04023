"""Reading captures defensively: they can come from anyone.

Everything wrong with a file is told in one line that names it (and the line), as an UnreadableInputError. Nothing in a
capture is ever opened, run or followed.
"""

import hashlib
from pathlib import Path
from typing import Any, Literal

import msgspec

from wirelab.capture.format import (
    MAX_BODY,
    MAX_LINE,
    MAX_READS,
    SEPARATORS,
    VERSION,
    VERSION_KEY,
    EndLine,
    FrameLine,
    PieceLine,
    decoded_bytes,
    event_prefix,
    line_decoder,
    nests_too_deep,
)
from wirelab.capture.inputs import one_line, open_input
from wirelab.capture.names import check_name
from wirelab.capture.types import Capture, End, Framing, Head, Read
from wirelab.errors import UnreadableInputError

Sniffed = Literal["capture", "log", "raw"]

_MAX_FIRST_LINE = 8 * 1024 * 1024


def sniff(data: bytes) -> Sniffed:
    """What a file holds, by its first line: a capture (of any version), a recording log, or something raw."""
    first, _, _ = data[:_MAX_FIRST_LINE].partition(b"\n")
    if not first.startswith(b"{"):
        return "raw"
    try:
        head = msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "capture" if first.startswith(b'{"wirelab_capture"') else "raw"
    if VERSION_KEY in head:
        return "capture"
    return "log" if isinstance(head.get("capture"), str) and "request" in head else "raw"


def load(path: str | Path, label: str | None = None) -> Capture:
    """The capture in a file (gzip and zstd are unpacked). Errors call it `label`. Raises UnreadableInputError."""
    return loads(open_input(path, label=label), label=label or str(path))


def loads(data: bytes, label: str = "capture") -> Capture:
    """The capture in bytes. `label` is what errors call it. Raises UnreadableInputError."""
    start = data.find(b"\n") + 1 or len(data) + 1
    head = _head(data[: start - 1], label)
    body = data[start:]
    lines = _decoded(body, label)
    end = _end(lines, label)
    reads = _Reads(head.framing)
    number = 1
    try:
        for number, line in enumerate(lines, 2):  # noqa: B007 - the number is for the error
            reads.add(line)
        finished = reads.finished()
    except ValueError as error:
        raise _unreadable(label, number, error) from None
    return _proven(Capture(head, finished, _ended(end, reads)), end, label)


def _head(line: bytes, label: str) -> Head:
    try:
        fields = msgspec.json.decode(line)
        version = fields.pop(VERSION_KEY)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, AttributeError, KeyError, TypeError):
        raise UnreadableInputError(f"{one_line(label)}, line 1: this is no head of a Wirelab capture") from None
    if version != VERSION or isinstance(version, bool):
        raise UnreadableInputError(
            f"{one_line(label)}, line 1: a capture of format {one_line(repr(version))}; this Wirelab reads format "
            f"{VERSION}: read it with the version that wrote it"
        )
    if nests_too_deep(line):
        raise UnreadableInputError(f"{one_line(label)}, line 1: nested too deeply")
    try:
        head = msgspec.convert(fields, Head)
        check_name(head.name)
    except (ValueError, UnreadableInputError) as error:
        raise _unreadable(label, 1, error) from None
    return head


def _decoded(body: bytes, label: str) -> list[FrameLine | dict[str, Any]]:
    """All lines after the head. A last line without a line end is dropped if it is torn: the recording died in it."""
    if len(body) > MAX_LINE:
        _check_lengths(body, label)
    if body.count(b"\n") > MAX_READS:
        raise UnreadableInputError(f"{one_line(label)}: more than {MAX_READS} lines")
    try:
        return line_decoder.decode_lines(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decoded_one_by_one(body, label)


def _check_lengths(body: bytes, label: str) -> None:
    for number, line in enumerate(body.split(b"\n"), 2):
        if len(line) > MAX_LINE:
            raise UnreadableInputError(f"{one_line(label)}, line {number}: longer than {MAX_LINE} bytes")


def _decoded_one_by_one(body: bytes, label: str) -> list[FrameLine | dict[str, Any]]:
    lines = body.split(b"\n")
    decoded: list[FrameLine | dict[str, Any]] = []
    for number, line in enumerate(lines, 2):
        try:
            if line.strip():
                decoded.append(line_decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if number == len(lines) + 1:
                break
            raise _unreadable(label, number, error) from None
    return decoded


def _end(lines: list[FrameLine | dict[str, Any]], label: str) -> EndLine | None:
    """Take the end line off the lines, if there is one."""
    if not lines or not isinstance(lines[-1], dict) or "end" not in lines[-1]:
        return None
    try:
        return msgspec.convert(lines.pop(), EndLine)
    except msgspec.ValidationError as error:
        raise _unreadable(label, len(lines) + 2, error) from None


class _Reads:
    """Puts the reads together again from the lines."""

    def __init__(self, framing: Framing) -> None:
        self._before, self._after = SEPARATORS[framing]
        self._reads: list[Read] = []
        self._parts: list[bytes | msgspec.Raw] = []
        self._t: float | None = None
        self.size = 0

    @property
    def t(self) -> float | None:
        """When the last read came."""
        return self._t

    def add(self, line: FrameLine | dict[str, Any]) -> None:
        """One line. Raises ValueError where it is against the format."""
        if line.__class__ is FrameLine:
            self._begin(line.t)
            self._frame(line)
        else:
            piece = msgspec.convert(line, PieceLine)
            self._begin(piece.t)
            self._parts.append(decoded_bytes(piece.text, piece.base64))

    def finished(self) -> tuple[Read, ...]:
        """All reads."""
        self._flush()
        return tuple(self._reads)

    def _begin(self, t: float | None) -> None:
        if t is not None:
            self._flush()
            self._t = t
        elif self._t is None:
            raise ValueError("the first line of the body has no time")

    def _flush(self) -> None:
        if self._t is None:
            return
        data = b"".join(self._parts)
        self._parts.clear()
        self.size += len(data)
        if self.size > MAX_BODY:
            raise ValueError(f"the body is longer than {MAX_BODY} bytes")
        self._reads.append(Read(self._t, data))

    def _frame(self, line: FrameLine) -> None:
        payload = bytes(line.payload)
        if not payload.startswith(b"{"):
            raise ValueError("a frame's payload is no JSON object")
        if nests_too_deep(payload):
            raise ValueError("nested too deeply")
        wrap = line.wrap
        if wrap is None:
            self._parts += (self._before, payload, self._after)
        elif isinstance(wrap, str):
            self._parts += (event_prefix(wrap), payload, self._after)
        else:
            self._parts += (wrap[0].encode(), payload, wrap[1].encode())


def _ended(end: EndLine | None, reads: _Reads) -> End:
    if end is None:
        return End("cut", reads.t, "recorder", "the recording itself was interrupted")
    return End(end.end, end.t, end.by, end.detail, end.redacted)


def _proven(capture: Capture, end: EndLine | None, label: str) -> Capture:
    """The capture, if its body is the one that its end line was written for."""
    if end is None:
        return capture
    body = capture.body
    if end.bytes not in (None, len(body)):
        raise UnreadableInputError(f"{one_line(label)}: the body has {len(body)} bytes, its end line says {end.bytes}")
    if end.sha256 not in (None, hashlib.sha256(body).hexdigest()):
        raise UnreadableInputError(f"{one_line(label)}: the body is not the one its SHA-256 was taken of: edited?")
    return capture


def _unreadable(label: str, number: int, error: Exception) -> UnreadableInputError:
    message = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return UnreadableInputError(f"{one_line(label)}, line {number}: {one_line(message)}")
