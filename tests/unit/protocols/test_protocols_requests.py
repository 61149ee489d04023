"""Reading and writing histories: each dialect unchanged through its own writer, and what others have no room for."""

from typing import Any

import pytest
from msgspec import UNSET

from wirelab.errors import UnreadableInputError
from wirelab.history.replay import NextRequest, Replay, next_request
from wirelab.ids import IdMap, IdRule
from wirelab.protocols.dialects import DIALECTS, detect_dialect, read_history
from wirelab.protocols.histories import thaw
from wirelab.transcript import Call, HistoryError, Message, Other, Result, Text, Transcript

PICTURE = {"type": "image_url", "image_url": {"url": "data:,x"}}
FUNCTION = {"name": "look", "arguments": '{"x": 1}'}
UNCHANGED: dict[str, Any] = {
    "chat": {
        "messages": [
            {
                "role": "system",
                "content": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
            },
            {"role": "developer", "content": "in prose", "name": "boss"},
            {"role": "user", "content": [{"type": "text", "text": "what is this?"}, PICTURE]},
            {
                "role": "assistant",
                "content": None,
                "reasoning": "plan",
                "annotations": [],
                "tool_calls": [{"id": "a", "type": "function", "index": 0, "function": {**FUNCTION, "strict": True}}],
            },
            {"role": "tool", "tool_call_id": "a", "name": "look", "content": [{"type": "text", "text": "a cat"}]},
            {"role": "assistant", "refusal": "no", "content": None},
            {"role": "assistant", "content": "a cat"},
            {"role": "user", "content": None},
            {"role": "user"},
        ]
    },
    "native": {
        "messages": [
            {"role": "user", "content": "what is this?", "images": ["eA=="]},
            {
                "role": "assistant",
                "content": "",
                "thinking": "plan",
                "tool_calls": [{"id": "a", "function": {"index": 0, "name": "look", "arguments": {"x": 1}}}],
            },
            {"role": "tool", "tool_name": "look", "tool_call_id": "a", "content": "a cat"},
            {"role": "assistant", "content": "a cat"},
        ]
    },
    "responses": {
        "instructions": "be brief",
        "input": [
            {"role": "developer", "content": "in prose"},
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "q"}, {"type": "input_image"}],
            },
            {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": ""}]},
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "a",
                "name": "look",
                "arguments": "{}",
                "status": "completed",
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"type": "output_text", "text": "one", "annotations": []},
                    {"type": "output_text", "text": "two"},
                    {"type": "refusal", "refusal": "no"},
                ],
            },
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "a cat"}]},
            {"role": "assistant", "content": "easy"},
            {"type": "message", "role": "assistant", "content": "also easy"},
        ],
    },
    "messages": {
        "system": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "image", "source": {}}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "plan", "signature": "S"},
                    {"type": "redacted_thinking", "data": "D"},
                    {"type": "text", "text": "one", "citations": None},
                    {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}, "cache_control": {}},
                    {"type": "tool_use", "id": "b", "name": "look", "input": {}},
                    {"type": "server_tool_use", "id": "s", "name": "web", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "a cat"}]},
                    {"type": "tool_result", "tool_use_id": "b", "is_error": True},
                    {"type": "text", "text": "and?"},
                ],
            },
            {"role": "assistant", "content": "a cat"},
        ],
    },
    "gemini": {
        "systemInstruction": {"role": "system", "parts": [{"text": "be"}, {"text": "brief", "note": 1}]},
        "contents": [
            {"role": "user", "parts": [{"text": "q"}, {"inlineData": {"mimeType": "image/png", "data": "eA=="}}]},
            {
                "role": "model",
                "parts": [
                    {"text": "plan", "thought": True, "thoughtSignature": "S1"},
                    {"text": "one", "thoughtSignature": "S2"},
                    {"functionCall": {"id": "a", "name": "look", "args": {"x": 1}}, "thoughtSignature": "S3"},
                    {"functionCall": {"id": "b", "name": "look", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": "a", "name": "look", "response": {"output": "a cat"}}},
                    {
                        "functionResponse": {
                            "id": "b",
                            "name": "look",
                            "response": {"error": "dark"},
                            "scheduling": "SILENT",
                        }
                    },
                ],
            },
            {"role": "model", "parts": [{"text": "", "thoughtSignature": "S4"}]},
        ],
    },
}


LEFT_OUT = {
    "chat": {"native"},
    "native": set[str](),
    "responses": {"chat", "native", "messages", "gemini"},
    "messages": {"chat", "native", "responses", "gemini"},
    "gemini": set[str](),
}
"""Where parts have no place: a picture's address on the native wire, hosted tools anywhere else."""


def requested(body: Any, source: str, **options: Any) -> NextRequest:
    return next_request(body, Replay(source=source, **options))


def codes(request: NextRequest) -> list[str]:
    return [finding.code for finding in request.findings]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_its_own_history_is_written_back_unchanged(dialect: str) -> None:
    body, entry = UNCHANGED[dialect], DIALECTS[dialect]
    profile = {"responses": "openai", "chat": "llama-server"}.get(dialect)
    if dialect == "chat":
        body = {
            "messages": [
                {("reasoning_content" if k == "reasoning" else k): v for k, v in m.items()} for m in body["messages"]
            ]
        }
    request = requested(body, dialect, profile=profile)
    assert request.messages == body[entry.list_key]
    assert request.system == next((body[key] for key in entry.system_keys if key in body), None)
    assert request.findings == ()


@pytest.mark.parametrize("target", DIALECTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_history_is_written_for_every_dialect(dialect: str, target: str) -> None:
    """Calls and results stay together, and nothing is left out without a report."""
    request = requested(UNCHANGED[dialect], dialect, to=target)
    there = read_history({DIALECTS[target].list_key: request.messages}, target).transcript
    calls = [call.name for entry in there.entries if isinstance(entry, Message) for call in entry.calls]
    texts = [entry.text for entry in there.entries if isinstance(entry, Result)]
    assert set(calls) == {"look"}
    assert len(texts) == len(calls)
    assert texts[0] == "a cat"
    assert ("part-left-out" in codes(request)) == (target in LEFT_OUT[dialect])


def test_a_mid_history_system_message_moves_to_the_field_with_a_report() -> None:
    chat = [
        {"role": "system", "content": "one"},
        {"role": "user", "content": "q"},
        {"role": "developer", "content": "two"},
    ]
    request = requested(chat, "chat", to="messages")
    assert (request.system, request.messages) == ("one\n\ntwo", [{"role": "user", "content": "q"}])
    assert [(each.code, each.position) for each in request.findings] == [("system-moved", 2)]
    gemini = requested(chat, "chat", to="gemini")
    assert gemini.system == {"parts": [{"text": "one\n\ntwo"}]}
    inside = [{"role": "user", "content": "q"}, {"role": "system", "content": "two"}]
    assert codes(requested(inside, "messages")) == ["system-moved"]


def test_system_text_of_a_field_becomes_the_first_message() -> None:
    for body, source in ((UNCHANGED["messages"], "messages"), (UNCHANGED["responses"], "responses")):
        assert requested(body, source, to="chat").messages[0] == {"role": "system", "content": "be brief"}
    contents = {"system_instruction": "be brief", "contents": {"parts": {"text": "q"}}}
    request = requested(contents, "gemini", to="native")
    assert request.messages == [{"role": "system", "content": "be brief"}, {"role": "user", "content": "q"}]
    assert requested(contents, "gemini").system == {"parts": [{"text": "be brief"}]}


def test_results_of_a_batch_are_one_leading_run() -> None:
    use = [{"type": "tool_use", "id": each, "name": "p", "input": {}} for each in "ab"]
    first, second = ({"type": "tool_result", "tool_use_id": each, "content": each} for each in "ab")
    hurry = {"type": "text", "text": "hurry"}
    history = [
        {"role": "assistant", "content": use},
        {"role": "user", "content": [hurry, first]},
        {"role": "user", "content": "now"},
        {"role": "user", "content": [second]},
    ]
    request = requested(history, "messages")
    assert request.messages == [
        {"role": "assistant", "content": use},
        {"role": "user", "content": [first, second, hurry]},
        {"role": "user", "content": "now"},
    ]
    assert codes(request) == ["held-back", "held-back", "held-back"]
    assert requested(request.messages, "messages").findings == ()


def test_tool_blocks_inside_chat_content_are_calls_and_results() -> None:
    use = {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    chat = [
        {"role": "assistant", "content": [{"type": "text", "text": "hm"}, use]},
        {"role": "user", "content": [{"type": "text", "text": "and?"}, answer]},
    ]
    request = requested(chat, "chat")
    assert [message["role"] for message in request.messages] == ["assistant", "tool", "user"]
    assert request.messages[0]["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"x":1}'}
    assert codes(request) == ["arguments-shape", "held-back"]


def test_on_responses_the_models_items_in_a_row_are_one_message() -> None:
    items = [
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"role": "assistant", "content": "that was its text"},
        {"type": "function_call_output", "call_id": "a", "output": "ok"},
        {"type": "message", "role": "assistant", "content": []},
    ]
    entries = read_history(items).transcript.entries
    assert [type(part) for part in entries[0].parts] == [Call, Text]
    request = requested(items, "responses", to="chat")
    assert [message["role"] for message in request.messages] == ["assistant", "tool"]
    assert codes(request) == ["empty-assistant-dropped"]
    assert requested("hello", "responses").messages == [{"role": "user", "content": "hello"}]


def test_errors_name_the_item() -> None:
    items = [
        {"role": "user", "content": "q"},
        *({"type": "function_call", "call_id": each, "name": "p"} for each in ("a", 5)),
    ]
    answer = requested([*items[:2], {"type": "function_call_output", "call_id": "a"}], "responses")
    assert answer.messages[2] == {"type": "function_call_output", "call_id": "a", "output": ""}
    with pytest.raises(HistoryError, match="invalid-id: message 2"):
        requested(items, "responses")


def test_gemini_responses_have_a_content_of_their_own() -> None:
    call = {"functionCall": {"name": "look"}}
    answer = {"functionResponse": {"name": "look", "response": {"a": 1}}}
    contents = [
        {"role": "model", "parts": [call, answer]},
        {"parts": [{"text": "and?"}]},
        {"role": "model", "parts": [call]},
        {"role": "function", "parts": [{"text": "so"}, {**answer}]},
    ]
    request = requested(contents, "gemini")
    assert [(each["role"], len(each["parts"])) for each in request.messages] == [
        ("model", 1),
        ("user", 1),
        ("user", 1),
        ("model", 1),
        ("user", 1),
        ("user", 1),
    ]
    assert codes(request) == ["results-set-apart", "blank-arguments", "blank-arguments", "results-set-apart"]
    assert requested(contents, "gemini", to="chat").messages[1]["content"] == '{"a":1}'


@pytest.mark.parametrize(
    ("response", "text", "error"),
    [
        ({"response": {"output": "x"}}, "x", False),
        ({"response": {"error": "x"}}, "x", True),
        ({"response": {"output": 1}}, '{"output":1}', False),
        ({"response": {"output": "x", "n": 1}}, '{"output":"x","n":1}', False),
        ({"response": "x"}, "x", False),
        ({"response": None}, "", False),
        ({"response": [1]}, "[1]", False),
        ({}, "", False),
    ],
)
def test_gemini_responses_as_text(response: Any, text: str, error: bool) -> None:
    contents = [{"role": "user", "parts": [{"functionResponse": {"name": "look", **response}}]}]
    result = read_history(contents).transcript.entries[0]
    assert isinstance(result, Result)
    assert (result.text, result.error) == (text, error)


def test_a_failed_tool_stays_one_where_the_dialect_says_so() -> None:
    use = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    failed = {"type": "tool_result", "tool_use_id": "a", "content": "dark", "is_error": True}
    history = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [failed]}]
    there = requested(history, "messages", to="gemini")
    assert there.messages[1]["parts"][0]["functionResponse"]["response"] == {"error": "dark"}
    assert requested(there.messages, "gemini", to="messages").messages == history


def test_a_message_without_parts_is_sent_as_empty_text() -> None:
    empty = {"role": "user", "content": ""}
    assert requested([empty], "chat", to="gemini").messages == [{"role": "user", "parts": [{"text": ""}]}]
    assert requested([empty], "chat", to="messages").messages == [empty]
    assert requested([empty], "chat", to="responses").messages == [empty]


def test_empty_content_is_written_as_the_endpoint_takes_it() -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    answer = {"role": "tool", "tool_call_id": "a", "content": None}
    for content, profile, wanted in (
        ({"content": ""}, "bedrock", {"content": None}),
        ({}, "bedrock", {}),
        ({"content": None}, "ollama-0.12.8", {"content": ""}),
        ({}, "ollama", {}),
    ):
        history = [{"role": "assistant", **content, "tool_calls": calls}, answer]
        request = requested(history, "chat", profile=profile)
        assert request.messages == [{"role": "assistant", **wanted, "tool_calls": calls}, answer]


def test_native_content_is_one_string_and_results_name_their_tool() -> None:
    calls = [{"function": {"name": "look", "arguments": '{"x":1}'}, "type": "function", "id": "a"}]
    history = [
        {"role": "user", "content": [{"type": "text", "text": "one"}, "two", PICTURE]},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "ok"},
    ]
    request = requested(history, "native")
    assert request.messages[0] == {"role": "user", "content": "one\ntwo"}
    assert request.messages[2]["tool_name"] == "look"
    assert codes(request) == ["content-joined", "content-joined", "part-left-out", "arguments-shape", "result-named"]
    assert requested(history[1:], "native", to="chat").messages[1] == history[2]


