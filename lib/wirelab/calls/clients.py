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
    Client("openai-python stream()", "index-concat", {"missing_index": "raise", "index_base": 0, "gap": "raise"}),
    Client("autogen-ext openai", "index-concat", {"raises": _TYPED}),
    Client(
        "langchain-openai 0.3", "index-concat", {"missing_index": "own-call", "broken": "leading", "raises": _TYPED}
    ),
    # index-last-wins
    Client(
        "openai-node 6.x stream()",
        "index-last-wins",
        {"missing_id": "raise", "missing_index": "drop", "index_base": 0, "gap": "raise", "raises": _CUT},
    ),
    Client(
        "openai-node 7.x stream()",
        "index-last-wins",
        {"missing_id": "raise", "missing_index": "raise", "index_base": 0, "gap": "raise", "raises": _CUT},
    ),
    Client("litellm openai/", "index-last-wins", {"missing_id": "drop", "missing_index": "position", "raises": _CUT}),
    Client(
        "litellm ollama_chat/",
        "index-last-wins",
        {**_FRESH_IDS, "reads_index": False, "missing_index": "position", "raises": _CUT},
        "the position in its frame stands for the index, and frames are not told apart",
    ),
    Client("smolagents OpenAIModel", "index-last-wins", {"missing_index": "raise", "raises": _TYPED}),
    Client("agno OpenAIChat", "index-last-wins", {"missing_id": "allocate", "index_base": 0, "gap": "pad"}),
    Client("openai-agents ChatCompletionsModel", "index-last-wins", {"raises": _TYPED}),
    Client("@openai/agents chat", "index-last-wins", {"ids": "first-wins", "names": "concat"}),
    Client(
        "pydantic-ai OpenAIChatModel",
        "index-last-wins",
        {"names": "concat", "missing_id": "allocate", "missing_index": "position"},
    ),
    Client("pydantic-ai AnthropicModel", "index-last-wins", {"names": "concat", "missing_id": "allocate"}),
    Client(
        "haystack OpenAIChatGenerator",
        "index-last-wins",
        {"names": "concat", "missing_index": "raise", "broken": "drop", "raises": _TYPED},
    ),
    # index-first-wins
    Client(
        "llm OpenAI Chat", "index-first-wins", {"late_id": False, "missing_id": "allocate", "raises": _TYPED | _BROKEN}
    ),
    Client(
        "@earendil-works/pi-ai",
        "index-first-wins",
        {"key": "index-else-id", "missing_index": "own-call", "broken": "empty", "raises": _CUT},
    ),
    Client(
        "@mariozechner/pi-ai",
        "index-first-wins",
        {"key": "index-else-id", "missing_index": "own-call", "broken": "leading"},
    ),
    Client(
        "strands OpenAIModel",
        "index-first-wins",
        {"missing_id": "drop", "late_id": False, "broken": "empty", "raises": _TYPED},
    ),
    # index-and-id
    Client("langchain-openai", "index-and-id", {"broken": "leading", "raises": _TYPED}),
    Client("@langchain/openai", "index-and-id", {"names": "first-wins", "missing_id": "drop", "broken": "leading"}),
    Client("semantic-kernel OpenAI", "index-and-id", {"names": "first-wins", "missing_index": "one-slot"}),
    Client(
        "semantic-kernel Ollama",
        "index-and-id",
        {**_NO_IDS, "reads_index": False, "names": "first-wins", "missing_index": "position", "raises": _PYTHON},
        "entries of later frames are folded into the first, object by object",
    ),
    # one-open-call
    Client("llama-index-llms-openai", "one-open-call", {"ids": "concat", "names": "concat", "first_entry_only": True}),
    # append-each
    Client("ollama-js", "append-each", {"raises": _CUT}),
    Client("ollama-python", "append-each", {**_NO_IDS, "raises": _PYTHON}),
    Client("ollama-python 0.5", "append-each", {**_NO_IDS, "raises": _PYTHON}),
    Client("agno Ollama", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client("autogen-ext ollama", "append-each", {**_FRESH_IDS, "raises": _PYTHON}, "every id it makes is '0'"),
    Client("langchain-ollama", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client("langchain-ollama 0.3", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client("llm-ollama", "append-each", {**_FRESH_IDS, "raises": _PYTHON}),
    Client("strands OllamaModel", "append-each", {**_FRESH_IDS, "raises": _PYTHON | _CUT}),
    Client("@langchain/ollama", "append-each", {**_FRESH_IDS, "raises": _CUT}),
    Client("ai-sdk-ollama", "append-each", {**_FRESH_IDS, "raises": _CUT}),
    Client("ollama-ai-provider-v2", "append-each", {"missing_id": "allocate", "raises": frozenset()}),
    Client("TanStack ai-ollama", "append-each", {"missing_id": "allocate", "raises": _CUT}),
    # content-dedupe
    Client("llama-index-llms-ollama", "content-dedupe", {**_NO_IDS, "raises": _PYTHON}),
    # frame-ordinal
    Client("ollama-haystack", "frame-ordinal", {**_NO_IDS, "raises": _PYTHON | _CUT}),
    # evidence
    *(
        Client(f"AI SDK {major} @ai-sdk/openai chat", "evidence", {"missing_index": "raise", "raises": _TYPED})
        for major in (5, 6, 7)
    ),
    Client("AI SDK 5 @ai-sdk/openai-compatible", "evidence", {"raises": _TYPED}),
    *(Client(f"AI SDK {major} @ai-sdk/openai-compatible", "evidence", {"raises": _TYPED | _CUT}) for major in (6, 7)),
    # Messages
    Client(
        "@earendil-works/pi-ai anthropic-messages",
        "index-first-wins",
        {"blocks": "key", "broken": "empty", "raises": _CUT},
    ),
    Client("langchain-anthropic", "index-and-id", {"broken": "leading"}),
    Client(
        "litellm anthropic/",
        "id-or-last",
        {"missing_id": "drop", "raises": _CUT},
        "every delta goes to the block that was opened last",
    ),
    *(
        Client(f"AI SDK {major} @ai-sdk/anthropic", "evidence", {"missing_id": "keep", "unique_ids": False})
        for major in (6, 7)
    ),
    # Responses
    Client("openai-node 6.x responses.stream()", "index-last-wins", {"blocks": "key"}),
    Client("openai-node 7.x responses.stream()", "index-last-wins", {"blocks": "key", "raises": _ONE_IDENTITY}),
    Client("@openai/agents responses", "append-each", {"modes": _TERMINAL}, "reads the terminal snapshot only"),
    Client("openai-agents ResponsesModel", "append-each", {"modes": _TERMINAL}, "reads the terminal snapshot only"),
    Client(
        "@earendil-works/pi-ai openai-responses",
        "index-first-wins",
        {"blocks": "key", "broken": "empty", "raises": _CUT},
    ),
    Client("langchain-openai responses", "index-and-id", {"modes": _DELTAS, "broken": "leading"}),
    Client("openai-python responses.stream()", "index-last-wins", {"blocks": "key", "raises": _CUT | _ONE_IDENTITY}),
    *(
        Client(
            f"AI SDK {major} @ai-sdk/openai responses",
            "evidence",
            {"ids": "last-wins", "late_id": True, "modes": _DONE, "unique_ids": False},
        )
        for major in (6, 7)
    ),
)

CLIENTS: dict[str, Client] = {row.name: row for row in _ROWS}
"""Every measured client that a row of data can describe, by its name in the matrix."""
