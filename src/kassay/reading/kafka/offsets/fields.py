"""Fields of the JSON in which Kafka's tools print a record: each as its type, or an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.shape.codec import MOST
from kassay.reading.fields import wrong

_T = TypeVar("_T")
JsonObject = Mapping[str, Any]


def object_of(value: object, path: str) -> JsonObject:
    """The object at the path; raises `InputError` if there is none."""
    if not isinstance(value, dict):
        raise wrong(path, value, "an object")
    return value


def text_of(data: JsonObject, name: str, path: str) -> str:
    """The text of a field; raises `InputError` for anything else."""
    value = data.get(name)
    if not isinstance(value, str):
        raise wrong(f"{path}.{name}", value, "a text")
    return value


def optional_text(data: JsonObject, name: str, path: str) -> str | None:
    """The text of a field, None where it is missing or null; raises `InputError` for anything else."""
    return None if data.get(name) is None else text_of(data, name, path)


def int_of(data: JsonObject, name: str, path: str) -> int:
    """The whole number of a field; raises `InputError` for anything else."""
    value = data.get(name)
    if type(value) is not int:
        raise wrong(f"{path}.{name}", value, "a whole number")
    return value


def each_of(data: JsonObject, name: str, path: str, read: Callable[[object, str], _T]) -> tuple[_T, ...]:
    """The results of `read` for each item of a list and its path; raises `InputError`."""
    value, where = data.get(name), f"{path}.{name}"
    if not isinstance(value, list):
        raise wrong(where, value, "a list")
    return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(value))


def texts_of(data: JsonObject, name: str, path: str) -> tuple[str, ...]:
    """The texts of a list; raises `InputError` for anything else."""

    def text(item: object, at: str) -> str:
        if not isinstance(item, str):
            raise wrong(at, item, "a text")
        return item

    return each_of(data, name, path, text)


def by_topic(data: JsonObject, name: str, topic: str, path: str) -> tuple[TopicPartition, ...]:
    """Partitions listed topic by topic, with `topic` as the field of a topic's name; raises `InputError`."""

    def of_topic(item: object, at: str) -> list[TopicPartition]:
        fields = object_of(item, at)
        numbers, its = fields.get("partitions"), text_of(fields, topic, at)
        if not isinstance(numbers, list) or not all(type(n) is int and 0 <= n < MOST for n in numbers):
            raise wrong(f"{at}.partitions", numbers, f"numbers of partitions, from 0 and below {MOST}")
        return [TopicPartition(its, number) for number in numbers]

    return tuple(tp for tps in each_of(data, name, path, of_topic) for tp in tps)
