"""Shapes of what several families' documents hold of a cluster."""

from __future__ import annotations

from typing import Final

from kassay.model.cluster import Broker
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, WHOLE, Field, listed, optional, record

BROKERS: Final = listed(
    record(
        Broker,
        id=Field(WHOLE, get="broker_id"),
        rack=Field(optional(TEXT), None),
        fenced=Field(codec.FLAG, False),
    )
)
