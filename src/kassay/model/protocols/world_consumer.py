"""The world of KIP-848 consumer groups, and of groups on their way between the two protocols (A4).

Everything around the clients is that of the classic world: broker, metadata, faults, history. Here come the
steps of clients that heartbeat their way into a group, and what a census reads of a consumer group.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kassay.model.explore import Action, Cell
from kassay.model.protocols import client_classic as cc
from kassay.model.protocols import client_consumer as cm
from kassay.model.protocols import values as v
from kassay.model.protocols.balanced import balanced_targets, tps_of
from kassay.model.protocols.broker import Brokers
from kassay.model.protocols.census import Belief, Census, Registered
from kassay.model.protocols.choices import Target, TargetAsk
from kassay.model.protocols.client_classic import Assign, Client, Run
from kassay.model.protocols.client_consumer import ConsumerClient, State
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.groups import MEMBER_STABLE, ConsumerGroup
from kassay.model.protocols.values import (
    Commit,
    ConsumerHeartbeat,
    ConsumerHeartbeatReply,
    Image,
    MetadataChanged,
)
from kassay.model.protocols.world_classic import (
    BROKER,
    HEARTBEAT_OFFSET,
    ClassicModel,
    Move,
    Options,
    World,
    listing,
)

CONSUMER = "consumer"
CLASSIC = "classic"


class ConsumerModel(ClassicModel):
    """Clients of KIP-848, alone or beside classic ones.

    `kinds` says of each client which protocols it speaks, in the order of its restarts (fault `rollout`):
    ("classic", "consumer") is a client on its way up. `policy`: disabled, upgrade, downgrade, bidirectional.
    """

    def __init__(
        self,
        options: Options,
        assign: Assign | None = None,
        *,
        targets: Any = balanced_targets,
        kinds: tuple[tuple[str, ...], ...] = (),
        policy: str = "bidirectional",
    ) -> None:
        super().__init__(options, assign)
        self.kinds = kinds or ((CONSUMER,),) * options.members
        self._ask = targets
        config = v.Config(
            initial_rebalance_delay=0,
            upgrade=policy in ("upgrade", "bidirectional"),
            downgrade=policy in ("downgrade", "bidirectional"),
            switches=options.switches,
        )
        self.brokers = Brokers(config, self.interner, self._targets, self._member_id)

    def _targets(self, ask: TargetAsk) -> tuple[Target, ...]:
        found: tuple[Target, ...] = self._ask(ask)
        return found

    def initial(self) -> Iterator[World]:
        """Nobody has started; the coordinator knows the topics."""
        for world in super().initial():
            yield world._replace(broker=self.brokers.first(world.image.value))

    def _kind(self, c: int, rung: int) -> str:
        return self.kinds[c][min(rung, len(self.kinds[c]) - 1)]

    def _rungs(self, c: int) -> int:
        return len(self.kinds[c])

    def _fresh(self, c: int, rung: int, image: Image, connection: int) -> Client | ConsumerClient:
        if self._kind(c, rung) == CLASSIC:
            fresh: Client = super()._fresh(c, rung, image, connection)
            return fresh
        config = self.configs[c]
        return cm.started(cc.matching(config, image), f"{config.client}m-1", rung)._replace(
            connection=connection
        )

    def _settled_image(self, broker: Cell, image: Image) -> Cell:
        ((after, _),) = self.brokers.handle(broker, MetadataChanged(image))
        return after

    # Steps.

    def _client_moves(self, c: int, cell: Cell, broker: Cell, image: Cell, faults: Faults) -> Iterator[Move]:
        client = cell.value
        if not isinstance(client, ConsumerClient):
            yield from super()._client_moves(c, cell, broker, image, faults)
            return
        if client.run is not Run.UP:
            return
        config, name = self.configs[c], f"c{c + 1}"
        if (after := cm.lost(client)) is not None:
            yield self._move(
                Action(name, "loses what it owned", detail=listing(client.owned)), client, after, broker
            )
        if (after := cm.reconcile(client)) is not None:
            word = "owns" if client.setting_out else "revokes down to"
            yield self._move(
                Action(name, "reconciles", detail=f"{word} {listing(after.owned)}"), client, after, broker
            )
        if "unresolved_means_revoked" in config.switches and (blind := cm.unresolved(client)) is not None:
            yield self._move(Action(name, "reconciles without metadata"), client, blind, broker)
        topics = cc.matching(config, image.value)
        if topics != client.topics and client.state in cm.MEMBER:
            changed = client._replace(topics=topics, full=True)
            yield self._move(Action(name, "notices metadata", disturbs=True), client, changed, broker)
        yield from self._beat(c, client, broker, faults)

    def _beat(self, c: int, client: ConsumerClient, broker: Cell, faults: Faults) -> Iterator[Move]:
        config = self.configs[c]
        turn = cm.heartbeat(config, c, client)
        if turn is None:
            return
        sent, request = turn
        action = Action(f"c{c + 1}", "heartbeat", BROKER, _carries(request))
        for after, mail in self.brokers.handle(broker, request, keeps_log=faults.failover > 0):
            own = [body for number, body in mail if number == c]
            rest = tuple(item for item in mail if item[0] != c)
            (body,) = own
            assert isinstance(body, ConsumerHeartbeatReply), "a heartbeat gets a heartbeat's reply"
            heard = cm.on_reply(config, sent, body)
            if heard == client and after is broker:
                continue
            label = self._labelled(action, broker, after)
            yield self._move(label._replace(reply=_told(body)), client, heard, after, rest)
            if faults.loss:
                unheard = cm.failed(config, sent)
                lost = label._replace(fault=True, reply="reply lost")
                yield self._move(lost, client, unheard, after, rest)

    # Faults.

    def _client_faults(
        self, state: World, c: int, cell: Cell, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        client = cell.value
        if not isinstance(client, ConsumerClient):
            yield from super()._client_faults(state, c, cell, faults)
            return
        name = f"c{c + 1}"
        gone = ConsumerClient(Run.GONE, rung=client.rung, connection=client.connection)
        alive = client.run in (Run.UP, Run.PAUSED)
        if faults.crash and alive:
            yield Action(name, "crashes", fault=True), self._faulty(state, c, gone, "crash")
        if faults.pause and client.run is Run.UP:
            yield (
                Action(name, "pauses", fault=True),
                self._faulty(state, c, client._replace(run=Run.PAUSED), "pause"),
            )
        if client.run is not Run.UP or client.state not in cm.MEMBER:
            return
        if faults.leave:
            after = self._faulty(state, c, gone, "leave")
            yield from self._farewell(Action(name, "closes", BROKER, fault=True), after, c, client)
        if faults.slow:
            after = self._faulty(state, c, cm.poll_expired(client), "slow")
            yield from self._farewell(
                Action(name, "polls too late, leaves", BROKER, fault=True), after, c, client
            )
        if faults.rollout and client.rung + 1 < len(self.kinds[c]):
            after = self._faulty(state, c, gone._replace(run=Run.NEW, rung=client.rung + 1), "rollout")
            yield from self._farewell(
                Action(name, "closes for its next version", BROKER, fault=True), after, c, client
            )
        if faults.subscribe and len(client.topics) > 1:
            fewer = client._replace(topics=client.topics[:1], full=True)
            yield Action(name, "subscribes to less", fault=True), self._faulty(state, c, fewer, "subscribe")

    def _farewell(
        self, action: Action, after: World, c: int, client: ConsumerClient
    ) -> Iterator[tuple[Action, World]]:
        config = self.configs[c]
        request = ConsumerHeartbeat(
            HEARTBEAT_OFFSET + c, client.member, cm.leave_epoch(config), config.instance
        )
        for broker, mail in self.brokers.handle(
            after.broker, request, keeps_log=after.budget.value.failover > 0
        ):
            others = tuple(item for item in mail if item[0] < HEARTBEAT_OFFSET)
            label = self._labelled(action._replace(detail=f"epoch {request.epoch}"), after.broker, broker)
            yield label, after._replace(clients=self._post(after.clients, others), broker=broker)

    # Timers of a consumer group.

    def _due(
        self, group: Any, kind: str, member: str, polling: set[str], beating: set[str]
    ) -> tuple[str, bool]:
        if not isinstance(group, ConsumerGroup):
            return super()._due(group, kind, member, polling, beating)
        name = {
            v.CONSUMER_SESSION: f"session of {member} expires",
            v.REVOCATION: f"revocation timer of {member} fires",
        }.get(kind, f"{kind} of {member} fires")
        return name, member not in (beating if kind == v.CONSUMER_SESSION else polling)

    # Census.

    def _take_census(self, state: World) -> Census:
        group = state.broker.value.state.group
        mixed = any(isinstance(cell.value, ConsumerClient) for cell in state.clients)
        if not isinstance(group, ConsumerGroup) and not mixed:
            return super()._take_census(state)
        if not isinstance(group, ConsumerGroup):
            return super()._take_census(state)
        return self._consumer_census(state, group)

    def _belief(self, c: int, cell: Cell, state: World) -> Belief:
        client = cell.value
        if not isinstance(client, ConsumerClient):
            return super()._belief(c, cell, state)
        group = state.broker.value.state.group
        found = (
            next((m for m in group.members if m.member == client.member), None) if group is not None else None
        )
        is_member = isinstance(group, ConsumerGroup) and found is not None and client.state in cm.MEMBER
        epochs = (found.epoch, found.prev_epoch) if is_member and found is not None else (-3, -3)
        current = client.epoch == epochs[0]
        settled = (
            client.run is Run.UP
            and client.state is State.STABLE
            and client.settled
            and client.told
            and not client.full
            and client.topics == cc.matching(self.configs[c], state.image.value)
        )
        commits = (
            client.run in (Run.UP, Run.PAUSED)
            and bool(client.owned)
            and self._would_commit(state.broker, c, client)
        )
        live = client.run in (Run.UP, Run.PAUSED)
        heard = client.epoch in epochs
        return Belief(f"c{c + 1}", client.member, live, current, settled, client.owned, commits, heard)

    def _would_commit(self, broker: Cell, c: int, client: ConsumerClient) -> bool:
        if client.epoch <= 0 or broker.value.state.group is None:
            return False
        request = Commit(HEARTBEAT_OFFSET + c, client.member, client.epoch, (), self.configs[c].instance)
        return any(
            body.error == v.NONE
            for _, mail in self.brokers.handle(broker, request, keeps_log=False)
            for _, body in mail
        )

    def _consumer_census(self, state: World, group: ConsumerGroup) -> Census:
        beliefs = tuple(self._belief(c, cell, state) for c, cell in enumerate(state.clients))
        live = {belief.member for belief in beliefs if belief.live}
        registry = tuple(
            Registered(m.member, m.instance, m.subscribed, tuple(sorted((*m.assigned, *m.pending))))
            for m in group.members
        )
        image: Image = state.image.value
        read = {topic for entry in registry for topic in entry.topics}
        seen = set(group.topics) == {topic for topic in image if topic.name in read}
        resting = (
            (seen or not group.members)
            and (group.epoch == group.target_epoch or not group.members)
            and all(m.state == MEMBER_STABLE and m.epoch == group.target_epoch for m in group.members)
            and all(belief.settled and belief.current for belief in beliefs if belief.live)
            and live == {m.member for m in group.members}
        )
        wanted = tps_of(image, read)
        adopted = tuple((tp, f"c{c + 1}") for tp, c in state.adopted)
        caught_up = tuple(m.member for m in group.members if m.epoch == group.target_epoch)
        return Census(beliefs, registry, wanted, resting, adopted, group.target, caught_up)


def _carries(request: ConsumerHeartbeat) -> str:
    """What a heartbeat carries, in a few words."""
    owned = "" if request.owned is None else f", owned {listing(request.owned)}"
    return f"epoch {request.epoch}{owned}{', full' if request.full else ''}"


def _told(reply: ConsumerHeartbeatReply) -> str:
    """What a reply says, in a few words."""
    if reply.error != v.NONE:
        return reply.error
    assignment = "" if reply.assignment is None else f", assigned {listing(reply.assignment)}"
    return f"epoch {reply.epoch}{assignment}"
