"""What published clients send for broken histories, read back from phrases and judged."""

from typing import Any

import pytest

from wirelab.capture import Store
from wirelab.history.turns import told
from wirelab.show.broken import (
    DROPS,
    FLAT,
    MENDED,
    REFUSES,
    SWAPS,
    WHOLE,
    Sent,
    clients_table,
    codes_table,
    costs,
    costs_table,
    ours,
    peer_histories,
    repaired_table,
    verdict,
    verdicts_table,
    wire_table,
    wire_transcript,
)
from wirelab.show.histories import battery

Histories = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def histories() -> Histories:
    return battery(Store())


@pytest.fixture(scope="module")
def found(histories: Histories) -> list[Sent]:
    return peer_histories(Store(), histories)


def test_phrases_are_read_as_they_are_told(found: list[Sent]) -> None:
    for each in found:
        if each.verdict != REFUSES and each.protocol != "messages":
            wire = [phrase.removesuffix("=") for phrase in each.wire]
            again = [phrase.removesuffix("=") for phrase in told(wire_transcript(each.wire, "chat"))]
            assert again == wire


def test_blocks_are_read_in_order() -> None:
    phrases = ["assistant=use 'c1':f; still at it", "user=hurry; result 'c1'=sun; now", "user=result None=rain"]
    entries = told(wire_transcript(phrases, "messages"))
    assert entries == ["assistant['c1':f]=still at it", "user=hurry", "tool('c1')=sun", "user=now", "tool(None)=rain"]


@pytest.mark.parametrize(
    ("case", "wire", "said"),
    [
        ("H4", None, REFUSES),
        ("H1", ["user=q", "assistant", "user=sun\nnoon"], FLAT),
        ("H2", ["user=q"], DROPS),
        ("H6", ["assistant[None:get_weather, None:get_time]", "tool(None)=noon", "tool(None)=sun"], SWAPS),
        ("H6", ["assistant['a':get_weather, 'b':get_time]", "tool('b')=noon", "tool('a')=sun"], "results-reordered"),
        ("H5", ["assistant['a':get_weather]", "tool('a')=sun", "user=hurry"], WHOLE),
        ("H3", ["assistant['a':get_weather]", "tool('a')=sun", "tool('a')=rain"], "duplicate-result"),
    ],
)
def test_verdicts(histories: Histories, case: str, wire: list[str] | None, said: str) -> None:
    assert verdict(wire, "native" if said == SWAPS else "chat", histories[case]["turns"]) == said


def test_what_this_project_sends_is_well_formed(histories: Histories) -> None:
    for name, one in ours(histories).items():
        if one.after is not None:
            assert verdict(told(one.after), "chat", histories[name]["turns"]) == WHOLE


def test_tables(histories: Histories, found: list[Sent]) -> None:
    rows = {row[0]: row for row in verdicts_table(found, histories).rows}
    assert rows["H1"][2:4] == ("36", "34")
    assert rows["H12"][5:] == ("refuses it", "late-result")
    assert clients_table(found).rows[0][:3] == ("pydantic-ai Agent", "chat", "8")
    assert "late-result" in codes_table(found).text()
    assert sum(int(row[0]) for row in wire_table(found, "H12").rows) == 36
    repaired = {row[0]: row[3] for row in repaired_table(histories).rows}
    assert repaired["H7"] == "refused all the same"
    assert repaired["H3"].endswith("tool('c1', name=get_weather)=sun")


def test_costs() -> None:
    some = costs(Store(), "ollama-0.32.15/native/rendered-*between.whole.g*")
    assert {(cost.case, cost.seen) for cost in some} == {
        ("H5", "all arrive"),
        ("H5", "result lost"),
        ("H10", "all arrive"),
        ("H10", "result lost"),
    }
    rows = costs_table(some).rows
    assert [row[0] for row in rows] == ["H5", "H10"]
    assert rows[1][-1] == "1 times result lost"


def test_a_cost_that_nobody_saw() -> None:
    unseen = costs(Store(), "llama-server-11434/chat/history-call_last*")
    assert [cost.status for cost in unseen] == [400]
    assert costs_table(unseen).rows[0][2:] == ("1", "1", "0", "0", "0", "")


def test_a_gateway_that_settles() -> None:
    found = costs(Store(), "litellm-*/*/history-user_between.*gemma4*")
    assert MENDED in {cost.seen for cost in found}
    assert {cost.seen for cost in costs(Store(), "litellm-*/gemini/history-orphan_result.*")} == {"result lost"}
