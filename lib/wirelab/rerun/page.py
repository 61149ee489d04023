"""The one page of a run: counts first, then what has findings, each linked to its frame and its notebook."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from wirelab.codes import CODES
from wirelab.model import Severity
from wirelab.rerun.html import link, page, table, tile
from wirelab.rerun.jobs import INDEX
from wirelab.rerun.outcome import Outcome
from wirelab.rerun.reading import notebook_page
from wirelab.rerun.survey import Found, Group, Survey
from wirelab.show.advice import explain
from wirelab.show.text import escaped, shortened
from wirelab.show.verdict import counted

THEMES = {"native": "10", "chat": "11", "responses": "12", "messages": "13", "gemini": "14"}
"""The number of the notebook that is about a protocol; 00 reads any capture."""


def write_page(folder: Path, outcomes: Sequence[Outcome], survey: Survey | None) -> Path:
    """Write `index.html` and a page beside each executed notebook; the path of the first."""
    worth_a_page = {found.capture for found in survey.found} if survey is not None else set()
    for outcome in outcomes:
        if outcome.capture is None or not outcome.ok or outcome.capture in worth_a_page:
            write_notebook_page(folder, outcome)
    parts = [head(folder, outcomes, survey), failures(outcomes), table_of_notebooks(outcomes)]
    if survey is not None:
        parts += [table_of_groups(survey), findings(survey, outcomes), rest(survey)]
    index = folder / INDEX
    index.write_text(page(f"Wirelab run {folder.name}", "\n".join(parts)), encoding="utf-8")
    return index


def write_notebook_page(folder: Path, outcome: Outcome) -> None:
    """The executed notebook as a page, where there is one."""
    source = folder / f"{outcome.output}.ipynb"
    if source.is_file():
        back = "../" * outcome.output.count("/") + INDEX
        content = notebook_page(outcome.title or outcome.notebook, msgspec.json.decode(source.read_bytes()), back)
        source.with_suffix(".html").write_text(content, encoding="utf-8")


def head(folder: Path, outcomes: Sequence[Outcome], survey: Survey | None) -> str:
    """Title and counts."""
    failed = sum(not outcome.ok for outcome in outcomes)
    tiles = [tile(len(outcomes), "notebook runs"), tile(failed, "of them failed", "bad" if failed else "good")]
    if survey is not None:
        tiles += [
            tile(survey.readings, "captures read"),
            tile(survey.with_findings, "with findings", "warn" if survey.with_findings else ""),
            tile(survey.violations, "not to be executed", "bad" if survey.violations else ""),
            tile(sum(survey.unread.values()), "of other kinds, not read"),
        ]
    return (
        f"<h1>What these endpoints really sent</h1>\n"
        f'<p class="lead">Run {escaped(folder.name)}. Counts first, then only what has findings.</p>\n'
        f'<div class="tiles">{"".join(tiles)}</div>'
    )


def failures(outcomes: Sequence[Outcome]) -> str:
    """The runs that went wrong, if any."""
    rows = [[name_of(outcome), escaped(outcome.error or "")] for outcome in outcomes if not outcome.ok]
    return f"<h2>Failed</h2>\n{table(['notebook', 'what happened'], rows)}" if rows else ""


def table_of_notebooks(outcomes: Sequence[Outcome]) -> str:
    """Every notebook, with its page; one that was multiplied has a row of counts."""
    rows = [notebook_row(list(runs)) for _, runs in groupby(outcomes, key=lambda outcome: outcome.notebook)]
    columns = ["notebook", "about", "result", "seconds", "executed"]
    return f"<h2>Notebooks</h2>\n{table(columns, rows, numbers=['seconds'])}" if rows else ""


def notebook_row(runs: Sequence[Outcome]) -> list[str]:
    """One notebook, run once or often."""
    first, failed = runs[0], sum(not outcome.ok for outcome in runs)
    result = '<span class="good">as expected</span>' if not failed else f'<span class="bad">{failed} failed</span>'
    seconds = f"{sum(outcome.seconds for outcome in runs):.1f}"
    if len(runs) > 1:
        return [escaped(title_of(first)), f"{len(runs):,} captures", result, seconds, "linked from what was found"]
    about = escaped(first.capture or "its own defaults")
    return [name_of(first), about, result, seconds, link(f"{first.output}.ipynb", "file")]


def title_of(outcome: Outcome) -> str:
    """A notebook's title begins with its number."""
    return outcome.title or outcome.notebook


