"""What a lenient reader makes of a frame that the standard discards or joins (cases BR-117 and BR-118)."""

import msgspec

from wirelab.model import Frame, FrameKind

_DONE = b"[DONE]"
"""The end marker of chat streams: the one payload that is complete without being JSON."""


def lenient(frame: Frame) -> list[Frame]:
    """The frames to read instead of `frame`.

    A payload that the end of the body left unterminated counts if it is complete (`terminated` stays False), else
    nothing is read. A joined payload that is no JSON value, while each of its lines is one, is read line by line: those
    frames all keep the number and the range of the one they come from. Any other frame stays as it is.
    """
    if frame.kind is not FrameKind.DATA:
        return [frame] if frame.terminated else []
    if b"\n" not in frame.data:
        return [frame] if frame.terminated or _is_complete(frame.data) else []
    lines = [line for line in frame.data.split(b"\n") if line]
    if not is_json(frame.data) and all(map(_is_complete, lines)):
        return [_with_data(frame, line) for line in lines]
    return [frame] if frame.terminated or is_json(frame.data) else []


def _with_data(frame: Frame, data: bytes) -> Frame:
    return Frame(frame.number, frame.start, frame.end, data, frame.kind, frame.event, frame.terminated)


def _is_complete(data: bytes) -> bool:
    return data == _DONE or is_json(data)


def is_json(data: bytes) -> bool:
    """Whether bytes decode as one JSON value; those that nest too deep for the decoder do not."""
    try:
        msgspec.json.decode(data)
    except (ValueError, RecursionError):  # msgspec.DecodeError and UnicodeDecodeError are ValueErrors
        return False
    return True
