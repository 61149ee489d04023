"""What requests ask for."""

import pytest

from wirelab.model import Asked
from wirelab.protocols import asked

FUNCTION = {"type": "function", "function": {"name": "f"}}
FLAT = {"type": "function", "name": "f"}
TOOLS = frozenset({"f"})


@pytest.mark.parametrize(
    ("protocol", "request_json", "expected"),
    [
        ("native", {"tools": [FUNCTION], "options": {"num_predict": 8}, "stream": False}, Asked(TOOLS, None, 8, False)),
        ("native", {"options": {"num_predict": -1}, "stream": "no"}, Asked()),
        ("native", {"tools": [], "options": None}, Asked(frozenset())),
        ("chat", {"tools": [FUNCTION, {"type": "custom", "custom": {"name": "g"}}]}, Asked(frozenset({"f", "g"}))),
        ("chat", {"functions": [{"name": "f"}], "max_tokens": 5, "stream": True}, Asked(TOOLS, None, 5, True)),
        ("chat", {"max_completion_tokens": 4, "max_tokens": 5, "parallel_tool_calls": False}, Asked(None, False, 4)),
        ("chat", {"max_completion_tokens": None, "max_tokens": True}, Asked()),
        ("chat", {"tools": ["f", {"function": "f"}, {"name": 5}, None], "max_tokens": 5.0}, Asked(frozenset())),
        ("responses", {"tools": [FLAT, {"type": "web_search"}], "max_output_tokens": 9}, Asked(TOOLS, None, 9)),
        ("responses", {"parallel_tool_calls": True, "stream": True}, Asked(None, True, None, True)),
        ("messages", {"tools": [{"name": "f", "input_schema": {}}], "max_tokens": 1}, Asked(TOOLS, None, 1)),
        ("messages", {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, Asked(parallel=False)),
        ("messages", {"tool_choice": {"disable_parallel_tool_use": False}}, Asked(parallel=True)),
        ("messages", {"tool_choice": "auto"}, Asked()),
        (
            "gemini",
            {"tools": [{"functionDeclarations": [{"name": "f"}]}], "generationConfig": {"maxOutputTokens": 3}},
            Asked(TOOLS, None, 3),
        ),
        (
            "gemini",
            {"tools": [{"function_declarations": [{"name": "f"}, 5]}], "generation_config": {"max_output_tokens": 3}},
            Asked(TOOLS, None, 3),
        ),
    ],
)
def test_asked(protocol: str, request_json: object, expected: Asked) -> None:
    assert getattr(asked, protocol)(request_json) == expected


@pytest.mark.parametrize("protocol", ["native", "chat", "responses", "messages", "gemini"])
@pytest.mark.parametrize("request_json", [None, [], "x", {}])
def test_no_request_says_nothing(protocol: str, request_json: object) -> None:
    assert getattr(asked, protocol)(request_json) == Asked()


@pytest.mark.parametrize(
    ("protocol", "key"), [("native", "messages"), ("chat", "messages"), ("responses", "input"), ("gemini", "contents")]
)
def test_a_conversation_without_tools_declares_that_there_are_none(protocol: str, key: str) -> None:
    read = getattr(asked, protocol)
    assert read({key: []}).tools == frozenset()
    assert read({key: None}).tools is None
    assert read({key: [], "previous_response_id": "r"}).tools is None
