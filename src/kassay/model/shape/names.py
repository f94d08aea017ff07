"""Names in documents: what a document names, what refers to it, and how to rename it.

A space of names, such as `topic`, consists of the leaves that belong to it (`nodes`). Renaming to plain names
in the order of first mention makes documents equal that differ only in names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from typing import Any, Final, TypeAlias

from kassay.model.shape.nodes import (
    PLAIN_ITEMS_MAX,
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
    inside,
    nests,
    places,
)

PLAIN_TO: Final = 16
"""So many more plain names than a document has names are looked for in it."""
ALONE_MAX: Final = 16
"""So many of the names of a space are made plain alone."""


class _Gone:
    """Marks a value that refers to a removed thing."""


_GONE: Final = _Gone()


def named_in(node: Node, document: Any) -> dict[str, frozenset[Any]]:
    """The names that the document defines, by space."""
    names: dict[str, set[Any]] = {}
    for place in places(node, document):
        held = inside(place.node, place.value)
        if isinstance(held, LeafNode) and held.defines and place.value is not None:
            names.setdefault(held.space, set()).add(place.value)
    return {space: frozenset(own) for space, own in names.items()}


def mentioned(node: Node, document: Any) -> dict[str, list[Any]]:
    """Every name in the document by space, in the order of first mention."""
    names: _Mentioned = {}
    note = _noting(node)
    if note is not None:
        note(document, names)
    return {space: list(own) for space, own in names.items()}


_Mentioned: TypeAlias = dict[str, dict[Any, None]]
_Note: TypeAlias = Callable[[Any, _Mentioned], None]


@cache
def _noting(node: Node) -> _Note | None:
    """What notes the names in a value of the node; None if there can be none.

    Made once for a node: wide cases mention thousands of names.
    """
    match node:
        case LeafNode() | PartNode():
            return _noting_name(node) if node.space else None
        case MaybeNode(inner) | ManyNode(inner):
            return _noting_items(node, _noting(inner))
        case TableNode(inner, space):
            return _noting_table(space, _noting(inner))
        case RowNode(items):
            return _noting_each([(number, _noting(item)) for number, item in enumerate(items)])
        case RecordNode(fields):
            return _noting_each([(field.name, _noting(field.node)) for field in fields], optional=True)
        case VariantNode(tag, variants):
            notes = {name: _noting(variant) for name, variant in variants.items()}

            def chosen(value: Any, names: _Mentioned) -> None:
                note = notes.get(value.get(tag))
                if note is not None:
                    note(value, names)

            return chosen if any(notes.values()) else None


def _noting_name(node: LeafNode | PartNode) -> _Note:
    space = node.space
    assert space
    if isinstance(node, LeafNode):

        def leaf(value: Any, names: _Mentioned) -> None:
            if value is not None:
                names.setdefault(space, {})[value] = None

        return leaf
    split = node.split

    def part(value: Any, names: _Mentioned) -> None:
        names.setdefault(space, {})[split(value)[0]] = None

    return part


def _noting_items(node: MaybeNode | ManyNode, note: _Note | None) -> _Note | None:
    """The same of an optional value, or of a list; one of many plain items stands for itself alone."""
    if note is None:
        return None
    if isinstance(node, MaybeNode):

        def maybe(value: Any, names: _Mentioned) -> None:
            if value is not None:
                note(value, names)

        return maybe
    most = None if nests(node.item) else PLAIN_ITEMS_MAX

    def many(value: Any, names: _Mentioned) -> None:
        for each in value if most is None or len(value) <= most else ():
            note(each, names)

    return many


def _noting_table(space: str | None, note: _Note | None) -> _Note | None:
    """The same of a table: the names that are its keys come first."""
    if note is None and not space:
        return None

    def table(value: Any, names: _Mentioned) -> None:
        if space:
            names.setdefault(space, {}).update(dict.fromkeys(value))
        if note is not None:
            for each in value.values():
                note(each, names)

    return table


def _noting_each(notes: Iterable[tuple[Any, _Note | None]], *, optional: bool = False) -> _Note | None:
    """The same of the parts of a row, or of the fields of a record, which may be missing."""
    own = [(key, note) for key, note in notes if note is not None]

    def each_part(value: Any, names: _Mentioned) -> None:
        for key, note in own:
            if not optional or key in value:
                note(value[key], names)

    return each_part if own else None


def without_names(node: Node, document: Any, space: str, gone: Set[Any]) -> Any:
    """The document without the things of these names, and without references to them.

    A reference is removed where it is optional or an item of a list; otherwise the record around it is.
    """

    def is_gone(leaf: LeafNode | PartNode, value: Any) -> bool:
        name = leaf.split(value)[0] if isinstance(leaf, PartNode) else value
        return leaf.space == space and name in gone

    return _pruned(node, document, is_gone)


def without_parts(node: Node, document: Any, space: str, counts: Mapping[Any, int]) -> Any:
    """The document without references to parts that things of the space no longer have."""

    def is_gone(leaf: LeafNode | PartNode, value: Any) -> bool:
        if not isinstance(leaf, PartNode) or leaf.space != space:
            return False
        name, number = leaf.split(value)
        return number >= counts.get(name, number + 1)

    return _pruned(node, document, is_gone)


def counted_parts(node: Node, document: Any, space: str) -> dict[Any, int]:
    """The largest number of parts of each thing of the space, by name."""
    counts: dict[Any, int] = {}
    for place in places(node, document):
        held = inside(place.node, place.value)
        if isinstance(held, RecordNode):
            number = next(
                (f for f in held.fields if isinstance(f.node, LeafNode) and f.node.counts == space), None
            )
            name = next(
                (f for f in held.fields if isinstance(f.node, LeafNode) and f.node.space == space), None
            )
            if number is not None and name is not None:
                own = place.value[name.name]
                counts[own] = max(place.value[number.name], counts.get(own, 0))
    return counts


def _pruned(node: Node, document: Any, is_gone: Callable[[LeafNode | PartNode, Any], bool]) -> Any:
    pruned = _prune(node, document, is_gone)
    return document if pruned is _GONE else pruned


def _prune(node: Node, value: Any, is_gone: Callable[[LeafNode | PartNode, Any], bool]) -> Any:
    match node:
        case LeafNode() | PartNode():
            return _GONE if is_gone(node, value) else value
        case MaybeNode(inner):
            kept = None if value is None else _prune(inner, value, is_gone)
            return None if kept is _GONE else kept
        case ManyNode(item):
            every = (_prune(item, each, is_gone) for each in value)
            return [each for each in every if each is not _GONE]
        case TableNode(inner, space):
            key = LeafNode(space=space)
            return {
                name: kept
                for name, each in value.items()
                if not (space and is_gone(key, name)) and (kept := _prune(inner, each, is_gone)) is not _GONE
            }
        case RowNode(items):
            own = [_prune(item, each, is_gone) for item, each in zip(items, value, strict=True)]
            return _GONE if any(each is _GONE for each in own) else own
        case VariantNode(tag, variants):
            return _prune(variants[value[tag]], value, is_gone)
        case RecordNode(fields):
            rest = dict(value)
            for field in fields:
                if field.name not in value:
                    continue
                kept = _prune(field.node, value[field.name], is_gone)
                if kept is _GONE:
                    if field.default is None or (isinstance(field.node, LeafNode) and field.node.defines):
                        return _GONE
                    kept = field.default()
                rest[field.name] = kept
            return rest


def renamed(node: Node, document: Any, names: Mapping[str, Mapping[Any, Any]]) -> Any:
    """The document with new names; `names` maps each old name of a space to its new one."""
    match node:
        case LeafNode(space=space):
            return names.get(space, {}).get(document, document) if space else document
        case PartNode(space):
            name, number = node.split(document)
            return node.joined(names.get(space, {}).get(name, name), number)
        case MaybeNode(inner):
            return None if document is None else renamed(inner, document, names)
        case ManyNode(item):
            return [renamed(item, each, names) for each in document]
        case TableNode(inner, space):
            own = names.get(space, {}) if space else {}
            return {own.get(name, name): renamed(inner, each, names) for name, each in document.items()}
        case RowNode(items):
            return [renamed(item, each, names) for item, each in zip(items, document, strict=True)]
        case VariantNode(tag, variants):
            return renamed(variants[document[tag]], document, names)
        case RecordNode(fields):
            nodes = {field.name: field.node for field in fields}
            return {
                name: renamed(nodes[name], each, names) if name in nodes else each
                for name, each in document.items()
            }


def plain_name(node: Node, space: str, number: int) -> Any:
    """The plain name of that number: `t0` of the space `topic`, or the number where names are numbers."""
    leaf = leaf_of(node, space)
    if leaf is not None and leaf.named is not None:
        return leaf.named(number)
    return number if leaf is not None and leaf.kind is LeafKind.WHOLE else f"{space[0]}{number}"


@cache
def leaf_of(node: Node, space: str) -> LeafNode | None:
    """A leaf of the space, preferably one that declares its names; None if there is none."""
    within: Iterable[Node] = ()
    match node:
        case LeafNode():
            return node if node.space == space else None
        case MaybeNode(inner) | ManyNode(inner) | TableNode(inner):
            within = (inner,)
        case RowNode(items):
            within = items
        case RecordNode(fields):
            within = (field.node for field in fields)
        case VariantNode(_, variants):
            within = variants.values()
    leaves = [leaf for leaf in (leaf_of(each, space) for each in within) if leaf is not None]
    return next((leaf for leaf in leaves if leaf.named is not None), leaves[0] if leaves else None)


def canonical(node: Node, document: Any) -> Iterator[Any]:
    """The document with plain names: in the order of first mention, in the order of the names, and with one.

    Rules break ties by names, so both orders are worth a try. The last variant has a single name in each
    space whose things the document does not define."""
    every = mentioned(node, document)
    defined = named_in(node, document)
    for ordered in (list, _by_name):
        names = {
            space: {old: plain_name(node, space, i) for i, old in enumerate(ordered(own))}
            for space, own in every.items()
        }
        if any(old != new for own in names.values() for old, new in own.items()):
            yield renamed(node, document, names)
    for space, own in every.items():
        if space not in defined and len(own) > 1:
            yield renamed(node, document, {space: dict.fromkeys(own, own[0])})


def plainer(node: Node, document: Any) -> Iterator[Any]:
    """The document with plain or shorter names in one space at a time, the others as they are.

    First plain names for all that are not plain, then for each of them alone, then the names cut to half at
    either end, where they still differ.
    """
    for space, own in mentioned(node, document).items():
        fresh = (plain_name(node, space, number) for number in range(2 * len(own) + PLAIN_TO))
        plain = list(fresh)
        wide = [name for name in own if name not in plain]
        new = dict(zip(wide, (name for name in plain if name not in own)))
        if new:
            yield renamed(node, document, {space: new})
        for name in wide[:ALONE_MAX] if len(wide) > 1 else ():
            yield renamed(node, document, {space: {name: new[name]}})
        for cut in (_head, _tail):
            shorter = {name: cut(name) for name in wide if isinstance(name, str) and len(name) > 3}
            if shorter and len({shorter.get(name, name) for name in own}) == len(own):
                yield renamed(node, document, {space: shorter})


def _head(name: str) -> str:
    return name[: (len(name) + 1) // 2]


def _tail(name: str) -> str:
    return name[len(name) // 2 :]


def _by_name(names: list[Any]) -> list[Any]:
    """The names in order; those that end in numbers are ordered by the number: `t2` before `t10`."""

    def key(name: Any) -> tuple[str, int, str]:
        if isinstance(name, int):
            return "", name, ""
        stem = name.rstrip("0123456789")
        return stem, int(name[len(stem) :] or -1), name

    return sorted(names, key=key)


def is_name(node: Node) -> bool:
    """Whether a value of the node is a name."""
    return isinstance(node, LeafNode) and bool(node.space) and node.kind in (LeafKind.TEXT, LeafKind.WHOLE)
