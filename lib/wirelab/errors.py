"""The error families: the peer broke the protocol, the input cannot be read, or the caller misused us."""

from wirelab.model import Finding


class WirelabError(Exception):
    """The root of all errors this package raises on purpose."""


class ProtocolViolationError(WirelabError):
    """The server broke the protocol: strict reading stops here. Carries the finding, with frame, position and ids."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(f"{finding.code}: {finding.detail}")
        self.finding = finding


class UnreadableInputError(WirelabError):
    """The input is not what it should be (missing, no JSON, a foreign version). The message is one line for people."""


class MisuseError(WirelabError):
    """The caller used a machine against its rules: pushed after the end, named an unknown policy."""
