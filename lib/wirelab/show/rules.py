"""The reconciler's rules as a table and as a diagram, drawn from the rows that the code itself runs on."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from wirelab.calls.rules import RULES, Rule
from wirelab.codes import CODES
from wirelab.model import Severity
from wirelab.show.diagrams import Picture, picture
from wirelab.show.tables import Table, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = tuple(dict.fromkeys(rule.step for rule in RULES))
"""The steps that a fragment goes through, in order."""

_QUIET, _ANOMALY, _VIOLATION = "#e8f1fa", "#fbe9c6", "#f6cfc4"
_WRAP = 66
_LINE = 0.16
"""Inches of a line of text."""


def rules_of(step: str | None = None) -> list[Rule]:
    """The rules of one step, or all."""
    if step is not None and step not in STEPS:
        raise ValueError(f"no step {step!r}; there are {', '.join(STEPS)}")
    return [rule for rule in RULES if step in {None, rule.step}]


def rules_table(step: str | None = None, *, title: str = "") -> Table:
    """The rules of one step, or all: when, then, and which findings each can give."""
    rows = [
        {
            "step": rule.step,
            "rule": rule.id,
            "when": rule.when,
            "then": rule.then,
            "findings": ", ".join(rule.codes),
            "specified in": rule.source,
        }
        for rule in rules_of(step)
    ]
    return table(rows, title=title, width_limit=200)


def rules_picture(step: str = "identity") -> Picture:
    """The rules of one step as a ladder, tried from the top: the case on the left, what follows on the right."""
    rules = rules_of(step)
    return picture(rules_figure(rules, step), rules_table(step, title=f"Rules of {step}").text(), dpi=100)


def rules_figure(rules: Sequence[Rule], title: str = "") -> Figure:
    """The ladder. Blue: nothing is noted; yellow: an anomaly; red: a violation, and nothing may be executed."""
    heights = [_LINE * max(len(_wrapped(rule.when)), len(_then_lines(rule))) + 0.22 for rule in rules]
    figure = Figure(figsize=(9.5, sum(heights) + 0.5), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(0, 9.5)
    axes.set_ylim(-sum(heights), 0.1)
    axes.set_title(f"{title}: tried from the top", fontsize=10, loc="left")
    top = 0.0
    for rule, height in zip(rules, heights, strict=True):
        _draw_rule(axes, rule, top, height)
        top -= height
    return figure


def _draw_rule(axes: "Axes", rule: Rule, top: float, height: float) -> None:
    middle = top - height / 2
    for left, width, color in ((0.0, 4.5, "#ffffff"), (5.0, 4.5, _tone(rule))):
        shape = "round,pad=0,rounding_size=0.06"
        axes.add_patch(
            FancyBboxPatch((left, top - height + 0.08), width, height - 0.1, shape, fc=color, ec="black", lw=0.5)
        )
    axes.annotate("", (5.0, middle), (4.5, middle), arrowprops={"arrowstyle": "->", "lw": 0.8})
    axes.text(0.1, middle, "\n".join(_wrapped(rule.when)), fontsize=7.5, va="center")
    axes.text(5.1, middle, "\n".join(_then_lines(rule)), fontsize=7.5, va="center")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WRAP)


def _then_lines(rule: Rule) -> list[str]:
    return [*_wrapped(rule.then), *_wrapped(f"[{', '.join(rule.codes)}]" if rule.codes else "")]


def _tone(rule: Rule) -> str:
    if not rule.codes:
        return _QUIET
    return _VIOLATION if any(CODES[code].severity is Severity.VIOLATION for code in rule.codes) else _ANOMALY
