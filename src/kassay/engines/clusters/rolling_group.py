"""A group whose members restart one by one, on the coordinator of the protocol models.

Clients send what Kafka's clients send: they leave (static ones do not), join with the names of their
assignors or by a heartbeat of the consumer protocol, and rejoin on request. The coordinator's answers, the
selected assignor and the number of rebalances come from `model/protocols/coordinator` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from kassay.engines.clusters.rolling_scene import (
    PLAIN,
    TOPIC,
    Answer,
    ClientSetting,
    Restarted,
    RestartTotals,
    RollingChoices,
    RollingScene,
    RollingSeat,
    RollingShare,
)
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import NO_GENERATION
from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.coordinator.runtime import ClockedRuntime
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicGroup,
    ClassicMember,
    ConsumerGroup,
)
from kassay.model.protocols.values.requests import Config, Partitions, ReplyBody, Request, Subscription

_ROUNDS_MAX: Final = 40
"""Limit on heartbeat rounds; every restart is stable in fewer, or never."""


@dataclass
class _Client:
    """A client: its configuration, and its member id, "" while it is stopped.

    `owned` is what it reads now, `kept` what each eager assignor of its own has given it last: a client that
    restarts forgets both. `rejoins`: it has revoked partitions and joins again (KIP-429).
    """

    name: str
    instance: str
    topics: tuple[str, ...]
    setting: ClientSetting
    member_id: str = ""
    owned: Partitions = ()
    generation: int = NO_GENERATION
    kept: dict[str, Partitions] = field(default_factory=dict)
    rejoins: bool = False

    def forget(self) -> None:
        """Stop: nothing is left of what it owned."""
        self.member_id, self.owned, self.generation, self.rejoins = "", (), NO_GENERATION, False
        self.kept.clear()


def _in_order(partitions: Partitions, order: Partitions) -> Partitions:
    """The partitions in the order in which the assignor gave them; those that it did not come last."""
    place = {tp: number for number, tp in enumerate(order)}
    return tuple(sorted(partitions, key=lambda tp: place.get(tp, len(place))))


class RollingGroup:
    """The clients and their coordinator, initially stable; raises `RuntimeError` if that is never reached.

    Of a scene with seats the clients are those, and `clients` and `static` say nothing more.
    """

    def __init__(
        self,
        config: Config,
        clients: int,
        setting: ClientSetting,
        *,
        static: bool,
        scene: RollingScene = PLAIN,
    ) -> None:
        self._scene = scene
        self._choices = RollingChoices(scene)
        self.runtime = ClockedRuntime(config._replace(initial_rebalance_delay=0), self._choices)
        self._host = self.runtime.first(requests.image_of(scene.topics))
        self._replies: dict[int, ReplyBody] = {}
        self._sent = 0
        self._revoked = 0
        self._ordered: dict[str, Partitions] = {}
        seats = scene.seats or tuple(
            RollingSeat(f"c{i}", f"i{i}" if static else "", (TOPIC,), ()) for i in range(clients)
        )
        self._clients = [_Client(each.name, each.instance, each.topics, setting) for each in seats]
        self._set_up(seats)

    def _set_up(self, seats: Sequence[RollingSeat]) -> None:
        """All clients join, and get what they own today."""
        self._choices.today = {}
        for client, seat in zip(self._clients, seats):
            self._come(client, seat.owned)
        if not self._settle():
            raise RuntimeError(f"not stable after {_ROUNDS_MAX} rounds: {self.group}")
        self._choices.today = None
        self._revoked = 0

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
        owners = self._owners()
        orphaned = len(client.owned)
        if not self._go(client):  # only until the client is back: it leaves by one rebalance, if not by more
            before = self._count - 1
        left_by = self.rule
        client.setting = setting
        error = self._come(client)
        is_settled = self._settle()
        self._return_static(client)
        now = self._owners()
        moved = sum(now.get(tp) not in (owner, None) for tp, owner in owners.items() if owner != client.name)
        totals = RestartTotals(moved, orphaned, self._revoked)
        self._revoked = 0
        return Restarted(self._count - before, self.rule, error, is_settled, left_by, totals)

    def _return_static(self, client: _Client) -> None:
        """A static member that has joined a stable group again has what it had."""
        group = self.group
        if client.owned or not client.instance:
            return
        for member in group.members:
            if member.member_id == client.member_id:
                client.owned = member.assignment if isinstance(member, ClassicMember) else member.assigned
                client.generation = self._count

    def _owners(self) -> dict[TopicPartition, str]:
        """The name of the client that reads each partition."""
        return {tp: client.name for client in self._clients for tp in client.owned}

    @property
    def loads(self) -> list[int]:
        """The partitions of each client."""
        return [len(client.owned) for client in self._clients]

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
        client.forget()
        return bool(client.instance and not for_good) or self._settle()

    def _come(self, client: _Client, today: Partitions | None = None) -> str:
        """Join; returns the error of a refusal, or "". While the group is set up, `today` is what it gets."""
        if client.setting.is_consumer:
            return self._come_as_consumer(client, today)
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
        if today is not None and self._scene.seats:
            self._choices.today = {**(self._choices.today or {}), client.member_id: today}
        return ""

    def _adopt_static(self, client: _Client) -> None:
        """Learn the id of a static member from the answer to its parked JoinGroup."""
        for member in self.group.members:
            if isinstance(self.group, ClassicGroup) and member.group_instance_id == client.instance:
                client.member_id = member.member_id

    def _come_as_consumer(self, client: _Client, today: Partitions | None) -> str:
        member_id = self._choices.uuid(client.name)
        if today is not None and self._scene.seats:
            self._choices.today = {**(self._choices.today or {}), member_id: today}
        reply = self._send(
            requests.ConsumerHeartbeat(
                0,
                member_id,
                requests.JOIN_EPOCH,
                client.instance,
                30_000,
                client.topics,
                client.setting.remote,
                (),
            )
        )
        assert isinstance(reply, requests.ConsumerHeartbeatReply)
        if reply.error != errors.NONE:
            return reply.error
        client.member_id = member_id
        return ""

    def _join(self, client: _Client) -> ReplyBody | None:
        """Send JoinGroup: an eager client revokes everything first, a cooperative one says what it has."""
        names = client.setting.strategies
        client.rejoins = False
        if self._scene.is_eager(names):
            self._revoke(client, ())
        offered = tuple(
            (name, Subscription(client.topics, client.owned, client.generation)) for name in names
        )
        return self._send(requests.JoinGroup(0, client.member_id, offered, client.name, client.instance))

    def _revoke(self, client: _Client, assigned: Partitions) -> bool:
        """Give up what is not assigned, and take what is; whether anything was given up."""
        lost = set(client.owned).difference(assigned)
        self._revoked += len(lost)
        client.owned = tuple(assigned)
        return bool(lost)

    def _send(self, request: Request) -> ReplyBody | None:
        """The answer; None while the request is parked."""
        self._sent += 1
        happened = self.runtime.deliver(self._host, request._replace(correlation_id=self._sent))
        self._host = happened.host
        self._replies.update((reply.correlation_id, reply.body) for reply in happened.replies)
        return self._replies.get(self._sent)

    def _settle(self) -> bool:
        """Run every client until the group is stable, or until heartbeats change nothing more.

        False if neither comes: each heartbeat starts the next rebalance. Where nothing changes, the group
        waits: for a static member that is away; or, if only members of the classic protocol remain, for the
        JoinGroup that computes the target that they must receive.
        """
        for _ in range(_ROUNDS_MAX):
            group = self.group
            if isinstance(group, ConsumerGroup):
                state = group_state(group)
                self._beat(group)
                if self.group == group and (state not in (STABLE, EMPTY) or not self._rejoining):
                    return True
            elif group.state not in (STABLE, EMPTY):
                self._rebalance(group)
            elif rejoining := self._rejoining:
                self._join(rejoining[0])
            else:
                return True
        return False

    @property
    def _rejoining(self) -> list[_Client]:
        """The clients that have revoked partitions and must join again."""
        return [client for client in self._clients if client.rejoins]

    @property
    def _by_id(self) -> dict[str, _Client]:
        return {client.member_id: client for client in self._clients if client.member_id}

    def _rebalance(self, group: ClassicGroup) -> None:
        """One phase of a rebalance: members that the coordinator waits for join, or all members sync."""
        by_id = self._by_id
        if group.state == PREPARING:
            for member in group.members:
                if member.awaiting_join == requests.NO_REQUEST and member.member_id in by_id:
                    self._join(by_id[member.member_id])
            self._host = self.runtime.advance(self._host, 0).host
        elif group.state == COMPLETING:
            given = self._assigned(group)
            for member in sorted(group.members, key=lambda member: member.member_id == group.leader):
                leads = member.member_id == group.leader
                self._send(
                    requests.SyncGroup(
                        0,
                        member.member_id,
                        group.generation,
                        tuple(sorted(given.items())) if leads else (),
                        member.group_instance_id,
                    )
                )
            for member_id, client in by_id.items():
                self._take(client, given.get(member_id, ()), group.generation, group.protocol)

    def _take(self, client: _Client, assigned: Partitions, generation: int, rule: str) -> None:
        """What a client does with its assignment: a cooperative one that gives something up joins again."""
        gave_up = self._revoke(client, assigned)
        client.rejoins = gave_up and not self._scene.is_eager(client.setting.strategies)
        client.generation = generation
        client.kept = {rule: self._ordered.get(client.member_id, assigned)}

    def _assigned(self, group: ClassicGroup) -> Answer:
        """The leader's answer: to members of eager rules with what the rule has given them before."""
        if self._choices.today:
            return self._choices.today
        by_id = self._by_id
        shares = []
        for member in group.members:
            client = by_id.get(member.member_id)
            metadata = dict(member.protocols)[group.protocol]
            assert isinstance(metadata, Subscription), "clients here send subscriptions"
            owned = metadata.owned
            if client is not None and self._scene.is_eager((group.protocol,)):
                owned = client.kept.get(group.protocol, ())
            elif client is not None:
                owned = _in_order(owned, client.kept.get(group.protocol, ()))
            name = member.member_id if client is None else client.name
            generation = metadata.generation if client is None or owned else NO_GENERATION
            shares.append(RollingShare(member.member_id, name, metadata.topics, owned, generation))
        answer = self._scene.assign(group.protocol, shares)
        self._ordered = dict(answer)
        return {each.member_id: tuple(sorted(answer.get(each.member_id, ()))) for each in shares}

    def _beat(self, group: ConsumerGroup) -> None:
        """One heartbeat of each member, then JoinGroup and SyncGroup if the answer requires them."""
        by_id = self._by_id
        for member in group.members:
            client = by_id.get(member.member_id)
            if client is None:
                continue
            if not member.classic:
                self._beat_as_consumer(client)
                continue
            reply = self._send(requests.Heartbeat(0, member.member_id, self._epoch(client), client.instance))
            must_rejoin = (
                isinstance(reply, requests.HeartbeatReply) and reply.error == errors.REBALANCE_IN_PROGRESS
            )
            if must_rejoin or client.rejoins:
                self._join_and_sync(client)

    def _beat_as_consumer(self, client: _Client) -> None:
        """A heartbeat that says what the client owns, and what it does with the answer."""
        beat = requests.ConsumerHeartbeat(0, client.member_id, self._epoch(client), client.instance)
        self._send(beat._replace(topic_partitions=client.owned))
        group = self.group
        if isinstance(group, ConsumerGroup):
            own = next((each for each in group.members if each.member_id == client.member_id), None)
            if own is not None:
                self._revoke(client, own.assigned)

    def _epoch(self, client: _Client) -> int:
        group = self.group
        if not isinstance(group, ConsumerGroup):
            return client.generation
        return next((each.epoch for each in group.members if each.member_id == client.member_id), 0)

    def _join_and_sync(self, client: _Client) -> None:
        """A classic member of a consumer group follows its target (KIP-848)."""
        joined = self._join(client)
        if not isinstance(joined, requests.JoinGroupReply) or joined.error != errors.NONE:
            return
        synced = self._send(
            requests.SyncGroup(0, client.member_id, joined.generation_id, group_instance_id=client.instance)
        )
        if isinstance(synced, requests.SyncGroupReply) and synced.error == errors.NONE:
            self._take(client, synced.assignment, joined.generation_id, joined.protocol)