@pytest.mark.parametrize(
    ("history", "source", "said"),
    [
        ({"messages": "hi"}, "chat", "messages is no list"),
        (["hi"], "chat", r"messages\[0\] is no object but str"),
        ({"input": []}, "chat", "the request body has no 'messages', which chat has"),
        ([{"role": "user", "content": 5}], "chat", "message 0: content is neither text nor a list of parts"),
        ([{"role": "user", "content": [5]}], "chat", "message 0: a content part is neither an object nor text"),
        (
            [{"role": "assistant", "tool_calls": {}}],
            "chat",
            "message 0: tool_calls is no list of objects with a function",
        ),
        ([{"role": "assistant", "tool_calls": [{"id": "a"}]}], "chat", "message 0: tool_calls is no list"),
        ([{"text": "hi"}], "responses", r"input\[0\] has neither a type nor a role"),
        ([{"parts": "hi"}], "gemini", r"contents\[0\]: parts is no list of objects"),
        ([{"parts": [{"functionResponse": 5}]}], "gemini", r"contents\[0\]: a functionResponse is no object"),
    ],
)
def test_what_is_no_history_is_told_in_one_line(history: Any, source: str, said: str) -> None:
    with pytest.raises(UnreadableInputError, match=said):
        read_history(history, source)


def test_roles_that_are_none_are_left_to_settling() -> None:
    assert read_history([{"parts": [], "role": 5}], "gemini").transcript.entries == (Message(5, extra={}),)


