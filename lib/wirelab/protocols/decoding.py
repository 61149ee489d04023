"""Decoding payloads: typed and fast where they are as they should be, field by field where they are not."""

import re
import types
import typing
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw

from wirelab.model import Json

UNDECODABLE: Final = (ValueError, RecursionError)
"""What decoding bytes of a stranger may raise: not JSON, not UTF-8, another shape, numbers out of range, too deep."""

decode_any: Final = msgspec.json.Decoder().decode
decode_fields: Final = msgspec.json.Decoder(dict[str, Raw]).decode
decode_list: Final = msgspec.json.Decoder(list[Raw]).decode

_LONE_SURROGATE: Final = (
    rb"(?i)(?<!\\)((?:\\\\)*)(?:(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2})"
)
T = TypeVar("T", bound=msgspec.Struct)


class Complaint(msgspec.Struct, frozen=True):
    """A part of a payload that had to be left out: where it stood, and what stood there."""

    path: str
    data: bytes


def quote(data: bytes, limit: int = 60) -> str:
    """A short beginning of foreign bytes, safe to print: `'{"a":1}'`."""
    return ascii(data[:limit])[1:] + ("…" if len(data) > limit else "")


def mend(data: bytes) -> bytes:
    """The payload with escaped lone surrogates (half a character, cut by a server between two deltas) as U+FFFD."""
    return re.sub(_LONE_SURROGATE, lambda match: match[1] + (match[2] or b"\\ufffd"), data)


def argument_value(raw: Raw) -> Json:
    """A JSON value for `Fragment.arguments`: UNSET where missing, Raw where an object, else decoded.

    Raises one of UNDECODABLE where it is not UTF-8.
    """
    text = bytes(raw)
    if not text.startswith(b"{"):
        return decode_any(text) if text else UNSET
    if not text.isascii():
        text.decode()
    return raw


def salvage(data: bytes, kind: type[T], complaints: list[Complaint], path: str = "") -> T | None:
    """Read `data` as a `kind`, leaving out what is not of its type; None (and a complaint) where it is no object.

    List entries that are no objects become None, without a complaint: the reader names them with their position. A
    value that should be text but is not stays as `Raw`.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except UNDECODABLE:
        pass
    try:
        fields = decode_fields(data)
    except UNDECODABLE:
        complaints.append(Complaint(path or "the payload", bytes(data)))
        return None
    values = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in fields:
            where = f"{path}.{field.encode_name}" if path else field.encode_name
            value = _salvage_field(bytes(fields[field.encode_name]), field.type, complaints, where)
            if value is not UNSET:
                values[field.name] = value
    return kind(**values)


def _salvage_field(data: bytes, declared: Any, complaints: list[Complaint], path: str) -> Any:
    try:
        return msgspec.json.decode(data, type=declared)
    except UNDECODABLE:
        return _repair(declared)(data, complaints, path)


def _repair(declared: Any) -> Callable[[bytes, list[Complaint], str], Any]:
    """How a value that is not of its declared type is read all the same."""
    for member in typing.get_args(declared) if isinstance(declared, types.UnionType) else (declared,):
        if isinstance(member, type) and issubclass(member, msgspec.Struct):
            return lambda data, complaints, path: salvage(data, member, complaints, path) or UNSET
        if typing.get_origin(member) is list:
            entry = typing.get_args(typing.get_args(member)[0])[0]
            return lambda data, complaints, path: _salvage_list(data, entry, complaints, path)
    return _keep


def _salvage_list(data: bytes, entry: type[msgspec.Struct], complaints: list[Complaint], path: str) -> Any:
    try:
        entries = decode_list(data)
    except UNDECODABLE:
        complaints.append(Complaint(path, data))
        return UNSET
    return [
        salvage(bytes(raw), entry, complaints, f"{path}[{position}]") if bytes(raw).startswith(b"{") else None
        for position, raw in enumerate(entries)
    ]


def _keep(data: bytes, complaints: list[Complaint], path: str) -> Any:
    """A leaf: kept as raw bytes where it is JSON at all."""
    try:
        decode_any(data)
    except UNDECODABLE:
        complaints.append(Complaint(path, data))
        return UNSET
    return Raw(data)
