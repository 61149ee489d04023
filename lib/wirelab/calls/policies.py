"""The named readings: which reconciler a policy is."""

from wirelab.calls.limits import Limits
from wirelab.calls.reconcile import Reconciler
from wirelab.errors import MisuseError
from wirelab.ids import IdAllocator
from wirelab.model import Asked

POLICIES = ("id-first",)


def make_reconciler(
    policy: str,
    protocol: str,
    *,
    asked: Asked | None,
    strict: bool,
    limits: Limits | None,
    allocator: IdAllocator | None,
) -> Reconciler:
    """The reconciler that reads by a policy. Raises MisuseError for an unknown name."""
    if policy not in POLICIES:
        raise MisuseError(f"no policy {policy!r}; there are {', '.join(POLICIES)}")
    return Reconciler(protocol, asked=asked, strict=strict, limits=limits, allocator=allocator)
