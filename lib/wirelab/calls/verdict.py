"""The verdict at the end: the stream is judged before its calls, its calls in order (specification 1, closing)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import msgspec

from wirelab.calls.closing import Closed, Unfinished, close_arguments, close_for_good
from wirelab.calls.markup import find_markup
from wirelab.calls.opencall import OpenCall
from wirelab.model import Failure, Finding, Json, Reading, ToolCall

if TYPE_CHECKING:
    from wirelab.calls.reconcile import Reconciler

LENGTH_REASONS = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "model_length"}
)
"""Finish reasons (lower case) that mean a token limit."""
STOP_REASONS = frozenset({"stop", "end_turn", "stop_sequence", "completed", "eos", "eos_token"})
"""Finish reasons (lower case) that a server gives for an answer it thinks is finished."""
TOOL_REASONS = frozenset({"tool_calls", "tool_use", "function_call"})
"""Finish reasons (lower case) that promise a call."""
LOAD_REASONS = frozenset({"load", "unload"})
"""Native finish reasons of a request that only loads a model."""
_ADMITTING = frozenset({"chat", "messages"})


class Heard(msgspec.Struct, eq=False):
    """What a response said besides its calls."""

    text: list[str] = []
    thinking: list[str] = []
    usage: dict[str, Json] | None = None
    output_tokens: int | None = None
    finish_frame: int | None = None
    reason: str | None = None
    failed: bool = False
    violations: int = 0
    failure: tuple[str, str] | None = None

    @property
    def low_reason(self) -> str:
        """The raw finish reason in lower case, empty when there was none."""
        return self.reason.lower() if self.reason else ""


def judge(reconciler: Reconciler, rules: AbstractSet[str], *, empty_body: bool) -> None:
    """Note everything that only the end can tell."""
    heard = reconciler.heard
    heard.text, heard.thinking = _joined(heard.text), _joined(heard.thinking)
    whole = _judge_stream(reconciler, rules, empty_body=empty_body)
    if reconciler.book.calls:
        if whole and "echo-is-no-call" in rules:
            _drop_echoes(reconciler)
        _judge_calls(reconciler, rules)
    if whole and not heard.text and not reconciler.book.calls and "nothing-is-noticed" in rules:
        _judge_delivery(reconciler)
    if "limit-casts-doubt" in rules:
        _judge_limit(reconciler)
    if heard.output_tokens is None and "limit-needs-count" in rules:
        _judge_count(reconciler)
    if whole and reconciler.protocol in _ADMITTING and "calls-decide" in rules:
        _judge_reason(reconciler)
    if "markup-is-no-call" in rules:
        for where, pieces in (("text", heard.text), ("thinking", heard.thinking)):
            found = find_markup(pieces[0]) if pieces else None
            if found is not None:
                reconciler.note("leaked-tool-markup", None, None, f"the {where} holds tool-call markup: {found!a}")


def _joined(pieces: list[str]) -> list[str]:
    """All pieces as one: it is looked at more than once, and weighs less."""
    return ["".join(pieces)] if pieces else []


def _drop_echoes(reconciler: Reconciler) -> None:
    """A server that repeats the name beside each delta may do so once more at the end: that is no call."""
    for call in [call for call in reconciler.book.calls if call.echo]:
        if call.id is None and not call.arguments_text.strip():
            reconciler.book.calls.remove(call)
            detail = f"the name {call.name!r} was said once more after its complete call, and nothing followed"
            reconciler.note("repeated-entry", call.frames[-1], None, detail)


def _judge_stream(reconciler: Reconciler, rules: AbstractSet[str], *, empty_body: bool) -> bool:
    """The stream itself. True when it ended as it should."""
    heard = reconciler.heard
    if heard.failed:
        return False
    if empty_body and "empty-is-noticed" in rules:
        reconciler.note("empty-stream", None, None, "the body has no bytes: the server failed after its status line")
        return False
    if heard.finish_frame is None and "needs-finish" in rules:
        reconciler.note(
            "stream-cut", None, None, "the stream ended without a finish signal: what came may be half of it"
        )
        return False
    return True


def _judge_calls(reconciler: Reconciler, rules: AbstractSet[str]) -> None:
    """Close each call, the last one with the knowledge that a length limit may have stopped it."""
    heard, calls = reconciler.heard, reconciler.book.calls
    why: Unfinished = "failed" if heard.failed else "cut" if heard.finish_frame is None else ""
    reason = heard.low_reason
    # on Responses only a done event or the successful end settles a call
    open_end = reconciler.protocol == "responses" and reason not in STOP_REASONS
    for call in calls[:-1]:
        _judge_call(reconciler, rules, call, why, unsettled=open_end and not call.done)
    if not why and reason in LENGTH_REASONS:
        why = "cut"
    _judge_call(reconciler, rules, calls[-1], why, unsettled=open_end and not calls[-1].done)


def _judge_call(
    reconciler: Reconciler, rules: AbstractSet[str], call: OpenCall, why: Unfinished, *, unsettled: bool
) -> None:
    call.closed = closed = close_for_good(call, rules, unfinished=why, unsettled=unsettled)
    frame, name = call.frames[-1], call.name
    for code, detail in closed.anomalies:
        reconciler.note_of(code, frame, call, detail)
    if closed.violation is not None and "whole-object" in rules:
        reconciler.note_of(closed.violation[0], frame, call, closed.violation[1])
    if name is None and "needs-name" in rules:
        reconciler.note_of("missing-name", frame, call, f"the call {call.id!r} never got a name")
    for identifier in (call.id, *call.other_ids):
        if identifier is not None and _is_doubled(identifier) and "doubled-id" in rules:
            half = identifier[: len(identifier) // 2]
            reconciler.note_of("id-doubled", frame, call, f"the id {identifier!r} is {half!r} twice; kept as sent")
    tools = reconciler.asked.tools
    if tools is not None and name is not None and name not in tools and "declared-tools-only" in rules:
        call.executable = False
        reconciler.note_of("unknown-tool", frame, call, f"the request declared no tool {name!r}")


def _is_doubled(identifier: str) -> bool:
    half = len(identifier) // 2
    return half >= 2 and identifier[0] == identifier[half] and identifier[:half] == identifier[half:]


def _judge_delivery(reconciler: Reconciler) -> None:
    heard = reconciler.heard
    if any(row.code == "prompt-rendered" for row in reconciler.rows):
        return
    if heard.thinking:
        reconciler.note("empty-after-thinking", None, None, "the model thought, and then neither answered nor called")
    elif heard.low_reason in TOOL_REASONS:
        detail = f"the finish reason {heard.reason!r} promises a call, and nothing was delivered"
        reconciler.note("contract-violation", heard.finish_frame, None, detail)
    elif heard.low_reason not in LENGTH_REASONS | LOAD_REASONS:
        if heard.output_tokens is not None:
            detail = f"{heard.output_tokens} output tokens were counted, and nothing was delivered"
            reconciler.note("contract-violation", heard.finish_frame, None, detail)
        else:
            reconciler.note("empty-answer", heard.finish_frame, None, "nothing was delivered")


def _judge_limit(reconciler: Reconciler) -> None:
    heard, limit = reconciler.heard, reconciler.asked.output_limit
    reached = limit is not None and heard.output_tokens is not None and heard.output_tokens >= limit
    if heard.low_reason not in LENGTH_REASONS and not reached:
        return
    why = (
        f"{heard.output_tokens} output tokens reach the limit of {limit}"
        if reached
        else f"the finish reason is {heard.reason!r}"
    )
    last = reconciler.book.calls[-1] if reconciler.book.calls else None
    if last is None:
        reconciler.note("truncation-suspected", heard.finish_frame, None, f"{why}: the answer may be cut")
    elif not last.broken:
        last.executable = False
        reconciler.note_of("truncation-suspected", last.frames[-1], last, f"{why}: the last call may be half of one")


def _judge_count(reconciler: Reconciler) -> None:
    limit = reconciler.asked.output_limit
    if limit is not None and reconciler.book.calls and not reconciler.heard.failed:
        detail = f"the request set a limit of {limit} tokens and none were counted: a cut call could not be told"
        reconciler.note("limit-unverified", None, None, detail)


def _judge_reason(reconciler: Reconciler) -> None:
    heard = reconciler.heard
    calls, reason = bool(reconciler.book.calls), heard.low_reason
    if calls and (reason in STOP_REASONS or not reason):
        detail = f"the finish reason is {heard.reason!r} although calls came: the calls decide"
        reconciler.note("finish-reason-mismatch", heard.finish_frame, None, detail)
    elif not calls and reason in TOOL_REASONS and heard.text:
        detail = f"the finish reason {heard.reason!r} promises a call, and none came"
        reconciler.note("finish-reason-mismatch", heard.finish_frame, None, detail)


def reading(reconciler: Reconciler, rules: AbstractSet[str], findings: tuple[Finding, ...], *, ended: bool) -> Reading:
    """Everything that is known so far, frozen."""
    heard = reconciler.heard
    in_order = reconciler.book.calls if "first-seen-order" in rules else reconciler.book.calls[::-1]
    calls = tuple([_tool_call(rules, call) for call in in_order])
    may_run: list[str] = []
    if calls and ended and not (heard.failure is not None and "fail-closed" in rules):
        may_run = [call.id for call, kept in zip(calls, in_order, strict=True) if call.complete and kept.executable]
    # by position, in the order of the fields: twice as fast as by name
    return Reading(
        reconciler.protocol,
        reconciler.policy,
        calls,
        tuple(may_run),
        "".join(heard.text),
        "".join(heard.thinking),
        _finish_reason(reconciler, rules) if calls else heard.reason,
        heard.reason,
        heard.usage,
        findings,
        Failure(*heard.failure) if heard.failure is not None else None,
    )


def _tool_call(rules: AbstractSet[str], call: OpenCall) -> ToolCall:
    closed: Closed = call.closed or close_arguments(call, rules, unfinished="cut")
    identifier, name = call.id, call.name
    if identifier is None:
        identifier = (call.given or "") if "ids-for-all" in rules else ""
    complete = closed.violation is None and not call.broken and name is not None
    return ToolCall(
        identifier,
        call.id_source,
        name,
        closed.arguments,
        closed.text,
        complete,
        call.aliases,
        tuple(call.frames),
    )


def _finish_reason(reconciler: Reconciler, rules: AbstractSet[str]) -> str | None:
    heard = reconciler.heard
    whole = heard.failure is None and heard.finish_frame is not None
    if whole and "calls-decide" in rules and (heard.low_reason in STOP_REASONS or not heard.reason):
        return "tool_use" if reconciler.protocol == "messages" else "tool_calls"
    return heard.reason
