"""Stream threads at hand: a broker with a clock, heartbeats in short form, and what was answered."""

from __future__ import annotations

from typing import Any

from kassay.model.protocols.coordinator.runtime import ClockedRuntime
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.values.streams import (
    StreamsConfig,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    StreamsSubtopology,
    StreamsTopology,
    TaskRoles,
)
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup, StreamsTaskMember
from kassay.model.streams.group import GroupTask, StreamsGroup
from tests.model.protocols.coordinator.drive import FirstChoices

AT_ONCE = StreamsConfig(initial_rebalance_delay=0, assignment_interval=0, num_warmup_replicas=0)
COUNTS = StreamsTopology(1, (StreamsSubtopology("0", sources=("foo",), changelogs=("counts",)),))
TOPICS = {"foo": 2, "counts": 2}


def tasks(*numbers: int) -> tuple[GroupTask, ...]:
    return tuple(GroupTask("0", number) for number in numbers)


class TaskChoices(FirstChoices):
    """Active tasks are dealt in turn to the members by id, unless `given` says who has which."""

    def __init__(self) -> None:
        super().__init__()
        self.given: dict[str, TaskRoles] | None = None
        self.checked: list[StreamsGroup] = []

    def tasks(self, ask: StreamsGroup) -> tuple[tuple[str, TaskRoles], ...]:
        self.checked.append(ask)
        ids = [member.member_id for member in ask.members]
        if self.given is not None:
            return tuple((name, self.given.get(name, TaskRoles())) for name in ids)
        return tuple((name, TaskRoles(ask.tasks[at :: len(ids)])) for at, name in enumerate(ids))


class Threads:
    """One Streams group, driven by heartbeats."""

    def __init__(
        self,
        config: StreamsConfig = AT_ONCE,
        topics: dict[str, int] | None = None,
        switches: frozenset[str] = frozenset(),
    ) -> None:
        self.choices = TaskChoices()
        self.runtime = ClockedRuntime(Config(streams=config, switches=switches), self.choices)
        self.host = self.runtime.first(requests.image_of((topics or TOPICS).items()))
        self.happened: Any = None

    @property
    def group(self) -> StreamsTaskGroup:
        group = self.host.state.group
        assert isinstance(group, StreamsTaskGroup)
        return group

    def member(self, name: str) -> StreamsTaskMember:
        return next(member for member in self.group.members if member.member_id == name)

    def send(self, event: Any, write_fails: str = "") -> Any:
        """Hand an event over; the answer to it, if there is one."""
        return self._went(self.runtime.deliver(self.host, event, write_fails))

    def _went(self, happened: Any) -> Any:
        self.happened, self.host = happened, happened.host
        return happened.replies[0].body if happened.replies else None

    def join(self, name: str, *, write_fails: str = "", **fields: Any) -> StreamsHeartbeatReply:
        """Epoch 0, each member in a process of its own unless told otherwise."""
        values: dict[str, Any] = {
            "rebalance_timeout": 60_000,
            "topology": COUNTS,
            "active": (),
            "standby": (),
            "warmup": (),
            "process_id": f"p-{name}",
            **fields,
        }
        reply: StreamsHeartbeatReply = self.send(StreamsHeartbeat(7, name, 0, **values), write_fails)
        return reply

    def beat(self, name: str, owned: TaskRoles | None = None, **fields: Any) -> StreamsHeartbeatReply:
        """A heartbeat at the member's epoch."""
        values: dict[str, Any] = {"member_epoch": self.member(name).epoch, **fields}
        if owned is not None:
            values |= owned._asdict()
        reply: StreamsHeartbeatReply = self.send(StreamsHeartbeat(7, name, **values))
        return reply

    def leave(self, name: str, epoch: int = -1, **fields: Any) -> StreamsHeartbeatReply:
        reply: StreamsHeartbeatReply = self.send(StreamsHeartbeat(7, name, epoch, **fields))
        return reply

    def advance(self, millis: int) -> None:
        self._went(self.runtime.advance(self.host, millis))

    def reload(self) -> None:
        self._went(self.runtime.reload(self.host))

    def topics(self, **counts: int) -> None:
        self.send(requests.MetadataChanged(requests.image_of(counts.items())))
