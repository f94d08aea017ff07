"""Consumer groups of KIP-848: what the coordinator knows of a group, record by record; its targets as steps.

A record tells of one member, so a step is made of many of them: it is judged where the log is whole, else at
its end, where what the cleaner left is the truth. The coordinator writes the epoch, the targets that differ
and last the epoch of the target; a target for an older epoch may not know who came since. Who owns what is
looked at where a batch ends, for the coordinator writes what it decides at once in one batch.

Source: KIP-848; Kafka `TargetAssignmentBuilder`, `CurrentAssignmentBuilder`, `GroupMetadataManager`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kassay.certify.audits.causes import SeenMember, causes, home
from kassay.certify.audits.continuity import LogContinuity
from kassay.certify.audits.judging import Judgement, judgement, only_owners
from kassay.certify.audits.topics import KnownTopics, SeenTopics
from kassay.certify.audits.values import (
    AuditedRebalance,
    AuditFinding,
    CauseWord,
    GroupAudit,
    GroupProtocol,
    LogMoment,
    RebalanceCause,
)
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member
from kassay.model.groups.step import Step
from kassay.model.kinds import Kind
from kassay.reading.kafka.offsets.values import (
    CurrentPartitions,
    GroupEpoch,
    GroupRecord,
    MemberSubscription,
    NamedTopics,
    RecordType,
    ResolvedRegex,
    TargetEpoch,
    TargetPartitions,
)

_AT_REST = 0
_COMPACTED = "its records are compacted"


@dataclass(frozen=True)
class _Had:
    """What a member has, and where that stands."""

    value: CurrentPartitions
    moment: LogMoment

    @property
    def partitions(self) -> tuple[TopicPartition, ...]:
        """All that is its own until it has given it up."""
        return self.value.assigned + self.value.revoking


@dataclass
class ConsumerHistory:
    """The records of one group, one after the other."""

    audit: GroupAudit
    known: KnownTopics
    topics: SeenTopics
    subscriptions: dict[str, MemberSubscription] = field(default_factory=dict)
    regexes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    named: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    counts_hold: bool = False
    epoch: int | None = None
    epoch_moment: LogMoment | None = None
    target_epoch: int | None = None
    targets: dict[str, tuple[TopicPartition, ...]] = field(default_factory=dict)
    before: dict[str, tuple[TopicPartition, ...]] | None = None
    members_before: tuple[SeenMember, ...] | None = None
    had: dict[str, _Had] = field(default_factory=dict)
    owners: dict[TopicPartition, set[str]] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    conflicts: set[TopicPartition] = field(default_factory=set)
    homes: set[str] = field(default_factory=set)
    topics_changed: bool = False
    migrated: bool = False
    last: LogMoment | None = None
    judged_epoch: int | None = None
    inferred: set[LogMoment] = field(default_factory=set)

    @classmethod
    def of(cls, group: str, known: KnownTopics) -> ConsumerHistory:
        """A group of which nothing is known yet."""
        return cls(GroupAudit(group, GroupProtocol.CONSUMER), known, SeenTopics(known.counts))

    def take(self, record: GroupRecord, moment: LogMoment, log: LogContinuity) -> AuditedRebalance | None:
        """The rebalance whose target the record completes, None where it completes none."""
        self.last = moment
        value, part = record.value, record.part
        if record.type is RecordType.SUBSCRIPTION:
            self._subscribe(part, value if isinstance(value, MemberSubscription) else None, log)
        elif record.type is RecordType.REGEX:
            self.regexes.pop(part, None)
            if isinstance(value, ResolvedRegex):
                self.regexes[part] = value.topics
        elif record.type is RecordType.PARTITION_COUNTS:
            self.topics_changed = True
            self.counts_hold = isinstance(value, NamedTopics)
            if isinstance(value, NamedTopics):
                self.named = value.topics
        elif record.type is RecordType.GROUP_EPOCH:
            self.epoch = value.epoch if isinstance(value, GroupEpoch) else None
            self.epoch_moment = moment
            if value is None:
                self._end()
        elif record.type is RecordType.TARGET:
            self.targets.pop(part, None)
            if isinstance(value, TargetPartitions):
                self.targets[part] = value.partitions
        elif record.type is RecordType.CURRENT:
            self._own(part, value if isinstance(value, CurrentPartitions) else None, moment)
        elif record.type is RecordType.TARGET_EPOCH and isinstance(value, TargetEpoch):
            self.target_epoch = value.epoch
            return self._rebalance(moment, log)
        return None

    def end_batch(self, log: LogContinuity) -> None:
        """What the coordinator decided at once is complete: two owners are looked for, and rest."""
        if self.touched:
            self.audit.note(self._double_owners(log))
            self.touched.clear()
            self._rest()

    def finish(self, log: LogContinuity) -> AuditedRebalance | None:
        """The last target as it stands at the end of a log that is compacted, if it is not judged yet."""
        if log.is_torn:
            self.audit.withdraw(self.inferred, f"{_COMPACTED}, and offsets are missing behind it")
        if self.target_epoch is None or self.judged_epoch == self.target_epoch or self.last is None:
            return None
        if log.begins_late or log.is_torn or log.unbroken_from is None:
            self.audit.gaps.append(f"epoch {self.target_epoch}: {_COMPACTED}, and not all of the log is here")
            return None
        self.before = None
        return self._judged(self.last, (), f"{_COMPACTED}: judged as it stands at the end of the log")

    def _rebalance(self, moment: LogMoment, log: LogContinuity) -> AuditedRebalance | None:
        """The target that is complete now, judged where the log is whole."""
        members = tuple(_seen(*item) for item in self.subscriptions.items())
        if not log.is_whole:
            self.before = self.members_before = None
            return None
        rebalance = self._judged(moment, self._causes(members), None)
        if log.is_inferred:
            self.inferred.add(moment)
        self.before, self.members_before = dict(self.targets), members
        self.topics_changed = self.migrated = False
        return rebalance

    def _judged(
        self, moment: LogMoment, why: tuple[RebalanceCause, ...], gap: str | None
    ) -> AuditedRebalance:
        assert self.target_epoch is not None
        self.judged_epoch = self.target_epoch
        assignor = self._assignor()
        given = {member: self._named(tps) for member, tps in self.targets.items()}
        names, step, why_not = self._names_known(), None, None
        if any(tps and member not in self.subscriptions for member, tps in given.items()):
            why_not = "it has targets of members whose own records are not there"
        elif not self.subscriptions:
            why_not = "the group is empty"
        elif self.migrated:
            why_not = "its target was taken over from the classic protocol"
        else:
            step = self._step(given, names)
            why_not = None if step else "it has more partitions than a topic can be believed to have"
        judged = Judgement((), (), None)
        if step is not None:
            if self.epoch == self.target_epoch and (names or step.group.equal_subscriptions):
                outcome = step
                judged = judgement(
                    Kind.SERVER, assignor, step, outcome, moment, owners_known=self.before is not None
                )
            else:
                judged = only_owners(Kind.SERVER, assignor, step, moment)
        return AuditedRebalance(
            self.target_epoch,
            moment,
            assignor,
            len(self.subscriptions),
            sum(map(len, given.values())),
            0,
            why,
            judged.measured,
            judged.judged,
            why_not,
            gap,
            judged.findings,
        )

    def _step(self, given: Mapping[str, tuple[TopicPartition, ...]], names: bool) -> Step | None:
        exact = dict(self.named.values()) if names and self.counts_hold else {}
        read = {member: self._reads(each) for member, each in self.subscriptions.items()}
        if not names:
            # Nobody says what the topic ids are called, but who reads the same reads all that is given out.
            ids = tuple(sorted({tp.topic for tps in given.values() for tp in tps}))
            together = len({frozenset(topics) for topics in read.values()}) == 1
            read = {member: ids if together else (*topics, *ids) for member, topics in read.items()}
        exact = {name: n for name, n in exact.items() if any(name in topics for topics in read.values())}
        cluster = self.topics.cluster((tp for tps in given.values() for tp in tps), (), exact)
        if cluster is None:
            return None
        had = {member: self._named(tps) for member, tps in (self.before or {}).items()}
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
        """Whether each topic id that is given out has a name, and each regular expression its topics."""
        ids = {tp.topic for tps in self.targets.values() for tp in tps}
        regexes = {each.regex for each in self.subscriptions.values() if each.regex}
        return all(i in self.named or i in self.known.names for i in ids) and regexes <= self.regexes.keys()

    def _named(self, tps: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
        """The partitions by their topics' names, by the ids where there are none."""
        return tuple(TopicPartition(self._name(topic), number) for topic, number in tps)

    def _name(self, topic: str) -> str:
        return self.named[topic][0] if topic in self.named else self.known.names.get(topic, topic)

    def _assignor(self) -> str | None:
        """The assignor that the members ask for, None where they leave it to the cluster or do not agree."""
        asked = Counter(each.assignor for each in self.subscriptions.values() if each.assignor)
        return next(iter(asked)) if len(asked) == 1 else None

    def _subscribe(self, member: str, value: MemberSubscription | None, log: LogContinuity) -> None:
        old = self.subscriptions.pop(member, None)
        if value is None:
            return
        self.subscriptions[member] = value
        at = home(value.instance_id, value.client_id, value.client_host)
        if old is None and log.is_whole and at in self.homes:
            self.audit.returns[at] += 1
        self.homes.add(at)

    def _causes(self, members: tuple[SeenMember, ...]) -> tuple[RebalanceCause, ...]:
        if self.migrated:
            return (RebalanceCause(CauseWord.MIGRATED),)
        if self.members_before is None:
            return ()
        if not self.members_before:
            return (RebalanceCause(CauseWord.BEGAN, tuple(sorted(each.home for each in members))),)
        why = causes(self.members_before, members)
        why += (RebalanceCause(CauseWord.TOPICS),) if self.topics_changed else ()
        return why or (RebalanceCause(CauseWord.UNSEEN),)

    def _own(self, member: str, value: CurrentPartitions | None, moment: LogMoment) -> None:
        self.touched.add(member)
        old = self.had.pop(member, None)
        for tp in old.partitions if old else ():
            owners = self.owners.get(tp, set())
            owners.discard(member)
            if not owners:
                self.owners.pop(tp, None)
        if value is not None:
            new = self.had[member] = _Had(value, moment)
            for tp in new.partitions:
                self.owners.setdefault(tp, set()).add(member)

    def _double_owners(self, log: LogContinuity) -> Iterator[AuditFinding]:
        """Partitions that two members have at once, both by records between which no offset is missing."""
        self.conflicts = {tp for tp in self.conflicts if len(self.owners.get(tp, ())) > 1}
        by_pair: dict[tuple[str, str], list[TopicPartition]] = {}
        for member in sorted(self.touched & self.had.keys()):
            for tp in self.had[member].partitions:
                others = self.owners[tp] - {member}
                sure = {each for each in others if self._is_sure(each, log)}
                if sure and tp not in self.conflicts and self._is_sure(member, log):
                    self.conflicts.add(tp)
                    by_pair.setdefault((member, min(sure)), []).append(tp)
        for (member, other), tps in by_pair.items():
            here, there = self.had[member], self.had[other]
            shown = ", ".join(map(str, self._named(sorted(tps)[:3]))) + (", ..." if len(tps) > 3 else "")
            yield AuditFinding(
                "single-owner",
                f"{shown}: owned by {member} (epoch {here.value.epoch}) while {other} still has it "
                f"(epoch {there.value.epoch}, offset {there.moment.offset})",
                here.value.epoch,
                here.moment,
            )

    def _is_sure(self, member: str, log: LogContinuity) -> bool:
        """Whether no offset is missing since the record of what the member has."""
        offset = self.had[member].moment.offset
        return offset is not None and log.unbroken_from is not None and offset >= log.unbroken_from

    def _rest(self) -> None:
        """Note how long the last rebalance took, once every member has what it is to have."""
        last = self.audit.rebalances[-1] if self.audit.rebalances else None
        begin, end = self.epoch_moment, self.last
        if (
            last is None
            or last.unrest_ms is not None
            or last.generation != self.epoch
            or begin is None
            or end is None
        ):
            return
        at_rest = self.had.keys() == self.subscriptions.keys() and all(
            each.value.epoch == self.epoch and each.value.state == _AT_REST for each in self.had.values()
        )
        if at_rest and begin.timestamp is not None and end.timestamp is not None:
            self.audit.settle(end.timestamp - begin.timestamp)

    def _end(self) -> None:
        """The group is deleted."""
        self.before = self.members_before = self.target_epoch = None
        self.named, self.regexes = {}, {}


def _seen(member_id: str, value: MemberSubscription) -> SeenMember:
    at = home(value.instance_id, value.client_id, value.client_host)
    return SeenMember(member_id, value.instance_id, at, frozenset((*value.topics, value.regex or "")))
