"""A group whose members restart one by one, on the coordinator of the protocol models.

Clients send what Kafka's clients send: they leave (static ones do not), join with the names of their
assignors or by a heartbeat of the consumer protocol, and rejoin on request. The coordinator's answers, the
selected assignor and the number of rebalances come from `model/protocols/coordinator` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.coordinator.runtime import ClockedRuntime
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import Target, TargetAsk, WithoutStreams
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicGroup,
    ConsumerGroup,
)
from kassay.model.protocols.values.requests import Config, Partitions, ReplyBody, Request, Subscription

_TOPIC: Final = "t"
_PARTITIONS: Final = 6
_ROUNDS_MAX: Final = 40
"""Limit on heartbeat rounds; every restart is stable in fewer, or never."""


class ClientSetting(NamedTuple):
    """A client's configuration: its assignors in order, or the remote assignor of the consumer protocol."""

    strategies: tuple[str, ...] = ()
    remote: str = ""

    @property
    def is_consumer(self) -> bool:
        """Whether the client uses the consumer protocol (`group.protocol=consumer`)."""
        return bool(self.remote)

    def __str__(self) -> str:
        if self.is_consumer:
            return f"group.protocol=consumer, group.remote.assignor={self.remote}"
        return f"partition.assignment.strategy={','.join(self.strategies)}"


class Restarted(NamedTuple):
    """The result of a restart: rebalances until the group is stable, the assignor in force, the error.

    `is_settled` is False if rebalance follows rebalance without end; `rebalances` are then those played.
    """

    rebalances: int
    rule: str
    error: str
    is_settled: bool = True


@dataclass
class _Client:
    """A client: its configuration and its member id, "" while it is stopped."""

    name: str
    instance: str
    setting: ClientSetting
    member_id: str = ""


class _FirstChoices(WithoutStreams):
    """Always takes the first option; numbers ids in sequence; assigns targets round-robin."""

    def __init__(self) -> None:
        self.count = 0

    def pick(self, kind: str, options: Sequence[str]) -> str:  # noqa: ARG002 - whatever is chosen
        return options[0]

    def member_id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}-{self.count}"

    def target(self, ask: TargetAsk) -> Target:
        ids = [member.member_id for member in ask.members]
        return tuple(
            (member_id, tuple(_tps(range(at, _PARTITIONS, len(ids))))) for at, member_id in enumerate(ids)
        )


def _tps(numbers: Sequence[int]) -> Iterator[TopicPartition]:
    return (TopicPartition(_TOPIC, number) for number in numbers)


