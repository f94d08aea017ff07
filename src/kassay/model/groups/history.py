"""Histories: what happens to a group, from its first members on.

A history is a cluster, and changes in order. Each change is a few events that happen together and
is followed by one rebalance. Events say what happened in the world, never what an assignor
answered, so one history can be played against any target. An event that names a member or a topic
that is not there does nothing; that lets a shrinker drop whatever it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, get_args

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member

Config = tuple[tuple[str, str], ...]


class Reports(StrEnum):
    """Which generation members report with what they own.

    JOINED: the one they last joined (clients since KIP-792). GOT: the one in which they got the
    list (older clients). The two differ after a failed sync and after missed generations.
    """

    JOINED = "joined"
    GOT = "got"


@dataclass(frozen=True, slots=True)
class Join:
    """A member comes, perhaps with claims from a former life; `config` is its own configuration."""

    member: Member
    config: Config = ()


@dataclass(frozen=True, slots=True)
class Leave:
    """A member goes for good."""

    member_id: str


@dataclass(frozen=True, slots=True)
class Crash:
    """A member is gone from the group but may `Return`; what it owned is free for the others."""

    member_id: str


@dataclass(frozen=True, slots=True)
class Return:
    """A crashed member comes back with its old list and its old generation."""

    member_id: str


@dataclass(frozen=True, slots=True)
class StaticReturn:
    """A static member is back under a new member id, with its owned list (KIP-345)."""

    member_id: str
    new_member_id: str


@dataclass(frozen=True, slots=True)
class FailedSync:
    """The member takes part in the next round but never learns the answer: it keeps its old list."""

    member_id: str


@dataclass(frozen=True, slots=True)
class NewLeader:
    """A member leads the group from now on, until it goes: its own object is asked for the assignment.

    Until the first of these the member that is there longest leads.
    """

    member_id: str


@dataclass(frozen=True, slots=True)
class Resubscribe:
    """A member reads other topics from now on."""

    member_id: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """A topic grows to `partitions`; the new ones copy the replicas and weights of the old in turn."""

    topic: str
    partitions: int


@dataclass(frozen=True, slots=True)
class CreateTopic:
    """A topic comes into being."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class DeleteTopic:
    """A topic is gone; subscriptions and claims may still name it."""

    topic: str


@dataclass(frozen=True, slots=True)
class ChangeRack:
    """A member now runs in another rack."""

    member_id: str
    rack: str | None


@dataclass(frozen=True, slots=True)
class RackBroker:
    """A broker now stands in another rack."""

    broker_id: int
    rack: str | None


@dataclass(frozen=True, slots=True)
class Reweigh:
    """A topic's partitions now cost their owners this much."""

    topic: str
    weights: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Withhold:
    """A share group may not give out these partitions of a topic, and may give out all others (KIP-932).

    So it is before the state of a partition is initialised. Other groups do not care.
    """

    topic: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OwnedClaim:
    """In the next round the member says that it owns this, whatever it was given."""

    member_id: str
    owned: tuple[TopicPartition, ...]
    generation: int


@dataclass(frozen=True, slots=True)
class Rebalance:
    """The group rebalances though nothing changed."""


Event = (
    Join
    | Leave
    | Crash
    | Return
    | StaticReturn
    | FailedSync
    | NewLeader
    | Resubscribe
    | AddPartitions
    | CreateTopic
    | DeleteTopic
    | ChangeRack
    | RackBroker
    | Reweigh
    | Withhold
    | OwnedClaim
    | Rebalance
)
Change = tuple[Event, ...]

EVENTS: Final[dict[str, type[Event]]] = {
    "Claim" if event is OwnedClaim else event.__name__: event for event in get_args(Event)
}
"""Each event by its name in documents."""


@dataclass(frozen=True)
class History:
    """A cluster and what happens to a group on it; the first change brings the first members."""

    cluster: Cluster
    changes: tuple[Change, ...]
    reports: Reports = Reports.JOINED

    @property
    def joins(self) -> tuple[Join, ...]:
        """Every join, in order."""
        return tuple(e for change in self.changes for e in change if isinstance(e, Join))

    @property
    def events(self) -> int:
        """Everything that happens after the first members have come."""
        first = sum(not isinstance(event, Join) for event in self.changes[0]) if self.changes else 0
        return first + sum(len(change) for change in self.changes[1:])

    @property
    def size(self) -> tuple[int, int, int, int, int]:
        """What makes one counterexample smaller than another.

        Events after the start, members, partitions, topics and subscriptions, then all the rest that a
        reader has to take in.
        """
        topics = self.cluster.topics + tuple(
            e.topic for change in self.changes for e in change if isinstance(e, CreateTopic)
        )
        joins = self.joins
        noise = sum(
            len(j.member.owned)
            + (j.member.rack is not None)
            + (j.member.instance_id is not None)
            + (j.member.generation >= 0)
            + len(j.config)
            for j in joins
        )
        return (
            self.events,
            len(joins),
            sum(topic.partitions for topic in topics),
            len(topics) + sum(len(j.member.topics) for j in joins),
            noise + len(self.cluster.brokers) + (self.reports is not Reports.JOINED),
        )
