"""The world of a Streams group (KIP-1071): stream threads, their processes and topics, and the coordinator.

Everything around the clients is that of the classic world: broker, metadata, faults, history. Offsets in
a world of stream threads: a task of the first subtopology reads one source partition. Faults and changes
in a world of stream threads: processes, threads, topologies, topics. `threads` says which topology.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain
from typing import Final, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.explore.states import Interned
from kassay.model.explore.values import Action
from kassay.model.protocols.census import Owned
from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients import streams_state
from kassay.model.protocols.clients.any_balanced import AnyBalanced, balanced_tasks
from kassay.model.protocols.clients.config import EAGER, ClientConfig, Process
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.clients.streams_state import StreamsState
from kassay.model.protocols.coordinator.brokers import TaskTargets
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.marks import facts_of_cell
from kassay.model.protocols.values.requests import (
    Image,
    MetadataChanged,
    OffsetCommit,
    Partitions,
    TopicImage,
)
from kassay.model.protocols.values.streams import StreamsHeartbeat
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup, StreamsTaskMember
from kassay.model.protocols.world.context import (
    BROKER,
    HEARTBEAT_OFFSET,
    Client,
    ModelOptions,
    World,
    WorldContext,
    WorldMove,
    listing,
    moved,
    put,
)
from kassay.model.protocols.world.faults import FaultSteps
from kassay.model.protocols.world.groups import NETWORKS, ClassicModel, WorldParts, no_targets
from kassay.model.protocols.world.offsets import Counts, Ledger
from kassay.model.protocols.world.streams.census import StreamsCensuses
from kassay.model.protocols.world.streams.threads import (
    NO_STREAMS,
    SOURCE,
    StreamsOptions,
    StreamsTalk,
    first_topics,
    streams_config,
    streams_configs,
    thread,
)
from kassay.model.protocols.world.timers import Timers, background_steps


class TaskLedger(Ledger):
    """The records that each thread has processed for its running tasks."""

    def commit(self, config: ClientConfig, number: int, client: Client, news: Counts) -> OffsetCommit | None:
        """The thread's current OffsetCommit; None outside the group."""
        return cs.commit(config, number, thread(client), news)

    def reads(self, owned: Owned) -> Partitions:
        """The source partitions that these tasks read."""
        return tuple(TopicPartition(SOURCE, task.partition) for task in owned if task.subtopology == "0")

    def held(self, member: StreamsTaskMember) -> Partitions:
        """The partitions that the member's active tasks read, including those to be revoked."""
        return self.reads((*member.assigned.active, *member.pending.active))


ALIVE: Final = (Process.UP, Process.PAUSED)
_Change: TypeAlias = Callable[[StreamThread], StreamThread]


