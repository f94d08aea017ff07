"""The codec of JSON documents: one declaration both reads and writes a value.

A `Shape` also describes the structure (`nodes`), from which everything else about a kind's documents is
derived. Reading is strict: an `InputError` names the place (`case.changes[2][0].member.owned[1]`), what was
expected there and what was found. A path that ends with a colon names a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from math import inf
from operator import attrgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.shape.legal import NameRange
from kassay.model.shape.nodes import ANYTHING as ANYTHING_NODE
from kassay.model.shape.nodes import (
    FieldNode,
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    Node,
    PartNode,
    RecordNode,
    TableNode,
    VariantNode,
)

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

MOST: Final = 1_000_000
"""The largest size that a document may declare; Kafka's largest clusters have about as many partitions."""
_NEEDED: Final = object()
"""The default of a required field."""


@dataclass(frozen=True)
class Shape(Generic[T]):
    """The JSON form of a value: how to read it at a path, how to write it, and its structure."""

    read: Callable[[object, str], T]
    write: Callable[[Any], Any] = lambda value: value
    node: Node = ANYTHING_NODE

    def checked(self, check: Callable[[T, str], None]) -> Shape[T]:
        """The form, restricted to values that pass `check`, which receives the value and its path."""

        def read(value: object, path: str) -> T:
            result = self.read(value, path)
            check(result, path)
            return result

        return replace(self, read=read)


class Field(NamedTuple):
    """A field of a record; `get` returns the value to write, by default the record's attribute of that name.

    A field with a default may be missing; a `sparse` field is not written where it is None. `noun` is the
    word in messages, by default the name with blanks. A `fixed` field stays as it is when documents are
    enumerated or made smaller.
    """

    form: Shape[Any]
    default: object = _NEEDED
    get: Callable[[Any], Any] | str | None = None
    sparse: bool = False
    noun: str = ""
    fixed: bool = False

    def node(self, name: str) -> FieldNode:
        """The field's node, under its name in the document."""
        default = None if self.default is _NEEDED else partial(self._written, self.default)
        return FieldNode(name, self.form.node, self.noun or name.replace("_", " "), default, self.fixed)

    def _written(self, value: object) -> Any:
        return None if value is None else self.form.write(value)


def wrong(path: str, expected: str, got: object) -> InputError:
    """The error for a field with a wrong value."""
    text = repr(got)
    return InputError(f"{path}: expected {expected}, got {text if len(text) <= 60 else text[:57] + '...'}")


def inside(path: str, name: str) -> str:
    """The path of a field inside the value at the path."""
    return f"{path} {name}" if path.endswith(":") else f"{path}.{name}"


def mapping(value: object, path: str, fields: Iterable[str] | None = None) -> Mapping[str, Any]:
    """The object at the path; raises if it has a field that is not among `fields`."""
    if not isinstance(value, dict):
        raise wrong(path.removesuffix(":"), "an object", value)
    known = value if fields is None else set(fields)
    for name in value:
        if name not in known:
            raise InputError(
                f"{inside(path, name)}: unknown field, expected one of {', '.join(sorted(known))}"
            )
    return value


def leaf(kind: type[T], expected: str, node: Node = ANYTHING_NODE) -> Shape[T]:
    """A value of exactly this plain type; a boolean is not a number."""

    def read(value: object, path: str) -> T:
        if type(value) is not kind:
            raise wrong(path, expected, value)
        return value

    return Shape(read, node=node)


def whole(least: int, most: float = inf, plain: int | None = None) -> Shape[int]:
    """Whole numbers from `least` to `most`; `plain` is the simplest, by default the one nearest to 0."""
    plainest = min(max(least, 0), most) if plain is None else plain
    to = "" if most == inf else f" and at most {most}"

    def read(value: object, path: str) -> int:
        if type(value) is not int or not least <= value <= most:
            raise wrong(path, f"a whole number of at least {least}{to}", value)
        return value

    return Shape(read, node=LeafNode(LeafKind.WHOLE, least, most, plain=int(plainest)))


