"""Events to calls: the reconciler, its rules, its limits, and the other clients' readings.

What reads as other clients do is loaded when it is first asked for: most programs never do, and it would be a fifth of
what importing this package costs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wirelab.calls.limits import Limits
from wirelab.calls.machine import ResponseMachine, read_body
from wirelab.calls.reconcile import Reconciler
from wirelab.calls.rules import RULES, Rule

if TYPE_CHECKING:
    from wirelab.calls.clients import CLIENTS
    from wirelab.calls.compare import PolicyRow, compare_policies
    from wirelab.calls.policies import POLICIES, client_policy, find_policy, make_reconciler
    from wirelab.calls.policy import Client, Policy

__all__ = [
    "CLIENTS",
    "POLICIES",
    "RULES",
    "Client",
    "Limits",
    "Policy",
    "PolicyRow",
    "Reconciler",
    "ResponseMachine",
    "Rule",
    "client_policy",
    "compare_policies",
    "find_policy",
    "make_reconciler",
    "read_body",
]

_LATER = {
    "CLIENTS": "clients",
    "PolicyRow": "compare",
    "compare_policies": "compare",
    "POLICIES": "policies",
    "client_policy": "policies",
    "find_policy": "policies",
    "make_reconciler": "policies",
    "Client": "policy",
    "Policy": "policy",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