def test_thawing_refuses_what_is_no_json() -> None:
    with pytest.raises(UnreadableInputError, match="a history holds object"):
        thaw({"a": [object()]})


DETECTED = [
    ("gemini", {"contents": []}),
    ("responses", {"input": "hi"}),
    ("gemini", [{"role": "user", "parts": []}]),
    ("responses", [{"role": "user", "content": "q"}, {"type": "function_call"}]),
    ("responses", [{"role": "user", "content": [{"type": "input_text", "text": "q"}]}]),
    ("chat", [{"role": "user", "content": "q"}]),
    ("chat", []),
    ("chat", {"messages": "hi"}),
    ("chat", [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}]),
    ("chat", [{"role": "assistant", "tool_calls": [{"function": {"name": "x"}}]}]),
    ("chat", [{"role": "assistant", "content": [{"type": "tool_use"}]}, {"role": "tool", "tool_call_id": "a"}]),
    ("chat", [{"role": "tool", "content": "x"}]),
    ("native", [{"role": "assistant", "tool_calls": [{"function": {"arguments": {}}}]}]),
    ("native", [{"role": "assistant", "thinking": "x", "tool_calls": [{"function": {"arguments": "{}"}}]}]),
    ("native", [{"role": "tool", "tool_name": "x"}]),
    ("native", [{"role": "user", "content": "q", "images": ["x"]}]),
    ("native", {"messages": [{"role": "user", "content": "q"}], "options": {}}),
    ("messages", {"messages": [{"role": "user", "content": "q"}], "system": "s"}),
    ("messages", {"messages": [{"role": "user", "content": "q"}], "tools": [{"name": "x", "input_schema": {}}]}),
    ("chat", {"messages": [{"role": "user", "content": "q"}], "tools": [{"type": "function"}]}),
    ("messages", [{"role": "user", "content": [{"type": "tool_result"}]}]),
]


