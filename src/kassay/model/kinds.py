"""The kinds of targets: what is put to the test, and what claims and references are of."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Kind(Enum):
    """What a target is; the letter that documents of older versions have for it is read like its word.

    >>> Kind("streams") is Kind("T")
    True
    """

    CLIENT = "client"
    SERVER = "server"
    SHARE = "share"
    STREAMS = "streams"
    PLACER = "placer"
    PLANNER = "planner"
    PARTITIONER = "partitioner"
    COORDINATOR = "coordinator"
    CONNECT = "connect"

    @classmethod
    def _missing_(cls, value: object) -> Kind | None:
        return next((kind for letter, kind in zip("CSHTPLKG", cls) if letter == value), None)

    def __str__(self) -> str:
        return self.value


GROUPS: Final = (Kind.CLIENT, Kind.SERVER, Kind.SHARE)
"""Kinds whose targets assign the partitions of a consumer group."""

CONSUMER_GROUPS: Final = (Kind.CLIENT, Kind.SERVER)
"""Those of them that give a partition to one member only."""

SPEAKING: Final = (*GROUPS, Kind.CONNECT)
"""Kinds of which a rebalance protocol says how they are asked."""
