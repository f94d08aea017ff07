"""Share groups of KIP-932: a partition may have many members; only partitions with initialised state count.

Records do not name the assignor of a share group; Kafka's own, of 4.2 and later, is assumed. Source: KIP-932;
Kafka `SimpleAssignor`, `ShareTargetAssignmentBuilder`, `ShareGroupStatePartitionMetadata`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kassay.certify.audits.histories.consumer import TOO_MANY
from kassay.certify.audits.histories.targets import TargetHistory
from kassay.certify.audits.judging import Judgement, judgement
from kassay.certify.audits.values import GroupProtocol, LogMoment
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member
from kassay.model.groups.kinds import SHARE
from kassay.model.groups.step import ShareStep, Step
from kassay.reading.kafka.offsets.values import GroupRecord, RecordRole, ShareableTopics

_NOTHING = ShareableTopics({}, ())


@dataclass
class ShareHistory(TargetHistory):
    """The records of one group, in order; `shareable` is None until a record has the state."""

    protocol = GroupProtocol.SHARE
    shares = True

    shareable: ShareableTopics | None = None

    def learn(self, record: GroupRecord) -> None:
        """Learn which partitions are assignable from now on."""
        if record.type.role is RecordRole.TOPICS:
            self.topics_changed = True
            self.shareable = record.value if isinstance(record.value, ShareableTopics) else None

    def forget_topics(self) -> None:
        """The state is deleted with its group."""
        self.shareable = None

    def assignor(self) -> str | None:
        """Kafka's only share assignor."""
        return "simple"

    def named(self, tps: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
        """The partitions by topic name, or by topic id if the name is unknown."""
        names = {**self.known.names, **(self.shareable or _NOTHING).names}
        return tuple(TopicPartition(names.get(topic, topic), number) for topic, number in tps)

    def judge(self, moment: LogMoment) -> Judgement | str:
        """The target; checked if it is of the group's epoch and each topic id has a name."""
        if self.epoch != self.target_epoch:
            return "its target is of an older epoch: who came since may not be in it"
        ids = {tp.topic for target in self.targets.values() for tp in target.partitions}
        if not all(i in (self.shareable or _NOTHING).names or i in self.known.names for i in ids):
            return "nothing says what its topic ids are called: give --topics"
        step = self._step()
        if step is None:
            return TOO_MANY
        return judgement(SHARE, self.assignor(), step, step, moment, owners_known=self.before is not None)

    def _step(self) -> Step | None:
        given = {member: self.named(target.partitions) for member, target in self.targets.items()}
        state = self.shareable or _NOTHING
        there = self.named((*state.partitions, *state.initializing))
        cluster = self.topics.cluster((tp for tps in given.values() for tp in tps), there, {})
        if cluster is None:
            return None
        had = {member: self.named(target.partitions) for member, target in (self.before or {}).items()}
        generation = NO_GENERATION if self.before is None else max(0, (self.target_epoch or 0) - 1)
        members = tuple(
            Member(member, tuple(dict.fromkeys(each.topics)), had.get(member, ()), generation, each.rack)
            for member, each in sorted(self.subscriptions.items())
        )
        assignable = None if self.shareable is None else frozenset(self.named(self.shareable.partitions))
        answer = Assignment({member: given.get(member, ()) for member in [*self.subscriptions, *given]})
        return ShareStep(cluster, Group(members, assignable=assignable), answer, self.target_epoch or 0)
