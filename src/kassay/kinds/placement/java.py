"""Kafka's interface of placers."""

from __future__ import annotations

from typing import Final

from kassay.kinds.java import Interface
from kassay.model.placement.kinds import PLACER

_PLACEMENT: Final = "org.apache.kafka.metadata.placement"

PLACER_INTERFACE: Final = Interface(
    f"{_PLACEMENT}.ReplicaPlacer",
    PLACER.meta,
    "kafka-metadata",
    known=(f"{_PLACEMENT}.StripedReplicaPlacer",),
    constructors=((), ("Random",)),
)

INTERFACES: Final = (PLACER_INTERFACE,)
