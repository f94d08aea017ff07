"""What goes wrong or changes in a world of classic or KIP-848 clients.

Starts, faults of clients, failover, and metadata: an administrator creates partitions, and a topic grows and
never shrinks.
Source: KIP-195 (CreatePartitions); `ReplicationControlManager.createPartitions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.explore.states import Interned, Memo
from kassay.model.explore.values import Action
from kassay.model.protocols.clients import classic as cc
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.classic_state import ClassicClient, started
from kassay.model.protocols.clients.config import Process, matching
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import MAIN, SILENT, Wire
from kassay.model.protocols.values.requests import (
    ConsumerHeartbeat,
    Image,
    JoinGroupReply,
    LeaveGroup,
    MetadataChanged,
    Request,
)
from kassay.model.protocols.world.context import (
    BROKER,
    HEARTBEAT_OFFSET,
    Client,
    NetworkLevel,
    World,
    WorldContext,
    labelled,
    put,
    reading,
    unwritten,
)

INVALID_PARTITIONS: Final = "INVALID_PARTITIONS"
UNKNOWN_TOPIC: Final = "UNKNOWN_TOPIC_OR_PARTITION"


class MetadataReply(NamedTuple):
    """The answer, and the topics afterwards, which are unchanged if the request was refused."""

    error: str
    image: Image


def create_partitions(image: Image, name: str, count: int) -> MetadataReply:
    """Grow a topic to `count` partitions; refused with INVALID_PARTITIONS unless that is an increase.

    Kafka's exception is InvalidPartitionsException. A topic that does not exist is UNKNOWN_TOPIC.
    """
    topic = next((topic for topic in image if topic.name == name), None)
    if topic is None:
        return MetadataReply(UNKNOWN_TOPIC, image)
    if count <= topic.partitions:
        return MetadataReply(INVALID_PARTITIONS, image)
    return MetadataReply(errors.NONE, tuple(t._replace(partitions=count) if t == topic else t for t in image))


PARTITIONS_MAX: Final = 4


class FaultSteps:
    """The steps that no participant of the protocol takes on its own."""

    def __init__(self, context: WorldContext) -> None:
        self.context = context
        self._ends: Memo[tuple[int, Interned], tuple[tuple[str, Action, Interned], ...]] = Memo()

    def rollout_steps(self, c: int) -> int:
        """The number of a client's lists of assignors."""
        return len(self.context.configs[c].assignment_strategies)

    def fresh_process(self, c: int, rollout_step: int, image: Image, connection: int) -> Client:
        """A process that has just started."""
        return started(self.context.configs[c], image, rollout_step, connection)

    def settled_image(self, broker: Interned, image: Image) -> Interned:  # noqa: ARG002 - a classic coordinator reads no metadata
        """The broker after it has seen the metadata."""
        return broker

    def starts(self, state: World) -> Iterator[tuple[Action, World]]:
        """Processes that start, return or resume."""
        for c, cell in enumerate(state.clients):
            client: ClassicClient = cell.value
            config = self.context.configs[c]
            if client.run is Process.NEW or (client.run is Process.GONE and config.group_instance_id):
                process = self.fresh_process(c, client.rollout_step, state.image.value, client.connection)
                fresh = self.context.cell(process._replace(wire=client.wire))
                word = "start" if client.run is Process.NEW else "restart"
                yield Action(f"c{c + 1}", word, fault=True, disturbs=True), put(state, c, fresh)
            elif client.run is Process.PAUSED:
                awake = self.context.cell(client._replace(run=Process.UP))
                yield Action(f"c{c + 1}", "resumes", disturbs=True), put(state, c, awake)

    def steps(self, state: World, faults: Faults) -> Iterator[tuple[Action, World]]:
        """The possible faults."""
        for c, cell in enumerate(state.clients):
            yield from self.client_faults(state, c, cell, faults)
        if faults.failover and state.broker.value.state.group is not None:
            yield from self._fail_over(state)
        if faults.remove:
            yield from self._removal(state)
        yield from self._metadata_faults(state, faults)
        if faults.shrink:
            yield from self._refusals(state)

    def gone(self, client: Client) -> Client:
        """A process that has ended; its successor has connections of its own."""
        kind = type(client)
        return kind(
            Process.GONE,
            rollout_step=client.rollout_step,
            connection=client.connection + 1,
            wire=self.left_under_way(client),
        )

    def left_under_way(self, client: Client) -> Wire:
        """The messages of an ended process that the coordinator may still get: requests that go astray."""
        return Wire(sent=client.wire.sent) if self.context.options.network is NetworkLevel.ASTRAY else SILENT

    def befalls(self, state: World, c: int, fault: str, name: str, client: Client) -> tuple[Action, World]:
        """A fault that changes a client to this."""
        return Action(f"c{c + 1}", name, fault=True), self.context.faulty(state, c, client, fault)

    def departs(
        self, state: World, c: int, fault: str, name: str, client: Client
    ) -> Iterator[tuple[Action, World]]:
        """A fault that changes a client to this and makes it leave the group."""
        action, after = self.befalls(state, c, fault, name, client)
        yield from self.leave(action._replace(to=BROKER), after, c, state.clients[c].value)

    def client_faults(
        self, state: World, c: int, cell: Interned, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        """The possible faults of one client."""
        client: ClassicClient = cell.value
        up = client.run is Process.UP
        yield from self.process_faults(state, c, client, faults)
        if faults.slow and up and not client.wire.speaks(MAIN):
            yield from self.slow(state, c, client)
        if faults.leave and up:
            yield from self.departs(state, c, "leave", "closes, LeaveGroup", self.gone(client))
        if faults.subscribe and up and self.names_its_topics(client):
            fewer = client._replace(topics=client.topics[:1], rejoin=True, resubscribed=bool(client.waits))
            yield self.befalls(state, c, "subscribe", "subscribes to less", fewer)
        alive = client.run in (Process.UP, Process.PAUSED)
        if faults.rollout and alive and client.rollout_step + 1 < self.rollout_steps(c):
            fresh = self.gone(client)._replace(run=Process.NEW, rollout_step=client.rollout_step + 1)
            yield from self.departs(state, c, "rollout", "closes for its next version", fresh)

    def names_its_topics(self, client: ClassicClient | ConsumerClient) -> bool:
        """Whether a client subscribes to several topics by name, so that it can drop one."""
        return not self.context.options.pattern and len(client.topics) > 1

    def process_faults(
        self,
        state: World,
        c: int,
        client: Client,
        faults: Faults,  # noqa: ARG002 - each fault checks the budget
    ) -> Iterator[tuple[Action, World]]:
        """The faults of any process: it dies, or pauses."""
        place = (c, state.clients[c])
        ends = self._ends.get(place)
        if ends is None:
            ends = self._ends[place] = tuple(self._process_ends(c, client))
        for fault, action, after in ends:
            if (left := self.context.spend(state.budget, fault)) is not None:
                yield action, put(state, c, after, left)

    def _process_ends(self, c: int, client: Client) -> Iterator[tuple[str, Action, Interned]]:
        """The effects of dying and pausing on one process."""
        name, cell = f"c{c + 1}", self.context.cell
        if client.run in (Process.UP, Process.PAUSED):
            yield "crash", Action(name, "crashes", fault=True), cell(self.gone(client))
        if client.run is Process.UP:
            paused = client._replace(run=Process.PAUSED)
            yield "pause", Action(name, "pauses", fault=True), cell(paused)

    def leave(self, action: Action, after: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:
        """LeaveGroup of a dynamic member that has an id; a static one leaves silently (KIP-345)."""
        silent = not client.member_id or self.context.configs[c].group_instance_id
        if silent or after.broker.value.state.group is None:
            yield action, after
            return
        yield from self.last_words(action, after, LeaveGroup(HEARTBEAT_OFFSET + c, ((client.member_id, ""),)))

    def last_words(self, action: Action, after: World, request: Request) -> Iterator[tuple[Action, World]]:
        """A request whose reply is ignored, applied to the world without its sender."""
        left: Faults = after.budget.value
        for fails in (False, True) if left.write else (False,):
            budget = self.context.spent(after.budget, "write") if fails else after.budget
            word = unwritten(action) if fails else action
            for broker, mail in self.context.brokers.handle(
                after.broker, request, keeps_log=left.failover > 0, fails=fails
            ):
                clients = self.context.post(
                    after.clients, tuple(item for item in mail if item[0] < HEARTBEAT_OFFSET)
                )
                label = labelled(word, after.broker, broker)
                yield label, after._replace(clients=clients, broker=broker, budget=budget)

    def slow(self, state: World, c: int, client: ClassicClient) -> Iterator[tuple[Action, World]]:
        """max.poll.interval.ms expires: a dynamic member leaves, a static one becomes silent.

        A member that should send SyncGroup may stall instead while its heartbeats continue.
        """
        if (
            client.inbox
            and isinstance(client.inbox[0], JoinGroupReply)
            and client.inbox[0].error == errors.NONE
        ):
            stalled = client._replace(run=Process.STALLED)
            yield self.befalls(state, c, "slow", "main thread stalls", stalled)
        if self.context.configs[c].group_instance_id:
            silent = client._replace(run=Process.PAUSED)
            yield self.befalls(state, c, "slow", "polls too late, falls silent", silent)
        elif client.member_id:
            yield from self.departs(state, c, "slow", "polls too late, LeaveGroup", cc.poll_expired(client))

    def _fail_over(self, state: World) -> Iterator[tuple[Action, World]]:
        budget = self.context.spent(state.budget, "failover")
        for broker, mail in self.context.brokers.fail_over(
            state.broker, keeps_log=budget.value.failover > 0, loads=not self.context.options.loads_slowly
        ):
            clients = self.context.post(state.clients, mail)
            label = Action(BROKER, "moves to another broker", reply=reading(broker), fault=True)
            yield label, World(clients, broker, state.image, budget, state.adopted, state.offsets)

    def _removal(self, state: World) -> Iterator[tuple[Action, World]]:
        """An administrator removes all members in one LeaveGroup, static ones by instance id (KIP-571)."""
        group = state.broker.value.state.group
        members = () if group is None else group.members
        named = tuple(
            ("", member.group_instance_id) if member.group_instance_id else (member.member_id, "")
            for member in members
        )
        if named:
            action = Action("admin", "removes all members", BROKER, fault=True)
            after = state._replace(budget=self.context.spent(state.budget, "remove"))
            yield from self.last_words(action, after, LeaveGroup(HEARTBEAT_OFFSET, named))

    def _refusals(self, state: World) -> Iterator[tuple[Action, World]]:
        """A request for fewer partitions of a topic: refused, and nothing changes."""
        image: Image = state.image.value
        left = self.context.spent(state.budget, "shrink")
        for topic in image:
            fewer = topic.partitions - 1
            reply = create_partitions(image, topic.name, fewer)
            label = Action(
                "metadata", f"{topic.name} shall have {fewer} partitions", reply=reply.error, fault=True
            )
            yield label, state._replace(image=self.context.cell(reply.image), budget=left)

    def _metadata_faults(self, state: World, faults: Faults) -> Iterator[tuple[Action, World]]:
        image: Image = state.image.value
        changes: list[tuple[str, str, Image]] = []
        if faults.partitions:
            changes += [
                (
                    "partitions",
                    f"{topic.name} grows to {topic.partitions + 1} partitions",
                    create_partitions(image, topic.name, topic.partitions + 1).image,
                )
                for topic in image
                if topic.partitions < PARTITIONS_MAX
            ]
        if faults.topic:
            known = {topic.name for topic in image}
            changes += [
                (
                    "topic",
                    f"topic {name} is created",
                    tuple(sorted((*image, requests.TopicImage(name, name, 1)))),
                )
                for name in self.context.options.new_topics
                if name not in known
            ]
        if faults.delete:
            changes += [
                ("delete", f"topic {topic.name} is deleted", tuple(t for t in image if t != topic))
                for topic in image
            ]
        for fault, label, after in changes:
            budget = self.context.spent(state.budget, fault)
            yield (
                Action("metadata", label, fault=True, disturbs=True),
                state._replace(
                    image=self.context.cell(after),
                    budget=budget,
                    broker=self.settled_image(state.broker, after),
                ),
            )


CONSUMER = "consumer"
CLASSIC = "classic"


class ConsumerFaults(FaultSteps):
    """As in the classic world; `kinds` has the protocol of a client after each restart."""

    def __init__(self, context: WorldContext, kinds: tuple[tuple[str, ...], ...]) -> None:
        super().__init__(context)
        self.kinds = kinds

    def kind(self, c: int, rollout_step: int) -> str:
        """The protocol that a client uses after so many restarts."""
        return self.kinds[c][min(rollout_step, len(self.kinds[c]) - 1)]

    def rollout_steps(self, c: int) -> int:
        """The number of versions of a client."""
        return len(self.kinds[c])

    def fresh_process(self, c: int, rollout_step: int, image: Image, connection: int) -> Client:
        """A process that has just started."""
        if self.kind(c, rollout_step) == CLASSIC:
            return super().fresh_process(c, rollout_step, image, connection)
        config = self.context.configs[c]
        fresh = cm.started(matching(config, image), f"{config.client_id}m-1", rollout_step, config.regex)
        return fresh._replace(connection=connection)

    def settled_image(self, broker: Interned, image: Image) -> Interned:
        """The broker after it has seen the metadata."""
        number = broker.value.state.background.image
        event = MetadataChanged(image, number and number + 1)
        ((after, _),) = self.context.brokers.handle(broker, event)
        return after

    def client_faults(
        self, state: World, c: int, cell: Interned, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        """The possible faults of one client."""
        client = cell.value
        if not isinstance(client, ConsumerClient):
            yield from super().client_faults(state, c, cell, faults)
            return
        yield from self.process_faults(state, c, client, faults)
        if client.run is not Process.UP or client.state not in cm.MEMBER:
            return
        if faults.leave:
            yield from self.departs(state, c, "leave", "closes", cm.closed(client))
        if faults.slow:
            yield from self.departs(state, c, "slow", "polls too late, leaves", cm.poll_expired(client))
        if faults.rollout and client.rollout_step + 1 < len(self.kinds[c]):
            newer = cm.closed(client)._replace(run=Process.NEW, rollout_step=client.rollout_step + 1)
            yield from self.departs(state, c, "rollout", "closes for its next version", newer)
        if faults.assignor:
            now = client.preference or self.context.configs[c].remote_assignor
            for name in self.context.brokers.config.assignors:
                if name != now:
                    other = client._replace(preference=name, announces=True)
                    yield self.befalls(state, c, "assignor", f"prefers {name}", other)
        if faults.subscribe and client.regex:
            named = client._replace(topics=self.context.options.topics[:1], regex="", full=True)
            yield self.befalls(state, c, "subscribe", "subscribes by name", named)
        if faults.subscribe and self.names_its_topics(client):
            fewer = client._replace(topics=client.topics[:1], full=True)
            yield self.befalls(state, c, "subscribe", "subscribes to less", fewer)

    def leave(self, action: Action, after: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:
        """The heartbeat with which a member leaves, applied to the world without the member."""
        if not isinstance(client, ConsumerClient):
            yield from super().leave(action, after, c, client)
            return
        config = self.context.configs[c]
        epoch = config.leave_epoch
        request = ConsumerHeartbeat(HEARTBEAT_OFFSET + c, client.member_id, epoch, config.group_instance_id)
        yield from self.last_words(action._replace(detail=f"epoch {epoch}"), after, request)
