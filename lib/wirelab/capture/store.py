"""The captures of a folder: found, selected and loaded by name, never by a path that came out of a capture."""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import get_args

from wirelab.capture.index import INDEX, Entry, entry_of, read_index
from wirelab.capture.inputs import one_line
from wirelab.capture.names import SUFFIX, check_name, path_of
from wirelab.capture.reader import load
from wirelab.capture.types import Capture, Evidence
from wirelab.errors import UnreadableInputError

ROOT_VARIABLE = "WIRELAB_CAPTURES"

KINDS: tuple[Evidence, ...] = get_args(Evidence)


def find_root(start: Path | None = None) -> Path:
    """The folder of the committed captures: the environment's WIRELAB_CAPTURES, else the nearest `captures/` upwards.

    Raises UnreadableInputError where there is none.
    """
    if named := os.environ.get(ROOT_VARIABLE):
        return Path(named)
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "captures" / INDEX).is_file():
            return folder / "captures"
    raise UnreadableInputError(
        f"no captures found: run this inside the project, or let {ROOT_VARIABLE} name the folder with {INDEX}"
    )


class Store:
    """The captures under a root: `<root>/<recorded|documented|synthetic>/<name>.jsonl`.

    Iterating loads one capture after the other, in order of their paths, and keeps none of them.
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = find_root() if root is None else Path(root)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The index; where a folder has none, it is made from the captures themselves."""
        if (self.root / INDEX).is_file():
            return tuple(read_index(self.root))
        return tuple([entry_of(capture) for capture in self])

    def paths(self) -> Iterator[Path]:
        """Every capture file, in order. Links are not followed."""
        for kind in KINDS:
            yield from _files(self.root / kind)

    def __iter__(self) -> Iterator[Capture]:
        """Every capture, loaded."""
        return map(self._load, self.paths())

    def __len__(self) -> int:
        """How many captures there are."""
        return sum(1 for _ in self.paths())

    def load(self, name: str) -> Capture:
        """A capture by its name. Raises UnreadableInputError where there is none of that name."""
        check_name(name)
        for kind in KINDS:
            if (path := path_of(self.root / kind, name)).is_file():
                return self._load(path)
        raise UnreadableInputError(f"no capture is named {one_line(name)}")

    def select(
        self,
        pattern: str = "*",
        *,
        evidence: str | None = None,
        target: str | None = None,
        protocol: str | None = None,
        scenario: str | None = None,
        server: str | None = None,
        version: str | None = None,
        family: str | None = None,
    ) -> list[Entry]:
        """The entries whose name fits a pattern (`*` crosses slashes) and whose fields are as given.

        A pattern may begin with the kind of evidence: `recorded/ollama-0.20.4/native/*`.
        """
        asked = {
            "evidence": evidence, "target": target, "protocol": protocol, "scenario": scenario,
            "server": server, "version": version, "family": family,
        }  # fmt: skip
        wanted = [(field, value) for field, value in asked.items() if value is not None]
        return [
            entry
            for entry in self.entries
            if all(getattr(entry, field) == value for field, value in wanted) and _fits(entry, pattern)
        ]

    def captures(self, pattern: str = "*", **fields: str | None) -> Iterator[Capture]:
        """The captures that `select` finds, loaded one after the other."""
        for entry in self.select(pattern, **fields):
            yield self._load(path_of(self.root / entry.evidence, entry.name))

    def _load(self, path: Path) -> Capture:
        """A capture below the root; errors name it from there, never by the machine's own path."""
        return load(path, label=path.relative_to(self.root).as_posix())


def _fits(entry: Entry, pattern: str) -> bool:
    return fnmatchcase(entry.name, pattern) or fnmatchcase(f"{entry.evidence}/{entry.name}", pattern)


def _files(folder: Path) -> Iterator[Path]:
    """Capture files below a folder, sorted at every level."""
    if not folder.is_dir():
        return
    with os.scandir(folder) as found:
        items = sorted(found, key=lambda item: item.name)
    for item in items:
        if item.is_dir(follow_symlinks=False):
            yield from _files(Path(item.path))
        elif item.is_file(follow_symlinks=False) and item.name.endswith(SUFFIX):
            yield Path(item.path)
