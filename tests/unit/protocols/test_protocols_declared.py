"""Which tools a request declared, and what a rendered prompt is."""

import pytest

from wirelab.calls import read_body
from wirelab.model import Json
from wirelab.protocols.registry import PROTOCOLS

SPEAKING = {
    "native": "messages",
    "chat": "messages",
    "responses": "input",
    "messages": "messages",
    "gemini": "contents",
}


@pytest.mark.parametrize("protocol", SPEAKING)
def test_a_conversation_without_tools_declares_none(protocol: str) -> None:
    assert PROTOCOLS[protocol].asked({SPEAKING[protocol]: []}).tools == frozenset()
    assert PROTOCOLS[protocol].asked({SPEAKING[protocol]: [], "tools": []}).tools == frozenset()


@pytest.mark.parametrize(
    "request_json", [None, {}, {"max_tokens": 5}, {"input": "go on", "previous_response_id": "r1"}]
)
def test_nobody_knows_the_tools_of_half_a_request(request_json: Json) -> None:
    assert PROTOCOLS["responses"].asked(request_json).tools is None


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        ("native", b'{"message":{"content":""},"done":false,"_debug_info":{"rendered_template":"p"}}'),
        ("chat", b'{"choices":[],"_debug_info":{"rendered_template":"p"}}'),
    ],
)
def test_a_rendered_prompt_is_no_empty_answer(protocol: str, body: bytes) -> None:
    reading = read_body(body, protocol)
    assert [finding.code for finding in reading.findings] == ["prompt-rendered"]
    assert reading.error is None
