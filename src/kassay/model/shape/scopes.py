"""All small documents of a shape by size, boundary values, and the neighbours of a document.

The size of an enumerated document is its excess over the least that the shape allows: one for each item of a
list and each optional value, and the distance of a number from the plainest. Names are plain: the things that
a document defines are numbered in order of appearance, and a reference is to one of the first so many.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import count as count_up
from itertools import islice
from typing import Any, Final

from kassay.model.shape.cuts import smaller_numbers
from kassay.model.shape.names import (
    counted_parts,
    is_name,
    mentioned,
    named_in,
    plain_name,
    renamed,
    without_parts,
)
from kassay.model.shape.nodes import (
    FieldNode,
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    Node,
    NodePlace,
    PartNode,
    RecordNode,
    RowNode,
    TableNode,
    VariantNode,
    places,
    put,
)

WHOLE_MAX: Final = 2**31 - 1
"""The largest boundary of a number whose shape has none."""
NEW: Final = -1
"""A placeholder for a defined name: numbered when the document is complete."""


def documents(node: Node, largest: int, like: Any = None, items_max: int | None = None) -> Iterator[Any]:
    """Every document of at most that size, the smallest first; `fixed` fields are those of `like`.

    Lists have at most `items_max` items where that is given. References are to things that the document
    defines; where the shape defines none of a space, to plain names.
    """
    most = largest if items_max is None else items_max
    for size in range(largest + 1):
        for draft in _of_size(node, size, like, most):
            document = with_names(node, draft)
            if document is not None:
                yield document


def _of_size(node: Node, size: int, like: Any, most: int) -> Iterator[Any]:
    """Drafts of exactly that size: `NEW` marks a defined name, a number a reference."""
    match node:
        case LeafNode():
            yield from _leaves(node, size, like)
        case PartNode():
            for number in range(size + 1):
                yield [size - number, number]
        case MaybeNode(inner):
            if size == 0:
                yield None
            else:
                yield from (each for each in _of_size(inner, size - 1, like, most) if each is not None)
        case ManyNode(item, least):
            if size == 0 and not least:
                yield []
            for count in range(max(1, least), min(size + least, most) + 1):
                over = size - (count - least)
                if over >= 0:
                    yield from map(list, _spread((item,) * count, over, (None,) * count, most))
        case RowNode(items):
            yield from map(list, _spread(items, size, (None,) * len(items), most))
        case TableNode():
            if size == 0:
                yield {}
        case VariantNode(tag, variants):
            for name, inner in variants.items():
                for each in _of_size(inner, size, None, most):
                    yield {tag: name, **each}
        case RecordNode(fields):
            free = [field for field in fields if not field.fixed]
            kept = {field.name: _kept(field, like) for field in fields if field.fixed}
            old = [like.get(field.name) if isinstance(like, dict) else None for field in free]
            for values in _spread([field.node for field in free], size, old, most):
                drawn = dict(zip((field.name for field in free), values))
                yield {field.name: kept.get(field.name, drawn.get(field.name)) for field in fields}


def _kept(field: FieldNode, like: Any) -> Any:
    if isinstance(like, dict) and field.name in like:
        return like[field.name]
    if field.default is not None:
        return field.default()
    return next(_of_size(field.node, 0, None, 0))


def _spread(nodes: Sequence[Node], size: int, like: Sequence[Any], most: int) -> Iterator[tuple[Any, ...]]:
    """Values of these nodes whose sizes add up to the total."""
    if not nodes:
        if size == 0:
            yield ()
        return
    first, *rest = nodes
    for own in range(size + 1):
        tails = list(_spread(rest, size - own, like[1:], most))
        if tails:
            for value in _of_size(first, own, like[0], most):
                for tail in tails:
                    yield (value, *tail)


def _leaves(leaf: LeafNode, size: int, like: Any) -> Iterator[Any]:
    if leaf.space:
        if leaf.defines:
            yield from (NEW,) if size == 0 else ()
        else:
            yield size
    elif leaf.choices:
        yield from leaf.choices[size : size + 1]
    elif leaf.kind is LeafKind.WHOLE:
        plain = leaf.plain or 0
        for value in dict.fromkeys((plain + size, plain - size)):
            if leaf.least <= value <= leaf.most:
                yield value
    elif leaf.kind is LeafKind.BYTES:
        if size <= 256:
            yield base64.b64encode(bytes((size - 1,)) if size else b"").decode("ascii")
    elif size == 0:
        yield leaf.plain if like is None else like


@cache
def _spaces_of(node: Node) -> frozenset[str]:
    """The spaces in which documents of the node define things."""
    match node:
        case LeafNode():
            return frozenset((node.space,)) if node.defines else frozenset()
        case ManyNode(inner) | MaybeNode(inner) | TableNode(inner):
            return _spaces_of(inner)
        case RowNode(items):
            return frozenset().union(*map(_spaces_of, items))
        case VariantNode(_, variants):
            return frozenset().union(*map(_spaces_of, variants.values()))
        case RecordNode(fields):
            return frozenset().union(*(_spaces_of(field.node) for field in fields))
    return frozenset()


def with_names(node: Node, draft: Any, *, wrap: bool = False) -> Any | None:
    """The draft with names for numbers; None where a reference has no target, unless numbers `wrap`.

    Where they wrap and nothing is defined, a reference is to a plain name.
    """
    counts = dict.fromkeys(_spaces_of(node), 0)
    numbered = _numbered(node, draft, counts)
    names = mentioned(node, numbered)
    for space, own in names.items():
        if not wrap and space in counts and any(number >= counts[space] for number in own):
            return None
        if not wrap and space not in counts and sorted(own) != list(range(len(own))):
            return None
    words = {
        space: {i: plain_name(node, space, i % (counts.get(space) or i + 1)) for i in own}
        for space, own in names.items()
    }
    document = renamed(node, numbered, words)
    return document if wrap or _has_its_parts(node, document, names) else None


def _has_its_parts(node: Node, document: Any, spaces: Iterable[str]) -> bool:
    """Whether every reference to a part is to a part that the thing has."""
    for space in spaces:
        counts = counted_parts(node, document, space)
        if counts and without_parts(node, document, space, counts) != document:
            return False
    return True


def _numbered(node: Node, value: Any, counts: dict[str, int]) -> Any:
    """The draft with a number in its space for each defined thing, counted in `counts`."""
    match node:
        case LeafNode(space=space, defines=True):
            counts[space] = counts.get(space, 0) + 1
            return counts[space] - 1
        case ManyNode(item):
            return [_numbered(item, each, counts) for each in value]
        case RowNode(items):
            return [_numbered(item, each, counts) for item, each in zip(items, value, strict=True)]
        case MaybeNode(inner):
            return None if value is None else _numbered(inner, value, counts)
        case VariantNode(tag, variants):
            return _numbered(variants[value[tag]], value, counts)
        case RecordNode(fields):
            nodes = {field.name: field.node for field in fields}
            return {
                name: _numbered(nodes[name], each, counts) if name in nodes else each
                for name, each in value.items()
            }
    return value


def boundaries(leaf: LeafNode) -> list[Any]:
    """The boundary values of a plain node, the plainest first."""
    if leaf.choices:
        return list(leaf.choices)
    if leaf.kind is LeafKind.WHOLE:
        most = int(min(leaf.most, WHOLE_MAX))
        least = int(max(leaf.least, -WHOLE_MAX - 1))
        near = (leaf.plain or 0, least, least + 1, 2, 3, most - 1, most)
        return [value for value in dict.fromkeys(near) if leaf.least <= value <= leaf.most]
    if leaf.kind is LeafKind.BYTES:
        return [base64.b64encode(data).decode("ascii") for data in (b"", b"\x00", b"\x7f\x80\xff", bytes(24))]
    if leaf.kind is LeafKind.TEXT and not leaf.space:
        return ["", "a", "A-b_c.9", "x" * 249]
    return [leaf.plain]


def neighbour(node: Node, document: Any, rng: random.Random) -> Any:
    """The document with one value changed or two items swapped; its lists keep their lengths."""
    every = [place for place in places(node, document) if place.field is None or not place.field.fixed]
    able = [change for place in every if (change := _change(node, document, place)) is not None]
    return rng.choice(able)(rng) if able else document


Change = Callable[[random.Random], Any]


def _change(node: Node, document: Any, place: NodePlace) -> Change | None:
    """A function that changes the value at the place; None where none exists."""
    leaf = place.node.inner if isinstance(place.node, MaybeNode) else place.node
    if isinstance(leaf, ManyNode) and len(place.value or ()) > 1:
        return lambda rng: put(document, place.path, _swapped(place.value, rng))
    if not isinstance(leaf, LeafNode) or leaf.defines:
        return None
    values = _others(node, document, leaf, place)
    return (lambda rng: put(document, place.path, rng.choice(values))) if values else None


def _swapped(items: list[Any], rng: random.Random) -> list[Any]:
    a, b = rng.sample(range(len(items)), 2)
    swapped = list(items)
    swapped[a], swapped[b] = swapped[b], swapped[a]
    return swapped


def _others(node: Node, document: Any, leaf: LeafNode, place: NodePlace) -> list[Any]:
    """Other values for a plain place."""
    if is_name(leaf):
        known = sorted(named_in(node, document).get(leaf.space, frozenset()))
        values = known or sorted(mentioned(node, document).get(leaf.space, []))
    elif leaf.choices:
        values = list(leaf.choices)
    elif leaf.kind is LeafKind.WHOLE and place.value is not None:
        values = [place.value + 1, place.value - 1, *smaller_numbers(place.value, leaf)]
        values = [each for each in values if leaf.least <= each <= leaf.most]
    else:
        values = boundaries(leaf)
    if isinstance(place.node, MaybeNode):
        values = [*values, None]
    return [value for value in values if value != place.value]


def grown(node: Node, document: Any, path: tuple[str | int, ...], count: int) -> Any:
    """The document whose list at the path has that many items: its own, repeated under new names."""
    items = document
    for step in path:
        items = items[step]
    repeated = [items[i % len(items)] for i in range(count)] if items else []
    larger = put(document, path, repeated)
    return larger if count <= len(items) else _fresh_names(node, larger, path, len(items))


def _fresh_names(node: Node, document: Any, path: tuple[str | int, ...], kept: int) -> Any:
    """New names for what the items from number `kept` on define a second time."""
    taken = {space: set(names) for space, names in mentioned(node, document).items()}
    for place in list(places(node, document)):
        if place.path[: len(path)] != path or len(place.path) == len(path):
            continue
        number, leaf = place.path[len(path)], place.node
        if isinstance(number, int) and number >= kept and isinstance(leaf, LeafNode) and leaf.defines:
            plain = (plain_name(node, leaf.space, i) for i in count_up(number))
            fresh = next(name for name in plain if name not in taken[leaf.space])
            taken[leaf.space].add(fresh)
            document = put(document, place.path, fresh)
    return document


def first(node: Node, count: int, largest: int = 12, like: Any = None) -> list[Any]:
    """The first documents of the enumeration."""
    return list(islice(documents(node, largest, like), count))
