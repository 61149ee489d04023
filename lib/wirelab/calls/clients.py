"""Published clients whose readings were measured, as policies with their own small choices.

Each row was found by sending the battery of `captures/cases` to the client (versions: `peer-matrix.json`) and looking
at what it handed over. The names are those of the matrix.
"""

from wirelab.calls.policy import ALWAYS_RAISES, Client

_CUT = ALWAYS_RAISES | {"stream-cut"}
_TYPED = ALWAYS_RAISES | {"arguments-shape"}
_ONE_IDENTITY = ALWAYS_RAISES | {"id-changed", "name-changed"}
_BROKEN = ALWAYS_RAISES | {"truncated-arguments", "invalid-arguments"}
_TERMINAL = frozenset({"whole"})
_DELTAS = frozenset({"delta"})
_DONE = frozenset({"done"})
_NO_IDS = {"reads_id": False}
_FRESH_IDS = {"reads_id": False, "missing_id": "allocate"}
_PYTHON = ALWAYS_RAISES | {"arguments-shape", "unterminated-event"}

_ROWS = (
    # index-concat
    Client(
        "openai-python stream()", "chat", "index-concat", {"missing_index": "raise", "index_base": 0, "gap": "raise"}
    ),
    Client("autogen-ext openai", "chat", "index-concat", {"raises": _TYPED}),
    Client(
        "langchain-openai 0.3",
        "chat",
        "index-concat",
        {"missing_index": "own-call", "broken": "leading", "raises": _TYPED},
    ),
    # index-last-wins
    Client(
        "openai-node 6.x stream()",
        "chat",
        "index-last-wins",
        {"missing_id": "raise", "missing_index": "drop", "index_base": 0, "gap": "raise", "raises": _CUT},
    ),
    Client(
        "openai-node 7.x stream()",
        "chat",
        "index-last-wins",
        {"missing_id": "raise", "missing_index": "raise", "index_base": 0, "gap": "raise", "raises": _CUT},
    ),
    Client(
        "litellm openai/",
        "chat",
        "index-last-wins",
        {"missing_id": "drop", "missing_index": "position", "raises": _CUT},
    ),
    Client(
        "litellm ollama_chat/",
        "native",
        "index-last-wins",
        {**_FRESH_IDS, "reads_index": False, "missing_index": "position", "raises": _CUT},
        "the position in its frame stands for the index, and frames are not told apart",
    ),
    Client("smolagents OpenAIModel", "chat", "index-last-wins", {"missing_index": "raise", "raises": _TYPED}),
    Client("agno OpenAIChat", "chat", "index-last-wins", {"missing_id": "allocate", "index_base": 0, "gap": "pad"}),
    Client("openai-agents ChatCompletionsModel", "chat", "index-last-wins", {"raises": _TYPED}),
    Client("@openai/agents chat", "chat", "index-last-wins", {"ids": "first-wins", "names": "concat"}),
    Client(
        "pydantic-ai OpenAIChatModel",
        "chat",
        "index-last-wins",
        {"names": "concat", "missing_id": "allocate", "missing_index": "position"},
    ),
    Client("pydantic-ai AnthropicModel", "messages", "index-last-wins", {"names": "concat", "missing_id": "allocate"}),
    Client(
        "haystack OpenAIChatGenerator",
        "chat",
        "index-last-wins",
        {"names": "concat", "missing_index": "raise", "broken": "drop", "raises": _TYPED},
    ),
    # index-first-wins
    Client(
        "llm OpenAI Chat",
        "chat",
        "index-first-wins",
        {"late_id": False, "missing_id": "allocate", "raises": _TYPED | _BROKEN},
    ),
    Client(
        "@earendil-works/pi-ai",
        "chat",
        "index-first-wins",
        {"key": "index-else-id", "missing_index": "own-call", "broken": "empty", "raises": _CUT},
    ),
    Client(
        "@mariozechner/pi-ai",
        "chat",
        "index-first-wins",
        {"key": "index-else-id", "missing_index": "own-call", "broken": "leading"},
    ),
    Client(
        "strands OpenAIModel",
        "chat",
        "index-first-wins",
        {"missing_id": "drop", "late_id": False, "broken": "empty", "raises": _TYPED},
    ),
    # index-and-id
    Client("langchain-openai", "chat", "index-and-id", {"broken": "leading", "raises": _TYPED}),
    Client(
        "@langchain/openai", "chat", "index-and-id", {"names": "first-wins", "missing_id": "drop", "broken": "leading"}
    ),
    Client("semantic-kernel OpenAI", "chat", "index-and-id", {"names": "first-wins", "missing_index": "one-slot"}),
    Client(
        "semantic-kernel Ollama",
        "native",
        "index-and-id",
        {**_NO_IDS, "reads_index": False, "names": "first-wins", "missing_index": "position", "raises": _PYTHON},
        "entries of later frames are folded into the first, object by object",
    ),
    # one-open-call
    Client(
        "llama-index-llms-openai",
        "chat",
        "one-open-call",
        {"ids": "concat", "names": "concat", "first_entry_only": True},
    ),
    # append-each
    Client("ollama-js", "native", "append-each", {"raises": _CUT}),
    Client("ollama-python", "native", "append-each", {**_NO_IDS, "raises": _PYTHON}),
    Client("ollama-python 0.5", "native", "append-each", {**_NO_IDS, "raises": _PYTHON}),
    Client("agno Ollama", "native", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client(
        "autogen-ext ollama", "native", "append-each", {**_FRESH_IDS, "raises": _PYTHON}, "every id it makes is '0'"
    ),
    Client("langchain-ollama", "native", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client("langchain-ollama 0.3", "native", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client("llm-ollama", "native", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client("strands OllamaModel", "native", "append-each", {**_FRESH_IDS, "raises": _PYTHON | _CUT}),
    Client("@langchain/ollama", "native", "append-each", {**_FRESH_IDS, "raises": _CUT}),
    Client("ai-sdk-ollama", "native", "append-each", {**_FRESH_IDS, "raises": _CUT}),
    Client("ollama-ai-provider-v2", "native", "append-each", {"missing_id": "allocate", "raises": frozenset()}),
    Client("TanStack ai-ollama", "native", "append-each", {"missing_id": "allocate", "raises": _CUT}),
    # content-dedupe
    Client("llama-index-llms-ollama", "native", "content-dedupe", {**_NO_IDS, "raises": _PYTHON}),
    # frame-ordinal
    Client("ollama-haystack", "native", "frame-ordinal", {**_NO_IDS, "raises": _PYTHON | _CUT}),
    # evidence
    *(
        Client(f"AI SDK {major} @ai-sdk/openai chat", "chat", "evidence", {"missing_index": "raise", "raises": _TYPED})
        for major in (5, 6, 7)
    ),
    Client("AI SDK 5 @ai-sdk/openai-compatible", "chat", "evidence", {"raises": _TYPED}),
    *(
        Client(f"AI SDK {major} @ai-sdk/openai-compatible", "chat", "evidence", {"raises": _TYPED | _CUT})
        for major in (6, 7)
    ),
    # Messages
    Client(
        "@earendil-works/pi-ai anthropic-messages",
        "messages",
        "index-first-wins",
        {"blocks": "key", "broken": "empty", "raises": _CUT},
    ),
    Client("langchain-anthropic", "messages", "index-and-id", {"broken": "leading"}),
    Client(
        "litellm anthropic/",
        "messages",
        "id-or-last",
        {"missing_id": "drop", "raises": _CUT},
        "every delta goes to the block that was opened last",
    ),
    *(
        Client(f"AI SDK {major} @ai-sdk/anthropic", "messages", "evidence", {"missing_id": "keep", "unique_ids": False})
        for major in (6, 7)
    ),
    # Responses
    Client("openai-node 6.x responses.stream()", "responses", "index-last-wins", {"blocks": "key"}),
    Client(
        "openai-node 7.x responses.stream()", "responses", "index-last-wins", {"blocks": "key", "raises": _ONE_IDENTITY}
    ),
    Client(
        "@openai/agents responses", "responses", "append-each", {"modes": _TERMINAL}, "reads the terminal snapshot only"
    ),
    Client(
        "openai-agents ResponsesModel",
        "responses",
        "append-each",
        {"modes": _TERMINAL},
        "reads the terminal snapshot only",
    ),
    Client(
        "@earendil-works/pi-ai openai-responses",
        "responses",
        "index-first-wins",
        {"blocks": "key", "broken": "empty", "raises": _CUT},
    ),
    Client("langchain-openai responses", "responses", "index-and-id", {"modes": _DELTAS, "broken": "leading"}),
    Client(
        "openai-python responses.stream()",
        "responses",
        "index-last-wins",
        {"blocks": "key", "raises": _CUT | _ONE_IDENTITY},
    ),
    *(
        Client(
            f"AI SDK {major} @ai-sdk/openai responses",
            "responses",
            "evidence",
            {"ids": "last-wins", "late_id": True, "modes": _DONE, "unique_ids": False},
        )
        for major in (6, 7)
    ),
)

CLIENTS: dict[str, Client] = {row.name: row for row in _ROWS}
"""Every measured client that a row of data can describe, by its name in the matrix."""
