"""Shapes of what documents say about targets."""

from __future__ import annotations

from typing import Final

from kassay.model.errors import InputError
from kassay.model.kinds import Kind, kind_named
from kassay.model.shape.codec import TEXT, Shape
from kassay.model.shape.nodes import LeafKind, LeafNode


def _kind(value: object, path: str) -> Kind:
    name = TEXT.read(value, path)
    try:
        return kind_named(name)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


KIND: Final = Shape(_kind, str, LeafNode(LeafKind.TEXT))
"""A kind of target, by its name."""
