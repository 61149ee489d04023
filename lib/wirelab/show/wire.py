"""The JSON objects of a capture's frames with their places and times, before any reader has looked at them."""

from typing import Any

import msgspec

from wirelab.capture import Capture
from wirelab.claims.wire import value_of
from wirelab.model import Json
from wirelab.show.frames import frame_times, frames_of
from wirelab.show.story import is_whole


class WireObject(msgspec.Struct, frozen=True):
    """One frame's object. `seconds` is the time of the read that completed the frame, None where it is not known."""

    frame: int
    seconds: float | None
    value: dict[str, Json]


def wire_objects(capture: Capture) -> list[WireObject]:
    """The objects of all frames in order; what is no JSON object (`[DONE]`, a comment) is left out."""
    frames = frames_of(capture.body, capture.protocol, whole=is_whole(capture))
    timed = zip(frames, frame_times(frames, capture.reads), strict=True)
    found = [(frame.number, seconds, value_of(frame.data)) for frame, seconds in timed]
    return [WireObject(frame, seconds, value) for frame, seconds, value in found if isinstance(value, dict)]


def mapping(value: Json) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Json) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [member for member in value if isinstance(member, dict)] if isinstance(value, list) else []


def text_of(value: Json) -> str:
    """A text as it is; nothing for anything else."""
    return value if isinstance(value, str) else ""


def recorder(capture: Capture) -> str:
    """Whose stream it is: the folder of a recording (server, version, how it was set up), else the kind of evidence."""
    return capture.name.partition("/")[0] if capture.source.kind == "recorded" else capture.source.kind


def version_order(name: str) -> tuple[str, tuple[int, ...], str]:
    """`ollama-0.12.10` after `ollama-0.12.9`, and what is set up in a special way after the plain server."""
    server, _, rest = name.partition("-")
    version, _, more = rest.partition("-")
    return server, tuple(int(number) for number in version.split(".") if number.isdecimal()), more


def share(part: int, whole: int) -> str:
    """`3 of 8`, and nothing where there is nothing to be a part of."""
    return f"{part} of {whole}" if whole else ""
