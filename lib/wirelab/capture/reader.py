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
    MAX_NESTING,
    MAX_READS,
    SEPARATORS,
    VERSION,
    VERSION_KEY,
    VERSION_MARK,
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

_USUAL_START = b"%b%d," % (VERSION_MARK, VERSION)
_head_decoder = msgspec.json.Decoder(Head)


def sniff(data: bytes) -> Sniffed:
    """What a file holds, by its first line: a capture (of any version), a recording log, or something raw."""
    first, _, _ = data[:_MAX_FIRST_LINE].partition(b"\n")
    if not first.startswith(b"{"):
        return "raw"
    try:
        head = msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "capture" if first.startswith(VERSION_MARK) else "raw"
    if VERSION_KEY in head:
        return "capture"
    return "log" if isinstance(head.get("capture"), str) and "request" in head else "raw"


def load(path: str | Path, label: str | None = None) -> Capture:
    """The capture in a file (gzip and zstd are unpacked). Errors call it `label`. Raises UnreadableInputError."""
    name = str(path)
    return loads(open_input(name, label=label), label=label or name)


def loads(data: bytes, label: str = "capture") -> Capture:
    """The capture in bytes. `label` is what errors call it. Raises UnreadableInputError."""
    start = data.find(b"\n") + 1 or len(data)
    head = _head(data[:start].removesuffix(b"\n"), label)
    if len(data) > MAX_READS and data.count(b"\n", start) > MAX_READS:
        raise UnreadableInputError(f"{one_line(label)}: more than {MAX_READS} lines")
    lines = _decoded(memoryview(data)[start:], label)
    end = _end(lines, label)
    reads = _Reads(head.framing, careful=_may_nest_too_deep(data, start, len(lines)))
    try:
        finished = reads.of(lines)
    except ValueError as error:
        raise _unreadable(label, reads.line, error) from None
    size = sum([len(read.data) for read in finished])
    if size > MAX_BODY:
        raise UnreadableInputError(f"{one_line(label)}: the body is longer than {MAX_BODY} bytes")
    if end is None:
        return Capture(head, finished, End("cut", reads.t, "recorder", "the recording itself was interrupted"))
    _check_body(finished, size, end, label)
    return Capture(head, finished, End(end.end, end.t, end.by, end.detail, end.redacted))


def _head(line: bytes, label: str) -> Head:
    if not line.startswith(_USUAL_START):
        _check_version(line, label)
    try:
        head = _head_decoder.decode(line)
        check_name(head.name)
    except (ValueError, RecursionError, UnreadableInputError) as error:
        raise _unreadable(label, 1, error) from None
    if nests_too_deep(line):
        raise UnreadableInputError(f"{one_line(label)}, line 1: nested too deeply")
    return head


def _check_version(line: bytes, label: str) -> None:
    try:
        version = msgspec.json.decode(line)[VERSION_KEY]
    except (ValueError, RecursionError, KeyError, TypeError, IndexError):
        raise UnreadableInputError(f"{one_line(label)}, line 1: this is no head of a Wirelab capture") from None
    if version != VERSION or isinstance(version, bool):
        raise UnreadableInputError(
            f"{one_line(label)}, line 1: a capture of format {one_line(repr(version))}; this Wirelab reads format "
            f"{VERSION}: read it with the version that wrote it"
        )


def _may_nest_too_deep(data: bytes, start: int, lines: int) -> bool:
    """Whether any line could be over the limit at all: most files hold fewer brackets than one such line."""
    return data.count(b"{", start) + data.count(b"[", start) > MAX_NESTING + lines


def _decoded(body: memoryview, label: str) -> list[FrameLine | dict[str, Any]]:
    """All lines after the head. A last line without a line end is dropped if it is torn: the recording died in it."""
    if len(body) > MAX_LINE:
        _check_lengths(bytes(body), label)
    try:
        return line_decoder.decode_lines(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decoded_one_by_one(bytes(body), label)


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
    """Puts the reads together again from the lines. `careful`: the nesting of every payload is looked at."""

    def __init__(self, framing: Framing, *, careful: bool) -> None:
        self._framing: Framing = framing
        self._careful = careful
        self.line = 1
        """The line that is being read, from 1, the head included."""
        self.t: float | None = None
        """When the last read came."""

    def of(self, lines: list[FrameLine | dict[str, Any]]) -> tuple[Read, ...]:
        """The reads that lines tell. Raises ValueError where one is against the format."""
        before, after = SEPARATORS[self._framing]
        reads: list[Read] = []
        parts: list[bytes | msgspec.Raw] = []
        current: float | None = None
        for self.line, line in enumerate(lines, 2):
            told = line if isinstance(line, FrameLine) else msgspec.convert(line, PieceLine)
            if told.t is not None:
                if current is not None:
                    reads.append(Read(current, b"".join(parts)))
                    parts.clear()
                current = self.t = told.t
            elif current is None:
                raise ValueError("the first line of the body has no time")
            if isinstance(told, PieceLine):
                parts.append(decoded_bytes(told.text, told.base64))
            elif told.wrap is None and not self._careful:
                parts += (before, told.payload, after)
            else:
                parts += self._wrapped(told)
        if current is not None:
            reads.append(Read(current, b"".join(parts)))
        return tuple(reads)

    def _wrapped(self, line: FrameLine) -> tuple[bytes, msgspec.Raw, bytes]:
        """A frame's bytes in three parts."""
        if self._careful and nests_too_deep(bytes(line.payload)):
            raise ValueError("nested too deeply")
        before, after = SEPARATORS[self._framing]
        if isinstance(line.wrap, str):
            before = event_prefix(line.wrap)
        elif line.wrap is not None:
            before, after = line.wrap[0].encode(), line.wrap[1].encode()
        return before, line.payload, after


def _check_body(reads: tuple[Read, ...], size: int, end: EndLine, label: str) -> None:
    """Raise UnreadableInputError unless the body is the one that the end line was written for."""
    if end.bytes not in (None, size):
        raise UnreadableInputError(f"{one_line(label)}: the body has {size} bytes, its end line says {end.bytes}")
    digest = hashlib.sha256()
    for read in reads:
        digest.update(read.data)
    if end.sha256 not in (None, digest.hexdigest()):
        raise UnreadableInputError(f"{one_line(label)}: the body is not the one its SHA-256 was taken of: edited?")


def _unreadable(label: str, number: int, error: Exception) -> UnreadableInputError:
    message = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return UnreadableInputError(f"{one_line(label)}, line {number}: {one_line(message)}")
