"""The kinds of targets: what is put to the test, and what claims and references are of."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple


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


class Nouns(NamedTuple):
    """What is counted of a kind: its cases, the calls in one, who is there, what they get, and what happens.

    Cases and calls stand in both numbers, since every run counts them. Empty where a kind has no such thing:
    nobody is a member to a partitioner, nothing happens to a placer.
    """

    case: str
    cases: str
    call: str
    calls: str
    who: str
    what: str
    event: str = ""


_HISTORY: Final = ("history", "histories", "rebalance", "rebalances")
NOUNS: Final = {
    **dict.fromkeys(GROUPS, Nouns(*_HISTORY, "member", "partition", "event after the start")),
    Kind.STREAMS: Nouns(*_HISTORY, "process", "task", "event after the start"),
    Kind.CONNECT: Nouns(*_HISTORY, "worker", "connector or task", "event after the start"),
    Kind.PLACER: Nouns("request", "requests", "", "", "broker", "new partition"),
    Kind.PLANNER: Nouns("request", "requests", "", "", "broker", "partition"),
    Kind.PARTITIONER: Nouns("sending", "sendings", "record", "records", "", "partition", "record"),
}
"""The words in which a target of a kind is reported."""
