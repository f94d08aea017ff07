"""Groups of consumers whose coordinator assigns partitions: consumer groups and share groups.

Consumer groups of KIP-848: topics by id, regular expressions, and a target as a step.

Source: KIP-848; Kafka `ConsumerGroup`, `TargetAssignmentBuilder`.

Share groups of KIP-932: a partition may have many members; only partitions with initialised state count.

Records do not name the assignor of a share group; Kafka's own, of 4.2 and later, is assumed. Source: KIP-932;
Kafka `SimpleAssignor`, `ShareTargetAssignmentBuilder`, `ShareGroupStatePartitionMetadata`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kassay.engines.audits.histories.targets import TargetHistory
from kassay.engines.audits.judging import Judgement, judgement, only_owners
from kassay.engines.audits.values import GroupProtocol, LogMoment
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member
from kassay.model.groups.kinds import SERVER, SHARE
from kassay.model.groups.step import ShareStep, Step
from kassay.reading.kafka.offsets.values import (
    GroupRecord,
    MemberSubscription,
    NamedTopics,
    RecordRole,
    ResolvedRegex,
    ShareableTopics,
)

TOO_MANY = "it has more partitions than a topic can be believed to have"


@dataclass
class ConsumerHistory(TargetHistory):
    """The records of one group, in order; it may migrate from the classic protocol and back."""

    protocol = GroupProtocol.CONSUMER

    regexes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    by_id: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    counts_hold: bool = False

    def learn(self, record: GroupRecord) -> None:
        """Learn the topics of a regular expression, or names and counts by topic id (before Kafka 4.1)."""
        value = record.value
        if record.type.role is RecordRole.REGEX:
            self.regexes.pop(record.part, None)
            if isinstance(value, ResolvedRegex):
                self.regexes[record.part] = value.topics
        elif record.type.role is RecordRole.TOPICS:
            self.topics_changed = True
            self.counts_hold = isinstance(value, NamedTopics)
            if isinstance(value, NamedTopics):
                self.by_id = value.topics

    def forget_topics(self) -> None:
        """Forget expressions and ids: another group of this name may use others."""
        self.by_id, self.regexes = {}, {}

    def judge(self, moment: LogMoment) -> Judgement | str:
        """The target; checked in full if it is of the group's epoch and all subscriptions are known."""
        names = self._names_known()
        step = self._step(names)
        if step is None:
            return TOO_MANY
        assignor = self.assignor()
        if self.epoch == self.target_epoch and (names or step.group.equal_subscriptions):
            return judgement(SERVER, assignor, step, step, moment, owners_known=self.before is not None)
        return only_owners(SERVER, assignor, step, moment)

    def unmeasured(self) -> str:
        """Why a target that was checked is not measured."""
        if self.epoch != self.target_epoch:
            return super().unmeasured()
        names = "names of its topic ids, or topics of its regular expressions"
        return f"{names}, are not known: add the output of kafka-topics --describe"

    def assignor(self) -> str | None:
        """The assignor that the members request; None if they leave it to the cluster or disagree."""
        requested = Counter(each.assignor for each in self.subscriptions.values() if each.assignor)
        return next(iter(requested)) if len(requested) == 1 else None

    def notes(self) -> Iterator[str]:
        """That members still use the classic protocol."""
        yield from super().notes()
        classic = sum(each.classic for each in self.subscriptions.values())
        if classic:
            use = "uses" if classic == 1 else "use"
            yield f"{classic} of {len(self.subscriptions)} members {use} the classic protocol: a migration"

    def wished(self) -> str:
        """The assignors that members ask for where they do not agree, in words."""
        votes = Counter(each.assignor for each in self.subscriptions.values() if each.assignor).most_common()
        return ", ".join(f"{name} ({count})" for name, count in votes) if len(votes) > 1 else ""

    def named(self, tps: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
        """The partitions by topic name, or by topic id if the name is unknown."""
        return tuple(TopicPartition(self._name(topic), number) for topic, number in tps)

    def _step(self, names: bool) -> Step | None:
        given = {member: self.named(target.partitions) for member, target in self.targets.items()}
        exact = dict(self.by_id.values()) if names and self.counts_hold else {}
        read = {member: self._reads(each) for member, each in self.subscriptions.items()}
        if not names:
            # The names of these topic ids are unknown, but members of equal subscriptions subscribe to all
            # assigned topics.
            ids = tuple(sorted({tp.topic for tps in given.values() for tp in tps}))
            together = len({frozenset(topics) for topics in read.values()}) == 1
            read = {member: ids if together else (*topics, *ids) for member, topics in read.items()}
        exact = {name: n for name, n in exact.items() if any(name in topics for topics in read.values())}
        cluster = self.topics.cluster((tp for tps in given.values() for tp in tps), (), exact)
        if cluster is None:
            return None
        had = {member: self.named(target.partitions) for member, target in (self.before or {}).items()}
        members = tuple(
            Member(
                member,
                read[member],
                had.get(member, ()),
                NO_GENERATION if self.before is None else max(0, (self.target_epoch or 0) - 1),
                each.rack,
                each.instance_id,
            )
            for member, each in sorted(self.subscriptions.items())
        )
        answer = Assignment({member: given.get(member, ()) for member in [*self.subscriptions, *given]})
        return Step(cluster, Group(members), answer, self.target_epoch or 0)

    def _reads(self, each: MemberSubscription) -> tuple[str, ...]:
        resolved = self.regexes.get(each.regex, ()) if each.regex else ()
        return tuple(dict.fromkeys((*each.topics, *resolved)))

    def _names_known(self) -> bool:
        """Whether each assigned topic id has a known name, and each regular expression its topics."""
        ids = {tp.topic for target in self.targets.values() for tp in target.partitions}
        regexes = {each.regex for each in self.subscriptions.values() if each.regex}
        return all(i in self.by_id or i in self.known.names for i in ids) and regexes <= self.regexes.keys()

    def _name(self, topic: str) -> str:
        return self.by_id[topic][0] if topic in self.by_id else self.known.names.get(topic, topic)


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
            return "nothing says what its topic ids are called: add the output of kafka-topics --describe"
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
