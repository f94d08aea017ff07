"""Shapes that documents of several families share.

Shapes of the parts of a cluster that documents of several families hold.

Shapes of what documents say about targets.
"""

from __future__ import annotations

from typing import Final

from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.model.kinds import Kind, kind_named
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, WHOLE, Field, Shape, identity, listed, optional, record, reference
from kassay.model.shape.nodes import LeafKind, LeafNode

BROKERS: Final = listed(
    record(
        Broker,
        id=Field(identity("broker", WHOLE), get="broker_id"),
        rack=Field(optional(reference("rack", TEXT)), None),
        fenced=Field(codec.FLAG, False),
    )
)


def _kind(value: object, path: str) -> Kind:
    name = TEXT.read(value, path)
    try:
        return kind_named(name)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


KIND: Final = Shape(_kind, str, LeafNode(LeafKind.TEXT))
"""A kind of target, by its name."""
