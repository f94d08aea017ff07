"""Reading JSON documents strictly: each helper names the field that is wrong and what was expected.

A path such as `history.changes[2][0].member.owned[1]` goes along, so that a person finds the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError

T = TypeVar("T")
E = TypeVar("E", bound=Enum)


def wrong(path: str, expected: str, got: object) -> InputError:
    """The error for a field that is not what it should be."""
    text = repr(got)
    return InputError(f"{path}: expected {expected}, got {text if len(text) <= 60 else text[:57] + '...'}")


def mapping(value: object, path: str, fields: Iterable[str] | None = None) -> Mapping[str, Any]:
    """The object at the path; raises if it has a field that is not among `fields`."""
    if not isinstance(value, dict):
        raise wrong(path, "an object", value)
    if fields is not None:
        known = set(fields)
        for name in value:
            if name not in known:
                raise InputError(f"{path}.{name}: unknown field, expected one of {', '.join(sorted(known))}")
    return value


def field(value: Mapping[str, Any], name: str, path: str) -> Any:
    """The field of an object; raises if it is missing."""
    if name not in value:
        raise InputError(f"{path}.{name}: missing")
    return value[name]


def items(value: object, path: str, item: Callable[[object, str], T]) -> tuple[T, ...]:
    """The list at the path, each item read by `item`."""
    if not isinstance(value, list):
        raise wrong(path, "a list", value)
    return tuple(item(entry, f"{path}[{i}]") for i, entry in enumerate(value))


def text(value: object, path: str) -> str:
    """The string at the path."""
    if not isinstance(value, str):
        raise wrong(path, "a string", value)
    return value


def text_or_none(value: object, path: str) -> str | None:
    """The string at the path, or None."""
    return None if value is None else text(value, path)


def member(enum: type[E], value: object, path: str) -> E:
    """The member of the enumeration that the value at the path stands for."""
    try:
        return enum(value)
    except ValueError:
        raise wrong(path, " or ".join(str(known.value) for known in enum), value) from None


def whole(value: object, path: str, least: int | None = None) -> int:
    """The whole number at the path, not below `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
        raise wrong(path, "a whole number" + (f" of at least {least}" if least is not None else ""), value)
    return value


def tps(value: object, path: str) -> tuple[TopicPartition, ...]:
    """A list of `[topic, partition]` pairs."""

    def pair(entry: object, where: str) -> TopicPartition:
        if not isinstance(entry, list) or len(entry) != 2:
            raise wrong(where, "a pair [topic, partition]", entry)
        return TopicPartition(text(entry[0], where), whole(entry[1], where))

    return items(value, path, pair)


def pairs(tps_: Iterable[TopicPartition]) -> list[list[Any]]:
    """Partitions as JSON pairs."""
    return [[topic, partition] for topic, partition in tps_]
