"""The identity matrix as a figure: a row an answer, a column a policy, colour and word for what became of the calls."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from wirelab.show.diagrams import COLORS, Picture, picture, safe_label
from wirelab.show.matrix import Compared, summary

_BLUE, _ORANGE, _GREEN, _YELLOW, _PINK = COLORS[:5]
SHADES: dict[str, str] = {
    "ok": _GREEN,
    "newid": _GREEN,
    "refused": _BLUE,
    "raised": _BLUE,
    "flagged": _BLUE,
    "noid": _YELLOW,
    "reid": _YELLOW,
}
"""Right is green, an error or a mark blue, an id that is lost yellow; every other word, a wrong reading, is orange."""
BLIND = _PINK
"""A wrong reading that nothing contradicted."""
_MOST_ROWS = 60


def matrix_picture(compared: Sequence[Compared]) -> Picture:
    """The matrix as a figure, with its sum as text; `matrix_table` has the same content in full."""
    return picture(matrix_figure(compared), summary(compared))


def matrix_figure(compared: Sequence[Compared]) -> Figure:
    """Of more than 60 answers the first are drawn."""
    shown = compared[:_MOST_ROWS]
    policies = [row.policy for row in shown[0].rows] if shown else []
    figure = Figure(figsize=(3.2 + 0.72 * len(policies), 1.5 + 0.22 * len(shown)), layout="constrained")
    axes = figure.subplots()
    for at, one in enumerate(shown):
        for column, row in enumerate(one.rows):
            blind = row.misleads and not row.could_have_known
            shade = BLIND if blind else SHADES.get(row.word, _ORANGE)
            axes.add_patch(Rectangle((column, at), 1, 1, fc=shade, ec="white", lw=1))
            axes.text(column + 0.5, at + 0.5, safe_label(row.word, 16), ha="center", va="center", fontsize=6)
    axes.set_xlim(0, max(1, len(policies)))
    axes.set_ylim(max(1, len(shown)), 0)
    axes.set_xticks([column + 0.5 for column in range(len(policies))], policies, rotation=40, ha="left", fontsize=8)
    axes.set_yticks(
        [at + 0.5 for at in range(len(shown))], [safe_label(one.capture, 60) for one in shown], fontsize=6.5
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure
