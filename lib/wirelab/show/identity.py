"""How servers tell calls apart: ids, indexes and frames of every answer with several calls, by version."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from wirelab.capture import Capture, read_capture
from wirelab.model import Reading
from wirelab.show.lanes import Piece
from wirelab.show.story import calls_said, capture_lanes
from wirelab.show.tables import Table, table
from wirelab.show.verdict import counted


class Shape(msgspec.Struct, frozen=True):
    """How one answer sent its calls. `sharing` counts the ids that stand under an index together with another id."""

    capture: str
    server: str
    version: str
    family: str
    streamed: bool
    calls: int
    frames: str
    ids: str
    indexes: str
    sharing: int


def shape_of(capture: Capture) -> Shape | None:
    """The shape of an answer with at least two announced calls, else None."""
    opening = [piece for piece in capture_lanes(capture) if piece.name is not None]
    if len({piece.call for piece in opening}) < 2:
        return None
    return Shape(
        capture=capture.name,
        server=capture.source.server,
        version=capture.source.version,
        family=capture.variant.rpartition(".")[2],
        streamed=capture.framing != "whole",
        calls=len({piece.call for piece in opening}),
        frames=_frames(opening),
        ids=_ids(opening),
        indexes=_indexes(opening),
        sharing=sharing_ids(opening),
    )


def _frames(pieces: Sequence[Piece]) -> str:
    most = max(Counter(piece.frame for piece in pieces).values())
    if most == 1:
        return "one frame each"
    return "all in one frame" if most == len(pieces) else "some in one frame"


def _ids(pieces: Sequence[Piece]) -> str:
    ids = [piece.id for piece in pieces if piece.id is not None]
    if len(ids) < len(pieces):
        return "some" if ids else "none"
    return "one each" if len(set(ids)) == len(ids) else "repeated"


def _indexes(pieces: Sequence[Piece]) -> str:
    indexes = [piece.index for piece in pieces]
    if set(indexes) == {None}:
        return "none"
    if len(set(indexes)) == 1:
        return f"all {indexes[0]}"
    return "0, 1, 2 …" if indexes == list(range(len(indexes))) else ", ".join(map(str, indexes))


def sharing_ids(pieces: Sequence[Piece]) -> int:
    """How many ids stand under an index that another id stands under too."""
    under: dict[int | str, set[str]] = {}
    for piece in pieces:
        if piece.index is not None and piece.id is not None:
            under.setdefault(piece.index, set()).add(piece.id)
    return sum(len(ids) for ids in under.values() if len(ids) > 1)


def shapes(captures: Iterable[Capture]) -> list[Shape]:
    """The shapes of all answers with at least two calls, oldest server version first."""
    found = [shape for capture in captures if (shape := shape_of(capture)) is not None]
    return sorted(found, key=lambda shape: (shape.server, version_key(shape.version), shape.capture))


def version_key(version: str) -> tuple[int, ...]:
    """`0.12.10` after `0.12.9`."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def shapes_table(found: Sequence[Shape]) -> Table:
    """One row an answer."""
    rows = [[shape.capture, shape.calls, shape.frames, shape.ids, shape.indexes, shape.sharing] for shape in found]
    return table(rows, ["capture", "calls", "frames", "ids", "indexes", "ids that share an index"])


def versions_table(found: Sequence[Shape]) -> Table:
    """One row a server version and way of telling calls apart, with the number of answers that did it."""
    ways = Counter(
        (shape.server, shape.version, shape.frames, shape.ids, shape.indexes, shape.sharing > 0) for shape in found
    )
    columns = ["server", "version", "frames", "ids", "indexes", "ids share an index", "answers"]
    return table([[*way, number] for way, number in ways.items()], columns)


def sharing(found: Iterable[Shape]) -> list[Shape]:
    """The answers in which distinct ids stand under one index."""
    return [shape for shape in found if shape.sharing]


class Answer(msgspec.Struct, frozen=True):
    """What came out of a gateway: what the model behind it had said, and what is left."""

    capture: str
    said: int | None
    read: int
    executable: int
    error: str
    arguments: str


def answer_of(capture: Capture) -> Answer:
    """A gateway's answer, read leniently so that broken calls are shown too."""
    reading = read_capture(capture, strict=False)
    said = calls_said(capture)
    return Answer(
        capture=capture.name,
        said=None if said is None else len(said),
        read=len(reading.calls),
        executable=len(reading.executable),
        error="" if reading.error is None else f"{reading.error.code}: {reading.error.message}",
        arguments=" | ".join(call.arguments_text for call in reading.calls),
    )


def answers_table(answers: Iterable[Answer]) -> Table:
    """One row an answer of a gateway."""
    rows = [
        [answer.capture, answer.said, answer.read, answer.executable, answer.arguments, answer.error]
        for answer in answers
    ]
    columns = ["capture", "calls the model made", "calls that arrived", "may be executed", "arguments", "error"]
    return table(rows, columns, width_limit=130)


def summary(found: Sequence[Shape]) -> str:
    """`12 of 40 answers with several calls put distinct ids under one index.`"""
    return (
        f"{len(sharing(found))} of {counted(len(found), 'answer')} with several calls put distinct ids under one index."
    )


def differing(answers: Iterable[Answer]) -> list[Answer]:
    """The answers from which a call is missing that the model made, or that hold one it did not make."""
    return [answer for answer in answers if answer.said is not None and answer.said != answer.read]


def policies_table(captures: Iterable[Capture], policies: Sequence[str]) -> Table:
    """One row an answer, one column a policy: how many calls it reads, or the code it stops with when strict."""
    rows = [
        [capture.name, *(_outcome(read_capture(capture, policy=policy)) for policy in policies)] for capture in captures
    ]
    return table(rows, ["capture", *policies])


def _outcome(reading: Reading) -> str:
    if reading.error is not None:
        return f"stops: {reading.error.code}"
    names = " + ".join(call.name or "no name" for call in reading.calls)
    return f"{counted(len(reading.calls), 'call')}: {names}" if names else "no calls"
