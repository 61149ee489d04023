"""Admission: what a recording must be before it may join `captures/`."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec

from wirelab.capture.names import path_of
from wirelab.capture.reader import loads
from wirelab.capture.types import Capture
from wirelab.capture.verify import verify_files
from wirelab.errors import MisuseError
from wirelab.probe.checks import Question, complaints
from wirelab.probe.scenarios import Book, Mode
from wirelab.transport.record import spellings

MAX_SIZE = 4 * 1024 * 1024
"""Bytes of one file: evidence has to stay readable, and a repository small."""


def problems(path: Path, book: Book, secrets: Iterable[str] = ()) -> list[str]:
    """Why a recording may not be admitted, one line each; empty where it may.

    It must be readable and written as the format writes it, have come to an end of its own, hold no secret, be no
    larger than `MAX_SIZE`, and ask what its scenario says.
    """
    report = verify_files([path])
    if report.problems:
        return report.problems
    data = path.read_bytes()
    capture = loads(data, label=path.name)
    found = [f"{path.name}: {len(data)} bytes are more than {MAX_SIZE}"] if len(data) > MAX_SIZE else []
    if capture.end.kind == "error" or capture.end.by == "recorder":
        found.append(f"{path.name}: the recording did not come to its end")
    if any(secret.encode() in data for secret in spellings(secrets)):
        found.append(f"{path.name}: a key of this run stands in it")
    return [*found, *_unlike_its_scenario(capture, book)]


def admit(paths: Iterable[Path], root: Path, book: Book, secrets: Iterable[str] = ()) -> tuple[list[Path], list[str]]:
    """Copy the recordings that may join below a captures root. Gives the new files, and the problems of the others.

    A capture that is there already is never replaced.
    """
    admitted: list[Path] = []
    refused: list[str] = []
    known = tuple(secrets)
    for path in paths:
        if found := problems(path, book, known):
            refused += found
            continue
        capture = loads(path.read_bytes(), label=path.name)
        place = path_of(root / capture.source.kind, capture.name)
        if place.exists():
            refused.append(f"{path.name}: {capture.name} is among the captures already")
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        admitted.append(place)
    return admitted, refused


def _unlike_its_scenario(capture: Capture, book: Book) -> list[str]:
    try:
        scenario = book.named(capture.scenario)
        mode = msgspec.convert(capture.variant.partition(".")[0], Mode)
    except (MisuseError, msgspec.ValidationError) as error:
        return [f"{capture.name}: {error}"]
    request = capture.request
    question = Question(request.method, request.path, frozenset(request.headers), request.json)
    return complaints(scenario, question, mode)
