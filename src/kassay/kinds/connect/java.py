"""Kafka's interface of Connect assignors."""

from __future__ import annotations

from typing import Final

from kassay.kinds.java import Interface
from kassay.model.connect.kinds import CONNECT

_CONNECT: Final = "org.apache.kafka.connect.runtime.distributed"

CONNECT_INTERFACE: Final = Interface(
    f"{_CONNECT}.ConnectAssignor",
    CONNECT.meta,
    "connect-runtime",
    known=(f"{_CONNECT}.EagerAssignor", f"{_CONNECT}.IncrementalCooperativeAssignor"),
    constructors=((), ("LogContext",), ("LogContext", "Time", "int")),
)

INTERFACES: Final = (CONNECT_INTERFACE,)
