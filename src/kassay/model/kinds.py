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

    Empty where a kind has no such thing: nobody is a member to a partitioner, nothing happens to a placer.
    """

    case: str
    call: str
    who: str
    what: str
    event: str = ""


_HISTORY: Final = ("history", "rebalance")
NOUNS: Final = {
    **dict.fromkeys(GROUPS, Nouns(*_HISTORY, "member", "partition", "event after the start")),
    Kind.STREAMS: Nouns(*_HISTORY, "process", "task", "event after the start"),
    Kind.CONNECT: Nouns(*_HISTORY, "worker", "connector or task", "event after the start"),
    Kind.PLACER: Nouns("request", "", "broker", "new partition"),
    Kind.PLANNER: Nouns("request", "", "broker", "partition"),
    Kind.PARTITIONER: Nouns("sending", "record", "", "partition", "record"),
}
"""The words in which a target of a kind is reported."""


def counted(number: int, noun: str) -> str:
    """The number with its noun: `2 processes`.

    >>> counted(0, "history"), counted(1, "event after the start"), counted(2, "connector or task")
    ('0 histories', '1 event after the start', '2 connectors or tasks')
    """
    if number == 1:
        return f"1 {noun}"
    words = noun.split(" ")
    at = next((place - 1 for place, word in enumerate(words) if word in ("after", "of")), len(words) - 1)
    for place in {at, words.index("or") - 1} if "or" in words else {at}:
        words[place] = _plural(words[place])
    return f"{number} {' '.join(words)}"


def _plural(noun: str) -> str:
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"
