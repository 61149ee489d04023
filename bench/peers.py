"""What users have today: the accumulators of other clients, fed the same bytes without a network."""

# ruff: noqa: PLC0415  a client is imported where it is measured, so that the other figures need none

import json
from collections.abc import Callable, Iterator
from typing import Any

from bench.corpora import Call, Corpus
from bench.subjects import compare

Answer = tuple[str, list[tuple[Any, Any, Any]]]
"""Text, and calls as id, name, arguments."""


def peer(corpus: Corpus) -> tuple[str, Callable[[], Answer]] | None:
    """The client of a protocol and its reading of the body; None where there is no such client here."""
    maker = _PEERS.get(corpus.protocol)
    return maker(corpus.body) if maker else None


def check(corpus: Corpus, subject: Callable[[], Answer], *, ids: bool) -> None:
    """Raise WrongAnswerError unless the client reads the corpus as it is; the ollama client drops ids."""
    text, calls = subject()
    wanted: tuple[Call, ...] = tuple((call[0] if ids else None, *call[1:]) for call in corpus.calls)
    compare(corpus._replace(calls=wanted), text, calls)


def _openai_chat(body: bytes) -> tuple[str, Callable[[], Answer]]:
    import httpx2
    import openai
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    client = openai.OpenAI(api_key="none", base_url="http://localhost")
    request = httpx2.Request("POST", "http://localhost")

    def run() -> Answer:
        state: Any = ChatCompletionStreamState()
        response = httpx2.Response(200, content=body, request=request)
        for chunk in openai.Stream(cast_to=ChatCompletionChunk, response=response, client=client):
            for _ in state.handle_chunk(chunk):
                pass
        message = state.get_final_completion().choices[0].message
        calls = message.tool_calls or []
        found = [(call.id, call.function.name, json.loads(call.function.arguments)) for call in calls]
        return message.content or "", found

    return f"openai {openai.__version__}", run


def _openai_responses(body: bytes) -> tuple[str, Callable[[], Answer]]:
    import httpx2
    import openai
    from openai._types import omit
    from openai.lib.streaming.responses._responses import ResponseStreamState
    from openai.types.responses import ResponseStreamEvent

    client = openai.OpenAI(api_key="none", base_url="http://localhost")
    request = httpx2.Request("POST", "http://localhost")

    def run() -> Answer:
        state: Any = ResponseStreamState(input_tools=omit, text_format=omit)
        response = httpx2.Response(200, content=body, request=request)
        pieces: list[str] = []
        final: Any = None
        for event in openai.Stream(cast_to=ResponseStreamEvent, response=response, client=client):  # type: ignore[type-abstract,var-annotated]
            for told in state.handle_event(event):
                if told.type == "response.output_text.delta":
                    pieces.append(told.delta)
                elif told.type == "response.completed":
                    final = told.response
        calls = [item for item in final.output if item.type == "function_call"]
        return "".join(pieces), [(call.call_id, call.name, json.loads(call.arguments)) for call in calls]

    return f"openai {openai.__version__}", run


def _anthropic(body: bytes) -> tuple[str, Callable[[], Answer]]:
    import anthropic
    import httpx2
    from anthropic.types import RawMessageStreamEvent

    client = anthropic.Anthropic(api_key="none", base_url="http://localhost")
    request = httpx2.Request("POST", "http://localhost")

    def run() -> Answer:
        response = httpx2.Response(200, content=body, request=request)
        raw: Any = anthropic.Stream(cast_to=RawMessageStreamEvent, response=response, client=client)  # type: ignore[type-abstract,var-annotated]
        stream = anthropic.MessageStream(raw, output_format=anthropic.NOT_GIVEN)
        for _ in stream:
            pass
        content = stream.get_final_message().content
        text = "".join(block.text for block in content if block.type == "text")
        return text, [(block.id, block.name, block.input) for block in content if block.type == "tool_use"]

    return f"anthropic {anthropic.__version__}", run


def _ollama(body: bytes) -> tuple[str, Callable[[], Answer]]:
    from importlib.metadata import version

    import httpx
    import ollama

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    client = ollama.Client(host="http://localhost", transport=transport)

    def parts() -> Iterator[Any]:
        return client.chat(model="m", messages=[{"role": "user", "content": "hi"}], stream=True)

    def run() -> Answer:
        text: list[str] = []
        calls: list[tuple[Any, Any, Any]] = []
        for part in parts():
            text.append(part.message.content or "")
            calls += [
                (None, call.function.name, dict(call.function.arguments)) for call in part.message.tool_calls or []
            ]
        return "".join(text), calls

    return f"ollama {version('ollama')}", run


_PEERS: dict[str, Callable[[bytes], tuple[str, Callable[[], Answer]]]] = {
    "native": _ollama,
    "chat": _openai_chat,
    "responses": _openai_responses,
    "messages": _anthropic,
}
