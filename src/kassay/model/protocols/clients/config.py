"""Common parts of all clients: the status of the process, and its configuration."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from kassay.model.protocols.values.requests import LEAVE_EPOCH, STATIC_LEAVE_EPOCH, Image

if TYPE_CHECKING:
    from kassay.model.protocols.values.streams import StreamsTopology

EAGER: Final = "eager"
COOPERATIVE: Final = "cooperative"


class Process(StrEnum):
    """The status of the process. STALLED: its main thread does not run, heartbeats continue."""

    NEW = "new"
    UP = "up"
    PAUSED = "paused"
    STALLED = "stalled"
    GONE = "gone"
    FATAL = "fatal"


class ClientConfig(NamedTuple):
    """The configuration of a client, constant while it runs.

    `assignment_strategies` are its lists of assignors (partition.assignment.strategy), oldest first: a
    rollout moves to the next. `modes` has the rebalance protocol of each assignor. `pattern` is a prefix that
    topics must have, or "" for fixed `topics`; `regex` is an expression that the coordinator resolves.
    `version` is that of its subscriptions. `remembers`: user data carries the last assignment with its
    generation (sticky). `threads`: the heartbeat thread may act between SyncGroup's reply and the callback.
    The client sends the timeouts to the coordinator, in the time unit of the world. A stream thread runs in a
    process (`process_id`), may serve state at an `endpoint`, and sends the topology of its version:
    `topologies`, oldest first; with `reports` it reports its task offsets. `remote_assignor` is
    group.remote.assignor.
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
        """The assignors of one step of the rollout; after the last step, the last list applies."""
        return self.assignment_strategies[min(rollout_step, len(self.assignment_strategies) - 1)]

    def topology(self, rollout_step: int) -> StreamsTopology:
        """The topology of one step of the rollout; after the last step, the last one applies."""
        return self.topologies[min(rollout_step, len(self.topologies) - 1)]

    def mode(self, rollout_step: int) -> str:
        """Cooperative only if every assignor on the list supports it."""
        known = dict(self.modes)
        every = all(COOPERATIVE in known.get(name, (EAGER,)) for name in self.names(rollout_step))
        return COOPERATIVE if every else EAGER

    @property
    def leave_epoch(self) -> int:
        """The epoch with which a consumer or Streams member leaves: a static one leaves temporarily."""
        return STATIC_LEAVE_EPOCH if self.group_instance_id else LEAVE_EPOCH


def matching(config: ClientConfig, image: Image) -> tuple[str, ...]:
    """The topics that the client subscribes to when it starts, given the existing topics."""
    if config.pattern:
        return tuple(topic.name for topic in image if topic.name.startswith(config.pattern))
    return config.topics


def still_matching(config: ClientConfig, topics: tuple[str, ...], image: Image) -> tuple[str, ...]:
    """The current topics of the client: the matches of its pattern, or its last subscription."""
    return matching(config, image) if config.pattern else topics
