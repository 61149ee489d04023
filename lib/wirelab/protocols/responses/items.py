"""The output items of one Responses answer, and which of them an event is about.

Item ids rotate, are missing or are used twice, output indexes are shared or missing, events precede their item, and the
terminal snapshot may have ids of its own. Every item has a `key` that is none of these: its ordinal of appearance.
"""

from collections import defaultdict, deque
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from wirelab.model import Json, Place

FAMILIES: Final = {
    "function_call": "call",
    "custom_tool_call": "call",
    "message": "message",
    "reasoning": "reasoning",
}


_PART_KINDS: Final = {
    "output_text": "text",
    "text": "text",
    "refusal": "refusal",
    "reasoning_text": "reasoning",
    "summary_text": "summary",
}


class ItemPayload(Struct, gc=False):
    """An item as an event or a snapshot holds it."""

    arguments: str | UnsetType | None = UNSET
    call_id: Any = UNSET
    content: Any = None
    id: Any = None
    input: str | UnsetType | None = UNSET
    name: Any = UNSET
    summary: Any = None
    type: Any = None

    @property
    def family(self) -> str | None:
        """What kind of item it is: `call`, `message`, `reasoning`, or None for the server's own business."""
        return FAMILIES.get(self.type) if isinstance(self.type, str) else None

    @property
    def argument_text(self) -> Json:
        """The arguments of a function, or the input of a custom tool."""
        return self.arguments if self.input is UNSET else self.input


class Item:
    """One item as far as it is known."""

    def __init__(self, key: int, family: str | None, shares: "Item | None") -> None:
        self.key = key
        self.family = family
        self.shares = shares
        """The item that had the output index before."""
        self.output_index: int | None = None
        self.call_id: Any = UNSET
        self.name: Any = UNSET
        self.announced = False
        self.done = False
        self.argued = False
        """Whether argument text came for it."""
        self.held: tuple[int, Json] | None = None
        """Arguments that its announcement held, and its frame; they count if no others come."""
        self.parts: defaultdict[tuple[str, Json], list[str]] = defaultdict(list)
        """The pieces told so far, by kind and number of the part."""

    @property
    def place(self) -> Place:
        """Where its pieces of arguments go."""
        return UNSET if self.output_index is None else self.output_index, self.key

    def told(self, kind: str) -> str:
        """All text of one kind that was told of this item."""
        numbers = sorted(number for told_kind, number in self.parts if told_kind == kind)
        return "".join([self.told_part(kind, number) for number in numbers])

    def told_part(self, kind: str, number: Json) -> str:
        """The text that was told of one part; kept as one piece, since it is asked for more than once."""
        pieces = self.parts[kind, number]
        if len(pieces) > 1:
            pieces[:] = ["".join(pieces)]
        return pieces[0] if pieces else ""

    def has_told(self, kind: str) -> bool:
        """Whether anything of this kind was told; one thought counts for all, whether summary or raw."""
        return any(pieces and (told == kind or self.family == "reasoning") for (told, _), pieces in self.parts.items())

    def is_same(self, payload: ItemPayload) -> bool:
        """Whether a payload under the same item id is this item again, by its family and call id."""
        return self.family == payload.family and _agree(self.call_id, payload.call_id)

    def may_be(self, payload: ItemPayload) -> bool:
        """Whether a payload under another item id can be this item: a call id may change, a name does not."""
        return self.family == payload.family and _agree(self.name, payload.name)

    def learn(self, payload: ItemPayload) -> None:
        """Take what a payload says about the item; its first call id stays the one that is compared."""
        self.announced = True
        self.family = payload.family
        if self.call_id is UNSET:
            self.call_id = payload.call_id
        if self.name is UNSET:
            self.name = payload.name


