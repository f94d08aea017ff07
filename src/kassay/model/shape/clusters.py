"""Shapes of the parts of a cluster that documents of several families hold."""

from __future__ import annotations

from typing import Final

from kassay.model.cluster import Broker
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, WHOLE, Field, identity, listed, optional, record, reference

BROKERS: Final = listed(
    record(
        Broker,
        id=Field(identity("broker", WHOLE), get="broker_id"),
        rack=Field(optional(reference("rack", TEXT)), None),
        fenced=Field(codec.FLAG, False),
    )
)
