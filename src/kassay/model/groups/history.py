"""Histories: the events of a group, starting with its first members.

A history is a cluster and a sequence of changes. Each change is a set of simultaneous events, followed by one
rebalance. Events describe the world, never the answers of an assignor, so one history can run against any
target. An event that names a missing member or topic has no effect, nor has a join under an instance id that
another member has; a shrinker can therefore drop any event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, get_args

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member

Config = tuple[tuple[str, str], ...]


class Reports(StrEnum):
    """The generation that members report with their owned partitions.

    JOINED: the generation that they last joined (clients since KIP-792). GOT: the generation in which they
    received the list (older clients). The two differ after a failed sync and after missed generations.
    """

    JOINED = "joined"
    GOT = "got"


@dataclass(frozen=True, slots=True)
class Join:
    """A member joins, perhaps with partitions owned from earlier; `config` is its own configuration."""

    member: Member
    config: Config = ()


@dataclass(frozen=True, slots=True)
class Leave:
    """A member leaves for good."""

    member_id: str


@dataclass(frozen=True, slots=True)
class Crash:
    """A member drops out of the group but may `Return`; its partitions become free."""

    member_id: str


@dataclass(frozen=True, slots=True)
class Return:
    """A crashed member rejoins with its old list and its old generation."""

    member_id: str


@dataclass(frozen=True, slots=True)
class StaticReturn:
    """A static member rejoins under a new member id, with its owned list (KIP-345)."""

    member_id: str
    new_member_id: str


@dataclass(frozen=True, slots=True)
class FailedSync:
    """The member joins the next round but never receives the answer: it keeps its old list."""

    member_id: str


@dataclass(frozen=True, slots=True)
class NewLeader:
    """The member leads the group until it leaves, and its object computes the assignment.

    Before the first such event, the longest-standing member leads.
    """

    member_id: str


@dataclass(frozen=True, slots=True)
class Resubscribe:
    """A member subscribes to other topics."""

    member_id: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """A topic grows to `partitions`; new ones repeat the replicas and weights of the old in a cycle."""

    topic: str
    partitions: int


@dataclass(frozen=True, slots=True)
class CreateTopic:
    """A topic is created."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class DeleteTopic:
    """A topic is deleted; subscriptions and owned lists may still name it."""

    topic: str


@dataclass(frozen=True, slots=True)
class ChangeRack:
    """A member moves to another rack."""

    member_id: str
    rack: str | None


@dataclass(frozen=True, slots=True)
class RackBroker:
    """A broker moves to another rack."""

    broker_id: int
    rack: str | None


@dataclass(frozen=True, slots=True)
class Reweigh:
    """The weights of a topic's partitions change."""

    topic: str
    weights: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Withhold:
    """A share group may not assign these partitions of a topic, but may assign all others (KIP-932).

    This models partitions whose share state is not initialised yet. Other groups ignore the event.
    """

    topic: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReportOwned:
    """In the next round the member reports these partitions as owned, whatever it was assigned."""

    member_id: str
    owned: tuple[TopicPartition, ...]
    generation: int


@dataclass(frozen=True, slots=True)
class Rebalance:
    """The group rebalances without any change."""


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
    | ReportOwned
    | Rebalance
)
Change = tuple[Event, ...]

EVENTS: Final[dict[str, type[Event]]] = {event.__name__: event for event in get_args(Event)}
"""The event classes by their names in documents."""


@dataclass(frozen=True)
class History:
    """A cluster and the changes of a group on it; the first change adds the first members."""

    cluster: Cluster
    changes: tuple[Change, ...]
    reports: Reports = Reports.JOINED

    @property
    def joins(self) -> tuple[Join, ...]:
        """Every join, in order."""
        return tuple(e for change in self.changes for e in change if isinstance(e, Join))

    @property
    def events(self) -> int:
        """The number of events after the first members joined."""
        first = sum(not isinstance(event, Join) for event in self.changes[0]) if self.changes else 0
        return first + sum(len(change) for change in self.changes[1:])

    @property
    def size(self) -> tuple[int, int, int, int, int]:
        """The sort key that orders counterexamples by size.

        Events after the start, members, partitions, topics and subscriptions, then everything else that a
        reader has to understand.
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
