"""Claims about endpoints and fields: what answers, what is honoured, what a refusal says."""

from collections.abc import Iterator, Sequence

from wirelab.claims.claim import Claim, Seen
from wirelab.claims.exhibit import Exhibit
from wirelab.claims.failures import FailureKind, classify, history_arguments_valid

_STATEFUL = ("previous_response_id", "conversation", "truncation", "store", "background", "include", "item_reference")
_CHAT_FIELDS = (
    "max_completion_tokens",
    "store_and_cache_key",
    "reasoning_effort",
    "include_usage",
    "cut_by_limit_in_text",
)
_OTHERS = ("count_tokens", "get_response", "v1_model", "v1_models", "tags", "ps", "root", "trailing_slash")
_FIELDS = ("response_format", "structured_output", "logprobs", "n_two", "content_parts", "stop_", "image", "vision")
_BAD_REQUEST = 400
_SAID_NOTHING = frozenset({FailureKind.SERVER_ERROR})


def _good(exhibit: Exhibit) -> bool:
    return exhibit.status < _BAD_REQUEST and "upstream-error" not in exhibit.codes


def _answers(exhibits: Sequence[Exhibit], protocol: str, names: Sequence[str]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.protocol == protocol and exhibit.scenario.startswith(tuple(names)):
            yield exhibit, _good(exhibit), f"{exhibit.scenario}: status {exhibit.status}"


def _schema(_: Sequence[Exhibit]) -> Iterator[Seen]:
    yield from ()


def _show(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.protocol == "discovery" and exhibit.scenario == "show" and isinstance(exhibit.body, dict):
            length = any(key.endswith("context_length") for key in exhibit.body.get("model_info") or {})
            told = "capabilities" in exhibit.body and length
            yield exhibit, told, "capabilities and context length" if told else "one of both is missing"
        elif exhibit.protocol == "discovery" and exhibit.scenario == "v1_models" and isinstance(exhibit.body, dict):
            extra = {key for model in exhibit.body.get("data") or [] for key in model} - {
                "id",
                "object",
                "created",
                "owned_by",
            }
            yield (
                exhibit,
                not extra,
                f"/v1/models has {', '.join(sorted(extra))} too" if extra else "/v1/models: ids only",
            )


def _web(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.protocol == "discovery" and exhibit.scenario.startswith(("web_search", "web_fetch")):
            yield exhibit, _good(exhibit), f"{exhibit.capture.request.path}: status {exhibit.status}"


def _cloud_auth(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.capture.source.target == "cloud" and exhibit.protocol == "messages" and "auth" in exhibit.scenario:
            bearer = "bearer" in exhibit.scenario and "wrong" not in exhibit.scenario
            yield exhibit, _good(exhibit) == bearer, f"{exhibit.scenario}: status {exhibit.status}"


def _stateless(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    """Refused, or answered as if the field were not there: both are stateless. Which one, the detail says."""
    for exhibit in exhibits:
        if exhibit.protocol == "responses" and exhibit.scenario.startswith("stateful_"):
            field = exhibit.scenario.removeprefix("stateful_")
            if field in _STATEFUL:
                how = "ignored" if _good(exhibit) else f"refused with {exhibit.status}"
                yield exhibit, True, f"{field} is {how}"


def _chat_fields(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    return _answers(exhibits, "chat", _CHAT_FIELDS)


def _choice_ignored(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.reading is None or (exhibit.reading.error and "parallel-calls-disabled" not in exhibit.codes):
            continue
        calls = len(exhibit.reading.calls)
        if exhibit.scenario == "parallel_false":
            yield exhibit, calls > 1, f"{calls} calls although parallel calls were switched off"
        elif exhibit.scenario == "tool_choice_none":
            yield exhibit, calls > 0, f"{calls} calls although tool_choice was none"


def _capabilities(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    """Of servers that list what a model can: whether a model that lists no tools called one, or was refused."""
    for exhibit in exhibits:
        words = exhibit.capture.body.decode("utf-8", "replace") if exhibit.status >= _BAD_REQUEST else ""
        if "does not support" in words:
            yield exhibit, True, f"refused: {words.strip()[:60]}"
        elif exhibit.protocol == "discovery" and exhibit.scenario == "v1_models" and isinstance(exhibit.body, dict):
            for model in exhibit.body.get("models") or []:
                called = _calls_of(exhibits, exhibit.target)
                if "capabilities" in model:
                    lists = "tools" in model["capabilities"]
                    yield (
                        exhibit,
                        lists == bool(called),
                        f"lists {model['capabilities']}, and {called} answers had calls",
                    )


def _calls_of(exhibits: Sequence[Exhibit], target: str) -> int:
    return sum(1 for one in exhibits if one.target == target and one.reading is not None and one.reading.calls)


def _other_endpoints(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.protocol == "discovery" and exhibit.scenario in _OTHERS:
            yield exhibit, _good(exhibit), f"{exhibit.capture.request.path}: status {exhibit.status}"
        elif exhibit.scenario.startswith(_FIELDS):
            yield exhibit, _good(exhibit), f"{exhibit.scenario}: status {exhibit.status}"


def _kinds(exhibits: Sequence[Exhibit]) -> Iterator[Seen]:
    for exhibit in exhibits:
        if exhibit.status >= _BAD_REQUEST:
            body = exhibit.body if exhibit.body is not None else exhibit.capture.body.decode("utf-8", "replace")
            failure = classify(exhibit.status, body, history_valid=history_arguments_valid(exhibit.request))
            yield exhibit, failure.kind not in _SAID_NOTHING, f"{exhibit.status}: {failure.kind}"


CLAIMS = (
    Claim(
        "C2", "the published native schema documents neither the id nor function.index", _schema, gap="needs the schema"
    ),
    Claim("C9", "/api/show tells capabilities and context length, /v1/models ids only", _show),
    Claim("C10", "web_search and web_fetch answer whatever the chat model", _web),
    Claim(
        "C11",
        "the cloud's /v1/messages takes a Bearer key, x-api-key alone is not enough",
        _cloud_auth,
        gap="needs the cloud",
    ),
    Claim("C12", "/v1/responses is stateless: fields that need a state are refused or ignored", _stateless),
    Claim("C13", "chat takes max_tokens, reasoning_effort and include_usage, and what it does not know", _chat_fields),
    Claim("C15", "tool_choice and parallel_tool_calls are not honoured", _choice_ignored),
    Claim("C32", "what a model advertises is what it does", _capabilities),
    Claim("C34", "the other endpoints and fields answer", _other_endpoints),
    Claim("C35", "an answer with status 400 or more says what kind of failure it is", _kinds),
)
