"""Reading a JSON document strictly: every complaint is one line that names the field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kassay.model.errors import InputError

_SHOWN = 60


def shown(value: object) -> str:
    """The value as a complaint quotes it: one line, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a document and where it stands, for instance `members[2].topics`."""

    value: Any
    path: str

    def fail(self, expected: str) -> InputError:
        """The error that says what stands here and what was expected instead."""
        return InputError(f"{self.path}: found {shown(self.value)}, expected {expected}")

    def get(self, key: str) -> Field:
        """The field of an object; raises `InputError` if this is no object or has no such field."""
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        inner = f"{self.path}.{key}" if self.path else key
        if key not in self.value:
            raise InputError(f"{inner}: missing")
        return Field(self.value[key], inner)

    def find(self, key: str) -> Field | None:
        """The field of an object, or None where it is missing or null."""
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        if self.value.get(key) is None:
            return None
        return self.get(key)

    def items(self) -> Iterator[Field]:
        """The entries of a list."""
        for index, item in enumerate(self.list()):
            yield Field(item, f"{self.path}[{index}]")

    def list(self, length: int | None = None) -> list[Any]:
        """The list that stands here, of this length if one is given."""
        if not isinstance(self.value, list):
            raise self.fail("a list")
        if length is not None and len(self.value) != length:
            raise InputError(f"{self.path}: found {len(self.value)} entries, expected {length}")
        return self.value

    def text(self) -> str:
        """The string that stands here; an empty one is refused."""
        if not isinstance(self.value, str) or not self.value:
            raise self.fail("a name")
        return self.value

    def integer(self, least: int = 0) -> int:
        """The whole number that stands here, at least `least`."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or self.value < least:
            raise self.fail(f"a whole number from {least} on")
        return self.value


def unique(fields: list[Field], what: str) -> dict[Any, int]:
    """The position of each value; raises `InputError` at the first value that stands there twice."""
    seen: dict[Any, int] = {}
    for position, field in enumerate(fields):
        if field.value in seen:
            first = fields[seen[field.value]].path
            raise InputError(
                f"{field.path}: {what} {shown(field.value)} is already at {first}, expected unique"
            )
        seen[field.value] = position
    return seen
