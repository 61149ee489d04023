"""What reaches the model: given a history and the prompt a server made of it, which parts arrive, where, and whose.

No template is parsed. Each part (a text, a thought, a call, a result) is looked for by what is unmistakable in it: its
words, or a call's name with its argument values close by. Of all places where parts could stand, the heaviest
assignment is taken that keeps the history's order and lets no two overlap; a part that is left over but stands
elsewhere was `moved`, one that stands nowhere is `lost`, and an empty one is `unknown` (specification 2, why it
matters).

A result that says neither its call's id nor, where that is enough, its tool's name is read by position: the model takes
the first result for the first call. Where that gives a result to another call, it was `swapped`.
"""

from collections.abc import Iterator, Sequence

import msgspec

from wirelab.history.places import Place, best_places, call_places, text_places
from wirelab.history.seen import Kind, Part, Seen
from wirelab.history.ties import tie_results
from wirelab.model import Json
from wirelab.protocols.histories import argument_object
from wirelab.transcript import Call, Message, Refusal, Result, Text, Thought, Transcript


class Visibility(msgspec.Struct, frozen=True):
    """Every part of a history, in its order, with what became of it."""

    parts: tuple[Seen, ...]

    @property
    def losses(self) -> tuple[Seen, ...]:
        """The parts that did not arrive as they should: lost, moved or swapped."""
        return tuple(seen for seen in self.parts if seen.is_loss)


def visibility(transcript: Transcript, prompt: Json) -> Visibility:
    """What of the transcript stands in the prompt: a text, or the list of messages that a server handed on."""
    text = prompt if isinstance(prompt, str) else _flat(prompt)
    parts = tuple(parts_of(transcript))
    candidates = [_places(part, text) for part in parts]
    chosen = best_places(candidates)
    taken = [place for place in chosen if place is not None]
    seen = [_seen(*each, taken) for each in zip(parts, chosen, candidates, strict=True)]
    return Visibility(tie_results(seen, text))


def parts_of(transcript: Transcript) -> Iterator[Part]:
    """The parts of a history that a model should see, in order."""
    for entry in transcript.entries:
        if isinstance(entry, Result):
            yield Part("result", entry.position, entry.text, _text_id(entry.id), entry.name)
        else:
            yield from _message_parts(entry)


def _message_parts(message: Message) -> Iterator[Part]:
    spoken: Kind = "text" if message.role == "assistant" else "user" if message.role == "user" else "system"
    for part in message.parts:
        if isinstance(part, Call):
            values = tuple(_leaves(argument_object(part.arguments)))
            yield Part("call", message.position, part.name or "", _text_id(part.id), part.name, values)
        elif isinstance(part, Thought):
            yield Part("thinking", message.position, part.text)
        elif isinstance(part, Text | Refusal):
            yield Part(spoken, message.position, part.text)


def _text_id(identifier: object) -> str | None:
    return identifier if isinstance(identifier, str) else None


def _leaves(value: Json) -> Iterator[str]:
    """The leaf values of arguments, as they are written anywhere: texts, numbers, true and false."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _leaves(member)
    elif isinstance(value, str):
        if value.strip():
            yield value
    elif value is not None:
        yield msgspec.json.encode(value).decode()


def _flat(prompt: Json) -> str:
    """A prompt that is a list of messages, as one text."""
    return "\n".join(_leaves(prompt)) if isinstance(prompt, list | dict) else ""


def _places(part: Part, prompt: str) -> list[Place]:
    if part.kind == "call":
        return call_places(prompt, part.text, part.values)
    places = text_places(prompt, part.text)
    values = list(_leaves(argument_object(part.text))) if part.kind == "result" and not places else []
    return call_places(prompt, values[0], values[1:]) if values else places


def _seen(part: Part, place: Place | None, candidates: Sequence[Place], taken: Sequence[Place]) -> Seen:
    if not part.text.strip():
        return Seen(part, "unknown")
    if place is not None:
        return Seen(part, "kept", place.start, place.end)
    free = [one for one in candidates if not any(one.overlaps(other) for other in taken)]
    return Seen(part, "moved", free[0].start, free[0].end) if free else Seen(part, "lost")
