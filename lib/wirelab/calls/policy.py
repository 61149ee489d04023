"""What a policy is: one answer to the question which call an entry belongs to, and the small choices beside it.

A policy answers one question. How id, name and arguments fold, what ends a call and a stream, and what id the caller
sees are separate, small choices (specification 1, policies). Both are data; `otherclient` runs them.
"""

from typing import Literal

import msgspec

from wirelab.model import Mode

Key = Literal[
    "rules",
    "id-then-index",
    "index",
    "index-else-id",
    "index-and-id",
    "id-or-last",
    "one-open",
    "entry",
    "content",
    "frame",
    "evidence",
]
"""What the call is keyed by; `rules` is `id-first`, the reconciler of this package."""
FoldChoice = Literal["first-wins", "last-wins", "concat"]
MissingId = Literal["allocate", "keep", "drop", "raise"]
MissingIndex = Literal["position", "one-slot", "own-call", "drop", "raise"]
Gap = Literal["label", "pad", "raise"]
Broken = Literal["hand-over", "empty", "leading", "drop", "flag"]

ALWAYS_RAISES = frozenset({"upstream-error", "malformed-event", "frame-too-large"})
"""What nearly every client stops at: an error object, a frame that is no JSON, a frame without end."""


class Policy(msgspec.Struct, frozen=True):
    """One way to read. `says` is the key in words; `read_by` are the clients that read so.

    `ids`, `names`, `arguments`: what a second one does to a call that has one. `late_id`: an id counts although the
    call's first entry had none. `unique_ids`: an id that another call has is replaced by a fresh one.
    `missing_id`: what becomes of a call that never got an id. `missing_index`: where an entry without an index stands
    (at its position, in one slot with all others, nowhere: a call of its own), or that it is dropped, or an error.
    `index_base`: the first index, None where the number does not matter; `gap`: an index is a label, or a place in a
    list that is padded, or an error when places are left out.
    `reads_id`, `reads_index`: whether the client looks at the field at all. `first_entry_only`: it reads one entry a
    frame. `modes`: the kinds of entries it reads. `blocks`: on protocols with keys of their own, each announcement is
    a new slot (`key`), or the number on the wire is the slot (`index`).
    `broken`: arguments that are no JSON object in the end are handed over as they are, or as `{}`, or as their leading
    object, or the call is dropped, or handed over with a mark.
    `raises`: finding codes at which the client stops with an error; all other findings are what it could have noticed.
    """

    name: str
    key: Key
    says: str
    read_by: tuple[str, ...] = ()
    ids: FoldChoice = "first-wins"
    names: FoldChoice = "first-wins"
    arguments: FoldChoice = "concat"
    late_id: bool = True
    unique_ids: bool = False
    missing_id: MissingId = "keep"
    missing_index: MissingIndex = "one-slot"
    index_base: int | None = None
    gap: Gap = "label"
    reads_id: bool = True
    reads_index: bool = True
    first_entry_only: bool = False
    modes: frozenset[Mode] = frozenset({"delta", "whole", "done"})
    blocks: Literal["key", "index"] = "index"
    broken: Broken = "hand-over"
    raises: frozenset[str] = ALWAYS_RAISES

    @property
    def stops_at(self) -> frozenset[str]:
        """Every code that is an error for such a client, its choices included."""
        more = {
            "missing-id": self.missing_id == "raise",
            "missing-index": self.missing_index == "raise",
            "index-gap": self.gap == "raise",
        }
        return self.raises | {code for code, stops in more.items() if stops}


class Client(msgspec.Struct, frozen=True):
    """A published client: the policy it reads a protocol by, and where its small choices differ.

    `note` says what else is special.
    """

    name: str
    protocol: str
    policy: str
    choices: dict[str, object] = {}
    note: str = ""
