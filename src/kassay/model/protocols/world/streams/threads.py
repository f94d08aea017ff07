"""The stream threads of a world: their processes and topology, and what they say by a heartbeat.

The topology has one subtopology that reads `t`; with copies of tasks it keeps state in `t-changelog`. If
a topic is created later (fault `topic`), a second subtopology reads the missing topic. A new version of
the application (fault `rollout`) has a topology with the next epoch, which keeps state where the
previous one did not. `StreamsTalk` says what threads send and make of an answer, on all levels of
network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.requests import Config, Image, image_of
from kassay.model.protocols.values.streams import (
    StreamsConfig,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    StreamsSubtopology,
    StreamsTopology,
    TaskRoles,
)
from kassay.model.protocols.world.context import Client, ModelOptions, config_of, listing
from kassay.model.protocols.world.networks import Talk

SOURCE: Final = "t"
CHANGELOG: Final = "t-changelog"
LATER: Final = "u"
"""A source topic that does not exist at the start, if one is to be created."""


@dataclass(frozen=True)
class StreamsOptions:
    """The options of a world of stream threads, in addition to the common ones.

    `standby` is num.standby.replicas, `processes` the number of processes over which the threads are
    distributed in a cycle (0: one process per thread), `endpoints` the number of threads with an endpoint for
    interactive queries. With `delayed` the initial rebalance delay runs, with `fresh` the broker still has to
    create the internal topics. With `offsets` members report their task offsets. `warmup` is
    num.warmup.replicas as in KIP-1071: state is warmed up before a task moves, which no release does yet.
    """

    standby: int = 0
    processes: int = 0
    endpoints: int = 0
    delayed: bool = False
    fresh: bool = False
    offsets: bool = False
    warmup: int = 0

    @property
    def stateful(self) -> bool:
        """Whether the first subtopology keeps state."""
        return bool(self.standby or self.fresh or self.offsets or self.warmup)

    def process_of(self, c: int) -> str:
        """The process of a client; a process of its own has the client's name."""
        return f"p{c % self.processes + 1}" if self.processes else f"c{c + 1}"


NO_STREAMS: Final = StreamsOptions()


def topologies(options: ModelOptions, streams: StreamsOptions) -> tuple[StreamsTopology, ...]:
    """The versions of the application's topology, oldest first."""
    first = StreamsSubtopology("0", (SOURCE,), (CHANGELOG,) if streams.stateful else ())
    later = (StreamsSubtopology("1", (LATER,)),) if options.faults.topic else ()
    next_version = first._replace(changelogs=() if streams.stateful else (CHANGELOG,))
    versions = (StreamsTopology(0, (first, *later)), StreamsTopology(1, (next_version, *later)))
    return versions if options.faults.rollout else versions[:1]


def streams_configs(options: ModelOptions, streams: StreamsOptions) -> tuple[ClientConfig, ...]:
    """The configurations of the stream threads."""
    return tuple(
        config_of(options, c)._replace(
            process_id=streams.process_of(c),
            endpoint=f"h{c + 1}:1" if c < streams.endpoints else "",
            topologies=topologies(options, streams),
            reports=streams.offsets or streams.warmup > 0,
        )
        for c in range(options.members)
    )


def streams_config(options: ModelOptions, streams: StreamsOptions) -> Config:
    """A coordinator of Streams groups that computes every target at once, or only after the interval."""
    own = StreamsConfig(
        initial_rebalance_delay=3_000 if streams.delayed else 0,
        assignment_interval=int(options.late_targets),
        num_standby_replicas=streams.standby,
    )
    if streams.warmup:
        own = own._replace(num_warmup_replicas=streams.warmup, warms_up=True)
    return Config(
        assignment_interval=own.assignment_interval,
        switches=options.switches,
        streams=own,
        writes_fail=options.faults.write > 0,
    )


def first_topics(options: ModelOptions, streams: StreamsOptions) -> Image:
    """The initial topics."""
    (first, *_) = topologies(options, streams)[0].subtopologies
    internal = () if streams.fresh else first.changelogs
    return image_of((name, options.partitions) for name in (SOURCE, *internal))


class StreamsTalk(Talk):
    """The messages of KIP-1071."""

    def heartbeat(
        self, config: ClientConfig, number: int, client: Client
    ) -> tuple[Client, requests.Request] | None:
        """The client's current heartbeat, and the client after sending it; None if it sends none."""
        return cs.heartbeat(config, number, thread(client))

    def unanswered(self, config: ClientConfig, client: Client) -> Client:
        """A client after its heartbeat, or the reply, is lost."""
        return cs.failed(config, thread(client))

    def heard(
        self,
        config: ClientConfig,
        client: Client,
        request: requests.Request,  # noqa: ARG002 - a reply needs no request to be understood
        body: requests.ReplyBody,
    ) -> Client:
        """A client after it has read a reply."""
        assert isinstance(body, StreamsHeartbeatReply), "a stream thread sends nothing but heartbeats"
        return cs.on_reply(config, thread(client), body)

    def carried(self, request: requests.Request) -> str:
        """A short description of a heartbeat's contents."""
        assert isinstance(request, StreamsHeartbeat)
        joins = "" if request.topology is None else f", topology {request.topology.epoch}"
        runs = "" if request.owned is None or joins else f", runs {roles(request.owned)}"
        return f"epoch {request.member_epoch}{joins}{runs}"

    def answer(self, reply: requests.ReplyBody) -> str:
        """A short description of a reply."""
        if reply.error != errors.NONE:
            return reply.error
        if not isinstance(reply, StreamsHeartbeatReply):
            return "ok"
        assigned = "" if reply.tasks is None else f", assigned {roles(reply.tasks)}"
        return ", ".join((f"epoch {reply.member_epoch}{assigned}", *reply.status))


def thread(client: Client) -> StreamThread:
    """The client, which is known to be a stream thread."""
    assert isinstance(client, StreamThread), "all clients of this world are stream threads"
    return client


def roles(tasks: TaskRoles) -> str:
    """Tasks by role in a short form."""
    copies = (
        f"; {role} {listing(given)}"
        for role, given in (("standby", tasks.standby), ("warm-up", tasks.warmup))
        if given
    )
    return listing(tasks.active) + "".join(copies)
