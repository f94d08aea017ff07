"""Documents as typed values: the types say what a document may hold, cattrs walks both.

A shape is a frozen dataclass with the fields of an object. They are of `str`, `int`, `float`, `bool`,
`Literal`, tuples, frozen sets, `Mapping[str, X]`, `X | None` and other shapes; `Annotated` with a `Bound`
narrows them. A field with a default may be missing or null. Nothing is converted: "1" is no number, True
neither, and no float is a whole number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from itertools import chain
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from kassay.model.errors import InputError
from kassay.reading.documents import Bound, difference, joined, shown, suggestion

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
_Hook = Callable[[Any, Any], Any]

_LEAVES: Final = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_OBJECT: Final = "object"


class _WrongError(Exception):
    """An error in a value; `key` leads to the part that has it."""

    def __init__(self, sentence: str, key: str | int = "") -> None:
        super().__init__(sentence)
        self.key = key


def read_as(shape: type[T], document: object, where: str = "", *, closed: bool = False) -> T:
    """The document as a value of the shape; `closed` refuses fields that its shapes do not have.

    Raises `InputError` with the place (`where`, then the path in the document), the value, and what was
    expected.
    """
    # Imported when a document is read, since it takes longer to load than most of kassay.
    from cattrs.errors import BaseValidationError

    try:
        return _converter(closed).structure(document, shape)
    except (BaseValidationError, _WrongError) as error:
        complaint = ": ".join(filter(None, (where, *_first(error))))
    raise InputError(complaint)


def unique(values: Iterable[tuple[str, Hashable]], what: str) -> None:
    """Raise `InputError` at the first repeated value; each comes with its path."""
    first: dict[Hashable, str] = {}
    for path, value in values:
        if value in first:
            raise InputError(f"{path}: {what} {shown(value)} is already at {first[value]}, expected unique")
        first[value] = path


def _first(error: Any) -> tuple[str, str]:
    """The path of the first wrong value, and its error."""
    path = ""
    while not isinstance(error, _WrongError):
        error, note = error.group_exceptions()[0][0]
        path = joined(path, note.name if hasattr(note, "name") else note.index)
    return (path if error.key == "" else joined(path, error.key)), str(error)


@cache
def _converter(closed: bool) -> Converter:
    from cattrs import Converter

    converter = Converter()
    for leaf in _LEAVES:
        converter.register_structure_hook(leaf, _leaf)
    factories: dict[object, Callable[[Any, Converter], _Hook]] = {
        tuple: _list_hook,
        frozenset: _list_hook,
        Mapping: _mapping_hook,
        Literal: _literal_hook,
        Union: _optional_hook,
        UnionType: _optional_hook,
        Annotated: _bounded_hook,
        _OBJECT: partial(_object_hook, closed=closed),
    }
    converter.register_structure_hook_factory(
        lambda shape: _kind_of(shape) in factories, lambda shape: factories[_kind_of(shape)](shape, converter)
    )
    return converter


def _kind_of(shape: Any) -> object:
    """The property that decides how a shape is read: its type, or that it is an object's."""
    return _OBJECT if is_dataclass(shape) else get_origin(shape)


def _leaf(value: Any, leaf: Any) -> Any:
    if type(value) is leaf and (leaf is not float or math.isfinite(value)):
        return value
    if leaf is float and type(value) is int:
        return float(value)
    raise _WrongError(difference(value, _LEAVES[leaf]))


def _bounded_hook(shape: Any, converter: Converter) -> _Hook:
    inner, bound = get_args(shape)
    if not isinstance(bound, Bound):
        raise TypeError(f"{shape}: expected a Bound")
    hook = converter.get_structure_hook(inner)

    def read(value: Any, _: Any) -> Any:
        try:
            read = hook(value, inner)
        except _WrongError:
            read = None
        if read is None or not bound.holds(read):
            raise _WrongError(difference(value, bound.expected))
        return read

    return read


def _literal_hook(shape: Any, _: Converter) -> _Hook:
    allowed = get_args(shape)
    expected = " or ".join(map(repr, allowed))

    def read(value: Any, _: Any) -> Any:
        if not any(type(value) is type(each) and value == each for each in allowed):
            hint = suggestion(value, map(str, allowed)) if isinstance(value, str) else ""
            raise _WrongError(difference(value, expected) + hint)
        return value

    return read


def _optional_hook(shape: Any, converter: Converter) -> _Hook:
    (inner,) = (each for each in get_args(shape) if each is not NoneType)
    hook = converter.get_structure_hook(inner)
    return lambda value, _: None if value is None else hook(value, inner)


