"""Task ownership in a world of stream threads: the censuses that the invariants read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kassay.model.cluster import TopicPartition
from kassay.model.explore.states import Interned, Memo
from kassay.model.protocols.census import Belief, Holding, KnownEndpoints, Registered, StateReport, TaskCensus
from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients import streams_state
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.clients.streams_state import StreamsState
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.groups import MEMBER_STABLE
from kassay.model.protocols.values.requests import Image
from kassay.model.protocols.values.streams import (
    NO_TASKS,
    EndpointPartitions,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    StreamsTopology,
    TaskIds,
    TaskOffsets,
)
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup, StreamsTaskMember
from kassay.model.protocols.world.census import Censuses, RegisteredMember
from kassay.model.protocols.world.context import HEARTBEAT_OFFSET, World
from kassay.model.protocols.world.streams.threads import thread
from kassay.model.streams.group import GroupTask


class StreamsCensuses(Censuses):
    """The census of active tasks, used like partitions elsewhere, and the census of tasks in all roles."""

    def __init__(self, *arguments: Any, standbys: int = 0, warms_up: bool = False) -> None:
        super().__init__(*arguments)
        self.standbys = standbys
        self.warms_up = warms_up
        self._tasks: Memo[Any, TaskCensus] = Memo()

    def record(self, state: World) -> RegisteredMember:
        """The registry's record."""
        group = state.broker.value.state.group
        if not isinstance(group, StreamsTaskGroup):
            return super().record(state)
        registry = tuple(Registered(m.member_id, m.group_instance_id, (), _active(m)) for m in group.members)
        topology = group.topology[0] if group.topology else None
        quiet = not group.members or (_knows_all(group, topology, state.image.value) and _arrived(group))
        caught_up = tuple(m.member_id for m in group.members if m.epoch == group.target_epoch)
        step = group.target
        if self.warms_up:
            # Between the steps towards a target the group seems stable, and a new coordinator knows no step.
            due = dict(group.target)
            quiet &= all(m.assigned.roles == due.get(m.member_id, NO_TASKS) for m in group.members)
            steps = [one.target for one in group.remembered.refined if one.epoch == group.target_epoch]
            (step,) = steps or ((),)
        target = tuple((member_id, roles.active) for member_id, roles in step)
        return RegisteredMember(registry, wanted(topology, state.image.value), quiet, target, caught_up)

    def belief(self, c: int, cell: Interned, state: World) -> Belief:
        """One client's belief and its relation to the registry."""
        client = thread(cell.value)
        member = _member_of(state, client)
        epochs = (-3, -3) if member is None else (member.epoch, member.prev_epoch)
        settled = (
            client.run is Process.UP
            and client.state is StreamsState.STABLE
            and client.settled
            and client.acknowledged
            and _awaits_nothing(self.context.configs[c], client)
        )
        return Belief(
            f"c{c + 1}",
            client.member_id,
            client.run in (Process.UP, Process.PAUSED),
            client.epoch == epochs[0],
            settled,
            client.owned,
            rejoined=client.epoch in epochs,
            joined=client.state in cs.MEMBER,
        )

    def tasks(self, state: World) -> TaskCensus:
        """The tasks by role, by record and by belief."""
        census = self.public(state)
        key = (state.clients, state.broker.value.coordinator, state.image, census)
        tasks = self._tasks.get(key)
        if tasks is None:
            tasks = self._tasks[key] = self._of_tasks(state, census.value.resting)
        return tasks

    def _of_tasks(self, state: World, resting: bool) -> TaskCensus:
        group = state.broker.value.state.group
        members = group.members if isinstance(group, StreamsTaskGroup) else ()
        record = tuple(
            Holding(
                m.member_id,
                m.process_id,
                m.assigned.active,
                tuple(
                    sorted({*m.assigned.standby, *m.assigned.warmup, *m.pending.standby, *m.pending.warmup})
                ),
                m.pending.active,
            )
            for m in members
        )
        topology = group.topology[0] if isinstance(group, StreamsTaskGroup) and group.topology else None
        stateful = (
            ()
            if topology is None
            else tuple(
                task
                for task in wanted(topology, state.image.value)
                for part in topology.subtopologies
                if part.subtopology_id == task.subtopology and part.changelogs
            )
        )
        beliefs = tuple(
            self._holding(c, thread(cell.value), state)
            for c, cell in enumerate(state.clients)
            if cell.value.run in (Process.UP, Process.PAUSED)
        )
        adopted = tuple((task, f"c{c + 1}") for task, c in state.adopted)
        ended = tuple((f"c{c + 1}", cell.value.ended_by) for c, cell in enumerate(state.clients))
        ended = tuple((client, error) for client, error in ended if error)
        endpoints = tuple(self._endpoints(state)) if resting else ()
        reports = tuple(self._reports(state)) if resting else ()
        return TaskCensus(
            record, beliefs, adopted, stateful, self.standbys, resting, ended, endpoints, reports
        )

    def _reports(self, state: World) -> Iterator[StateReport]:
        """The offsets last reported by clients that will not report them again, and those known of them."""
        group = state.broker.value.state.group
        known = dict(group.task_offsets) if isinstance(group, StreamsTaskGroup) else {}
        for c, cell in enumerate(state.clients):
            config, client = self.context.configs[c], thread(cell.value)
            if config.reports and client.run is Process.UP:
                held = streams_state.stateful(config, client.rollout_step, (*client.owned, *client.copies))
                now = streams_state.offsets(held, client.restored)
                if client.reported == (now,):
                    noted = known.get(client.member_id, TaskOffsets()).offsets
                    yield StateReport(f"c{c + 1}", now, noted)

    def _endpoints(self, state: World) -> Iterator[KnownEndpoints]:
        """The endpoints known to clients that have the coordinator's current endpoint epoch."""
        group = state.broker.value.state.group
        if not isinstance(group, StreamsTaskGroup):
            return
        actual = tuple(sorted(_endpoints_of(group, state.image.value)))
        for c, cell in enumerate(state.clients):
            client = thread(cell.value)
            up_to_date = client.run is Process.UP and client.endpoint_epoch == group.endpoint_epoch
            if self.context.configs[c].endpoint and up_to_date:
                yield KnownEndpoints(f"c{c + 1}", client.endpoints, actual)

    def _holding(self, c: int, client: StreamThread, state: World) -> Holding:
        member = _member_of(state, client)
        commits = client.owned and tuple(task for task in client.owned if self._takes(c, client, task, state))
        return Holding(
            f"c{c + 1}",
            self.context.configs[c].process_id,
            client.owned,
            client.copies,
            current=member is not None and client.epoch == member.epoch,
            commits=commits,
        )

    def _takes(self, c: int, client: StreamThread, task: GroupTask, state: World) -> bool:
        """Whether the coordinator would accept a commit of this task's offset from this client now."""
        config = self.context.configs[c]
        topology = config.topology(client.rollout_step)
        if state.broker.value.state.group is None:
            return False
        (source,) = {
            s
            for part in topology.subtopologies
            if part.subtopology_id == task.subtopology
            for s in part.inputs[:1]
        }
        tp = TopicPartition(source, task.partition)
        request = cs.commit(config, HEARTBEAT_OFFSET + c, client, ((tp, 0),))
        return request is not None and any(
            body.error == errors.NONE
            for _, mail in self.context.brokers.handle(state.broker, request, keeps_log=False)
            for _, body in mail
        )


