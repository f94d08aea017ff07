"""Documents of any shape from a source of choices: small ones, and values at the edges of what is legal."""

from __future__ import annotations

import base64
from typing import Any, Final

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
from kassay.properties.sources import Source, many

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


def drawn(shape: Shape[Any], source: Source) -> Any:
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
