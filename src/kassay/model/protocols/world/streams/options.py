"""What a world of stream threads has beside what all worlds have: processes, standby tasks, a topology.

The topology has one subtopology that reads `t`; with standby tasks it keeps state in `t-changelog`. Where a
topic comes later (fault `topic`) a second one reads the topic that is missing. A new version of the
application (fault `rollout`) brings a topology of the next epoch, which keeps state where the former did not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.values.requests import Config, Image, image_of
from kassay.model.protocols.values.streams.config import StreamsConfig
from kassay.model.protocols.values.streams.topology import StreamsSubtopology, StreamsTopology
from kassay.model.protocols.world.parts.context import ModelOptions, config_of

SOURCE: Final = "t"
CHANGELOG: Final = "t-changelog"
LATER: Final = "u"
"""A source topic that does not exist at the start, where one is to come."""


@dataclass(frozen=True)
class StreamsOptions:
    """What a world of stream threads has beside what all have.

    `standby` is num.standby.replicas, `processes` how many the threads are dealt to, one after the other (0:
    a process for each), `endpoints` how many threads say where their state can be asked for. With `delayed`
    the initial rebalance delay runs, with `fresh` the internal topics are yet to be created by the broker.
    """

    standby: int = 0
    processes: int = 0
    endpoints: int = 0
    delayed: bool = False
    fresh: bool = False

    def process_of(self, c: int, members: int) -> str:
        """The process that a client runs in."""
        return f"p{c % (self.processes or members) + 1}"


NO_STREAMS: Final = StreamsOptions()


def topologies(options: ModelOptions, streams: StreamsOptions) -> tuple[StreamsTopology, ...]:
    """The versions of the application's topology, oldest first."""
    stateful = bool(streams.standby) or streams.fresh
    first = StreamsSubtopology("0", (SOURCE,), (CHANGELOG,) if stateful else ())
    later = (StreamsSubtopology("1", (LATER,)),) if options.faults.topic else ()
    next_version = first._replace(changelogs=() if stateful else (CHANGELOG,))
    versions = (StreamsTopology(0, (first, *later)), StreamsTopology(1, (next_version, *later)))
    return versions if options.faults.rollout else versions[:1]


def streams_configs(options: ModelOptions, streams: StreamsOptions) -> tuple[ClientConfig, ...]:
    """What does not change of each stream thread while it runs."""
    return tuple(
        config_of(options, c)._replace(
            process_id=streams.process_of(c, options.members),
            endpoint=f"h{c + 1}:1" if c < streams.endpoints else "",
            topologies=topologies(options, streams),
        )
        for c in range(options.members)
    )


def streams_config(options: ModelOptions, streams: StreamsOptions) -> Config:
    """A coordinator of Streams groups that computes every target at once."""
    own = StreamsConfig(
        initial_rebalance_delay=3_000 if streams.delayed else 0,
        assignment_interval=0,
        num_standby_replicas=streams.standby,
    )
    return Config(switches=options.switches, streams=own)


def first_topics(options: ModelOptions, streams: StreamsOptions) -> Image:
    """The topics that exist at the start."""
    (first, *_) = topologies(options, streams)[0].subtopologies
    internal = () if streams.fresh else first.changelogs
    return image_of((name, options.partitions) for name in (SOURCE, *internal))
