"""Events to calls: the reconciler, its rules, its limits, and the other clients' readings."""

from wirelab.calls.clients import CLIENTS
from wirelab.calls.compare import PolicyRow, compare_policies
from wirelab.calls.limits import Limits
from wirelab.calls.machine import ResponseMachine, read_body
from wirelab.calls.policies import POLICIES, client_policy, find_policy, make_reconciler
from wirelab.calls.policy import Client, Policy
from wirelab.calls.reconcile import Reconciler
from wirelab.calls.rules import RULES, Rule

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
