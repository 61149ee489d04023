"""Histories: from what an agent recorded to a request that an endpoint accepts and a model gets to see whole."""
