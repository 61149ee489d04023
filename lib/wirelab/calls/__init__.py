"""Events to calls: the reconciler, its rules, its limits, and the other clients' readings."""
