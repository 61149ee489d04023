from wirelab.codes import CODES
from wirelab.model import Failure, Finding, Frame, Reading, Severity, ToolCall
from wirelab.show.advice import ADVICE, explain
from wirelab.show.verdict import calls_table, counted, findings_table, finish_line, summary_table, verdict_line, where

ONE = ToolCall("call_1", "provider", "get_weather", {"city": "Oslo"}, '{"city":"Oslo"}', complete=True, aliases=(0,))
TWO = ToolCall("wirelab_1", "allocated", None, None, '{"ci', complete=False, aliases=("call_9", 1))
CUT = Finding("stream-cut", Severity.VIOLATION, 3, None, None, "no finish signal")
ODD = Finding("index-reused", Severity.ANOMALY, 1, 0, "call_1", "index 0 again")


def reading(
    calls: tuple[ToolCall, ...] = (ONE,),
    executable: tuple[str, ...] = ("call_1",),
    findings: tuple[Finding, ...] = (),
    error: Failure | None = None,
    finish: tuple[str | None, str | None] = ("tool_calls", "stop"),
) -> Reading:
    return Reading("native", "id-first", calls, executable, "", "", *finish, None, findings, error)


def test_every_code_has_advice_and_every_advice_a_code() -> None:
    assert set(ADVICE) == set(CODES)
    assert explain("stream-cut").severity == "violation"
    assert explain("from-the-future").meaning == ""


def test_the_verdict_is_one_line() -> None:
    assert verdict_line(reading()) == "OK: 1 call, all may be executed"
    assert verdict_line(reading(calls=(), executable=())) == "OK, no calls"
    assert verdict_line(reading(calls=(ONE, TWO))) == "PARTLY: 1 of 2 calls may be executed"
    failed = reading(calls=(ONE, TWO), executable=(), findings=(CUT,), error=Failure("stream-cut", "gone"))
    assert verdict_line(failed) == "DO NOT EXECUTE (2 calls): stream-cut: gone"
    lenient = reading(executable=(), findings=(ODD, CUT))
    assert verdict_line(lenient) == "DO NOT EXECUTE (1 call): stream-cut: no finish signal"


def test_an_allocated_id_is_never_shown_as_the_servers() -> None:
    shown = calls_table(reading(calls=(ONE, TWO)))
    assert shown.rows[0] == ("1", "call_1", "server", "get_weather", '{"city":"Oslo"}', "index 0", "may be executed")
    assert shown.rows[1][2] == "wirelab (server sent none)"
    assert shown.rows[1][5:] == ("call_9, index 1", "incomplete")
    assert calls_table(reading(executable=())).rows[0][-1] == "complete, not to be executed"


def test_findings_come_violations_first_with_place_and_advice() -> None:
    frames = [Frame(1, 40, 80, b"{}"), Frame(3, 120, 121, b"")]
    first, second = findings_table(reading(findings=(ODD, CUT)), frames).rows
    assert first[:3] == ("stream-cut", "violation", "frame 3, byte 120")
    assert first[-1] == ADVICE["stream-cut"]
    assert second[:4] == ("index-reused", "anomaly", "frame 1, entry 0, byte 40", "call_1")
    assert where(Finding("stream-cut", Severity.VIOLATION, None, None, None, ""), frames) == ""


def test_the_finish_is_told_beside_what_the_server_said() -> None:
    assert finish_line(reading()) == "finish tool_calls (the server said stop)"
    assert finish_line(reading(finish=("stop", "stop"))) == "finish stop"
    assert finish_line(reading(finish=(None, None))) == "no finish reason"
    assert summary_table(reading()).rows[3] == ("finish", "finish tool_calls (the server said stop)")
    assert counted(0, "entry", "entries") == "0 entries"
