"""The checks that a request asks what its scenario says: one row each, `name` or `name:argument` in the scenarios."""

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from wirelab.claims.diagnosis import forced_name
from wirelab.errors import MisuseError
from wirelab.model import Json
from wirelab.probe.scenarios import Mode, Scenario
from wirelab.probe.summary import Asked, Entry, summarise

_LIMIT_FIELDS = ("max_tokens", "max_output_tokens", "max_completion_tokens")


class Question(msgspec.Struct, frozen=True):
    """A request that is to be checked: method, path without host, the names of its headers, and its JSON body."""

    method: str
    path: str
    headers: frozenset[str]
    body: Json


def complaints(scenario: Scenario, question: Question, mode: Mode) -> list[str]:
    """What is wrong with a request for a scenario, one line each; empty where it asks what the scenario says."""
    asked = summarise(question.body)
    failed = [check for check in scenario.checks if not _passes(check, asked, question)]
    if mode != "plain" and asked.body.get("stream", False) is not (mode == "stream"):
        failed.append(f"mode:{mode}")
    return [f"{scenario.name}: the request fails its check {check!r}" for check in failed]


def _passes(check: str, asked: Asked, question: Question) -> bool:
    name, _, argument = check.partition(":")
    if name in _OF_HISTORY:
        return _OF_HISTORY[name](asked, argument)
    if name in _OF_REQUEST:
        return _OF_REQUEST[name](question, argument)
    raise MisuseError(f"there is no check {name!r}")


def _asks(asked: Asked, words: str) -> bool:
    questions = asked.of("user")
    return bool(questions) and questions[-1].text == words


def _asks_first(asked: Asked, words: str) -> bool:
    return any(entry.text == words for entry in asked.of("user"))


def _count(asked: Asked, kind: str, number: str) -> bool:
    return len([entry for entry in asked.entries if entry.kind == kind]) == int(number)


def _ids(entries: list[Entry]) -> list[str]:
    return [entry.id for entry in entries if entry.id is not None]


def _unanswered(asked: Asked) -> int:
    answered = set(_ids(asked.of("result")))
    return len([entry for entry in asked.of("call") if entry.id not in answered])


def _orphans(asked: Asked) -> int:
    called = set(_ids(asked.of("call")))
    return len([entry for entry in asked.of("result") if entry.id is not None and entry.id not in called])


def _duplicates(asked: Asked) -> int:
    answers = _ids(asked.of("result"))
    return len(answers) - len(set(answers))


def _paired(asked: Asked) -> bool:
    """Every call has one result under its id; a call that was given none has one without."""
    return Counter(entry.id for entry in asked.of("call")) == Counter(entry.id for entry in asked.of("result"))


def _between(asked: Asked, kind: str) -> bool:
    kinds = [entry.kind for entry in asked.entries]
    first = kinds.index("result") if "result" in kinds else len(kinds)
    last = len(kinds) - 1 - kinds[::-1].index("result") if "result" in kinds else 0
    return kind in kinds[first:last]


def _beside_call(asked: Asked, kind: str) -> bool:
    kinds = [entry.kind for entry in asked.entries]
    return "call" in kinds and kind in kinds[: kinds.index("call")]


def _same_name_reused(asked: Asked, _: str) -> bool:
    called = _ids(asked.of("call"))
    return len(set(called)) < len(called)


def _name_mismatch(asked: Asked, _: str) -> bool:
    """Only the native protocol names the tool beside a result; elsewhere nothing can differ."""
    names = {entry.id: entry.name for entry in asked.of("call")}
    given = [entry for entry in asked.of("result") if entry.name is not None]
    return not given or any(names.get(entry.id) != entry.name for entry in given)


def _characters(asked: Asked) -> int:
    return sum(len(entry.text) for entry in asked.entries if isinstance(entry.text, str))


def _one_call_only(asked: Asked, _: str) -> bool:
    choice = asked.body.get("tool_choice")
    off = isinstance(choice, Mapping) and choice.get("disable_parallel_tool_use") is True
    return off or asked.body.get("parallel_tool_calls") is False


def _choice(asked: Asked, wanted: str) -> bool:
    choice = asked.body.get("tool_choice")
    return wanted in (choice, choice.get("type") if isinstance(choice, Mapping) else None)


