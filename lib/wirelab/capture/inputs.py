"""Opening what a user names on the command line: with a limit, unpacked if it is packed, one line for what is wrong."""

import gzip
import io
import os
import stat
import sys
import zlib
from pathlib import Path
from typing import Protocol

from wirelab.errors import UnreadableInputError

MAX_INPUT = 256 * 1024 * 1024
"""Bytes of one input, after unpacking."""

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_WINDOW = 128 * 1024 * 1024
_ZSTD_STEP = 1024
"""Packed bytes at a time: what they can swell to stays in tens of megabytes."""
_STEP = 1024 * 1024


class Readable(Protocol):
    """What bytes are read from: a file, a pipe, an unpacker."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


def one_line(text: str, limit: int = 300) -> str:
    """Text from anywhere made fit for one line of a terminal: what is not printable is escaped, what is long is cut."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    if cut.isprintable():
        return cut
    return "".join([character if character.isprintable() else ascii(character)[1:-1] for character in cut])


def open_input(path: str | Path, limit: int = MAX_INPUT, label: str | None = None) -> bytes:
    """The bytes of a file, or of standard input for `-`; gzip and zstd are unpacked. Errors call it `label`.

    Raises UnreadableInputError, with one line for people: no such file, a directory, no permission, more than `limit`
    bytes (packed or unpacked), damaged packing.
    """
    label = one_line(label or ("standard input" if str(path) == "-" else str(path)))
    try:
        data = _read(path, limit, label)
    except OSError as error:
        raise UnreadableInputError(f"{label}: {_reason(error)}") from None
    except ValueError:  # a NUL in the path
        raise UnreadableInputError(f"{label}: this is no path") from None
    return unpack(data, label, limit)


def unpack(data: bytes, label: str, limit: int = MAX_INPUT) -> bytes:
    """The bytes themselves, or what a gzip or zstd file holds. Raises UnreadableInputError."""
    if data.startswith(_GZIP):
        return _unpacked(gzip.GzipFile(fileobj=io.BytesIO(data)), "gzip", label, limit)
    if data.startswith(_ZSTD):
        return _unpacked(_Zstd(data), "zstd", label, limit)
    return data


class _Zstd(io.RawIOBase):
    """What zstd frames hold, read in small steps; a frame that was cut is an error, which the library hides."""

    def __init__(self, data: bytes) -> None:
        import zstandard  # noqa: PLC0415 (costs time at start-up, and is rarely needed)

        self._data = data
        self._at = 0
        self._context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        self._frame = self._context.decompressobj()

    def read(self, _size: int = -1) -> bytes:
        """The next bytes, as many as a step gives; none at the end. Raises EOFError where the last frame is cut."""
        while self._at < len(self._data):
            step = self._data[self._at : self._at + _ZSTD_STEP]
            unpacked = self._frame.decompress(step)
            self._at += len(step)
            if self._frame.eof:
                self._at -= len(self._frame.unused_data)
                self._frame = self._context.decompressobj()
            elif self._at == len(self._data):
                raise EOFError("the file ends inside a frame")
            if unpacked:
                return unpacked
        return b""


def _read(path: str | Path, limit: int, label: str) -> bytes:
    if str(path) == "-":
        return _capped(sys.stdin.buffer, limit, label)
    status = os.stat(path)  # noqa: PTH116 - a third of the time of pathlib's, and captures are many
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableInputError(f"{label}: this is a directory; name a file in it")
    regular = stat.S_ISREG(status.st_mode)
    if regular and status.st_size > limit:
        raise _too_large(label, limit)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        data = file.read(status.st_size + 1) if regular else b""
        if regular and len(data) == status.st_size:
            return data
        return data + _capped(file, limit - len(data), label)


def _capped(file: Readable, limit: int, label: str) -> bytes:
    """Everything in a stream, but never much more than `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    while step := file.read(_STEP):
        size += len(step)
        if size > limit:
            raise _too_large(label, limit)
        parts.append(step)
    return b"".join(parts)


def _unpacked(stream: Readable, packing: str, label: str, limit: int) -> bytes:
    try:
        return _capped(stream, limit, label)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise UnreadableInputError(f"{label}: damaged {packing} file ({one_line(str(error))})") from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise UnreadableInputError(f"{label}: damaged {packing} file ({one_line(str(error))})") from None


def _too_large(label: str, limit: int) -> UnreadableInputError:
    return UnreadableInputError(f"{label}: larger than {limit // (1024 * 1024)} MiB; cut it into single responses")


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    return one_line(error.strerror or "cannot be read").lower()
