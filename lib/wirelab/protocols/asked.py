"""What a recorded request asked for, as far as reading its answer needs it: one function a protocol.

A request that brings a conversation of its own and no `tools` declares that there are none, as an empty list does: a
call that comes all the same was not asked for (claim C30). Where the request is only known in part, or goes on from a
stored one, `Asked.tools` is None.
"""

from typing import Final

from wirelab.model import Asked, Json


def native(request: Json) -> Asked:
    """Ollama's `/api/chat`: `tools`, `options.num_predict` (-1 and -2 are no limit), `stream`."""
    body = _object(request)
    return Asked(
        tools=_declared(body, "tools"),
        output_limit=_limit(_object(body.get("options")), "num_predict"),
        stream=_flag(body, "stream"),
    )


def chat(request: Json) -> Asked:
    """Chat completions: `tools` or legacy `functions`, `parallel_tool_calls`, `max_completion_tokens`, `max_tokens`."""
    body = _object(request)
    return Asked(
        tools=_declared(body, "tools", "functions"),
        parallel=_flag(body, "parallel_tool_calls"),
        output_limit=_limit(body, "max_completion_tokens", "max_tokens"),
        stream=_flag(body, "stream"),
    )


def responses(request: Json) -> Asked:
    """Responses: `tools`, `parallel_tool_calls`, `max_output_tokens`."""
    body = _object(request)
    return Asked(
        tools=_declared(body, "tools"),
        parallel=_flag(body, "parallel_tool_calls"),
        output_limit=_limit(body, "max_output_tokens"),
        stream=_flag(body, "stream"),
    )


def messages(request: Json) -> Asked:
    """Messages: `tools`, `tool_choice.disable_parallel_tool_use`, `max_tokens`."""
    body = _object(request)
    disabled = _flag(_object(body.get("tool_choice")), "disable_parallel_tool_use")
    return Asked(
        tools=_declared(body, "tools"),
        parallel=None if disabled is None else not disabled,
        output_limit=_limit(body, "max_tokens"),
        stream=_flag(body, "stream"),
    )


def gemini(request: Json) -> Asked:
    """Gemini: `tools[].functionDeclarations`, `generationConfig.maxOutputTokens`; the path says whether it streams."""
    body = _object(request)
    config = _object(body.get("generationConfig", body.get("generation_config")))
    return Asked(tools=_declared(body, "tools"), output_limit=_limit(config, "maxOutputTokens", "max_output_tokens"))


_CONVERSATIONS: Final = ("messages", "input", "contents")
_SPOKEN: Final = (list, str)
_STORED: Final = ("previous_response_id", "conversation", "prompt", "cachedContent")
"""Fields by which a request goes on from something the server keeps, its tools included."""
_NESTED: Final = ("function", "custom")
_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _declared(body: dict[str, Json], *keys: str) -> frozenset[str] | None:
    """The names of all declared tools; None where nobody can know them."""
    lists = [body[key] for key in keys if isinstance(body.get(key), list)]
    if not lists:
        stored = any(body.get(key) is not None for key in _STORED)
        if stored or not any(isinstance(body.get(key), _SPOKEN) for key in _CONVERSATIONS):
            return None
    names: set[str] = set()
    for tools in lists:
        for tool in tools:
            if isinstance(tool, dict):
                _add_names(tool, names)
    return frozenset(names)


def _add_names(tool: dict[str, Json], names: set[str]) -> None:
    """The names in one entry: its own, that of its nested function, or those of its declarations."""
    holders: list[Json] = [tool]
    for key in _NESTED:
        if key in tool:
            holders.append(tool[key])  # noqa: PERF401  this runs for every tool of every capture
    for key in _DECLARATIONS:
        if key in tool and isinstance(tool[key], list):
            holders += tool[key]
    for holder in holders:
        if isinstance(holder, dict):
            name = holder.get("name")
            if isinstance(name, str):
                names.add(name)


def _flag(body: dict[str, Json], key: str) -> bool | None:
    value = body.get(key)
    return value if isinstance(value, bool) else None


def _limit(body: dict[str, Json], *keys: str) -> int | None:
    """The first of the keys that holds a positive number of tokens."""
    for key in keys:
        value = body.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None