def size(least: int = 0) -> Shape[int]:
    """Whole numbers from `least` to MOST: the number of things to create."""
    return whole(least, MOST)


def within(sizes: Iterable[int], path: str, things: str = "partitions") -> None:
    """Raise if there are more than MOST of the things together."""
    total = sum(sizes)
    if total > MOST:
        raise wrong(path, f"at most {MOST} {things} in all", total)


def optional(form: Shape[T]) -> Shape[T | None]:
    """A value of the form, or null."""
    return Shape(
        lambda value, path: None if value is None else form.read(value, path),
        lambda value: None if value is None else form.write(value),
        MaybeNode(form.node),
    )


def listed(form: Shape[T]) -> Shape[tuple[T, ...]]:
    """A list of values of the form."""

    def read(value: object, path: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise wrong(path, "a list", value)
        return tuple(form.read(entry, f"{path}[{i}]") for i, entry in enumerate(value))

    return Shape(read, lambda values: [form.write(value) for value in values], ManyNode(form.node))


def at_least(least: int, form: Shape[T]) -> Shape[T]:
    """The form of a list, which derived documents give so many items at least; it reads shorter ones too."""
    if not isinstance(form.node, ManyNode):
        raise TypeError(f"expected the shape of a list, got {type(form.node).__name__}")
    return replace(form, node=ManyNode(form.node.item, least))


def mapped(form: Shape[T]) -> Shape[dict[str, T]]:
    """An object with any names, each with a value of the form."""
    return Shape(
        lambda value, path: {n: form.read(v, inside(path, n)) for n, v in mapping(value, path).items()},
        lambda values: {name: form.write(value) for name, value in values.items()},
        TableNode(form.node),
    )


def enum(kind: type[E]) -> Shape[E]:
    """A member of the enumeration, by its value."""

    def read(value: object, path: str) -> E:
        try:
            return kind(value)
        except ValueError:
            raise wrong(path, " or ".join(str(known.value) for known in kind), value) from None

    values = tuple(known.value for known in kind)
    return Shape(read, attrgetter("value"), LeafNode(LeafKind.TEXT, choices=values, plain=values[0]))


def record(make: Callable[..., T], **fields: Field | Shape[Any]) -> Shape[T]:
    """An object with these fields and no others; `make` is called with them as keyword arguments.

    A field whose `get` names an attribute is passed under that attribute's name. An error of `make` is
    reported with the path.
    """
    known = {name: field if isinstance(field, Field) else Field(field) for name, field in fields.items()}
    keywords = {name: field.get if isinstance(field.get, str) else name for name, field in known.items()}
    getters = {
        name: field.get if callable(field.get) else attrgetter(keywords[name])
        for name, field in known.items()
    }

    def read(value: object, path: str) -> T:
        document = mapping(value, path, known)
        values = {}
        for name, field in known.items():
            if name in document:
                values[keywords[name]] = field.form.read(document[name], inside(path, name))
            elif field.default is _NEEDED:
                raise InputError(f"{inside(path, name)}: missing")
            else:
                values[keywords[name]] = field.default
        try:
            return make(**values)
        except InputError as error:
            raise InputError(f"{path.removesuffix(':')}: {error}") from None

    def write(value: T) -> dict[str, Any]:
        parts = ((name, field, getters[name](value)) for name, field in known.items())
        return {
            name: field.form.write(part)
            for name, field, part in parts
            if part is not None or not field.sparse
        }

    return Shape(read, write, RecordNode(tuple(field.node(name) for name, field in known.items())))


def document(**fields: Field | Shape[Any]) -> Shape[Mapping[str, Any]]:
    """An object with these fields and no others, which stays a plain object."""
    form: Shape[dict[str, Any]] = record(dict, **fields)

    def read(value: object, path: str) -> Mapping[str, Any]:
        form.read(value, path)
        return mapping(value, path)

    return Shape(read, node=form.node)


def tagged(tag: str, forms: Mapping[str, tuple[type[Any], Shape[Any]]]) -> Shape[Any]:
    """A record of one of several types; the field `tag` names the type."""
    of_type = {kind: (name, form) for name, (kind, form) in forms.items()}

    def read(value: object, path: str) -> Any:
        document = dict(mapping(value, path))
        if tag not in document:
            raise InputError(f"{inside(path, tag)}: missing")
        name = TEXT.read(document.pop(tag), inside(path, tag))
        if name not in forms:
            raise InputError(
                f"{inside(path, tag)}: unknown {tag} {name!r}, expected one of {', '.join(forms)}"
            )
        return forms[name][1].read(document, path)

    def write(value: Any) -> dict[str, Any]:
        name, form = of_type[type(value)]
        return {tag: name, **form.write(value)}

    return Shape(read, write, VariantNode(tag, {name: form.node for name, (_, form) in forms.items()}))


def identity(
    space: str,
    form: Shape[T],
    named: Callable[[int], Any] | None = None,
    legal: NameRange | None = None,
) -> Shape[T]:
    """A leaf that names a thing of the space, such as a topic.

    `named` returns plain names by number, `legal` is the range of legal names, by default any text.
    """
    node = replace(_leaf_of(form), space=space, defines=True, named=named, legal=legal)
    return replace(form, node=node)


def reference(space: str, form: Shape[T], legal: NameRange | None = None) -> Shape[T]:
    """A leaf that refers to a thing of the space by its name."""
    return replace(form, node=replace(_leaf_of(form), space=space, legal=legal))


def count_of(space: str, form: Shape[int]) -> Shape[int]:
    """The number of parts, numbered from 0, of the thing that its record names or refers to."""
    return replace(form, node=replace(_leaf_of(form), counts=space))


def _leaf_of(form: Shape[Any]) -> LeafNode:
    if not isinstance(form.node, LeafNode):
        raise TypeError(f"expected the shape of a plain value, got {type(form.node).__name__}")
    return form.node


TEXT: Final = leaf(str, "a string", LeafNode(LeafKind.TEXT, plain=""))
WHOLE: Final = leaf(int, "a whole number", LeafNode(LeafKind.WHOLE, plain=0))
FLAG: Final = leaf(bool, "true or false", LeafNode(LeafKind.FLAG, choices=(False, True), plain=False))
COUNT: Final = whole(0)
ANYTHING: Final = Shape[Any](lambda value, _: value)
OBJECT: Final = Shape[Mapping[str, Any]](mapping, node=LeafNode(LeafKind.OBJECT, plain={}))


def _pair(value: object, path: str) -> TopicPartition:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(path, "a pair [topic, partition]", value)
    return TopicPartition(TEXT.read(value[0], path), WHOLE.read(value[1], path))


PARTITIONS: Final = listed(Shape(_pair, list, PartNode("topic")))
"""Partitions, each as `[topic, partition]`."""


def sparse(form: Shape[T], document: Any) -> Any:
    """The document without the fields that carry no information: it reads as the same value.

    Of each name and simple value either all fields are removed or none.
    """
    value = form.read(document, "document:")
    for name, plain in dict.fromkeys(_simple_fields(document)):
        less = _without(document, name, plain)
        try:
            same = form.read(less, "document:") == value
        except InputError:
            continue
        if same:
            document = less
    return document


def _simple_fields(document: Any) -> Iterable[tuple[str, str]]:
    """The names and values, as text, of the fields that are empty or hold a plain number or text."""
    if isinstance(document, dict):
        for name, value in document.items():
            if not value or isinstance(value, bool | int | float | str):
                yield name, repr(value)
            else:
                yield from _simple_fields(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from _simple_fields(value)


def _without(document: Any, name: str, plain: str) -> Any:
    """The document without the fields of this name and value."""
    if isinstance(document, dict):
        return {
            key: _without(value, name, plain)
            for key, value in document.items()
            if key != name or repr(value) != plain
        }
    if isinstance(document, list | tuple):
        return [_without(value, name, plain) for value in document]
    return document
