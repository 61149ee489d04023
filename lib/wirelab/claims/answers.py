"""Claims about answers: what arrives of what the model said, how answers end, and what is counted."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from wirelab.claims.claim import Claim, Seen
from wirelab.claims.exhibit import Exhibit
from wirelab.claims.fidelity import compare
from wirelab.model import Reading

_FAULTS = ("malformed_arguments", "unclosed_call", "second_malformed", "second_call_after_first", "runner_dies")
_PROMISING = {"chat": "tool_calls", "messages": "tool_use", "native": "stop"}
_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens"})


def _read(exhibits: Sequence[Exhibit]) -> Iterator[tuple[Exhibit, Reading]]:
    for exhibit in exhibits:
        if exhibit.reading is not None:
            yield exhibit, exhibit.reading


def _streams_agree(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    pairs: dict[tuple[str, ...], dict[bool, Exhibit]] = defaultdict(dict)
    for exhibit, reading in _read(exhibits):
        if reading.error is None and exhibit.capture.variant.startswith(("stream", "whole")):
            pairs[exhibit.target, exhibit.protocol, exhibit.scenario, exhibit.family][exhibit.streamed] = exhibit
    for pair in pairs.values():
        if len(pair) == 2:
            streamed, whole = (_said(pair[kind]) for kind in (True, False))
            if streamed or whole:
                yield pair[True], streamed == whole, f"{len(streamed)} calls streamed, {len(whole)} whole"


def _said(exhibit: Exhibit) -> list[tuple[str | None, object]]:
    return [(call.name, call.arguments) for call in exhibit.reading.calls] if exhibit.reading else []


def _thinking_arrives(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, reading in _read(exhibits):
        observed = exhibit.capture.observed
        said = (observed.model_said or {}).get("thinking") if observed is not None else None
        if said and reading.error is None:
            yield exhibit, said.strip() in reading.thinking, "as thinking" if reading.thinking else "not as thinking"


def _finish_reasons(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, reading in _read(exhibits):
        expected = _PROMISING.get(exhibit.protocol)
        cut = exhibit.scenario.startswith("cut_by_limit") or "truncation-suspected" in exhibit.codes
        if reading.calls and reading.error is None and expected is not None and not cut:
            yield (
                exhibit,
                reading.raw_finish_reason == expected,
                f"{exhibit.protocol} says {reading.raw_finish_reason!r}",
            )


def _failures_announced(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    """Of streams that began well and then failed: a call that the server mended and sent whole is no failure."""
    for exhibit, reading in _read(exhibits):
        failed = reading.error is not None or "empty-answer" in exhibit.codes
        if exhibit.scenario in _FAULTS and exhibit.streamed and exhibit.status < 400 and failed:
            announced = "upstream-error" in exhibit.codes
            yield exhibit, announced, "an error" if announced else ", ".join(sorted(exhibit.codes))


def _cut_admitted(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, reading in _read(exhibits):
        in_call = exhibit.scenario in ("cut_by_limit_in_call", "cut_by_limit_in_second_call")
        if in_call and reading.calls and "upstream-error" not in exhibit.codes:
            admitted = (reading.raw_finish_reason or "").lower() in _LENGTH
            whole = reading.calls[-1].arguments is not None
            state = "whole" if whole else "broken"
            yield (
                exhibit,
                admitted and whole,
                f"the call arrives {state}, and the reason is {reading.raw_finish_reason!r}",
            )


def _faithful(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, reading in _read(exhibits):
        observed = exhibit.capture.observed
        if observed is not None and observed.model_said is not None:
            capture = exhibit.capture
            lost = compare(reading, observed.model_said, observed.model_output, capture.source.server, capture.body)
            yield exhibit, not lost, "; ".join(f"{one.part} {one.how}" for one in lost) or "as said"


def _usage_counted(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, reading in _read(exhibits):
        if reading.error is None and "prompt-rendered" not in exhibit.codes:
            counted = bool(reading.usage)
            yield exhibit, counted, "counted" if counted else "not counted"


def _undeclared(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit, reading in _read(exhibits):
        if exhibit.scenario in ("undeclared_tool", "no_tools_but_call"):
            how = "passed on" if reading.calls else "refused" if reading.error else "swallowed, or left in the text"
            yield exhibit, bool(reading.calls), how


CLAIMS = (
    Claim("C8", "streamed and whole answers agree on calls, names and arguments", _streams_agree),
    Claim("C14", "thinking arrives as thinking on every protocol", _thinking_arrives),
    Claim("C16", "after calls native says stop, chat tool_calls, messages tool_use", _finish_reasons),
    Claim("C19", "a failure in mid-stream is announced", _failures_announced),
    Claim(
        "C20", "a call that the token limit cut arrives as a whole one, and the finish reason admits it", _cut_admitted
    ),
    Claim("C21", "what the model said is what the server sends", _faithful),
    Claim("C30", "a call to a tool that the request did not declare is passed on", _undeclared),
    Claim("C33", "usage is counted on every protocol, streamed and whole", _usage_counted),
)
