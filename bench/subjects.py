"""What is measured against the floor: our one way from bytes to a reading, whole, in reads, and live."""

from collections.abc import Callable
from typing import Any

from bench.corpora import Corpus
from wirelab.calls import ResponseMachine, read_body
from wirelab.model import Reading


class WrongAnswerError(Exception):
    """A subject did not read what the body says: its time would mean nothing."""


def whole(corpus: Corpus) -> Callable[[], Reading]:
    """The body in memory, at once."""
    body, protocol = corpus.body, corpus.protocol
    return lambda: read_body(body, protocol)


def in_reads(protocol: str, reads: list[bytes]) -> Callable[[], Reading]:
    """The body as reads bring it."""

    def run() -> Reading:
        machine = ResponseMachine(protocol)
        push = machine.push
        for read in reads:
            push(read)
        return machine.close()

    return run


def sliced(body: bytes, size: int) -> list[bytes]:
    """Reads of one size."""
    return [body[start : start + size] for start in range(0, len(body), size)]


def check(corpus: Corpus, subject: Callable[[], Reading]) -> None:
    """Raise WrongAnswerError unless the reading is the corpus's."""
    reading = subject()
    if reading.error is not None:
        raise WrongAnswerError(f"{corpus.name}: {reading.error.code}: {reading.error.message}")
    calls = [(call.id, call.name, call.arguments) for call in reading.calls]
    compare(corpus, reading.text, calls)


def compare(corpus: Corpus, text: str, calls: list[tuple[Any, Any, Any]]) -> None:
    """Raise WrongAnswerError unless text and calls are the corpus's; ids count where the corpus has them."""
    wanted = list(corpus.calls)
    if text != corpus.text:
        raise WrongAnswerError(f"{corpus.name}: text of {len(text)} characters, not {len(corpus.text)}")
    theirs = [(want[0] and call[0], call[1], call[2]) for want, call in zip(wanted, calls, strict=False)]
    if theirs != wanted or len(calls) != len(wanted):
        raise WrongAnswerError(f"{corpus.name}: {len(calls)} calls that are not the {len(wanted)} of the body")


def each(bodies: list[bytes], protocol: str) -> Callable[[], Any]:
    """Many bodies, one after the other."""

    def run() -> None:
        for body in bodies:
            read_body(body, protocol)

    return run
