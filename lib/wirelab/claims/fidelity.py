"""Fidelity: what the model said against what was read, and who lost the difference.

`observed.model_said` is what the model's raw output means; a reading that differs from it is the reader's fault, the
server's or a gateway's. The reader's it is only when the bytes hold what the reading lacks, so the blame is taken from
the evidence: what stands in the body, in the text, in the findings, never from a list.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from wirelab.model import Json, Reading

Part = Literal["calls", "text", "thinking"]
Blame = Literal["server", "gateway", "reader"]

_GATEWAYS = ("litellm", "opencodex", "cloud-gateway")
_DECODER = json.JSONDecoder()
_WORD = re.compile(r"\w+")


class Difference(msgspec.Struct, frozen=True):
    """One part of an answer that is not what the model said.

    `how` is one of `lost`, `moved into the text`, `merged`, `refused`, `cut`, `changed`, `added`; `said` and `read` are
    shown as JSON text, or as the text itself.
    """

    part: Part
    how: str
    blame: Blame
    said: str
    read: str


def compare(
    reading: Reading, said: Mapping[str, Json], output: str | None, server: str, body: bytes
) -> list[Difference]:
    """The differences between a (lenient) reading and `observed.model_said`, in the order calls, text, thinking.

    `output` is the model's raw text: thinking that `model_said` leaves out but that it holds was said all the same.
    White space around text and thinking counts for nothing, since servers trim it. `server` is the source's server.
    """
    found = [
        _calls(reading, said, body),
        _prose("text", reading, said.get("text"), None, body),
        _prose("thinking", reading, said.get("thinking"), output, body),
    ]
    who: Blame = "gateway" if any(name in server for name in _GATEWAYS) else "server"
    return [msgspec.structs.replace(one, blame=who) if one.blame == "server" else one for one in found if one]


def _calls(reading: Reading, said: Mapping[str, Json], body: bytes) -> Difference | None:
    want = [(call["name"], call["arguments"]) for call in said.get("calls") or ()]
    got = [(call.name, call.arguments) for call in reading.calls]
    if got == want:
        return None
    return Difference("calls", _how(reading, want, got), _calls_blame(reading, want, body), _shown(want), _shown(got))


def _how(reading: Reading, want: Sequence[tuple[str, Json]], got: Sequence[tuple[str | None, Json]]) -> str:
    codes = {finding.code for finding in reading.findings}
    if any(_holds_several(call.arguments_text) for call in reading.calls):
        return "merged"
    if len(got) < len(want):
        if "leaked-tool-markup" in codes:
            return "moved into the text"
        return "refused" if "upstream-error" in codes else "cut" if "stream-cut" in codes else "lost"
    return "added" if len(got) > len(want) else "changed"


def _holds_several(text: str) -> bool:
    """The arguments are several JSON objects one after the other: somebody joined calls."""
    try:
        _, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip().startswith("{")


def _calls_blame(reading: Reading, want: Sequence[tuple[str, Json]], body: bytes) -> Blame:
    """The reader's, when all words of a missing call stand in the body outside of what was read as text."""
    rest = set(_words(body.decode("utf-8", "replace"))) - set(_words(reading.text + reading.thinking))
    missing = [call for call in want if call not in [(one.name, one.arguments) for one in reading.calls]]
    failed = reading.error is not None
    return (
        "reader"
        if missing and not failed and all(set(_words(_shown([call]))) <= rest for call in missing)
        else "server"
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _prose(part: Part, reading: Reading, said: Json, output: str | None, body: bytes) -> Difference | None:
    read = reading.text if part == "text" else reading.thinking
    want, got = str(said or "").strip(), read.strip()
    if want == got or (not want and output is not None and got in output):
        return None
    failed = any(finding.code in ("upstream-error", "stream-cut") for finding in reading.findings)
    how = "refused" if failed and not got else "lost" if not got else "added" if want in got else "changed"
    missed = how != "added" and want not in reading.text + reading.thinking and stands_in(body, want)
    return Difference(part, how, "reader" if missed else "server", want, got)


def stands_in(body: bytes, text: str) -> bool:
    """Whether a text stands in a body under any one name: the strings of each JSON path, joined over all frames.

    Knows no protocol, so that a field which no reader looks at gives the reader away.
    """
    joined: dict[tuple[str, ...], list[str]] = {}
    for line in [body, *body.splitlines()]:
        try:
            value = msgspec.json.decode(line.removeprefix(b"data:").strip())
        except (ValueError, RecursionError):
            continue
        _collect(value, (), joined)
    return any(text in "".join(pieces) for pieces in joined.values())


def _collect(value: Json, path: tuple[str, ...], joined: dict[tuple[str, ...], list[str]]) -> None:
    if isinstance(value, str):
        joined.setdefault(path, []).append(value)
    elif isinstance(value, dict):
        for key, member in value.items():
            _collect(member, (*path, key), joined)
    elif isinstance(value, list):
        for member in value:
            _collect(member, path, joined)


def _shown(calls: Sequence[tuple[str | None, Json]]) -> str:
    return msgspec.json.encode([{"name": name, "arguments": arguments} for name, arguments in calls]).decode()