def _limit(asked: Asked) -> int | None:
    options = asked.body.get("options")
    found = [asked.body.get(name) for name in _LIMIT_FIELDS]
    found.append(options.get("num_predict") if isinstance(options, Mapping) else None)
    return next((value for value in found if isinstance(value, int)), None)


def _has_field(asked: Asked, argument: str) -> bool:
    """`name`, or `name=value` with a JSON value."""
    name, valued, value = argument.partition("=")
    return name in asked.body and (not valued or asked.body[name] == msgspec.json.decode(value))


def _has_stop(asked: Asked, _: str) -> bool:
    options = asked.body.get("options")
    native = options.get("stop") if isinstance(options, Mapping) else None
    return bool(asked.body.get("stop") or asked.body.get("stop_sequences") or native)


def _limited(asked: Asked, argument: str) -> bool:
    limit = _limit(asked)
    return limit is not None and limit <= int(argument)


def _empty_arguments(asked: Asked, _: str) -> bool:
    return all(entry.text in ({}, "{}") for entry in asked.of("call"))


def _arguments(asked: Asked, wanted: str) -> bool:
    """Every call's arguments, as they stand, are this JSON value: an object, or a text."""
    return all(entry.text == msgspec.json.decode(wanted) for entry in asked.of("call"))


_OF_HISTORY: dict[str, Callable[[Asked, str], bool]] = {
    "ask": _asks,
    "first-ask": _asks_first,
    "tools": lambda asked, number: len(asked.tools) == int(number),
    "calls": lambda asked, number: _count(asked, "call", number),
    "results": lambda asked, number: _count(asked, "result", number),
    "call-ids": lambda asked, number: len(_ids(asked.of("call"))) == int(number),
    "result-ids": lambda asked, number: len(_ids(asked.of("result"))) == int(number),
    "unanswered": lambda asked, number: _unanswered(asked) == int(number),
    "orphan": lambda asked, number: _orphans(asked) == int(number),
    "duplicate": lambda asked, number: _duplicates(asked) == int(number),
    "paired": lambda asked, _: _paired(asked),
    "in-order": lambda asked, _: _ids(asked.of("call")) == _ids(asked.of("result")),
    "reversed": lambda asked, _: _ids(asked.of("call")) == _ids(asked.of("result"))[::-1],
    "same-tool": lambda asked, _: len({entry.name for entry in asked.of("call")}) == 1,
    "reused-id": _same_name_reused,
    "name-mismatch": _name_mismatch,
    "between": _between,
    "beside-call": _beside_call,
    "last": lambda asked, kind: bool(asked.entries) and asked.entries[-1].kind == kind,
    "empty-result": lambda asked, _: any(entry.text == "" for entry in asked.of("result")),
    "empty-arguments": _empty_arguments,
    "arguments": _arguments,
    "id-with": lambda asked, part: any(part in identifier for identifier in _ids(asked.of("call"))),
    "id-longer-than": lambda asked, size: any(len(identifier) > int(size) for identifier in _ids(asked.of("call"))),
    "longer-than": lambda asked, size: _characters(asked) > int(size),
    "one-call-only": _one_call_only,
    "choice": _choice,
    "forced": lambda asked, name: forced_name(asked.body.get("tool_choice")) == name,
    "limit-at-most": _limited,
    "stop": _has_stop,
    "field": _has_field,
    "no-field": lambda asked, name: name not in asked.body,
    "model": lambda asked, name: asked.body.get("model") == name,
    "holds": lambda asked, part: part in msgspec.json.encode(asked.body).decode(),
}
"""What the history and the fields of a body must be."""

_OF_REQUEST: dict[str, Callable[[Question, str], bool]] = {
    "header": lambda question, name: name in question.headers,
    "no-header": lambda question, name: name not in question.headers,
    "path": lambda question, path: _fits(path, question.path),
    "renders": lambda question, _: question.path == "/apply-template" or _only_renders(question.body),
}
"""What the rest of a request must be."""


def _only_renders(body: Json) -> bool:
    return isinstance(body, Mapping) and body.get("_debug_render_only") is True


def _fits(pattern: str, path: str) -> bool:
    """Whether a path is the scenario's, `{model}` standing for any model."""
    before, found, after = pattern.partition("{model}")
    return path.startswith(before) and path.endswith(after) if found else path == pattern
