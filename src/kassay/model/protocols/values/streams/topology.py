"""The topology of a Streams application, as its members send it, and as configured with existing topics."""

from __future__ import annotations

from typing import Final, NamedTuple

NO_TOPOLOGY_EPOCH: Final = -1

# Problems of a topology (`StreamsGroupHeartbeatResponse.Status`).
MISSING_SOURCE_TOPICS: Final = "MISSING_SOURCE_TOPICS"
INCORRECTLY_PARTITIONED_TOPICS: Final = "INCORRECTLY_PARTITIONED_TOPICS"
MISSING_INTERNAL_TOPICS: Final = "MISSING_INTERNAL_TOPICS"


class CopartitionGroup(NamedTuple):
    """Co-partitioned inputs of a subtopology, by their indexes among its sources."""

    sources: tuple[int, ...] = ()
    repartition_sources: tuple[int, ...] = ()


class StreamsSubtopology(NamedTuple):
    """A connected part of a topology; its repartition source topics have a number of partitions, or 0."""

    subtopology_id: str
    sources: tuple[str, ...] = ()
    changelogs: tuple[str, ...] = ()
    repartition_sinks: tuple[str, ...] = ()
    repartition_sources: tuple[tuple[str, int], ...] = ()
    copartition: tuple[CopartitionGroup, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """All topics that it reads."""
        return (*self.sources, *(name for name, _ in self.repartition_sources))


class StreamsTopology(NamedTuple):
    """A topology; `epoch` is the application's own version of it. Subtopologies by id."""

    epoch: int
    subtopologies: tuple[StreamsSubtopology, ...] = ()

    @property
    def required_topics(self) -> frozenset[str]:
        """All topics that it reads or keeps state in."""
        return frozenset(name for part in self.subtopologies for name in (*part.inputs, *part.changelogs))

    def reader_of(self, topic: str) -> StreamsSubtopology | None:
        """The subtopology that reads a topic; the last one if several do."""
        readers = [part for part in self.subtopologies if topic in part.inputs]
        return readers[-1] if readers else None


class ConfiguredTopology(NamedTuple):
    """A topology configured with the existing topics (`ConfiguredTopology`).

    `status` is "" if it is ready, else its problem. `tasks` has the number of tasks of each subtopology; ()
    if unknown, and then `counted` is False. `create` are the topics that the broker is to create, with their
    partitions.
    """

    status: str = ""
    counted: bool = True
    tasks: tuple[tuple[str, int], ...] = ()
    create: tuple[tuple[str, int], ...] = ()

    @property
    def ready(self) -> bool:
        """Whether tasks can be assigned."""
        return not self.status
