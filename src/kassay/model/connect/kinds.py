"""The kind of targets that assign connectors and tasks to the workers of Kafka Connect."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Kind, Nouns, RebalanceProtocol, declare

_NOUNS: Final = Nouns(
    "history",
    "histories",
    "rebalance",
    "rebalances",
    "worker",
    "connector or task",
    "event after the start",
    "clusters",
)
CONNECT: Final = declare(
    Kind(
        "connect",
        "connect",
        _NOUNS,
        "connect-assignor",
        "Kafka Connect",
        "cluster",
        forms=("workers",),
        speaks=True,
        usual=RebalanceProtocol.COOPERATIVE,
        place=50,
        assumptions=("no-conflicting-claims",),
    )
)
"""Workers use the cooperative protocol by default, since KIP-415."""
