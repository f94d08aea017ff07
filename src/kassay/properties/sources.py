"""Sources of choices, and documents of any shape drawn from them.

Sources of choices: one generator runs from a seed or under Hypothesis.

A generator takes integers, booleans and choices from a source and makes lists by asking "one more?". `Seeded`
answers from a seed and keeps the log of its answers; the log is exactly the sequence of choices that
Hypothesis would make, so every seeded case replays under `Drawn` (and shrinks there). Where there is only one
value to choose, neither source makes a choice.

Documents of any shape from a source of choices: small ones, and values at the edges of what is legal.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, Final, Protocol, TypeVar

from kassay.model.shape.codec import MOST, Shape
from kassay.model.shape.nodes import (
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    Node,
    PartNode,
    RecordNode,
    RowNode,
    TableNode,
    VariantNode,
)
from kassay.model.shape.scopes import NEW, boundaries, with_names

T = TypeVar("T")


class Source(Protocol):
    """Where a generator's choices come from."""

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""

    def boolean(self, chance: float = 0.5) -> bool:
        """A boolean, true with about that probability; a source may ignore the probability."""

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""


class Seeded:
    """Choices from a seed; `log` replays them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random
        self.log: list[int | bool] = []

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included, all equally likely."""
        if low == high:
            return low
        value = low + int(self._random() * (high - low + 1))
        self.log.append(value)
        return value

    def boolean(self, chance: float = 0.5) -> bool:
        """A boolean, true with that probability."""
        value = self._random() < chance
        self.log.append(value)
        return value

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        size = len(items)
        if size == 1:
            return items[0]
        index = int(self._random() * size)
        self.log.append(index)
        return items[index]


class Drawn:
    """Choices from Hypothesis, through the `draw` of a composite strategy."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        from hypothesis import strategies

        self._draw = draw
        self._strategies = strategies

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included; shrinks towards `low`."""
        return low if low == high else int(self._draw(self._strategies.integers(low, high)))

    def boolean(self, chance: float = 0.5) -> bool:  # noqa: ARG002  # Hypothesis does its own weighting
        """A boolean; shrinks towards False."""
        return bool(self._draw(self._strategies.booleans()))

    def choice(self, items: Sequence[T]) -> T:
        """One of the items; shrinks towards the first."""
        if len(items) == 1:
            return items[0]
        picked: T = self._draw(self._strategies.sampled_from(items))
        return picked


def many(source: Source, low: int, high: int, item: Callable[[int], T], chance: float = 0.6) -> list[T]:
    """Between `low` and `high` items; `item(i)` makes the i-th. The source decides each one beyond `low`.

    The only way to make lists: with the count chosen first, a shrinker leaves needless items.
    """
    items = [item(i) for i in range(low)]
    while len(items) < high and source.boolean(chance):
        items.append(item(len(items)))
    return items


def subset(source: Source, items: Sequence[T], chance: float = 0.5) -> list[T]:
    """The items that the source accepts, in their order."""
    return [item for item in items if source.boolean(chance)]


def derive_seed(*parts: object) -> int:
    """A 64-bit seed from a campaign's seed and an index, the same in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


ITEMS_MAX: Final = 6
"""The largest number of items of a generated list beyond the least."""
NEAR: Final = 6
"""Generated numbers are at most that far from the plainest, apart from boundary values."""
EDGE_CHANCE: Final = 0.1
MADE_MAX: Final = 100
"""The largest generated number of things to create."""
MORE_CHANCE: Final = 0.75
"""The probability that a list has one more item."""
PLAIN_CHANCE: Final = 0.7
"""The probability that a flag or a choice is the plainest."""


def random_document(shape: Shape[Any], source: Source) -> Any:
    """A document of the shape. It defines the things that it refers to, where the shape can."""
    return with_names(shape.node, _draw(shape.node, source), wrap=True)


def _draw(node: Node, source: Source) -> Any:
    match node:
        case LeafNode():
            return _leaf(node, source)
        case PartNode():
            return [source.integer(0, NEAR), source.integer(0, NEAR)]
        case RowNode(items):
            return [_draw(item, source) for item in items]
        case MaybeNode(inner):
            return _draw(inner, source) if source.boolean() else None
        case ManyNode(item, least):
            return many(source, least, least + ITEMS_MAX, lambda _: _draw(item, source), MORE_CHANCE)
        case TableNode():
            return {}
        case VariantNode(tag, variants):
            name = source.choice(list(variants))
            return {tag: name, **_draw(variants[name], source)}
        case RecordNode(fields):
            return {field.name: _draw(field.node, source) for field in fields}


def _leaf(leaf: LeafNode, source: Source) -> Any:
    if leaf.space:
        return NEW if leaf.defines else source.integer(0, NEAR)
    if leaf.choices:
        return leaf.choices[0] if source.boolean(PLAIN_CHANCE) else source.choice(leaf.choices)
    if leaf.kind is LeafKind.WHOLE and not source.boolean(EDGE_CHANCE):
        plain = leaf.plain or 0
        return source.integer(int(max(leaf.least, plain - NEAR)), int(min(leaf.most, plain + NEAR)))
    if leaf.kind is LeafKind.BYTES and source.boolean():
        data = bytes(source.integer(0, 255) for _ in range(source.integer(0, 8)))
        return base64.b64encode(data).decode("ascii")
    # A number of things to create stays small.
    return source.choice([edge for edge in boundaries(leaf) if leaf.most != MOST or edge <= MADE_MAX])
