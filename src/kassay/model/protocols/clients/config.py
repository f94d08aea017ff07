"""What clients of both protocols share: what becomes of the process, and what it was configured with."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from kassay.model.protocols.values.requests import LEAVE_EPOCH, STATIC_LEAVE_EPOCH, Image

if TYPE_CHECKING:
    from kassay.model.protocols.values.streams.topology import StreamsTopology

EAGER: Final = "eager"
COOPERATIVE: Final = "cooperative"


class Process(StrEnum):
    """What becomes of the process. STALLED: its main thread stands still, heartbeats go on."""

    NEW = "new"
    UP = "up"
    PAUSED = "paused"
    STALLED = "stalled"
    GONE = "gone"
    FATAL = "fatal"


class ClientConfig(NamedTuple):
    """What does not change while a client runs.

    `assignment_strategies` are its lists of assignors (partition.assignment.strategy), oldest first: a
    rollout moves to the next. `modes` says of each assignor what it supports. `pattern` is a prefix that
    topics must have, or "" for fixed `topics`; `regex` is an expression that the coordinator resolves.
    `version` is that of its subscriptions. `remembers`: user data carries the last assignment with its
    generation (sticky). `threads`: the heartbeat thread may strike between SyncGroup's reply and the
    callback. The timeouts are told to the coordinator, in whatever unit the world counts time.
    A stream thread runs in a process (`process_id`), may be asked for its state at an `endpoint`, and brings
    the topology of its version: `topologies`, oldest first; with `reports` it says how far its state is.
    `remote_assignor` is group.remote.assignor.
    """

    client_id: str
    group_instance_id: str = ""
    assignment_strategies: tuple[tuple[str, ...], ...] = (("any-balanced",),)
    modes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    topics: tuple[str, ...] = ("t",)
    pattern: str = ""
    regex: str = ""
    version: int = 3
    remembers: bool = False
    threads: bool = False
    switches: frozenset[str] = frozenset()
    session_timeout: int = 45_000
    rebalance_timeout: int = 300_000
    process_id: str = ""
    endpoint: str = ""
    topologies: tuple[StreamsTopology, ...] = ()
    reports: bool = False
    remote_assignor: str = ""

    def names(self, rollout_step: int) -> tuple[str, ...]:
        """The assignors of one step of the rollout; beyond the last step, the last list stays."""
        return self.assignment_strategies[min(rollout_step, len(self.assignment_strategies) - 1)]

    def topology(self, rollout_step: int) -> StreamsTopology:
        """The topology of one step of the rollout; beyond the last step, the last one stays."""
        return self.topologies[min(rollout_step, len(self.topologies) - 1)]

    def mode(self, rollout_step: int) -> str:
        """Cooperative only if every assignor on the list supports it."""
        known = dict(self.modes)
        every = all(COOPERATIVE in known.get(name, (EAGER,)) for name in self.names(rollout_step))
        return COOPERATIVE if every else EAGER

    @property
    def leave_epoch(self) -> int:
        """What a member of the consumer or Streams protocol sends to leave: a static one goes for a while."""
        return STATIC_LEAVE_EPOCH if self.group_instance_id else LEAVE_EPOCH


def matching(config: ClientConfig, image: Image) -> tuple[str, ...]:
    """The topics that the client subscribes to when it starts, given what exists."""
    if config.pattern:
        return tuple(topic.name for topic in image if topic.name.startswith(config.pattern))
    return config.topics


def still_matching(config: ClientConfig, topics: tuple[str, ...], image: Image) -> tuple[str, ...]:
    """The topics that the client reads now: what its pattern finds, or those that it subscribed to last."""
    return matching(config, image) if config.pattern else topics
