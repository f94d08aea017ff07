"""The structure of a shape's documents as nodes, and the walk over a document by its node.

Everything that is derived from a shape (smaller documents, renaming, enumeration, a schema) reads these
nodes; `codec` reads and writes.

Names refer to each other by spaces: a leaf of the space `topic` that `defines` names a topic, any other leaf
of that space refers to it. A record that defines a name may declare how many numbered parts the thing has
(`counts`), and `[name, number]` refers to a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from math import inf
from typing import Any, Final, TypeAlias

from kassay.model.shape.legal import NameRange

Path: TypeAlias = tuple[str | int, ...]
"""The path from a document to a part of it: names of fields and numbers of items."""


class LeafKind(Enum):
    """The plain values that a document may hold, by their word in JSON Schema."""

    TEXT = "string"
    WHOLE = "integer"
    FLAG = "boolean"
    BYTES = "base64"
    OBJECT = "object"
    ANY = "any"


@dataclass(frozen=True)
class LeafNode:
    """A plain value. `choices` are all its possible values, where these are few; `plain` is the simplest.

    `space` is the space of names that it belongs to, `defines` says whether it names a thing there. `counts`
    is the space whose things have that many numbered parts, `named` returns the plain names of the space by
    number, `legal` is the range of its legal names.
    """

    kind: LeafKind = LeafKind.ANY
    least: float = -inf
    most: float = inf
    choices: tuple[Any, ...] = ()
    plain: Any = None
    space: str = ""
    defines: bool = False
    counts: str = ""
    named: Callable[[int], Any] | None = None
    legal: NameRange | None = None


@dataclass(frozen=True)
class PartNode:
    """`[name, number]`: one of the numbered parts of a thing of the space.

    With `glue` a document has it as text: the name, the glue, and the number.
    """

    space: str
    glue: str = ""

    def split(self, value: Any) -> tuple[Any, int]:
        """The name and the number of a part in a document, or in the draft of one."""
        if isinstance(value, str):
            name, _, number = value.rpartition(self.glue)
            return name, int(number)
        return value[0], value[1]

    def joined(self, name: Any, number: int) -> Any:
        """The part with this name; a draft has a number for the name."""
        return f"{name}{self.glue}{number}" if self.glue and isinstance(name, str) else [name, number]


@dataclass(frozen=True)
class RowNode:
    """A list of exactly these items, such as a name and a number."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class MaybeNode:
    """A value of the inner node, or null."""

    inner: Node


@dataclass(frozen=True)
class ManyNode:
    """A list with at least so many items."""

    item: Node
    least: int = 0


@dataclass(frozen=True)
class TableNode:
    """An object with any names."""

    value: Node
    space: str = ""


@dataclass(frozen=True)
class FieldNode:
    """A field of a record; `default` is its JSON value where it may be missing.

    `noun` is the word in messages. A `fixed` field is not enumerated and not made smaller by itself.
    """

    name: str
    node: Node
    noun: str
    default: Callable[[], Any] | None = None
    fixed: bool = False


@dataclass(frozen=True)
class RecordNode:
    """An object with these fields."""

    fields: tuple[FieldNode, ...]
    noun: str = ""

    @property
    def identity(self) -> FieldNode | None:
        """The field that names the object, if there is one."""
        return next(
            (each for each in self.fields if isinstance(each.node, LeafNode) and each.node.defines), None
        )


@dataclass(frozen=True)
class VariantNode:
    """An object of one of several shapes, by the name in its field `tag`."""

    tag: str
    variants: Mapping[str, Node] = field(hash=False)


Node: TypeAlias = LeafNode | PartNode | RowNode | MaybeNode | ManyNode | TableNode | RecordNode | VariantNode
ANYTHING: Final = LeafNode()
PLAIN_ITEMS_MAX: Final = 16
"""The number of plain items up to which each item of a list is a separate place."""


@dataclass(frozen=True)
class NodePlace:
    """A part of a document: its path, its node, and the field that holds it or its list."""

    path: Path
    node: Node
    value: Any
    field: FieldNode | None = None

    @property
    def pattern(self) -> Path:
        """The path without numbers: the same for one field of all items of a list."""
        return tuple("*" if isinstance(step, int) else step for step in self.path)


def places(node: Node, value: Any, path: Path = (), within: FieldNode | None = None) -> Iterator[NodePlace]:
    """Every part of the document, outer parts first."""
    yield NodePlace(path, node, value, within)
    match node:
        case MaybeNode(inner):
            if value is not None:
                yield from list(places(inner, value, path, within))[1:] if nests(inner) else ()
        case ManyNode(item):
            # Many plain items are interchangeable: the list represents them.
            for number, each in enumerate(value) if nests(item) or len(value) <= PLAIN_ITEMS_MAX else ():
                yield from places(item, each, (*path, number), within)
        case RowNode(items):
            for number, (item, each) in enumerate(zip(items, value, strict=True)):
                yield from places(item, each, (*path, number), within)
        case TableNode(each_node):
            for name, each in value.items():
                yield from places(each_node, each, (*path, name), within)
        case RecordNode(fields):
            for one in fields:
                if one.name in value:
                    yield from places(one.node, value[one.name], (*path, one.name), one)
        case VariantNode(tag, variants):
            chosen = variants.get(value.get(tag))
            if chosen is not None:
                yield from list(places(chosen, value, path, within))[1:]


def nests(node: Node) -> bool:
    """Whether values of the node have parts of their own."""
    return not isinstance(node, LeafNode | PartNode)


@cache
def defining(node: Node) -> bool:
    """Whether the node contains a leaf that names a thing."""
    match node:
        case LeafNode():
            return node.defines
        case MaybeNode(inner) | ManyNode(inner) | TableNode(inner):
            return defining(inner)
        case RowNode(items):
            return any(map(defining, items))
        case RecordNode(fields):
            return any(defining(field.node) for field in fields)
        case VariantNode(_, variants):
            return any(map(defining, variants.values()))
    return False


def at(document: Any, path: Path) -> Any:
    """The part of the document at the path."""
    for step in path:
        document = document[step]
    return document


def put(document: Any, path: Path, value: Any) -> Any:
    """The document with this value at the path; it shares everything else with the old one."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(document, Mapping):
        return {**document, first: put(document[first], rest, value) if rest else value}
    assert isinstance(first, int)
    return [*document[:first], put(document[first], rest, value), *document[first + 1 :]]


def without_item(document: Any, path: Path, number: int) -> Any:
    """The document without the item of that number in the list at the path."""
    items = at(document, path)
    return put(document, path, [*items[:number], *items[number + 1 :]])


def inside(node: Node, value: Any) -> Node:
    """The node of the value itself, inside optional and variant nodes."""
    if isinstance(node, MaybeNode) and value is not None:
        return inside(node.inner, value)
    if isinstance(node, VariantNode) and value.get(node.tag) in node.variants:
        return inside(node.variants[value[node.tag]], value)
    return node
