"""An executed notebook as a page to read: prose, code and outputs, with nothing in it that runs."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt

from wirelab.rerun.clean import joined
from wirelab.rerun.html import cleaned, link, page
from wirelab.rerun.parameters import source_of, tags_of
from wirelab.show.text import escaped, visible

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""IPython colours its tracebacks."""

FOLDERS = re.compile(r"(?:~|/[^\s/:]+)(?:/[^\s/:]+)*/((?:site-packages|lib/wirelab|lib/python[\d.]+|notebooks)/)")
"""Where this machine keeps a file of a traceback: nobody's business on a page that one may pass on."""

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def notebook_page(name: str, notebook: dict[str, Any], back: str) -> str:
    """The notebook as a page. `back` is the way to the run's own page."""
    cells = "\n".join(cell_html(cell) for cell in notebook["cells"])
    return page(name, f'<p class="soft">{link(back, "What this run found")}</p>\n{cells}')


def cell_html(cell: dict[str, Any]) -> str:
    """One cell."""
    if cell["cell_type"] == "markdown":
        return str(MARKDOWN.render(visible(source_of(cell), keep_lines=True)))
    outputs = "".join(f'<div class="output">{part}</div>' for output in cell["outputs"] for part in output_html(output))
    kind = "cell raised" if "raises-exception" in tags_of(cell) else "cell"
    return f'<div class="{kind}"><pre>{escaped(source_of(cell), keep_lines=True)}</pre>{outputs}</div>'


def output_html(output: dict[str, Any]) -> Iterator[str]:
    """One output: the richest form that is safe."""
    if output["output_type"] == "stream":
        yield preformatted(joined(output["text"]))
    elif output["output_type"] == "error":
        yield preformatted(FOLDERS.sub(r"\1", "\n".join(output["traceback"])))
    elif "image/png" in output["data"]:
        yield image(joined(output["data"]["image/png"]))
    elif "text/html" in output["data"]:
        yield f'<div class="scroll">{cleaned(joined(output["data"]["text/html"]))}</div>'
    elif "text/plain" in output["data"]:
        yield preformatted(joined(output["data"]["text/plain"]))


def preformatted(text: str) -> str:
    """Text as it stands."""
    return f"<pre>{escaped(COLOURS.sub('', text), keep_lines=True)}</pre>"


def image(encoded: str) -> str:
    """A picture inside the page; what is no base64 is left out."""
    try:
        data = base64.b64decode(encoded.replace("\n", ""), validate=True)
    except binascii.Error:
        return ""
    source = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return f'<img alt="figure; its numbers stand in the table beside it" src="{source}">'
