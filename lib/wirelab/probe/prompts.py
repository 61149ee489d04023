"""Prompts: which parts of a conversation a model's template lets through, without running the model.

Some servers render a prompt and stop: Ollama by `_debug_render_only` (on /api/chat since 0.11.5, on chat since 0.12),
llama-server at `/apply-template`. Histories with unmistakable words are rendered as they are and again after settling,
and `history.visibility` says what arrived. A server that runs the model instead is left alone after one request.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from wirelab.capture.types import Capture
from wirelab.claims.failures import decoded
from wirelab.history.replay import Replay, next_request
from wirelab.history.visibility import Visibility, visibility
from wirelab.model import Json
from wirelab.probe.bodies import Message, history_of, tool_of
from wirelab.probe.plan import Step
from wirelab.probe.scenarios import Book, Call, Scenario, Turn
from wirelab.protocols.dialects import read_history
from wirelab.transcript import HistoryError

Renderer = Literal["native", "chat", "apply-template"]
RENDERERS: tuple[Renderer, ...] = ("native", "apply-template", "chat")
"""In the order in which they are tried: the last one is an endpoint that many servers have and run the model at."""

FIRST = "history-replay_one"
"""The history that shows whether a server renders at all."""

_WORDS = ("kestrel", "plover", "siskin", "dunlin", "wigeon", "garganey", "bittern", "whimbrel", "fulmar", "smew")


class Rendering(msgspec.Struct, frozen=True):
    """One history as it is to be rendered: its step, and its messages, whose parts are looked for in the prompt.

    `refused` says why there is nothing to render: no settling can place one of its messages.
    """

    history: str
    settled: bool
    step: Step
    messages: list[Json]
    refused: str = ""


class Judged(msgspec.Struct, frozen=True):
    """What became of a rendering: the parts and where they are, or why there is no prompt."""

    history: str
    settled: bool
    seen: Visibility | None
    reason: str = ""


def renderings(renderer: Renderer, book: Book, model: str, *, settled: bool) -> Iterator[Rendering]:
    """Every history with marks, as it is, or settled as the target's profile wants it."""
    for scenario in book.scenarios:
        if scenario.group == "histories":
            yield _rendering(scenario, renderer, book, model, settled=settled)


def marked(turns: Sequence[Turn]) -> list[Turn]:
    """The same turns, every text and every text argument followed by a word of its own; what is empty stays so."""
    words = (f"{_WORDS[number % len(_WORDS)]}{number}" for number in range(10_000))

    def mark(text: str | None) -> str | None:
        return f"{text} {next(words)}" if text else text

    return [
        msgspec.structs.replace(
            turn,
            user=mark(turn.user),
            think=mark(turn.think),
            say=mark(turn.say),
            calls=tuple(_marked(call, words) for call in turn.calls),
            result=mark(turn.result),
        )
        for turn in turns
    ]


def prompt_of(capture: Capture) -> str | None:
    """The prompt in an answer; None where the server rendered none (it may have run the model)."""
    body = decoded(capture.body)
    if not isinstance(body, dict):
        return None
    info = body.get("_debug_info")
    prompt = info.get("rendered_template") if isinstance(info, dict) else body.get("prompt")
    return prompt if isinstance(prompt, str) else None


def judge(rendering: Rendering, renderer: Renderer, capture: Capture | None) -> Judged:
    """What of a history reached the prompt that a capture holds."""
    if rendering.refused or capture is None:
        return Judged(rendering.history, rendering.settled, None, rendering.refused or "no answer")
    prompt = prompt_of(capture)
    if prompt is None:
        return Judged(rendering.history, rendering.settled, None, f"refused with status {capture.response.status}")
    transcript = read_history({"messages": rendering.messages}, _dialect(renderer)).transcript
    return Judged(rendering.history, rendering.settled, visibility(transcript, prompt))


def _marked(call: Call, words: Iterator[str]) -> Call:
    arguments = {
        name: f"{value} {next(words)}" if isinstance(value, str) else value for name, value in call.arguments.items()
    }
    return msgspec.structs.replace(call, arguments=arguments)


def _rendering(scenario: Scenario, renderer: Renderer, book: Book, model: str, *, settled: bool) -> Rendering:
    messages: list[Json] = list(history_of(_dialect(renderer), marked(scenario.turns)))
    refused = ""
    if settled:
        try:
            messages = next_request({"messages": messages}, Replay(source=_dialect(renderer))).messages
        except HistoryError as error:
            refused = f"can't be settled: {error.code}"
    name = scenario.name.replace("history-", "rendered-settled-" if settled else "rendered-", 1)
    step = _step(name, renderer, messages, model, book)
    return Rendering(scenario.name, settled, step, messages, refused)


def _step(name: str, renderer: Renderer, messages: list[Message], model: str, book: Book) -> Step:
    """The request that renders. Where the model is run after all, it makes one token."""
    if renderer == "apply-template":
        tools = [tool_of("chat", named, tool) for named, tool in book.tools.items()]
        body = {"model": model, "messages": messages, "tools": tools}
        scenario = Scenario(name, "prompts", name, (), protocols=("discovery",), path="/apply-template", json=body)
        return Step(scenario, "discovery", "plain")
    least = {"options": {"num_predict": 1}} if renderer == "native" else {"max_tokens": 1}
    fields: dict[str, dict[str, Json]] = {renderer: {"messages": messages, "_debug_render_only": True, **least}}
    return Step(Scenario(name, "prompts", name, (), protocols=(renderer,), fields=fields), renderer, "whole")


def _dialect(renderer: Renderer) -> str:
    return "native" if renderer == "native" else "chat"
