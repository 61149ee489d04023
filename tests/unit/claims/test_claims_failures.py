"""Kinds of failure: by status and words, each as some server really said it."""

from typing import Any

import pytest

from wirelab.claims.failures import (
    Failure,
    FailureKind,
    classify,
    decoded,
    history_arguments_valid,
    message_of,
    missing_model,
)

K = FailureKind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"error": "unauthorized"}, K.AUTH),
        (403, "no", K.AUTH),
        (429, {"error": "you hit the hourly usage limit"}, K.QUOTA_EXHAUSTED),
        (429, {"error": {"message": "Rate limit reached"}}, K.RATE_LIMITED),
        (429, {}, K.RATE_LIMITED),
        (503, {"error": "server busy, please try again"}, K.RATE_LIMITED),
        (404, {"error": "model 'no-such-model' not found"}, K.MODEL_UNAVAILABLE),
        (
            404,
            {"type": "error", "error": {"type": "not_found_error", "message": "model 'x' not found"}},
            K.MODEL_UNAVAILABLE,
        ),
        (404, "404 page not found", K.NO_SUCH_ENDPOINT),
        (404, {"error": {"message": "File Not Found", "code": 404}}, K.NO_SUCH_ENDPOINT),
        (405, "405 method not allowed", K.NO_SUCH_ENDPOINT),
        (501, {"error": "not there"}, K.NO_SUCH_ENDPOINT),
        (400, {"error": "the request exceeds the available context size, try increasing it"}, K.CONTEXT_OVERFLOW),
        (400, {"error": "prompt is too long: 9000 tokens > 4096"}, K.CONTEXT_OVERFLOW),
        (413, "", K.CONTEXT_OVERFLOW),
        (400, {"error": "m:latest does not support tools"}, K.CAPABILITY_UNAVAILABLE),
        (400, {"error": "model is required"}, K.REQUEST_REFUSED),
        (400, {"error": {"message": "[] is too short - 'messages'"}}, K.REQUEST_REFUSED),
        (400, {"error": {"message": "orphan tool result call_z"}}, K.REQUEST_REFUSED),
        (422, {"detail": "field required"}, K.REQUEST_REFUSED),
        (500, {"error": "error parsing tool call: raw='{'"}, K.UPSTREAM_ERROR),
        (500, {"error": 'llama-server returned invalid tool call arguments for "get_weather"'}, K.UPSTREAM_ERROR),
        (500, {"error": "an error was encountered while running the model: unexpected EOF"}, K.UPSTREAM_ERROR),
        (500, {"error": "Internal Server Error (ref: 1)"}, K.SERVER_ERROR),
        (500, [], K.SERVER_ERROR),
        (None, {"error": "ollama cloud is disabled: web search is unavailable"}, K.CAPABILITY_UNAVAILABLE),
    ],
)
def test_kind_by_status_and_words(status: int | None, body: Any, kind: FailureKind) -> None:
    assert classify(status, body).kind is kind


def test_case_br_154_a_nameless_500_for_a_model_that_is_gone() -> None:
    """ollama/cloud-500-for-unavailable-model: each answer has a reference of its own, and no reason."""
    answers = [classify(500, {"error": f"Internal Server Error (ref: 0000000{n})"}) for n in range(2)]
    found = missing_model(answers, "gone:120b", ["qwen3:8b"])
    assert found is not None
    assert found.kind == "model-unavailable"
    assert missing_model(answers, "qwen3:8b", ["qwen3:8b"]) is None
    assert missing_model(answers, "qwen3", ["qwen3:latest"]) is None
    assert missing_model(answers[:1], "gone:120b", []) is None
    assert missing_model([*answers, Failure(K.AUTH, "unauthorized")], "gone:120b", []) is None
    assert missing_model([*answers, Failure(K.SERVER_ERROR, "another")], "gone:120b", []) is None


def test_case_br_155_invalid_arguments_are_the_servers_if_our_history_is_sound() -> None:
    """ollama/cloud-invalid-tool-arguments-400."""
    body = {"error": {"message": "invalid tool call arguments"}}
    sound = {"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a":1}'}]}
    broken = {"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a"'}]}
    failure = classify(400, body, history_valid=history_arguments_valid(sound))
    assert (failure.kind, failure.retryable) == ("upstream-error", True)
    failure = classify(400, body, history_valid=history_arguments_valid(broken))
    assert (failure.kind, failure.retryable) == ("request-refused", False)
    assert classify(400, body).kind is K.REQUEST_REFUSED


def test_case_br_156_a_quota_names_its_window() -> None:
    """ollama/cloud-429-text-only: no header tells a quota from a rate limit, only the words do."""
    failure = classify(429, {"error": "(<redacted>) hit the weekly usage limit"})
    assert (failure.kind, failure.window, failure.retryable) == ("quota-exhausted", "weekly", False)
    assert classify(429, {"error": "Session usage limit reached, upgrade at …"}).window == "session"
    assert classify(429, {"error": "quota exceeded"}) == Failure(K.QUOTA_EXHAUSTED, "quota exceeded", None)


def test_case_br_159_web_search_switched_off_is_no_matter_of_keys() -> None:
    """ollama/web-search-local-proxy: the status is not known, the words are enough."""
    body = {"error": "ollama cloud is disabled: web search is unavailable"}
    assert {classify(status, body).kind for status in (None, 400, 403 + 97, 503)} == {"capability-unavailable"}


@pytest.mark.parametrize(
    ("request_body", "valid"),
    [
        ({"messages": [{"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}]}, True),
        ({"messages": [{"tool_calls": [{"function": {"name": "f", "arguments": "[]"}}]}]}, False),
        ({"messages": [{"content": [{"type": "tool_use", "name": "f", "input": {}}]}]}, True),
        ({"messages": [{"content": [{"type": "tool_use", "name": "f"}]}]}, False),
        ({"messages": [], "tools": [{"name": "f", "arguments": 3}]}, True),
        (None, True),
    ],
)
def test_replayed_arguments(request_body: Any, valid: bool) -> None:
    assert history_arguments_valid(request_body) is valid


def test_the_words_of_a_failure() -> None:
    assert message_of({"error": {"type": "x", "message": " why "}}) == "why"
    assert message_of({"detail": "why"}) == "why"
    assert message_of({"error": {"code": 1}}) == ""
    assert message_of(7) == ""


def test_what_nests_too_deep_breaks_nothing() -> None:
    deep = "[" * 200_000
    assert decoded(deep.encode()) == deep
    assert not history_arguments_valid({"name": "f", "arguments": deep})
