"""Tables that are the same on every run: plain text and HTML of one content, every cell escaped, no random ids."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wirelab.show.text import cell_width, escaped, shortened, visible

if TYPE_CHECKING:
    import pandas as pd

_SHORT_CELL = 28
_SHORT_STYLE = "text-align:left;vertical-align:top;white-space:pre"
_LONG_STYLE = "text-align:left;vertical-align:top;white-space:pre-wrap;overflow-wrap:anywhere"
"""Short cells keep their line, so that long ones beside them do not squeeze a number into two."""


def _cell(value: Any) -> str:
    """One value as a person reads it: nothing for None and NaN, yes or no, floats to four digits, else JSON."""
    if value is None or value is msgspec.UNSET or value != value:  # noqa: PLR0124 - only NaN differs from itself
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1 else f"{value:,.4f}".rstrip("0").rstrip(".")
    if isinstance(value, str | int):
        return str(value)
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False)


class Table(msgspec.Struct, frozen=True):
    """Rows of text under column names. `rows` hold raw text: it is made safe when it is drawn, never before."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    width_limit: int = 100

    def _safe(self, text: str) -> str:
        return visible(shortened(text, self.width_limit))

    def safe_rows(self) -> list[list[str]]:
        """The cells, shortened and with everything written out that steers a terminal."""
        return [[self._safe(cell) for cell in row] for row in self.rows]

    def text(self) -> str:
        """The table as plain text: columns aligned by their width in a terminal, no trailing blanks."""
        lines = [[self._safe(name) for name in self.columns], *self.safe_rows()]
        widths = [max(cell_width(cell) for cell in column) for column in zip(*lines, strict=True)]
        drawn = [_padded(line, widths) for line in lines]
        drawn.insert(1, "  ".join("-" * width for width in widths))
        if not self.rows:
            drawn.append("(no rows)")
        return "\n".join([visible(self.title), *drawn] if self.title else drawn)

    def html(self) -> str:
        """The same content as HTML without ids, scripts or style sheets."""
        caption = f"<caption>{escaped(self.title)}</caption>" if self.title else ""
        head = "".join(_html_cell("th", name) for name in self.columns)
        body = "".join(f"<tr>{self._html_row(row)}</tr>\n" for row in self.rows)
        return f"<table>{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>"

    def _html_row(self, row: Sequence[str]) -> str:
        return "".join(_html_cell("td", shortened(cell, self.width_limit)) for cell in row)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What Jupyter asks for; which of the two it draws is its own choice."""
        del include, exclude
        return {"text/plain": self.text(), "text/html": self.html()}

    def __str__(self) -> str:
        return self.text()


def _html_cell(tag: str, text: str) -> str:
    style = _SHORT_STYLE if len(text) <= _SHORT_CELL else _LONG_STYLE
    return f'<{tag} style="{style}">{escaped(text)}</{tag}>'


def _padded(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        cell + " " * (width - cell_width(cell)) for cell, width in zip(cells, widths, strict=True)
    ).rstrip()


def table(
    rows: Iterable[Mapping[str, Any] | Sequence[Any]],
    columns: Sequence[str] | None = None,
    *,
    title: str = "",
    width_limit: int = 100,
) -> Table:
    """A table from mappings (columns: as given, else the first row's keys) or from sequences (columns needed)."""
    taken = list(rows)
    names = list(columns) if columns is not None else _names(taken)
    cells = tuple(tuple(_cell(value) for value in _values(row, names)) for row in taken)
    return Table(columns=tuple(names), rows=cells, title=title, width_limit=width_limit)


def frame_table(frame: "pd.DataFrame", *, title: str = "", width_limit: int = 100) -> Table:
    """The same from a pandas frame; its index is left out (call `reset_index` to see it)."""
    names = [str(name) for name in frame.columns]
    return table(list(frame.itertuples(index=False)), names, title=title, width_limit=width_limit)


def _names(rows: Sequence[Mapping[str, Any] | Sequence[Any]]) -> list[str]:
    first = rows[0] if rows else {}
    if not isinstance(first, Mapping):
        raise TypeError("rows that are sequences need column names: table(rows, columns=[...])")
    return list(first)


def _values(row: Mapping[str, Any] | Sequence[Any], names: Sequence[str]) -> list[Any]:
    if isinstance(row, Mapping):
        return [row.get(name) for name in names]
    if len(row) != len(names):
        raise ValueError(f"a row has {len(row)} cells, the table {len(names)} columns")
    return list(row)