class RollingGroup:
    """The clients and their coordinator, initially stable; raises `RuntimeError` if that is never reached."""

    def __init__(self, config: Config, clients: int, setting: ClientSetting, *, static: bool) -> None:
        self._choices = _FirstChoices()
        self.runtime = ClockedRuntime(config._replace(initial_rebalance_delay=0), self._choices)
        self._host = self.runtime.first(requests.image_of([(_TOPIC, _PARTITIONS)]))
        self._replies: dict[int, ReplyBody] = {}
        self._sent = 0
        self._clients = [_Client(f"c{i}", f"i{i}" if static else "", setting) for i in range(clients)]
        for client in self._clients:
            self._come(client)
        if not self._settle():
            raise RuntimeError(f"not stable after {_ROUNDS_MAX} rounds: {self.group}")

    @property
    def group(self) -> ClassicGroup | ConsumerGroup:
        """The coordinator's state of the group."""
        group = self._host.state.group
        assert isinstance(group, ClassicGroup | ConsumerGroup), "a member has joined"
        return group

    @property
    def rule(self) -> str:
        """The assignor in force: the selected one, or the remote one that most members request."""
        group = self.group
        if isinstance(group, ClassicGroup):
            return group.protocol
        wanted = [member.assignor for member in group.members if member.assignor]
        return max(sorted(set(wanted)), key=wanted.count) if wanted else ""

    def restart(self, index: int, setting: ClientSetting) -> Restarted:
        """Restart the client with this setting, and run until the group is stable."""
        client, before = self._clients[index], self._count
        if not self._go(client):  # only until the client is back: it leaves by one rebalance, if not by more
            before = self._count - 1
        client.setting = setting
        error = self._come(client)
        is_settled = self._settle()
        return Restarted(self._count - before, self.rule, error, is_settled)

    def leave(self, index: int) -> None:
        """Stop the client permanently."""
        self._go(self._clients[index], for_good=True)

    @property
    def _count(self) -> int:
        group = self.group
        return group.generation if isinstance(group, ClassicGroup) else group.epoch

    def _go(self, client: _Client, *, for_good: bool = False) -> bool:
        """Leave as Kafka's clients do: static members of the classic protocol send nothing.

        Whether the group is stable without the client.
        """
        if not client.member_id:
            return True
        if client.setting.is_consumer:
            epoch = requests.STATIC_LEAVE_EPOCH if client.instance and not for_good else requests.LEAVE_EPOCH
            self._send(requests.ConsumerHeartbeat(0, client.member_id, epoch, client.instance))
        elif not client.instance or for_good:
            self._send(requests.LeaveGroup(0, ((client.member_id, client.instance),)))
        client.member_id = ""
        return bool(client.instance and not for_good) or self._settle()

    def _come(self, client: _Client) -> str:
        """Join; returns the error of a refusal, or ""."""
        if client.setting.is_consumer:
            return self._come_as_consumer(client)
        reply = self._join(client)
        if isinstance(reply, requests.JoinGroupReply) and reply.error == errors.MEMBER_ID_REQUIRED:
            client.member_id = reply.member_id
            reply = self._join(client)
        if isinstance(reply, requests.JoinGroupReply):
            if reply.error != errors.NONE:
                client.member_id = ""
                return reply.error
            client.member_id = reply.member_id
        if client.instance:
            self._adopt_static(client)
        return ""

    def _adopt_static(self, client: _Client) -> None:
        """Learn the id of a static member from the answer to its parked JoinGroup."""
        for member in self.group.members:
            if isinstance(self.group, ClassicGroup) and member.group_instance_id == client.instance:
                client.member_id = member.member_id

    def _come_as_consumer(self, client: _Client) -> str:
        member_id = self._choices.member_id(client.name)
        reply = self._send(
            requests.ConsumerHeartbeat(
                0,
                member_id,
                requests.JOIN_EPOCH,
                client.instance,
                30_000,
                (_TOPIC,),
                client.setting.remote,
                (),
            )
        )
        assert isinstance(reply, requests.ConsumerHeartbeatReply)
        if reply.error != errors.NONE:
            return reply.error
        client.member_id = member_id
        return ""

    def _join(self, client: _Client, owned: Partitions = ()) -> ReplyBody | None:
        offered = tuple((name, Subscription((_TOPIC,), owned)) for name in client.setting.strategies)
        return self._send(requests.JoinGroup(0, client.member_id, offered, client.name, client.instance))

    def _send(self, request: Request) -> ReplyBody | None:
        """The answer; None while the request is parked."""
        self._sent += 1
        happened = self.runtime.deliver(self._host, request._replace(correlation_id=self._sent))
        self._host = happened.host
        self._replies.update((reply.correlation_id, reply.body) for reply in happened.replies)
        return self._replies.get(self._sent)

    def _settle(self) -> bool:
        """Run every client until the group is stable, or until heartbeats change nothing more.

        False if neither comes: each heartbeat starts the next rebalance.

        In the latter case the group waits: for a static member that is away; or, if only members of the
        classic protocol remain, for the JoinGroup that computes the target that they must receive.
        """
        for _ in range(_ROUNDS_MAX):
            group = self.group
            if isinstance(group, ConsumerGroup):
                if group_state(group) in (STABLE, EMPTY):
                    return True
                self._beat(group)
                if self.group == group:
                    return True
            elif group.state in (STABLE, EMPTY):
                return True
            else:
                self._rebalance(group)
        return False

    def _rebalance(self, group: ClassicGroup) -> None:
        """One phase of a rebalance: members that the coordinator waits for join, or all members sync."""
        by_id = {client.member_id: client for client in self._clients if client.member_id}
        if group.state == PREPARING:
            for member in group.members:
                if member.awaiting_join == requests.NO_REQUEST and member.member_id in by_id:
                    self._join(by_id[member.member_id], member.assignment)
            self._host = self.runtime.advance(self._host, 0).host
        elif group.state == COMPLETING:
            ids = [member.member_id for member in group.members]
            given = tuple(
                (member_id, tuple(_tps(range(at, _PARTITIONS, len(ids))))) for at, member_id in enumerate(ids)
            )
            for member in sorted(group.members, key=lambda member: member.member_id == group.leader):
                leads = member.member_id == group.leader
                self._send(
                    requests.SyncGroup(
                        0,
                        member.member_id,
                        group.generation,
                        given if leads else (),
                        member.group_instance_id,
                    )
                )

    def _beat(self, group: ConsumerGroup) -> None:
        """One heartbeat of each member, then JoinGroup and SyncGroup if the answer requires them."""
        by_id = {client.member_id: client for client in self._clients if client.member_id}
        for member in group.members:
            client = by_id.get(member.member_id)
            if client is None:
                continue
            if not member.classic:
                beat = requests.ConsumerHeartbeat(0, member.member_id, member.epoch, client.instance)
                self._send(beat._replace(topic_partitions=self._owned(member.member_id)))
                continue
            reply = self._send(requests.Heartbeat(0, member.member_id, member.epoch, client.instance))
            if isinstance(reply, requests.HeartbeatReply) and reply.error == errors.REBALANCE_IN_PROGRESS:
                joined = self._join(client, self._owned(member.member_id))
                if isinstance(joined, requests.JoinGroupReply) and joined.error == errors.NONE:
                    self._send(
                        requests.SyncGroup(
                            0, member.member_id, joined.generation_id, group_instance_id=client.instance
                        )
                    )

    def _owned(self, member_id: str) -> Partitions:
        """The partitions that the member owns now."""
        group = self.group
        if not isinstance(group, ConsumerGroup):
            return ()
        return next((m.assigned for m in group.members if m.member_id == member_id), ())