class ItemTable:
    """All items in order of appearance."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._by_id: dict[str, Item] = {}
        self._by_output: dict[int, Item] = {}

    def find(self, item_id: Json, output_index: Json, family: str) -> Item:
        """The item an event is about: by id, else by output index, else the last open one, else a new one."""
        identifier = _identifier(item_id)
        found = self._by_id.get(identifier) if identifier else None
        if found is not None and found.family == family:
            return found
        found, index = None, _index(output_index)
        if index is not None:
            found = _open(self._by_output.get(index), family)
        if found is None and identifier is None and index is None:
            found = next((item for item in reversed(self.items) if _open(item, family)), None)
        return found or self._add(identifier, index, family)

    def announce(self, payload: ItemPayload, output_index: Json) -> tuple[Item, bool]:
        """The item that a payload announces, and whether it is a new one."""
        identifier, index = _identifier(payload.id), _index(output_index)
        for item in (self._by_id.get(identifier or ""), self._by_output.get(-1 if index is None else index)):
            if item is not None and not item.announced and item.family == payload.family:
                return self._learn(item, payload, identifier), True
        repeated = self._by_id.get(identifier or "")
        if repeated is not None and not repeated.done and repeated.is_same(payload):
            return repeated, False
        return self._learn(self._add(identifier, index, payload.family), payload, identifier), True

    def complete(self, payload: ItemPayload, output_index: Json) -> tuple[Item, bool]:
        """The item that a payload says is done, and whether it is a new one."""
        identifier, index = _identifier(payload.id), _index(output_index)
        item = self._find_done(payload, identifier, index)
        fresh = item is None or not item.announced
        item = self._learn(item or self._add(identifier, index, payload.family), payload, identifier)
        item.done = True
        return item, fresh

    def _find_done(self, payload: ItemPayload, identifier: str | None, index: int | None) -> Item | None:
        known = self._by_id.get(identifier or "")
        if known is not None and known.family == payload.family and not (known.done and not known.is_same(payload)):
            return known
        if isinstance(payload.call_id, str):
            for item in reversed(self.items):
                if item.call_id == payload.call_id and item.family == payload.family:
                    return item
        other = None if index is None else self._by_output.get(index)
        return other if other is not None and not other.done and other.may_be(payload) else None

    def _add(self, identifier: str | None, index: int | None, family: str | None) -> Item:
        shares = None if index is None else self._by_output.get(index)
        item = Item(len(self.items), family, shares)
        self.items.append(item)
        if identifier is not None:
            self._by_id[identifier] = item
        if index is not None:
            item.output_index = index
            self._by_output[index] = item
        return item

    def _learn(self, item: Item, payload: ItemPayload, identifier: str | None) -> Item:
        item.learn(payload)
        if identifier is not None:
            self._by_id[identifier] = item
        return item

    def matcher(self) -> "Matcher":
        """What matches the terminal snapshot's items to those of the stream."""
        return Matcher(self, self._by_id)

    def fresh(self, payload: ItemPayload) -> Item:
        """An item that only the terminal snapshot has."""
        return self._learn(self._add(None, None, payload.family), payload, None)


class Matcher:
    """Matches each item of the terminal snapshot to one of the stream: by call id, item id, output position, order."""

    def __init__(self, table: ItemTable, by_id: dict[str, Item]) -> None:
        self._table = table
        self._by_id = by_id
        self._by_call: defaultdict[str, deque[Item]] = defaultdict(deque)
        self._left: dict[int, Item] = {}
        for item in table.items:
            self._left[item.key] = item
            if isinstance(item.call_id, str):
                self._by_call[item.call_id].append(item)

    def match(self, payload: ItemPayload, position: int) -> Item:
        """The item of the stream, or a fresh one."""
        item = self._same_call(payload) or self._same_id(payload) or self._same_place(payload, position)
        if item is None:
            return self._table.fresh(payload)
        del self._left[item.key]
        return item

    def _same_call(self, payload: ItemPayload) -> Item | None:
        queue = self._by_call.get(payload.call_id) if isinstance(payload.call_id, str) else None
        while queue:
            item = queue.popleft()
            if item.key in self._left and item.family == payload.family:
                return item
        return None

    def _same_id(self, payload: ItemPayload) -> Item | None:
        item = self._by_id.get(_identifier(payload.id) or "")
        return item if item is not None and item.key in self._left and item.family == payload.family else None

    def _same_place(self, payload: ItemPayload, position: int) -> Item | None:
        """An item of the same family (and name) at the snapshot's position, else the first that is left."""
        fitting = [
            item for item in self._left.values() if item.family == payload.family and _agree(item.name, payload.name)
        ]
        return next((item for item in fitting if item.output_index == position), fitting[0] if fitting else None)


def _open(item: Item | None, family: str) -> Item | None:
    return item if item is not None and not item.done and item.family == family else None


def _identifier(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _index(value: Json) -> int | None:
    return value if isinstance(value, int) else None


def _agree(one: Any, other: Any) -> bool:
    """Whether two values are equal, or one of them is not known."""
    return one == other or not isinstance(one, str) or not isinstance(other, str)


def texts_of(payload: ItemPayload) -> dict[str, str]:
    """All text of a message or reasoning item, by kind: text, refusal, summary, reasoning.

    Whatever a reasoning item holds is thinking (LiteLLM sends it as `output_text`), once if the summary repeats it.
    """
    found: dict[str, str] = {}
    for parts in (payload.summary, payload.content):
        for part in parts if isinstance(parts, list) else [parts]:
            kind, text = part_of(part)
            if kind is not None:
                kind = "reasoning" if kind == "text" and payload.family == "reasoning" else kind
                found[kind] = found.get(kind, "") + text
    if found.get("reasoning") == found.get("summary"):
        found.pop("reasoning", None)
    return found


def part_of(part: Json) -> tuple[str | None, str]:
    """The kind and the text of a content part; the kind is None where it has no text."""
    if isinstance(part, str):
        return "text", part
    if not isinstance(part, dict):
        return None, ""
    kind = _PART_KINDS.get(str(part.get("type")))
    text = part.get("refusal" if kind == "refusal" else "text")
    return (kind, text) if isinstance(text, str) else (None, "")
