"""A case with one thing less, and how one is made of a case's document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Without(NamedTuple):
    """A case with one thing less, and what is not there, in words.

    `event`: something that happens. `extent`: one of many alike, which says only how large the case must be:
    how many of them the thing stands for, and what they are, as in `(3, "partition of t0")`.
    """

    words: str
    case: Mapping[str, Any]
    event: bool = False
    extent: tuple[int, str] | None = None


def copied(document: Mapping[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The document with the value at the path; what is beside the path is the document's own."""
    copy = dict(document)
    inner: Any = copy
    for step in path[:-1]:
        below = inner[step]
        inner[step] = dict(below) if isinstance(below, Mapping) else list(below)
        inner = inner[step]
    inner[path[-1]] = value
    return copy


def left_out(document: Mapping[str, Any], path: tuple[str | int, ...], number: int) -> dict[str, Any]:
    """A copy of the document without the entry of that number in the list at the path."""
    entries: Any = document
    for step in path:
        entries = entries[step]
    return copied(document, path, [*entries[:number], *entries[number + 1 :]])
