"""The names of captures: `<target>/<protocol>/<scenario>.<variant>`, and nothing that a file system could trip over."""

import re
from pathlib import Path

from wirelab.capture.inputs import one_line
from wirelab.errors import UnreadableInputError

SUFFIX = ".jsonl"

_SEGMENT = (
    r"(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|\Z))"
    r"(?=[a-z0-9][^/]{0,119}(?:/|\Z))"
    r"[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*"
)
"""No empty, hidden, parent or Windows-reserved name, no separator, no control character, no trailing dot."""
_NAME = re.compile(rf"{_SEGMENT}/{_SEGMENT}/(?=[^/]*\.){_SEGMENT}")


def check_name(name: str) -> str:
    """The name, if it is one: three lower-case segments, the last with a dot. Raises UnreadableInputError."""
    if _NAME.fullmatch(name) is None:
        raise UnreadableInputError(
            f"{one_line(name)!r} is no name of a capture: <target>/<protocol>/<scenario>.<variant>, lower case"
        )
    return name


def path_of(root: Path, name: str) -> Path:
    """The file of a capture under a folder."""
    return root.joinpath(*check_name(name).split("/")[:2], name.rpartition("/")[2] + SUFFIX)


def name_of(path: Path, root: Path) -> str:
    """The name that a file's place under a folder gives it. Raises UnreadableInputError where that is no name."""
    return check_name(path.relative_to(root).as_posix().removesuffix(SUFFIX))
