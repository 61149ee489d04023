"""Pieces of pages that stand alone: no scripts, nothing loaded from anywhere, everything from outside escaped."""

from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from importlib.resources import files

from wirelab.show.text import escaped

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

ALLOWED = {
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
    "span",
    "pre",
    "code",
    "b",
    "strong",
    "em",
    "p",
    "br",
}
"""What is left of the HTML that a notebook shows; everything else becomes its text, and no attribute survives."""

VOID = {"br"}
DROPPED_WITH_CONTENT = {"script", "style", "template", "iframe", "object", "svg", "math"}


def page(title: str, body: str) -> str:
    """A whole page. `body` is HTML, `title` is text."""
    css = files("wirelab.rerun").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>\n{css}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )


def link(target: str, text: str) -> str:
    """A link to a file of the same run or to a place on the page. Both are texts."""
    return f'<a href="{escaped(target)}">{escaped(text)}</a>'


def tile(number: int, label: str, mood: str = "") -> str:
    """A number that counts, with what it counts."""
    return f'<div class="tile"><b class="{mood}">{number:,}</b><span>{escaped(label)}</span></div>'


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()) -> str:
    """A table of ready cells (HTML); the columns of `numbers` are set to the right."""
    sides = [' class="number"' if name in numbers else "" for name in columns]
    head = "".join(f"<th{side}>{escaped(name)}</th>" for name, side in zip(columns, sides, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{side}>{cell}</td>" for cell, side in zip(row, sides, strict=True)) + "</tr>\n"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


class Cleaner(HTMLParser):
    """Rebuilds HTML from allowed elements without attributes; whatever else it held is text or gone."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._open: list[str] = []
        self._dropping: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the element, drop its attributes."""
        del attrs
        if self._dropping is None and tag in DROPPED_WITH_CONTENT:
            self._dropping = tag
        elif self._dropping is None and tag in ALLOWED:
            self.parts.append(f"<{tag}>")
            if tag not in VOID:
                self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what is open, in order."""
        if self._dropping is not None:
            self._dropping = None if tag == self._dropping else self._dropping
        elif tag in self._open:
            while self._open:
                closing = self._open.pop()
                self.parts.append(f"</{closing}>")
                if closing == tag:
                    break

    def handle_data(self, data: str) -> None:
        """Text stays text."""
        if self._dropping is None:
            self.parts.append(escaped(data, keep_lines=True))

    def result(self) -> str:
        """What is left, with everything closed."""
        self.close()
        return "".join([*self.parts, *(f"</{tag}>" for tag in reversed(self._open))])


def cleaned(source: str) -> str:
    """HTML of unknown origin as HTML that can do nothing."""
    cleaner = Cleaner()
    cleaner.feed(source)
    return cleaner.result()
