"""The named readings of specification 1, a row of data each, and the machine that reads by one."""

from collections.abc import Callable
from functools import partial

import msgspec

from wirelab.calls.clients import CLIENTS
from wirelab.calls.limits import Limits
from wirelab.calls.otherclient import OtherClient
from wirelab.calls.policy import ALWAYS_RAISES, Client, Policy
from wirelab.calls.reconcile import Reconciler
from wirelab.errors import MisuseError
from wirelab.ids import IdAllocator
from wirelab.model import Asked

_ROWS = (
    Policy("id-first", "rules", "the rules of this package", ("this project's default",), missing_id="allocate"),
    Policy(
        "id-then-index",
        "id-then-index",
        "the id, else the index, else the position, and nothing more",
        ("the plainest form of the rule",),
        missing_id="allocate",
        missing_index="position",
    ),
    Policy(
        "index-first-strict",
        "index",
        "the index; another id there is `id-changed`, another name `name-changed`",
        ("older opencodex native",),
        missing_id="allocate",
        missing_index="position",
        raises=ALWAYS_RAISES | {"id-changed", "name-changed"},
    ),
    Policy(
        "index-concat",
        "index",
        "the index; id, name and arguments are all joined",
        ("openai-python 3", "autogen", "Ollama in front of llama-server"),
        ids="concat",
        names="concat",
    ),
    Policy(
        "index-last-wins",
        "index",
        "the index; the last id and name win",
        ("openai-node", "litellm", "smolagents", "agno", "openai-agents"),
        ids="last-wins",
        names="last-wins",
    ),
    Policy(
        "index-first-wins",
        "index",
        "the index; the first id and name win",
        ("pi-ai", "strands", "goose", "Roo Code", "opencodex chat"),
    ),
    Policy(
        "index-and-id",
        "index-and-id",
        "the index, unless ids contradict",
        ("langchain-core 1.x", "semantic-kernel"),
        names="concat",
        missing_index="own-call",
    ),
    Policy("id-or-last", "id-or-last", "the id, else the last call", ("Continue",)),
    Policy(
        "one-open-call",
        "one-open",
        "one call open at a time: another index closes it",
        ("LangChain4j", "llama-index"),
        ids="last-wins",
        names="last-wins",
    ),
    Policy(
        "append-each",
        "entry",
        "every entry is a call",
        ("ollama-js", "most native adapters"),
        missing_index="own-call",
    ),
    Policy(
        "content-dedupe",
        "content",
        "every entry, equal ones once",
        ("llama-index native",),
        missing_index="own-call",
    ),
    Policy(
        "frame-ordinal",
        "frame",
        "the frame's number: all entries of a frame are one call",
        ("ollama-haystack",),
        arguments="last-wins",
    ),
    Policy(
        "evidence",
        "evidence",
        "id, index, name, and whether a complete value precedes",
        ("AI SDK 7",),
        late_id=False,
        unique_ids=True,
        missing_id="allocate",
        missing_index="own-call",
        blocks="key",
        broken="flag",
    ),
)

POLICIES: dict[str, Policy] = {row.name: row for row in _ROWS}
"""Every named policy, `id-first` first."""


def client_policy(client: Client) -> Policy:
    """The policy of a published client: the named one, with the client's own choices, under the client's name."""
    return msgspec.structs.replace(POLICIES[client.policy], name=client.name, read_by=(client.name,), **client.choices)


def find_policy(name: str) -> Policy:
    """A policy by its name, or by the name of a client (`clients.CLIENTS`). Raises MisuseError for an unknown one."""
    if name in POLICIES:
        return POLICIES[name]
    if name in CLIENTS:
        return client_policy(CLIENTS[name])
    raise MisuseError(
        f"no policy {name!r}; there are {', '.join(POLICIES)}, and the clients of `wirelab.calls.CLIENTS`"
    )


def reconciler_of(policy: str) -> Callable[..., Reconciler]:
    """What makes a reconciler that reads by a policy, named or a client's. Raises MisuseError for an unknown name."""
    return Reconciler if policy == "id-first" else partial(OtherClient, find_policy(policy))


def make_reconciler(
    policy: str,
    protocol: str,
    *,
    asked: Asked | None = None,
    strict: bool = True,
    limits: Limits | None = None,
    allocator: IdAllocator | None = None,
) -> Reconciler:
    """The machine that reads by a policy, named or a client's. Raises MisuseError for an unknown name."""
    return reconciler_of(policy)(protocol, asked=asked, strict=strict, limits=limits, allocator=allocator)
