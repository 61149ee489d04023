"""The notebooks of a project: found, chosen by name or number, and read without running them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.rerun.parameters import Declared, declared, source_of

FOLDER = "notebooks"
LIVE = "9"
"""Notebooks whose number begins so open connections; they run only when they are named."""

CAPTURE = "capture"
"""The parameter that makes a notebook one to be multiplied over captures."""


class Notebook(msgspec.Struct, frozen=True):
    """One notebook on disk: its path, its title and its parameters with their defaults."""

    path: Path
    title: str
    defaults: Declared
    content: dict[str, Any]

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem

    @property
    def number(self) -> str:
        """The two digits it begins with."""
        return self.path.stem[:2]

    @property
    def is_live(self) -> bool:
        """Whether it opens connections."""
        return self.number.startswith(LIVE)

    @property
    def takes_a_capture(self) -> bool:
        """Whether it is made to be multiplied over captures."""
        return CAPTURE in self.defaults


def find_folder(start: Path | None = None) -> Path:
    """The nearest `notebooks/` upwards. Raises UnreadableInputError where there is none."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / FOLDER).is_dir():
            return folder / FOLDER
    raise UnreadableInputError("no notebooks found: run this inside the project")


def read(path: Path) -> Notebook:
    """Read one notebook. Raises UnreadableInputError in one line."""
    try:
        content = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        return Notebook(path, title_of(content), declared(content), content)
    except OSError as error:
        raise UnreadableInputError(f"{path.name}: {error.strerror}") from None
    except (msgspec.DecodeError, KeyError, TypeError, SyntaxError, ValueError, AttributeError):
        raise UnreadableInputError(f"{path.name}: this is no notebook that can be run") from None


def title_of(content: dict[str, Any]) -> str:
    """The first heading."""
    for cell in content["cells"]:
        for line in source_of(cell).splitlines():
            if cell["cell_type"] == "markdown" and line.startswith("# "):
                return line[2:].strip()
    return ""


def offline(folder: Path) -> list[Notebook]:
    """Every notebook that needs no connection, in order."""
    return [notebook for path in sorted(folder.glob("[0-9][0-9]_*.ipynb")) if not (notebook := read(path)).is_live]


def choose(names: Sequence[str], folder: Path) -> list[Notebook]:
    """The notebooks a user names: by number, by name or by path. Raises for a name that fits none or several."""
    return [read(path) for name in names for path in matching(name, folder)]


def matching(name: str, folder: Path) -> Iterator[Path]:
    """The notebook of that name. Raises MisuseError where there is none."""
    given = Path(name)
    if given.suffix == ".ipynb" and given.is_file():
        yield given.resolve()
        return
    stem = given.name.removesuffix(".ipynb")
    found = [path for path in sorted(folder.glob("*.ipynb")) if path.stem == stem or path.stem.startswith(f"{stem}_")]
    if len(found) != 1:
        there = ", ".join(path.stem for path in sorted(folder.glob("*.ipynb"))) or "none"
        raise MisuseError(f"{'no' if not found else 'more than one'} notebook is named {name}; there are: {there}")
    yield found[0]
