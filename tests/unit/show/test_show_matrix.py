"""The identity matrix, on three small answers: one that all read alike, one that divides them, one that is cut."""

import json
from typing import Any

from msgspec.structs import replace

from wirelab.calls import CLIENTS, POLICIES
from wirelab.capture import Capture, End, Head, Read, Source
from wirelab.show.heatmap import SHADES, matrix_picture
from wirelab.show.matrix import (
    blind,
    by_clients,
    clients_of,
    clients_table,
    compare_capture,
    compare_captures,
    comparison_table,
    evidence_table,
    hardest,
    matrix_table,
    misleading,
    misled,
    policies_described,
    policy_words,
    summary,
    with_calls,
    words_count,
    words_table,
)


def made(name: str, calls: list[dict[str, Any]], *, protocol: str = "native", done: bool = True) -> Capture:
    lines: list[dict[str, Any]] = [{"message": {"tool_calls": calls}}]
    lines += [{"done": True, "done_reason": "stop", "eval_count": 3}] if done else []
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    head = Head(
        name=f"tiny/{protocol}/{name}",
        scenario=name,
        protocol=protocol,
        framing="ndjson",
        recorded_at="2026-11-30T00:00:00Z",
        source=Source(kind="synthetic", server="tiny", version="1"),
    )
    return Capture(head, (Read(0.0, body),), End("complete"))


def call(index: int, identifier: str, name: str) -> dict[str, Any]:
    return {"id": identifier, "function": {"index": index, "name": name, "arguments": {"city": "Oslo"}}}


ALIKE = made("alike", [call(0, "a", "weather")])
DIVIDED = made("divided", [call(0, "a", "weather"), call(0, "b", "time")])
CUT = made("cut", [call(0, "a", "weather")], done=False)
NO_CALLS = made("silent", [])
DISCOVERY = made("models", [], protocol="discovery")
ALL = [ALIKE, DIVIDED, CUT, NO_CALLS, DISCOVERY]


def test_only_answers_that_are_read_and_hold_calls_are_compared() -> None:
    compared = with_calls(compare_captures(ALL))
    assert [one.capture for one in compared] == [ALIKE.name, DIVIDED.name, CUT.name]
    assert [one.differs for one in compared] == [False, True, True]
    assert compared[1].word("index-last-wins") == "merged"
    assert compared[2].word("id-first") == "refused"


def test_the_tables_of_one_answer() -> None:
    compared = compare_capture(DIVIDED)
    shown = comparison_table(compared.rows, title="divided")
    assert [row[0] for row in shown.rows] == list(POLICIES)
    by_name = {row[0]: row for row in shown.rows}
    assert by_name["index-concat"][2:5] == (
        "merged",
        '1 call: weathertime {"city": "Oslo"}{"city": "Oslo"}',
        "1",
    )
    assert by_name["index-concat"][5].startswith("id-changed, name-changed")
    assert by_name["index-first-strict"][2:5:2] == ("raised", "0")
    assert {row[0] for row in words_table([compared]).rows} == {"ok", "merged", "dropped", "raised"}


def test_the_matrix_counts_and_sums_up() -> None:
    compared = with_calls(compare_captures(ALL))
    rows = {row[0]: dict(zip(matrix_table(compared).columns, row, strict=True)) for row in matrix_table(compared).rows}
    assert rows[DIVIDED.name]["index-last-wins"] == "merged, known"
    assert rows[CUT.name]["append-each"] == "silent-kept, known"
    counts = {row[0]: dict(zip(words_count(compared).columns, row, strict=True)) for row in words_count(compared).rows}
    assert counts["id-first"] == {
        **dict.fromkeys(words_count(compared).columns, ""),
        "policy": "id-first",
        "ok": "2",
        "refused": "1",
        "blind": "0",
    }
    assert blind(compared) == []
    assert {row.policy for _, row in misled(compared, "index-concat")} == {"index-concat"}
    assert "id-first" not in misleading(compared)
    assert summary(compared).endswith("misleading in 2 of 3 answers; each could have known.")
    assert evidence_table(misled(compared, "index-last-wins")).rows[0][-1].startswith("the call 'a' goes on under")
    assert hardest(compared) == compared[2].rows


def test_what_nothing_contradicts_is_said_to_be_blind() -> None:
    one = compare_capture(DIVIDED, ["index-last-wins"])
    unseen = replace(one, rows=(replace(one.rows[0], could_have_known=()),))
    assert matrix_table([unseen]).rows == ((DIVIDED.name, "merged !"),)
    assert words_count([unseen]).rows == (("index-last-wins", "1", "1"),)
    assert summary([unseen]).endswith("1 reading could not have known.")
    assert evidence_table(blind([unseen])).rows[0][-1] == ""
    assert matrix_picture([unseen]).png.startswith(b"\x89PNG")


def test_nothing_to_compare_is_an_empty_table() -> None:
    assert matrix_table([]).rows == words_count([]).rows == ()
    assert hardest([]) == ()
    assert summary([]) == "No policy misleads in 0 answers."
    assert matrix_picture([]).text == summary([])


def test_the_measured_clients_of_the_protocol_read_what_divides() -> None:
    compared = compare_captures([ALIKE, DIVIDED])
    found = by_clients(compared, [ALIKE, DIVIDED])
    assert [one.capture for one in found] == [DIVIDED.name]
    shown = {row[0]: row[1:] for row in clients_table(found).rows}
    assert set(shown) == set(clients_of("native")) < set(CLIENTS)
    assert shown["ollama-js"] == ("native", "append-each", "0", "1 ok")
    assert shown["ollama-haystack"] == ("native", "frame-ordinal", "1", "1 dropped")


def test_policies_are_described_from_their_rows() -> None:
    rows = {row[0]: row[1:] for row in policies_described().rows}
    assert list(rows) == list(POLICIES)
    assert rows["index-concat"][2:] == ("concat", "concat", "keep", "one-slot")
    assert policy_words("ollama-js") == (POLICIES["append-each"].says, "ollama-js")


def test_the_figure_is_the_same_on_every_run() -> None:
    compared = with_calls(compare_captures(ALL))
    assert matrix_picture(compared) == matrix_picture(compared)
    assert matrix_picture(compared).text == summary(compared)
    assert set(SHADES) < {"ok", "newid", "refused", "raised", "flagged", "noid", "reid", "merged"}
