"""The command line: one verb a user's job. Everything heavy is imported only when its command runs."""

from wirelab.cli.app import main

__all__ = ["main"]
