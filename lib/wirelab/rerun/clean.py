"""Executed notebooks without a trace of who ran them, where, when and with what."""

from collections.abc import Iterator
from typing import Any

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
Notebook = dict[str, Any]


def scrub(notebook: Notebook) -> None:
    """Drop all metadata but the cells' tags: papermill's holds paths and values, nbclient's holds times."""
    notebook["metadata"] = {"kernelspec": dict(KERNELSPEC), "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook["cells"], 1):
        tags = [tag for tag in cell["metadata"].get("tags", []) if not tag.startswith("papermill")]
        cell["metadata"] = {"tags": tags} if tags else {}
        cell["id"] = f"cell-{number}"
    notebook["nbformat"], notebook["nbformat_minor"] = 4, 5


def normalise(notebook: Notebook) -> None:
    """Make an executed notebook one to commit: scrubbed, and tracebacks without the paths of this machine."""
    scrub(notebook)
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if output["output_type"] == "error":
                output["traceback"] = [f"{output['ename']}: {output['evalue']}"]


def shown(cell: dict[str, Any]) -> str:
    """What a cell shows, as text: what its verdict is told by."""
    return "\n".join(text for output in cell.get("outputs", []) for text in output_texts(output))


def output_texts(output: dict[str, Any]) -> Iterator[str]:
    """The text of one output."""
    if output["output_type"] == "error":
        yield f"{output['ename']}: {output['evalue']}"
    elif output["output_type"] == "stream":
        yield joined(output["text"])
    elif "text/plain" in output["data"]:
        yield joined(output["data"]["text/plain"])


def joined(text: str | list[str]) -> str:
    """A text that nbformat may have stored as lines."""
    return text if isinstance(text, str) else "".join(text)
