"""Execute the committed notebooks in place and say what changed (`python -m wirelab.rerun.regenerate [NAME…]`).

A committed output can freeze a wrong answer as well as a right one, so every change of what a cell shows is printed
for a person to judge. A notebook that fails is left as it was.
"""

import difflib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import nbformat

from wirelab.capture.store import ROOT_VARIABLE, Store
from wirelab.errors import MisuseError, UnreadableInputError
from wirelab.rerun import notebooks, plan
from wirelab.rerun.clean import normalise, shown
from wirelab.rerun.execute import execute, judge
from wirelab.rerun.run import kernels
from wirelab.show.text import visible

CONTEXT = 0
LINES = 20
"""Lines of a cell's change that are printed."""


def main(names: Sequence[str]) -> int:
    """Regenerate the notebooks of these names, or all offline ones; 1 when one failed, 2 for a name that fits none."""
    try:
        folder = notebooks.find_folder()
        chosen = notebooks.choose(names, folder) if names else notebooks.offline(folder)
        store = Store(os.environ.get(ROOT_VARIABLE) or folder.parent / "captures")
    except (MisuseError, UnreadableInputError) as problem:
        sys.stderr.write(f"wirelab: {visible(str(problem))}\n")
        return 2
    with kernels(store):
        went_well = [regenerate(notebook) for notebook in chosen]
    return int(not all(went_well))


def regenerate(notebook: notebooks.Notebook) -> bool:
    """Execute one notebook and, if it went well, store it and print what it shows now that it did not show before."""
    made = execute(plan.plan([notebook])[0])
    if error := judge(made):
        say(f"{notebook.name}: FAILED, left as it was: {error}")
        return False
    normalise(made)
    changes = list(differences(notebook.content, made))
    say(f"{notebook.name}: {'unchanged' if not changes else 'CHANGED'}")
    for line in changes:
        say(f"    {line}")
    draft = notebook.path.with_suffix(".new")
    draft.write_text(nbformat.writes(made) + "\n", encoding="utf-8")  # type: ignore[no-untyped-call]
    os.replace(draft, notebook.path)  # noqa: PTH105 - at once: who reads it sees the old one or the new one
    return True


def differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What the cells show now, against what they showed, cell by cell."""
    old = [shown(cell) for cell in before["cells"]]
    new = [shown(cell) for cell in after["cells"]]
    if len(old) != len(new):
        yield f"{len(old)} cells before, {len(new)} now"
    for number, (was, now) in enumerate(zip(old, new, strict=False), 1):
        if was != now:
            changed = difflib.unified_diff(was.splitlines(), now.splitlines(), n=CONTEXT, lineterm="")
            yield f"cell {number}:"
            yield from list(changed)[2 : 2 + LINES]


def say(text: str) -> None:
    """One line; what a notebook shows may come from a capture."""
    sys.stdout.write(visible(text) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