def name_of(outcome: Outcome) -> str:
    """A link to the notebook's page, by its title, which begins with its number."""
    return link(f"{outcome.output}.html", outcome.title or outcome.notebook)


def table_of_groups(survey: Survey) -> str:
    """What was read, by server and protocol."""
    columns = [
        "target",
        "protocol",
        "evidence",
        "read",
        "calls",
        "executable",
        "with findings",
        "not to be executed",
        "found",
    ]
    rows = [group_row(group) for group in survey.groups]
    return f"<h2>All captures, by target and protocol</h2>\n{table(columns, rows, numbers=columns[3:8])}"


def group_row(group: Group) -> list[str]:
    """One row of it."""
    codes = ", ".join(
        f"<span class='code'>{link('#' + code, code)} {count}</span>" for code, count in group.codes.items()
    )
    numbers = (group.readings, group.calls, group.executable, group.with_findings, group.violations)
    return [
        escaped(group.server),
        escaped(group.protocol),
        escaped(group.evidence),
        *(f"{n:,}" for n in numbers),
        codes,
    ]


def findings(survey: Survey, outcomes: Sequence[Outcome]) -> str:
    """Every finding, by code, violations first, the frequent ones first."""
    counts = Counter(found.code for found in survey.found)
    order = sorted(counts, key=lambda code: (explain(code).severity != Severity.VIOLATION.value, -counts[code], code))
    numbered = list(enumerate(survey.found))
    blocks = [code_block(code, [(n, found) for n, found in numbered if found.code == code], outcomes) for code in order]
    return "<h2>What was found</h2>\n" + ("\n".join(blocks) or '<p class="good">Nothing.</p>')


def code_block(code: str, members: Sequence[tuple[int, Found]], outcomes: Sequence[Outcome]) -> str:
    """One code: what it means, what to do, and where it is."""
    row = explain(code)
    mood = "bad" if row.severity == Severity.VIOLATION.value else "warn"
    captures = counted(len({found.capture for _, found in members}), "capture")
    rows = [found_row(number, found, outcomes) for number, found in members]
    return (
        f'<details class="code" id="{escaped(code)}"><summary><span class="pill {mood}">{escaped(row.severity)}</span>'
        f'<b>{escaped(code)}</b> in {captures}: <span class="soft">{escaped(CODES[code].meaning)}</span></summary>\n'
        f"<p>{escaped(row.advice)}</p>\n{table(['capture', 'frame', 'what', 'notebook'], rows)}</details>"
    )


def found_row(number: int, found: Found, outcomes: Sequence[Outcome]) -> list[str]:
    """One finding: its capture with kind and age, its frame, its words, its notebook."""
    age = f'<br><span class="soft">{escaped(found.evidence)} {escaped(found.recorded_at)}</span>'
    frame = escaped(found.place) or "the whole body"
    if found.excerpt:
        frame = f'<details id="frame-{number}"><summary>{frame}</summary><pre>{escaped(found.excerpt)}</pre></details>'
    what = escaped(shortened(found.detail, 300)) + (f"<br>call {escaped(found.call)}" if found.call else "")
    return [f"<code>{escaped(found.capture)}</code>{age}", frame, what, notebook_of(found, outcomes)]


def notebook_of(found: Found, outcomes: Sequence[Outcome]) -> str:
    """The notebook that was run on the capture, else the one about its protocol, else how to run one."""
    own = [outcome for outcome in outcomes if outcome.capture == found.capture]
    themed = [
        outcome
        for number in (THEMES.get(found.protocol), "00")
        for outcome in outcomes
        if outcome.notebook[:2] == number
    ]
    for outcome in [*own, *themed]:
        return link(f"{outcome.output}.html", outcome.notebook[:2])
    return f"<code>wirelab run 00 -p capture {escaped(found.capture)}</code>"


def rest(survey: Survey) -> str:
    """What was not read, and why; and how to look closer."""
    lines = list(unread_lines(survey))
    how = "To look closer at one: <code>wirelab run 00 -p capture NAME</code> or <code>wirelab frames FILE</code>."
    return f"<footer>{'<br>'.join([*lines, how])}</footer>"


def unread_lines(survey: Survey) -> Iterator[str]:
    """One line for the kinds without a reader, one for each broken capture."""
    if survey.unread:
        kinds = ", ".join(f"{escaped(name)} {count}" for name, count in sorted(survey.unread.items()))
        yield f"Captures of kinds that are no model's answer: {kinds}."
    yield from (f'<span class="bad">Not readable: {escaped(message)}</span>' for message in survey.broken)