def _list_hook(shape: Any, converter: Converter) -> _Hook:
    """The hook of a list of any length, or of one with a type for each place: `tuple[str, int]`."""
    from cattrs.cols import list_structure_factory

    origin, args = get_origin(shape), get_args(shape)
    if origin is tuple and args[-1] is not ...:
        return _places_hook(shape, converter)
    entries = list_structure_factory(shape, converter)
    if get_origin(args[0]) is tuple and set(get_args(args[0])) <= _LEAVES.keys():
        return _lists_of_places(shape, entries, get_args(args[0]))
    if get_origin(args[0]) is tuple and get_args(args[0])[-1] is ...:
        return _lists_of_lists(shape, entries, get_args(args[0])[0])
    leaf, holds = _leaf_and_bound(args[0])
    leaves = {leaf}

    def read(value: Any, _: Any) -> Any:
        if not isinstance(value, list):
            raise _WrongError(difference(value, "a list"))
        # Long lists of numbers or names are read together, and entry by entry only to locate an error.
        if leaves.issuperset(map(type, value)) and (holds is None or all(map(holds, value))):
            return origin(value)
        return origin(entries(value, shape))

    return read


def _leaf_and_bound(hint: Any) -> tuple[Any, Callable[[Any], bool] | None]:
    leaf, *bounds = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    return leaf, bounds[0].holds if bounds else None


def _lists_of_places(shape: Any, entries: _Hook, types: tuple[type, ...]) -> _Hook:
    """The hook of a list of such lists, all read together, and one by one only to locate an error."""
    origin, lists, lengths = get_origin(shape), {list}, {len(types)}
    places = [(place, {leaf}) for place, leaf in enumerate(types)]

    def read(value: Any, _: Any) -> Any:
        if not isinstance(value, list):
            raise _WrongError(difference(value, "a list"))
        if lists.issuperset(map(type, value)) and lengths.issuperset(map(len, value)):
            flat = [*chain.from_iterable(value)]
            if all(leaf.issuperset(map(type, flat[place :: len(types)])) for place, leaf in places):
                return origin(map(tuple, value))
        return origin(entries(value, shape))

    return read


def _lists_of_lists(shape: Any, entries: _Hook, hint: Any) -> _Hook:
    """The same for lists of any length."""
    origin, lists = get_origin(shape), {list}
    leaf, holds = _leaf_and_bound(hint)

    def read(value: Any, _: Any) -> Any:
        if not isinstance(value, list):
            raise _WrongError(difference(value, "a list"))
        if lists.issuperset(map(type, value)):
            flat = [*chain.from_iterable(value)]
            if {leaf}.issuperset(map(type, flat)) and (holds is None or all(map(holds, flat))):
                return origin(map(tuple, value))
        return origin(entries(value, shape))

    return read


def _places_hook(shape: Any, converter: Converter) -> _Hook:
    from cattrs.errors import IterableValidationError, IterableValidationNote

    types = get_args(shape)
    places = [(converter.get_structure_hook(each), each) for each in types]

    def read(value: Any, _: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(places):
            raise _WrongError(difference(value, f"a list of {len(places)} entries"))
        if tuple(map(type, value)) == types:
            return tuple(value)
        read = []
        for index, (hook, each) in enumerate(places):
            try:
                read.append(hook(value[index], each))
            except Exception as error:
                error.add_note(IterableValidationNote("", index, each))
                raise IterableValidationError("", [error], shape) from None
        return tuple(read)

    return read


def _mapping_hook(shape: Any, converter: Converter) -> _Hook:
    from cattrs.gen import make_mapping_structure_fn

    values: _Hook = make_mapping_structure_fn(shape, converter, dict, str)

    def read(value: Any, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _WrongError(difference(value, "an object"))
        return values(value, shape)

    return read


def _object_hook(shape: Any, converter: Converter, closed: bool) -> _Hook:
    from cattrs.gen import make_dict_structure_fn, override

    def hook(hint: Any) -> _Hook:
        # cattrs drops the content of `Annotated` where annotations are postponed.
        read = converter.get_structure_hook(hint)
        return lambda value, _: read(value, hint)

    hints = get_type_hints(shape, include_extras=True)
    names = [field.name for field in fields(shape)]
    required = [f.name for f in fields(shape) if f.default is MISSING and f.default_factory is MISSING]
    overrides: dict[str, Any] = {name: override(struct_hook=hook(hints[name])) for name in names}
    structure = make_dict_structure_fn(shape, converter, **overrides)

    def read(value: Any, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _WrongError(difference(value, "an object"))
        for name in value if closed else ():
            if name not in names:
                expected = f"expected one of {', '.join(sorted(names))}{suggestion(str(name), names)}"
                raise _WrongError(f"unknown field, {expected}", name)
        for name in required:
            if name not in value:
                raise _WrongError("missing", name)
        present = {name: value[name] for name in names if name in required or value.get(name) is not None}
        return structure(present, shape)

    return read
