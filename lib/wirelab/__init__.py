"""Wirelab: what did this endpoint really send, and which call, result and thought belong together?"""

__version__ = "0.1.0"
