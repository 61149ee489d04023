"""Frames to events, one folder a protocol."""
