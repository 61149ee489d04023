"""Diagnoses: what an answer with status 200 quietly did not do, seen from request and answer together."""

from collections.abc import Mapping, Sequence

import msgspec

from wirelab.model import Json

_CHARACTERS_PER_TOKEN = 12
"""Far above what any tokenizer reaches on ordinary text (about four), so that only a real loss is reported."""


def prompt_floor(request: Json) -> int:
    """The least number of prompt tokens that the texts of a request body can possibly make."""
    return _characters(request) // _CHARACTERS_PER_TOKEN


def silently_truncated(request: Json, prompt_tokens: int | None, context_length: int | None = None) -> bool:
    """Whether the server counted far fewer prompt tokens than it was sent, and said nothing (wire case BR-151).

    Truncation starts at the front, so the declared tools go first. With a known `context_length` in tokens, a count
    that fills it to the brim while the prompt could not fit is the same loss.
    """
    if prompt_tokens is None or prompt_tokens <= 0:
        return False
    if context_length is not None and prompt_floor(request) > context_length:
        return prompt_tokens <= context_length
    return prompt_tokens < prompt_floor(request)


def forced_tool_ignored(request: Json, called: Sequence[str]) -> bool:
    """Whether a request forced one named tool, or any, and the answer called none such (wire case BR-161)."""
    choice = request.get("tool_choice") if isinstance(request, Mapping) else None
    if choice in ("required", "any") or (isinstance(choice, Mapping) and choice.get("type") in ("any", "required")):
        return not called
    wanted = forced_name(choice)
    return wanted is not None and wanted not in called


def forced_name(choice: Json) -> str | None:
    """The one tool that a `tool_choice` of chat, responses or messages names; None where it names none."""
    if not isinstance(choice, Mapping) or choice.get("type") not in ("function", "tool"):
        return None
    function = choice.get("function")
    name = function.get("name") if isinstance(function, Mapping) else choice.get("name")
    return name if isinstance(name, str) else None


def _characters(value: Json) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_characters(part) for key, part in value.items() if key not in ("images", "source", "image_url"))
    if isinstance(value, Sequence):
        return sum(_characters(part) for part in value)
    return 0 if value is None else len(msgspec.json.encode(value))