class StreamsFaults(FaultSteps):
    """As in the other worlds, except that a fault of a process affects all its threads.

    A restarted thread has a new member id and the previous process id, which is stored on its disk.
    """

    def rollout_steps(self, c: int) -> int:
        """The number of versions of a client's topology."""
        return len(self.context.configs[c].topologies)

    def starts(self, state: World) -> Iterator[tuple[Action, World]]:
        """Threads that start or return, each under an unused id, and processes that resume."""
        for c, cell in enumerate(state.clients):
            client = thread(cell.value)
            static = bool(self.context.configs[c].group_instance_id)
            if client.run is Process.NEW or (client.run is Process.GONE and static):
                fresh = cs.started(self._fresh_id(state, c), client.rollout_step)
                fresh = fresh._replace(connection=client.connection, wire=client.wire)
                word = "start" if client.run is Process.NEW else "restart"
                after = put(state, c, self.context.cell(fresh))
                yield Action(f"c{c + 1}", word, fault=True, disturbs=True), after
            elif client.run is Process.PAUSED and c == self._mates(state, c, (Process.PAUSED,))[0]:
                after = self._all(state, self._mates(state, c, (Process.PAUSED,)), _awake)
                yield Action(self._name(c), "resumes", disturbs=True), after

    def _fresh_id(self, state: World, c: int) -> str:
        """The first member id of a client that neither the coordinator nor its own messages name."""
        used = facts_of_cell(state.broker).names | facts_of_cell(state.clients[c]).names
        number = 1
        while (name := f"{self.context.configs[c].client_id}m-{number}") in used:
            number += 1
        return name

    def settled_image(self, broker: Interned, image: Image) -> Interned:
        """The broker after it has seen the metadata."""
        ((after, _),) = self.context.brokers.handle(broker, MetadataChanged(image))
        return after

    def client_faults(
        self, state: World, c: int, cell: Interned, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        """The possible faults of one client, or of the process whose first thread it is."""
        client = thread(cell.value)
        yield from self.process_faults(state, c, client, faults)
        if client.run is not Process.UP or client.state not in cs.MEMBER:
            return
        if faults.leave:
            yield from self.departs(state, c, "leave", "closes", self._closed(client))
            if self.context.configs[c].group_instance_id:
                action, after = self.befalls(state, c, "leave", "leaves for good", self._closed(client))
                yield from self._leave_with(
                    requests.LEAVE_EPOCH, action._replace(to=BROKER), after, c, client
                )
        if faults.slow:
            yield from self.departs(state, c, "slow", "polls too late, leaves", cs.poll_expired(client))
        if faults.rollout and client.rollout_step + 1 < self.rollout_steps(c):
            newer = self._closed(client)._replace(run=Process.NEW, rollout_step=client.rollout_step + 1)
            yield from self.departs(state, c, "rollout", "closes for its next topology", newer)

    def _closed(self, client: StreamThread) -> StreamThread:
        """The rest of a thread that closes; its successor has connections of its own."""
        connection = client.connection + (1 if client.wire.sent else 0)
        return cs.closed(client)._replace(connection=connection, wire=self.left_under_way(client))

    def process_faults(
        self, state: World, c: int, client: Client, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        """A process dies or pauses, with all its threads; one thread of several may die alone."""
        threads = self._mates(state, c, ALIVE)
        if client.run not in ALIVE:
            return
        if faults.crash and len(threads) > 1:
            yield self.befalls(state, c, "crash", "dies", self.gone(client))
        if c != threads[0]:
            return
        if faults.crash:
            yield self._together(state, "crash", "crashes", threads, self._dead)
        running = self._mates(state, c, (Process.UP,))
        if faults.pause and running:
            yield self._together(state, "pause", "pauses", running, _asleep)

    def _dead(self, client: StreamThread) -> StreamThread:
        return thread(self.gone(client))

    def _together(
        self, state: World, fault: str, name: str, threads: list[int], change: _Change
    ) -> tuple[Action, World]:
        """A fault of a process."""
        after = self._all(state, threads, change)
        budget = self.context.spent(state.budget, fault)
        return Action(self._name(threads[0]), name, fault=True), after._replace(budget=budget)

    def _all(self, state: World, threads: list[int], change: _Change) -> World:
        for c in threads:
            state = put(state, c, self.context.cell(change(thread(state.clients[c].value))))
        return state

    def _mates(self, state: World, c: int, runs: tuple[Process, ...]) -> list[int]:
        """The threads of a client's process, including itself, in one of these conditions."""
        configs = self.context.configs
        return [
            other
            for other, cell in enumerate(state.clients)
            if configs[other].process_id == configs[c].process_id and cell.value.run in runs
        ]

    def _name(self, c: int) -> str:
        """The name of a process: that of its thread, if it has only one."""
        configs = self.context.configs
        process = configs[c].process_id
        alone = sum(config.process_id == process for config in configs) == 1
        return f"c{c + 1}" if alone else process

    def leave(self, action: Action, after: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:
        """The heartbeat with which a member leaves, applied to the world without the member."""
        yield from self._leave_with(self.context.configs[c].leave_epoch, action, after, c, client)

    def _leave_with(
        self, epoch: int, action: Action, after: World, c: int, client: Client
    ) -> Iterator[tuple[Action, World]]:
        instance = self.context.configs[c].group_instance_id
        request = StreamsHeartbeat(HEARTBEAT_OFFSET + c, client.member_id, epoch, instance)
        yield from self.last_words(action._replace(detail=f"epoch {epoch}"), after, request)


def _awake(client: StreamThread) -> StreamThread:
    return client._replace(run=Process.UP)


def _asleep(client: StreamThread) -> StreamThread:
    return client._replace(run=Process.PAUSED)


class StreamsModel(ClassicModel):
    """Stream threads of a KIP-1071 group, at small sizes, with any task assignor."""

    def __init__(
        self,
        options: ModelOptions,
        streams: StreamsOptions = NO_STREAMS,
        *,
        tasks: TaskTargets = balanced_tasks,
    ) -> None:
        self.streams = streams
        config = streams_config(options, streams)
        configs = streams_configs(options, streams)
        context = WorldContext(options, config, no_targets, configs, tasks=tasks)
        no_rule = AnyBalanced(EAGER)
        calls = NETWORKS[options.network](context, no_rule, talk=StreamsTalk(no_rule))
        censuses = StreamsCensuses(context, standbys=streams.standby, warms_up=streams.warmup > 0)
        self.task_censuses = censuses
        parts = WorldParts(context, no_rule, calls, Timers(context), StreamsFaults(context), censuses)
        super().__init__(options, parts=parts)

    @cached_property
    def ledger(self) -> TaskLedger:
        """The offsets, if records are processed."""
        return TaskLedger(self.context)

    def initial(self) -> Iterator[World]:
        """No client has started; the coordinator knows the topics, but source topics may still be missing."""
        image = first_topics(self.options, self.streams)
        absent = (self.context.cell(StreamThread()),) * self.options.members
        for world in super().initial():
            broker = self.context.brokers.first(image)
            first = world._replace(clients=absent, image=self.context.cell(image), broker=broker)
            yield first
            if self.options.compacted:
                yield first._replace(broker=self._reset(broker))

    def _reset(self, broker: Interned) -> Interned:
        """The broker after the offsets were set before the first start, as reset tools do.

        So the log begins with an offset, which on its own indicates a group that is no Streams group.
        """
        request = OffsetCommit(HEARTBEAT_OFFSET, "", -1, ((TopicPartition(SOURCE, 0), 0),))
        ((after, _),) = self.context.brokers.handle(broker, request)
        return after

    def _steps(self, state: World) -> Iterator[tuple[Action, World]]:
        steps = chain(super()._steps(state), self._creations(state))
        if self.options.late_targets:
            return chain(steps, background_steps(self.context, state))
        return steps

    def _creations(self, state: World) -> Iterator[tuple[Action, World]]:
        """The broker creates the internal topics that replies name, once their source topics exist."""
        group = state.broker.value.state.group
        if not isinstance(group, StreamsTaskGroup) or not group.topology or self.faults is None:
            return
        counts = {topic.name: topic.partitions for topic in state.image.value}
        parts = [part for part in group.topology[0].subtopologies if {*part.inputs} <= counts.keys()]
        missing = tuple(
            TopicImage(name, name, max(counts[source] for source in part.inputs))
            for part in parts
            for name in part.changelogs
            if name not in counts
        )
        if missing and len(parts) == len(group.topology[0].subtopologies):
            image = tuple(sorted((*state.image.value, *missing)))
            broker = self.faults.settled_image(state.broker, image)
            names = listing(tuple(topic.name for topic in missing))
            label = Action("metadata", f"{names} is created", disturbs=True)
            yield label, state._replace(image=self.context.cell(image), broker=broker)

    def _client_moves(
        self,
        c: int,
        cell: Interned,
        broker: Interned,
        image: Interned,  # noqa: ARG002 - only the coordinator reads the topics
        faults: Faults,
    ) -> Iterator[WorldMove]:
        client = thread(cell.value)
        yield from self.calls.under_way(c, client, broker, faults)
        if client.run is not Process.UP:
            return
        config, name = self.context.configs[c], f"c{c + 1}"
        if (after := cs.lost(client)) is not None:
            label = Action(name, "loses its tasks", detail=listing(client.owned))
            yield self.context.move(label, client, after, broker)
        if (after := cs.reconcile(config, client)) is not None:
            word = "runs" if client.setting_out else "revokes down to"
            copies = f"; copies {listing(after.copies)}" if client.setting_out and after.copies else ""
            label = Action(name, "reconciles", detail=f"{word} {listing(after.owned)}{copies}")
            yield self.context.move(label, client, after, broker)
        if config.reports:
            held = streams_state.stateful(config, client.rollout_step, client.copies)
            for task, restored in streams_state.restorable(held, client.restored):
                label = Action(name, "restores", detail=task)
                yield self.context.move(label, client, client._replace(restored=restored), broker)
        yield from self.calls.heartbeat(c, client, broker, faults)


def refused(before: World, after: World) -> bool:
    """Whether some client gets an error in this step, or the reply with it is sent."""
    if before.clients is after.clients or moved(before, after):
        return False
    return any(
        _is_refused(old.value, new.value) for old, new in zip(before.clients, after.clients) if old is not new
    )


def _is_refused(old: StreamThread, new: StreamThread) -> bool:
    if len(new.wire.back) > len(old.wire.back):
        body = new.wire.back[-1].body
        return bool(body.error != errors.NONE)
    return new.state is not old.state and new.state in (StreamsState.FENCED, StreamsState.FATAL)
