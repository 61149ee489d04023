"""The identity matrix: policy by capture, what each kind of client makes of it and whether it could have known."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from wirelab.calls import CLIENTS, POLICIES
from wirelab.calls.compare import RIGHT, WORDS, PolicyRow, compare_policies
from wirelab.capture import Capture
from wirelab.capture.reading import asked_of, is_readable
from wirelab.show.tables import Table, table
from wirelab.show.text import shortened
from wirelab.show.verdict import call_words, counted


class Compared(msgspec.Struct, frozen=True):
    """One capture as every policy reads it."""

    capture: str
    server: str
    version: str
    rows: tuple[PolicyRow, ...]

    @property
    def differs(self) -> bool:
        """Whether some policy misleads its user here."""
        return any(row.misleads for row in self.rows)

    def word(self, policy: str) -> str:
        """The word of one policy. Raises StopIteration where it was not compared."""
        return next(row.word for row in self.rows if row.policy == policy)


def compare_capture(capture: Capture, policies: Sequence[str] = tuple(POLICIES)) -> Compared:
    """Read a capture by each policy or client. Raises UnreadableInputError where no reader applies."""
    rows = compare_policies(
        capture.body,
        capture.protocol,
        policies,
        asked=asked_of(capture),
        status=capture.response.status,
        whole=capture.framing == "whole",
    )
    return Compared(capture.name, capture.source.server, capture.source.version, rows)


def compare_captures(captures: Iterable[Capture], policies: Sequence[str] = tuple(POLICIES)) -> list[Compared]:
    """All captures that a reader applies to, in the order given."""
    return [compare_capture(capture, policies) for capture in captures if is_readable(capture)]


def with_calls(compared: Iterable[Compared]) -> list[Compared]:
    """Those in which some policy reads a call."""
    return [one for one in compared if any(row.reading.calls for row in one.rows)]


def policy_words(policy: str) -> tuple[str, str]:
    """What a policy or client keys a call by, and who reads so."""
    row = POLICIES.get(policy) or POLICIES[CLIENTS[policy].policy]
    return row.says, ", ".join(row.read_by) if policy in POLICIES else policy


def clients_of(protocol: str) -> list[str]:
    """The measured clients that read a protocol."""
    return [client.name for client in CLIENTS.values() if client.protocol == protocol]


def by_clients(compared: Sequence[Compared], captures: Iterable[Capture]) -> list[Compared]:
    """The captures that mislead some policy, as the measured clients of their protocol read them."""
    names = {one.capture for one in compared if one.differs}
    return [compare_capture(one, clients_of(one.protocol)) for one in captures if one.name in names]


def clients_table(compared: Sequence[Compared]) -> Table:
    """One row a client: its policy, in how many answers it misleads, and the outcomes."""
    found: dict[str, Counter[str]] = {}
    for row in (row for one in compared for row in one.rows):
        found.setdefault(row.policy, Counter())[row.word] += 1
    rows = [
        [
            name,
            CLIENTS[name].protocol,
            CLIENTS[name].policy,
            sum(number for word, number in count.items() if word not in RIGHT),
            ", ".join(f"{number} {word}" for word, number in count.most_common()),
        ]
        for name, count in found.items()
    ]
    return table(rows, ["client", "protocol", "reads by", "misled", "outcomes"])


def hardest(compared: Sequence[Compared]) -> tuple[PolicyRow, ...]:
    """The rows of the answer that misleads most policies; none where there is no answer."""
    return max(compared, key=lambda one: sum(row.misleads for row in one.rows)).rows if compared else ()


def policies_described(policies: Sequence[str] = tuple(POLICIES)) -> Table:
    """One row a policy: its key and its folds, as data."""
    rows = [[name, *policy_words(name), *_choices(name)] for name in policies]
    columns = ["policy", "the call is", "read so by", "a second id", "a second name", "no id", "no index"]
    return table(rows, columns)


def _choices(name: str) -> list[str]:
    row = POLICIES[name]
    if row.key == "rules":
        return ["a new call, or an alias", "an error", row.missing_id, "position"]
    return [row.ids, row.names, row.missing_id, row.missing_index]


def comparison_table(rows: Iterable[PolicyRow], *, title: str = "") -> Table:
    """One row a policy for one answer: the word, what it would run, what it should have noticed."""
    shown = [
        [
            row.policy,
            policy_words(row.policy)[1],
            row.word,
            call_words(row.reading),
            row.runs,
            ", ".join(row.could_have_known),
        ]
        for row in rows
    ]
    columns = ["policy", "read so by", "outcome", "calls", "would run", "could have known by"]
    return table(shown, columns, title=title, width_limit=110)


def matrix_table(compared: Sequence[Compared], *, title: str = "") -> Table:
    """One row a capture, one column a policy: the word, with `!` where it misleads and nothing told it so."""
    policies = [row.policy for row in compared[0].rows] if compared else list(POLICIES)
    rows = [[one.capture, *(matrix_cell(row) for row in one.rows)] for one in compared]
    return table(rows, ["capture", *policies], title=title)


def matrix_cell(row: PolicyRow) -> str:
    """The word, and for a wrong reading whether it could have been known."""
    if not row.misleads:
        return row.word
    return f"{row.word}, known" if row.could_have_known else f"{row.word} !"


def words_count(compared: Sequence[Compared]) -> Table:
    """One row a policy: how many answers it reads how, and in how many it misleads without a contradiction to see."""
    found: dict[str, Counter[str]] = {}
    blind: Counter[str] = Counter()
    for row in (row for one in compared for row in one.rows):
        found.setdefault(row.policy, Counter())[row.word] += 1
        blind[row.policy] += row.misleads and not row.could_have_known
    words = [word for word in WORDS if any(count[word] for count in found.values())]
    rows = [[policy, *(count[word] or None for word in words), blind[policy]] for policy, count in found.items()]
    return table(rows, ["policy", *words, "blind"])


def words_table(compared: Iterable[Compared]) -> Table:
    """What the words mean that occur."""
    used = {row.word for one in compared for row in one.rows}
    return table([[word, meaning] for word, meaning in WORDS.items() if word in used], ["outcome", "meaning"])


def misled(compared: Iterable[Compared], policy: str | None = None) -> list[tuple[str, PolicyRow]]:
    """Every capture and reading that misleads, in order; those of one policy where it is named."""
    rows = [(one.capture, row) for one in compared for row in one.rows if row.misleads]
    return [(capture, row) for capture, row in rows if policy in (None, row.policy)]


def misleading(compared: Iterable[Compared]) -> set[str]:
    """The policies that mislead anywhere."""
    return {row.policy for one in compared for row in one.rows if row.misleads}


def blind(compared: Iterable[Compared]) -> list[tuple[str, PolicyRow]]:
    """Every reading that misleads although nothing on the wire contradicted it."""
    return [(capture, row) for capture, row in misled(compared) if not row.could_have_known]


def evidence_table(found: Iterable[tuple[str, PolicyRow]]) -> Table:
    """One row a misleading reading: what it holds, and the first contradiction on the wire."""
    rows = [
        [
            capture,
            row.policy,
            row.word,
            call_words(row.reading),
            shortened(_first_contradiction(row), 100),
        ]
        for capture, row in found
    ]
    return table(rows, ["capture", "policy", "outcome", "calls", "first contradiction"], width_limit=100)


def _first_contradiction(row: PolicyRow) -> str:
    return next((finding.detail for finding in row.reading.findings if finding.code in row.could_have_known), "")


def summary(compared: Sequence[Compared]) -> str:
    """`index-concat: misleading in 3 of 12 answers; each could have known.`"""
    wrong, unseen = misled(compared), blind(compared)
    if not wrong:
        return f"No policy misleads in {counted(len(compared), 'answer')}."
    where = len({capture for capture, _ in wrong})
    who = ", ".join(dict.fromkeys(row.policy for _, row in wrong))
    seen = "each could have known" if not unseen else f"{counted(len(unseen), 'reading')} could not have known"
    return f"{who}: misleading in {where} of {counted(len(compared), 'answer')}; {seen}."