def wanted(topology: StreamsTopology | None, image: Image) -> TaskIds:
    """The tasks that must run: none while a topic is missing or has the wrong partitions."""
    if topology is None:
        return ()
    counts = {topic.name: topic.partitions for topic in image}
    tasks: list[GroupTask] = []
    for part in topology.subtopologies:
        if not {*part.inputs, *part.changelogs} <= counts.keys():
            return ()
        number = max(counts[topic] for topic in part.inputs)
        if any(counts[topic] != number for topic in part.changelogs):
            return ()
        tasks += (GroupTask(part.subtopology_id, place) for place in range(number))
    return tuple(sorted(tasks))


def _endpoints_of(group: StreamsTaskGroup, image: Image) -> Iterator[EndpointPartitions]:
    """The partitions that each endpoint serves, by record."""
    counts = {topic.name: topic.partitions for topic in image}
    inputs = {
        part.subtopology_id: part.inputs for version in group.topology for part in version.subtopologies
    }
    for member in group.members:
        if member.endpoint:
            active, copies = (
                tuple(
                    sorted(
                        TopicPartition(topic, task.partition)
                        for task in tasks
                        for topic in inputs[task.subtopology]
                        if task.partition < counts.get(topic, 0)
                    )
                )
                for tasks in (member.assigned.active, {*member.assigned.standby, *member.assigned.warmup})
            )
            yield EndpointPartitions(member.endpoint, active, copies)


def _active(member: StreamsTaskMember) -> TaskIds:
    """The recorded active tasks of a member, including those to be revoked."""
    return tuple(sorted({*member.assigned.active, *member.pending.active}))


def _member_of(state: World, client: StreamThread) -> StreamsTaskMember | None:
    """The client's member, if it is one."""
    group = state.broker.value.state.group
    if not isinstance(group, StreamsTaskGroup) or client.state not in cs.MEMBER:
        return None
    return next((m for m in group.members if m.member_id == client.member_id), None)


def _knows_all(group: StreamsTaskGroup, topology: StreamsTopology | None, image: Image) -> bool:
    """Whether the group has seen the current topics, and waits for no other members."""
    read = topology.required_topics if topology is not None else frozenset()
    return not group.delayed and set(group.topics) == {topic for topic in image if topic.name in read}


def _arrived(group: StreamsTaskGroup) -> bool:
    """Whether all members have reached the newest target."""
    arrived = all(m.state == MEMBER_STABLE and m.epoch == group.target_epoch for m in group.members)
    return group.epoch == group.target_epoch and arrived


def _awaits_nothing(config: ClientConfig, client: StreamThread) -> bool:
    """Whether the wire has only keep-alives and replies that change nothing."""
    sent, back = client.wire
    return all(isinstance(beat, StreamsHeartbeat) and beat.active is None for beat in sent) and all(
        isinstance(body, StreamsHeartbeatReply) and cs.on_reply(config, client, body) == client
        for _, body in back
    )
