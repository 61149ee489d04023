"""Asking a server: which target, which scenarios, in which order, and what its answers say about it."""
