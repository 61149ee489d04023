"""What an endpoint accepts, as dated rows, each with what shows it: a recording of this project or a public report."""

from typing import Final

import msgspec

from wirelab.errors import MisuseError
from wirelab.history.settle import ResultOrder
from wirelab.ids import IdRule
from wirelab.protocols.histories import Wire
from wirelab.transcript import Dialect


class Profile(msgspec.Struct, frozen=True):
    """One endpoint's way with histories in one dialect.

    `since` is the first server version it holds for (empty: no versions), `dated` when it was seen, `shown` maps each
    thing it says to the capture (`server/protocol/scenario`) or the public report (`owner/repository#number`).
    `nameless_order` is the order of results where calls go out without ids.
    """

    name: str
    dialect: Dialect
    dated: str
    shown: dict[str, str]
    since: tuple[int, ...] = ()
    ids: IdRule | None = None
    result_order: ResultOrder = "call"
    nameless_order: ResultOrder = "call"
    wire: Wire = Wire()


_RECORDED: Final = "2026-11-30"
_REPORTED: Final = "2026-11-30"
_POSITIONAL: Final = "ollama-0.32.15/native/rendered-replay_same_tool_reversed.whole.*"
_EMPTY_FIRST: Final = ("empty", "null", "absent")

_OLLAMA: Final = (
    Profile(
        "ollama",
        "native",
        _RECORDED,
        {
            "ids": "ollama-0.12.9/native/history-id_missing.stream.template-hermes: results are taken by tool_name",
            "result_names": "ollama-0.12.9/native/history-replay_parallel.stream.template-hermes",
            "result_order": _POSITIONAL,
        },
        wire=Wire(call_blank=_EMPTY_FIRST, ids="ignored", result_names=True),
    ),
    Profile(
        "ollama",
        "native",
        _RECORDED,
        {
            "ids": "ollama-0.12.10/native/history-foreign_ids.stream.template-hermes: any id was taken",
            "result_names": "ollama-0.32.15/native/rendered-replay_parallel.whole.gpt-oss: the template shows the name",
            "result_order": _POSITIONAL,
            "reasoning": "ollama-0.32.15/native/history-thinking_and_call.stream.qwen3-thinking",
        },
        since=(0, 12, 10),
        wire=Wire(call_blank=_EMPTY_FIRST, result_names=True),
    ),
    Profile(
        "ollama",
        "chat",
        _REPORTED,
        {
            "call_blank": "SAIL-Research-Lab/cheetahclaws#72: null content was refused with 400",
            "ids": "ollama-0.12.9/chat/history-id_missing.stream.template-hermes",
            "result_order": _POSITIONAL,
        },
        wire=Wire(call_blank=("empty",), ids="ignored"),
    ),
    Profile(
        "ollama",
        "chat",
        _RECORDED,
        {
            "call_blank": "ollama-0.12.9/chat/history-replay_one.stream.template-hermes: null content was taken",
            "ids": "ollama-0.32.15/chat/history-foreign_ids.stream.gemma4: any id was taken",
            "reasoning_key": "ollama-0.32.15/chat/history-thinking_and_call.stream.gemma4",
            "result_order": _POSITIONAL,
        },
        since=(0, 12, 9),
        wire=Wire(call_blank=_EMPTY_FIRST),
    ),
    Profile(
        "ollama",
        "responses",
        _RECORDED,
        {
            "ids": "ollama-0.32.15/responses/history-foreign_ids.stream.gemma4: any id was taken",
            "plain_encrypted": "ollama-0.21.2/responses/conversation-2.stream.gemma4",
            "result_order": _POSITIONAL,
        },
        since=(0, 20, 4),
        wire=Wire(plain_encrypted=True),
    ),
    Profile(
        "ollama",
        "messages",
        _RECORDED,
        {
            "ids": "ollama-0.20.4/messages/history-id_missing.stream.template-hermes: refused with 400",
            "reasoning": "ollama-0.21.2/messages/conversation-2.stream.gemma4: a thought needs no signature",
            "result_order": _POSITIONAL,
        },
        since=(0, 20, 4),
        wire=Wire(ids="required"),
    ),
)

_LLAMA_SERVER: Final = tuple(
    Profile(
        "llama-server",
        dialect,
        _RECORDED,
        {
            "ids": f"llama-server-11434/{dialect}/history-foreign_ids.stream: any id was taken",
            "result_order": _POSITIONAL,
        },
        wire=Wire(ids="required" if dialect == "responses" else "accepted", reasoning_key="reasoning_content"),
    )
    for dialect in ("chat", "responses", "messages")
)

