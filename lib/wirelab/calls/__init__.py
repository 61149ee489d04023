"""Events to calls: the reconciler, its rules, its limits, and the other clients' readings."""

from wirelab.calls.limits import Limits
from wirelab.calls.machine import ResponseMachine, read_body
from wirelab.calls.policies import POLICIES
from wirelab.calls.reconcile import Reconciler
from wirelab.calls.rules import RULES, Rule

__all__ = ["POLICIES", "RULES", "Limits", "Reconciler", "ResponseMachine", "Rule", "read_body"]
