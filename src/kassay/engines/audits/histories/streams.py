"""Streams groups of KIP-1071: threads in processes, a topology, a target of active tasks and copies.

The tasks that a thread had are those of its record, which the coordinator of 4.4 passes to its assignor.
Records contain neither the number of partitions of the input topics, nor the assignor (Kafka's own is
assumed), nor the location of state on disks: a copy is one that the coordinator knows of.

Source: KIP-1071; Kafka `streams.TargetAssignmentBuilder`, `streams.CurrentAssignmentBuilder`,
`TopologyMetadata`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kassay.engines.audits.histories.consumer import TOO_MANY
from kassay.engines.audits.histories.targets import TargetHistory
from kassay.engines.audits.judging import Judgement, SeenMember, home
from kassay.engines.audits.tasks import TaskTarget, task_judgement
from kassay.engines.audits.topics import SeenTopics
from kassay.engines.audits.values import GroupProtocol, LogMoment
from kassay.model.cluster import TopicPartition
from kassay.model.streams.tasks import RUNNING, ClientTasks, TaskClient, TaskId, TaskRequest, member_id
from kassay.reading.kafka.offsets.values import (
    GroupEpoch,
    GroupRecord,
    GroupTopology,
    MemberSubscription,
    RecordRole,
)


@dataclass
class StreamsHistory(TargetHistory):
    """The records of one group, in order; `standbys` is None if no record has their number.

    `checked`: the epoch of the topology that the coordinator has checked.
    """

    protocol = GroupProtocol.STREAMS
    at_rest = 1

    topology: GroupTopology | None = None
    standbys: int | None = None
    checked: int | None = None
    numbers: dict[str, int] = field(default_factory=dict)

    def learn(self, record: GroupRecord) -> None:
        """Learn the topology, or the configured number of copies."""
        value = record.value
        if record.type.role is RecordRole.GROUP_EPOCH:
            self.standbys = value.standbys if isinstance(value, GroupEpoch) else None
            self.checked = value.topology_epoch if isinstance(value, GroupEpoch) else None
        elif record.type.role is RecordRole.TOPOLOGY:
            self.topics_changed = self.topology is not None
            self.topology = value if isinstance(value, GroupTopology) else None
            self.numbers = _numbers(self.topology.subtopologies if self.topology else ())
            self.topics = SeenTopics(self._tasks_today())

    def notes(self) -> Iterator[str]:
        """Threads and coordinators with another topology, and topics that only expressions name."""
        yield from super().notes()
        if self.topology is None:
            return
        epoch, checked = self.topology.epoch, self.checked
        if checked not in (None, epoch):
            yield f"its topology is of epoch {epoch}, the coordinator has checked that of epoch {checked}"
        other = sum(each.topology_epoch != epoch for each in self.subscriptions.values())
        if other:
            have = "has" if other == 1 else "have"
            threads = f"{other} of {len(self.subscriptions)} threads"
            yield f"{threads} {have} a topology of another epoch than {epoch}"
        by_regex = sorted(name for name, each in self.topology.subtopologies.items() if each.by_regex)
        if by_regex:
            yield (
                f"topics of subtopology {', '.join(by_regex)} are named by expressions, which no record "
                "resolves: its tasks are those that were assigned"
            )

    def sources(self, task: TopicPartition) -> tuple[TopicPartition, ...]:
        """The partitions of topics that the task reads; none where the topology is not known."""
        topology = self.topology.subtopologies if self.topology is not None else {}
        read = topology[task.topic].topics if task.topic in topology else ()
        return tuple(TopicPartition(topic, task.partition) for topic in read)

    def forget_topics(self) -> None:
        """The topology is deleted with its group."""
        self.topology = None

    def assignor(self) -> str | None:
        """Kafka's only assignor of tasks."""
        return "sticky"

    def seen(self, member_id: str, value: MemberSubscription) -> SeenMember:
        """The thread with its process as identity; another epoch of its topology is another subscription."""
        at = home(value.instance_id, value.client_id, value.client_host)
        return SeenMember(member_id, value.instance_id, at, frozenset((f"topology {value.topology_epoch}",)))

    def judge(self, moment: LogMoment) -> Judgement | str:
        """The target; checked if it is of the group's epoch and the topology is known."""
        if self.topology is None or not self.topology.subtopologies:
            return "the record of its topology is not there"
        tasks = {tp for each in self.targets.values() for tp in (*each.partitions, *each.standby)}
        if not tasks:
            return "no task is assigned: the topics were not ready"
        if strange := {task.topic for task in tasks} - self.numbers.keys():
            return f"its target has tasks of {min(strange)}, which its topology does not have"
        if self.epoch != self.target_epoch:
            return "its target is of an older epoch: who came since may not be in it"
        request = self._request(tasks)
        if request is None:
            return TOO_MANY
        threads = self._threads()
        given = {
            threads[member]: ClientTasks(self._ids(target.partitions), self._ids(target.standby))
            for member, target in self.targets.items()
            if member in threads
        }
        return task_judgement(
            TaskTarget(request, given, {name: member for member, name in threads.items()}),
            self.target_epoch or 0,
            moment,
            owners_known=self.before is not None,
            copies_known=self.standbys is not None,
            at_rest=self.before == self.targets,
        )

    def _request(self, tasks: Iterable[TopicPartition]) -> TaskRequest | None:
        """The coordinator's input to its assignor; None for an implausible number of tasks."""
        assert self.topology is not None
        subtopologies = self.topology.subtopologies
        first = (TopicPartition(name, 0) for name in subtopologies)
        cluster = self.topics.cluster((*tasks, *first), (), {})
        if cluster is None:
            return None
        stateful = {self.numbers[name] for name, each in subtopologies.items() if each.stateful}
        every = tuple(sorted(self._ids(cluster.everything)))
        return TaskRequest(
            tuple(self._client(*process) for process in sorted(self._processes().items())),
            every,
            tuple(task for task in every if task.subtopology in stateful),
            self.standbys or 0,
        )

    def _client(self, process_id: str, members: list[str]) -> TaskClient:
        """The process, with the recorded tasks of its threads if they are known."""
        had = self.had if self.before is not None else {}
        held = tuple(
            ClientTasks(self._ids(had[member].partitions), self._ids(had[member].value.standby))
            if member in had
            else ClientTasks()
            for member in members
        )
        active = tuple(sorted({task for tasks in held for task in tasks.active}))
        standby = tuple(sorted({task for tasks in held for task in tasks.standby}))
        lags = {**dict.fromkeys(standby, 0), **dict.fromkeys(active, RUNNING)}
        return TaskClient(process_id, len(members), active, standby, tuple(lags.items()), held)

    def _processes(self) -> dict[str, list[str]]:
        """The members of each process, by member id."""
        processes: dict[str, list[str]] = {}
        for member in sorted(self.subscriptions):
            processes.setdefault(self.subscriptions[member].process_id, []).append(member)
        return processes

    def _threads(self) -> dict[str, str]:
        """Each member's name as a thread of its process."""
        return {
            member: member_id(process, 0, number)
            for process, members in self._processes().items()
            for number, member in enumerate(members)
        }

    def _ids(self, tasks: Iterable[TopicPartition]) -> tuple[TaskId, ...]:
        numbers = self.numbers
        return tuple(sorted(TaskId(numbers[name], n) for name, n in tasks if name in numbers))

    def _tasks_today(self) -> dict[str, int]:
        """The number of tasks of each subtopology today, by the described topics: that of its widest input.

        It never had more, because topics do not shrink.
        """
        if self.topology is None:
            return {}
        counts = self.known.counts
        return {
            name: max(counts.get(topic, 0) for topic in each.topics)
            for name, each in self.topology.subtopologies.items()
            if each.topics
        }


def _numbers(subtopologies: Iterable[str]) -> dict[str, int]:
    """The numbers of subtopologies in task ids: the recorded number, or the position if there is none."""
    names = sorted(subtopologies)
    own = {name: int(name) for name in names if name.isascii() and name.isdecimal() and len(name) < 10}
    if len(set(own.values())) == len(names):
        return own
    return {name: place for place, name in enumerate(names)}