@pytest.mark.parametrize(("dialect", "history"), DETECTED)
def test_the_dialect_is_told_from_the_history(dialect: str, history: Any) -> None:
    assert detect_dialect(history) == dialect


@pytest.mark.parametrize("history", ["hi", 5, None, {"prompt": "hi"}])
def test_what_is_no_history_has_no_dialect(history: Any) -> None:
    with pytest.raises(UnreadableInputError):
        detect_dialect(history)


def test_writers_leave_out_what_only_others_know() -> None:
    parts = (Other({"type": "video"}), Other({"no": "type"}), Text("hm"))
    other = Message("assistant", parts, extra={"audio": {"id": "x"}, "note": 1})
    for dialect in ("native", "gemini", "messages"):
        entry = DIALECTS[dialect]
        written = entry.write(Transcript((other,), "chat"), next_request([], Replay(to=dialect)).profile.wire)
        assert len(written.findings) == 3


def test_ids_that_collide_are_told_apart() -> None:
    rule = IdRule("[a-z_]+_[a-zA-Z0-9]{8}", 20)
    plain = IdMap(rule, [("a.", None)]).there("a.")
    ids = IdMap(rule, [("a.", None), (plain, None), ("a.", None)])
    assert ids.there(plain) == plain
    assert ids.there("a.") not in {plain, "a."}
    assert (ids.there("elsewhere"), ids.back("elsewhere")) == ("elsewhere", "elsewhere")
    short = IdRule("[0-9a-zA-Z]{4}", 4, "hash")
    first = IdMap(short, [("x-", None)]).there("x-")
    assert IdMap(short, [("x-", None), (first, None)]).there("x-") != first
    numbered = IdRule(r"functions\..+:\d+", 99, "numbered")
    assert IdMap(numbered, [("x", None), ("functions.tool:0", "tool")]).there("x") == "functions.tool:1"


def test_an_unread_field_is_no_system_text() -> None:
    bodies: list[dict[str, Any]] = [{"system": None, "messages": []}, {"messages": []}]
    for body in bodies:
        assert read_history(body, "messages").transcript.entries == ()
    assert read_history({"instructions": None, "input": []}, "responses").transcript.entries == ()
    assert DIALECTS["gemini"].read([], UNSET).transcript.entries == ()


def test_a_call_without_a_name_gives_its_result_none() -> None:
    calls = [{"id": "a", "function": {"arguments": {}}}]
    history = [{"role": "assistant", "content": "", "tool_calls": calls}, {"role": "tool", "tool_call_id": "a"}]
    assert requested(history, "native").messages[1] == history[1]