_VENDORS: Final = (
    Profile(
        "openai",
        "chat",
        _REPORTED,
        {"ids": "RooCodeInc/Roo-Code#10763: ids over 40 characters are refused"},
        ids=IdRule(".+", 40),
        wire=Wire(ids="required"),
    ),
    Profile(
        "openai",
        "responses",
        _REPORTED,
        {
            "ids": "openai/codex#14355: ids over 64 characters are refused",
            "reasoning": "zyycn/codex-proxy-rs#201: without status, and without content beside encrypted_content",
        },
        ids=IdRule(".+", 64),
        wire=Wire(ids="required"),
    ),
    Profile(
        "anthropic",
        "messages",
        _REPORTED,
        {
            "ids": "maximhq/bifrost#5097: tool_use.id must match ^[a-zA-Z0-9_-]+$",
            "results": "MoonshotAI/kosong#45: all results of a batch in the next user message",
            "signed": "NousResearch/hermes-agent#24107: a blank or foreign signature is refused",
        },
        ids=IdRule("[a-zA-Z0-9_-]+", 64),
        wire=Wire(ids="required", signed=True),
    ),
    Profile(
        "mistral",
        "chat",
        _REPORTED,
        {"ids": "anomalyco/opencode#1680: exactly nine letters and digits, else 400 with code 3280"},
        ids=IdRule("[a-zA-Z0-9]{9}", 9, "hash"),
        wire=Wire(ids="required"),
    ),
    Profile(
        "kimi",
        "chat",
        _REPORTED,
        {
            "ids": "vybestack/llxprt-code#713: functions.NAME:N, N counting through the conversation",
            "reasoning": "earendil-works/pi#3636: a turn with calls must carry its reasoning_content",
        },
        ids=IdRule(r"functions\..+:\d+", 512, "numbered"),
        wire=Wire(ids="required", reasoning="required", reasoning_key="reasoning_content"),
    ),
    Profile(
        "deepseek",
        "chat",
        _REPORTED,
        {"reasoning": "earendil-works/pi#3636: a turn with calls must carry its reasoning_content, else 400"},
        wire=Wire(reasoning="required", reasoning_key="reasoning_content"),
    ),
    Profile(
        "deepseek",
        "messages",
        _REPORTED,
        {
            "reasoning": "earendil-works/pi#3636: the same rule names content[].thinking",
            "results": "MoonshotAI/kosong#45: all results of a batch in the next user message",
        },
        wire=Wire(reasoning="required"),
    ),
    *(
        Profile(
            name,
            "chat",
            _REPORTED,
            {"reasoning": "NousResearch/hermes-agent#28238: property reasoning_content is unsupported (400)"},
            wire=Wire(reasoning="rejected", reasoning_key="reasoning_content"),
        )
        for name in ("cerebras", "groq", "fireworks", "together")
    ),
    Profile(
        "bedrock",
        "chat",
        _REPORTED,
        {"call_blank": "SAIL-Research-Lab/cheetahclaws#72: an empty content block is refused with 400"},
        wire=Wire(call_blank=("null", "absent")),
    ),
    Profile(
        "gemini",
        "gemini",
        _REPORTED,
        {
            "results": "cloudwego/eino-ext#571: as many responses in one content as calls before it",
            "signatures": "diegosouzapw/OmniRoute#11669: returned on the part they came on",
            "ids": "apache/flink-agents#947: ids may be left out",
            "result_order": "egonSchiele/agency-lang#579: with ids the results go in call order",
            "nameless_order": "router-for-me/CLIProxyAPI#4939: without ids results are told apart by name, as sent",
        },
        nameless_order="arrival",
    ),
)

PROFILES: Final = (*_OLLAMA, *_LLAMA_SERVER, *_VENDORS)
"""All rows; of several for one name and dialect the one with the newest `since` that is not too new counts."""


def names() -> tuple[str, ...]:
    """The names of the profiles, in the order of the rows."""
    return tuple(dict.fromkeys(profile.name for profile in PROFILES))


def find_profile(name: str | None, dialect: Dialect) -> Profile:
    """The profile of a name, a version after a dash allowed (`ollama-0.20.4`); None: Ollama's, or Gemini's own.

    Raises MisuseError where there is none for the dialect, and names those there are.
    """
    wanted, version = _parse(name or ("gemini" if dialect == "gemini" else "ollama"))
    rows = [profile for profile in PROFILES if profile.name == wanted]
    if not rows:
        raise MisuseError(f"no profile {name!r}: there are {', '.join(names())}")
    fitting = [profile for profile in rows if profile.dialect == dialect]
    if not fitting:
        spoken = ", ".join(dict.fromkeys(profile.dialect for profile in rows))
        raise MisuseError(f"the profile {wanted} is for {spoken}, not {dialect}: choose another --profile or --to")
    reached = [profile for profile in fitting if version is None or profile.since <= version]
    if not reached:
        raise MisuseError(f"{name} has no {dialect}: it came with {'.'.join(map(str, fitting[0].since))}")
    return max(reached, key=lambda profile: profile.since)


def _parse(name: str) -> tuple[str, tuple[int, ...] | None]:
    base, _, version = name.rpartition("-")
    if base and version.replace(".", "").isdigit():
        return base, tuple(int(number) for number in version.split(".") if number)
    return name, None
