"""Bytes to frames: NDJSON lines and server-sent events, with byte offsets."""
