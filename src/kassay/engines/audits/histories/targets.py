"""Groups assigned by their coordinator (KIP-848 and similar): their state, record by record.

A record describes one member, so a target consists of many records. It is checked where the log is complete,
and otherwise at the end of the log, where the records that the cleaner kept are correct. The coordinator
writes the epoch, then the targets that differ, and last the epoch of the target; a target for an older epoch
may miss members that joined since. Ownership is checked at the end of a batch, because the coordinator writes
the records of one decision in one batch.

Source: KIP-848; Kafka `TargetAssignmentBuilder`, `CurrentAssignmentBuilder`, `GroupMetadataManager`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Self

from kassay.engines.audits.continuity import LogContinuity
from kassay.engines.audits.judging import Judgement, SeenMember, causes, home, of_racks
from kassay.engines.audits.readers import PartitionReaders
from kassay.engines.audits.topics import KnownTopics, SeenTopics
from kassay.engines.audits.values import (
    AuditedRebalance,
    AuditFinding,
    CauseWord,
    GroupAudit,
    GroupProtocol,
    LogMoment,
    RebalanceCause,
)
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.offsets.values import (
    CurrentPartitions,
    GroupEpoch,
    GroupRecord,
    MemberSubscription,
    RecordRole,
    TargetEpoch,
    TargetPartitions,
)

_COMPACTED = "its records are compacted"
_LEFT_FOR_NOW: Final = -2
"""The epoch of a static member that has left and may return (KIP-848)."""
RESTLESS: Final = 3
"""The fewest epochs in a row without a cause that say that a group does not come to rest."""
_ANY_MEMBER: Final = ""
"""The reader of a partition that several members of a share group read."""
_BEFORE = "the target before it is not known"


@dataclass(frozen=True)
class HeldPartitions:
    """The partitions of a member, and the record that shows them."""

    value: CurrentPartitions
    moment: LogMoment

    @property
    def partitions(self) -> tuple[TopicPartition, ...]:
        """All partitions that are the member's until it has revoked them."""
        return self.value.assigned + self.value.revoking

    @property
    def read(self) -> tuple[TopicPartition, ...]:
        """Those that the member reads: none while a static member is away."""
        return () if self.value.epoch == _LEFT_FOR_NOW else self.partitions


@dataclass
class TargetHistory(ABC):
    """The records of one group, in order; subclasses define the target of their protocol.

    `taken_over`: members of the classic group that it was. `instances`: the last member id of each static
    member; `replaced`: new ids of the static members that returned since the last target, by their old ones.
    `changed`: a record since the last epoch may cause another; `restless`: epochs in a row without a cause.
    `fresh`: no target was before, so that nothing was owned. `counts`: the partitions assigned of each topic,
    `counts_before` those of the target before.
    """

    protocol: ClassVar[GroupProtocol]
    at_rest: ClassVar[int] = 0
    """The state of a member that has its target assignment."""
    shares: ClassVar[bool] = False
    """Whether a partition may have several members."""

    audit: GroupAudit
    known: KnownTopics
    topics: SeenTopics
    subscriptions: dict[str, MemberSubscription] = field(default_factory=dict)
    epoch: int | None = None
    first_epoch: int | None = None
    epoch_moment: LogMoment | None = None
    target_epoch: int | None = None
    targets: dict[str, TargetPartitions] = field(default_factory=dict)
    before: dict[str, TargetPartitions] | None = None
    members_before: tuple[SeenMember, ...] | None = None
    had: dict[str, HeldPartitions] = field(default_factory=dict)
    owners: dict[TopicPartition, set[str]] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    gained: dict[TopicPartition, str] = field(default_factory=dict)
    given_up: set[TopicPartition] = field(default_factory=set)
    readers: PartitionReaders | None = None
    conflicts: set[TopicPartition] = field(default_factory=set)
    homes: set[str] = field(default_factory=set)
    taken_over: set[str] = field(default_factory=set)
    instances: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)
    fresh: bool = False
    changed: bool = False
    metadata_hash: int | None = None
    restless: list[tuple[int, LogMoment]] = field(default_factory=list)
    counts: Mapping[str, int] = field(default_factory=dict)
    counts_before: Mapping[str, int] | None = None
    topics_changed: bool = False
    migrated: bool = False
    last: LogMoment | None = None
    judged_epoch: int | None = None
    inferred: set[LogMoment] = field(default_factory=set)

    @classmethod
    def of(cls, group: str, known: KnownTopics) -> Self:
        """A group without records yet."""
        return cls(GroupAudit(group, cls.protocol), known, SeenTopics(known.counts))

    @abstractmethod
    def learn(self, record: GroupRecord) -> None:
        """Learn from a record about topics: names and counts, regular expressions, or a topology."""

    @abstractmethod
    def judge(self, moment: LogMoment) -> Judgement | str:
        """The checked complete target, or why no claim applies to it."""

    @abstractmethod
    def assignor(self) -> str | None:
        """The assignor that computed the target; None if the records do not contain it."""

    @abstractmethod
    def forget_topics(self) -> None:
        """Forget the topics of a deleted group."""

    def seen(self, member_id: str, value: MemberSubscription) -> SeenMember:
        """The member as the causes identify it."""
        at = home(value.instance_id, value.client_id, value.client_host)
        return SeenMember(member_id, value.instance_id, at, frozenset((*value.topics, value.regex or "")))

    def named(self, tps: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
        """The partitions by their topics' names."""
        return tuple(tps)

    def take(self, record: GroupRecord, moment: LogMoment, log: LogContinuity) -> AuditedRebalance | None:
        """The rebalance whose target the record completes; None if it completes none."""
        self.last = moment
        value, part, role = record.value, record.part, record.type.role
        if role is RecordRole.MEMBER:
            self._subscribe(part, value if isinstance(value, MemberSubscription) else None, log)
        elif role is RecordRole.GROUP_EPOCH:
            self._bumped(value if isinstance(value, GroupEpoch) else None, moment)
            self.epoch = value.epoch if isinstance(value, GroupEpoch) else None
            self.epoch_moment = moment
            if self.first_epoch is None:
                self.first_epoch = self.epoch
            if value is None:
                self._end(log)
            self.learn(record)
        elif role is RecordRole.TARGET:
            self.targets.pop(part, None)
            if isinstance(value, TargetPartitions):
                self.targets[part] = value
        elif role is RecordRole.CURRENT:
            self._own(part, value if isinstance(value, CurrentPartitions) else None, moment)
        elif role is RecordRole.TARGET_EPOCH:
            if isinstance(value, TargetEpoch):
                self.target_epoch = value.epoch
                return self._rebalance(moment, log)
        else:
            self.changed = True
            self.learn(record)
        return None

    def end_batch(self, log: LogContinuity) -> None:
        """End of a batch, and so of a decision: check for two owners and for stability."""
        self._keep()
        if self.touched:
            if not self.shares:
                self.audit.note(self._double_owners(log))
            self._read()
            self.touched.clear()
            self._rest()

    def _bumped(self, value: GroupEpoch | None, moment: LogMoment) -> None:
        """A new epoch: whether anything that the records show has caused it."""
        metadata = value.metadata_hash if value is not None else None
        if (
            value is None
            or metadata != self.metadata_hash
            or self.epoch is None
            or value.epoch != self.epoch + 1
        ):
            self.changed = True
        if self.changed:
            self._rests()
        elif value is not None:
            self.restless.append((value.epoch, moment))
        self.changed, self.metadata_hash = False, metadata

    def _rests(self) -> None:
        """Note epochs in a row that nothing has caused, once something does or the log ends."""
        if len(self.restless) >= RESTLESS:
            (first, since), (last, until) = self.restless[0], self.restless[-1]
            took = (
                ""
                if None in (since.timestamp, until.timestamp)
                else (f" in {((until.timestamp or 0) - (since.timestamp or 0)) / 1000:.0f} s")
            )
            message = f"epochs {first} to {last}{took}: no record of a member or of topics has caused them"
            wished = self.wished()
            if wished:
                message += f"; the members ask for {wished}"
            self.audit.note([AuditFinding("converges", message, last, until)])
        self.restless.clear()

    def wished(self) -> str:
        """The assignors that members ask for where they do not agree, in words."""
        return ""

    def notes(self) -> Iterator[str]:
        """What is to be said of the group as it is at the end of the log."""
        yield from of_racks(each.rack for each in self.subscriptions.values())

    def finish(self, log: LogContinuity) -> AuditedRebalance | None:
        """The last target at the end of a compacted log, if it is not checked yet.

        With one run of missing offsets in its middle a log is compacted only if no key occurs twice and the
        group's first epochs are among what is missing; else records are lost.
        """
        self._rests()
        if log.is_torn:
            self.audit.withdraw(self.inferred, f"{_COMPACTED}, and offsets are missing behind it")
        if self.target_epoch is None or self.judged_epoch == self.target_epoch or self.last is None:
            return None
        if log.has_single_gap and not log.is_torn and not (log.is_unique and (self.first_epoch or 0) > 1):
            self.audit.gaps.append(f"epoch {self.target_epoch}: a record that it depends on may be missing")
            return None
        if log.begins_late or log.is_torn or log.unbroken_from is None:
            self.audit.gaps.append(f"epoch {self.target_epoch}: {_COMPACTED}, and not all of the log is here")
            return None
        self.before, self.fresh = None, False
        return self._judged(self.last, (), f"{_COMPACTED}: judged as it stands at the end of the log")

    def _rebalance(self, moment: LogMoment, log: LogContinuity) -> AuditedRebalance | None:
        """The complete target; checked if the log is complete."""
        members = tuple(self.seen(*item) for item in self.subscriptions.items())
        if not log.is_whole:
            self.before = self.members_before = self.counts_before = None
            self.fresh = False
            if self.subscriptions:
                self.audit.lost.append((moment, _COMPACTED))
            return None
        self.counts = _counts(self.targets.values())
        rebalance = self._judged(moment, self._causes(members), None)
        if log.is_inferred:
            self.inferred.add(moment)
        self.before, self.members_before = dict(self.targets), members
        self.counts_before = self.counts
        self.topics_changed = self.migrated = self.fresh = False
        self.replaced.clear()
        return rebalance

    def _judged(
        self, moment: LogMoment, why: tuple[RebalanceCause, ...], gap: str | None
    ) -> AuditedRebalance:
        assert self.target_epoch is not None
        self.judged_epoch = self.target_epoch
        given = {member for member, target in self.targets.items() if target.partitions or target.standby}
        why_not, judged = None, Judgement((), (), None)
        incomplete = not given <= self.subscriptions.keys()
        if incomplete:
            why_not, why = "it has targets of members whose own records are not there", ()
        elif not self.subscriptions:
            why_not = "the group is empty"
        elif self.migrated:
            why_not = "its target was taken over from the classic protocol"
        else:
            outcome = self.judge(moment)
            why_not, judged = (outcome, judged) if isinstance(outcome, str) else (None, outcome)
        unmeasured = gap
        if incomplete:
            unmeasured = gap or why_not
        elif not self.subscriptions:
            unmeasured = None
        elif self.before is not None and (judged.measured is None or judged.measured.moved is None):
            unmeasured = why_not or self.unmeasured()
        elif self.before is None and not (self.fresh or self.migrated):
            unmeasured = gap or _BEFORE
        return AuditedRebalance(
            self.target_epoch,
            moment,
            self.assignor(),
            len(self.subscriptions),
            sum(len(target.partitions) for target in self.targets.values()),
            0,
            why,
            judged.measured,
            judged.judged,
            why_not,
            gap,
            judged.findings,
            unmeasured,
        )

    def unmeasured(self) -> str:
        """Why a target that was checked is not measured."""
        return "its target is of an older epoch: who came since may not be in it"

    def _subscribe(self, member: str, value: MemberSubscription | None, log: LogContinuity) -> None:
        old = self.subscriptions.pop(member, None)
        self.changed = self.changed or old != value
        if value is None:
            return
        self.subscriptions[member] = value
        seen = self.seen(member, value)
        former = self._former(seen)
        if former is not None:
            self._replace(former, seen)
        elif old is None and log.is_whole and member not in self.taken_over and self._returns(seen):
            self.audit.returns[seen.home] += 1
        self.taken_over.discard(member)
        self.homes.add(seen.home)

    def _former(self, seen: SeenMember) -> str | None:
        """The id of the static member that this one replaces, if it was in the last target's group."""
        if seen.instance_id is None:
            return None
        former = self.instances.get(seen.instance_id)
        self.instances[seen.instance_id] = seen.member_id
        there = any(each.member_id == former for each in self.members_before or ())
        return former if there and former != seen.member_id else None

    def _replace(self, former: str, seen: SeenMember) -> None:
        """A static member returned under a new id: what it had is its own still (KIP-345)."""
        self.replaced[former] = seen.member_id
        if self.before is not None and former in self.before:
            self.before[seen.member_id] = self.before.pop(former)

    def _keep(self) -> None:
        """Static members that were replaced without a new epoch have returned without a rebalance."""
        if not self.replaced or self.epoch != self.target_epoch or self.members_before is None:
            return
        self.audit.kept += len(self.replaced)
        back = {old: new for old, new in self.replaced.items() if new in self.subscriptions}
        self.members_before = tuple(
            self.seen(back[each.member_id], self.subscriptions[back[each.member_id]])
            if each.member_id in back
            else each
            for each in self.members_before
        )
        self.replaced.clear()

    def _returns(self, seen: SeenMember) -> bool:
        """Whether the new member is one that was there before, and is not there under another id."""
        present = (self.seen(*each) for each in self.subscriptions.items() if each[0] != seen.member_id)
        return seen.home in self.homes and all(each.home != seen.home for each in present)

    def _causes(self, members: tuple[SeenMember, ...]) -> tuple[RebalanceCause, ...]:
        if self.migrated:
            return (RebalanceCause(CauseWord.MIGRATED),)
        if self.members_before is None:
            return ()
        if not self.members_before:
            return (RebalanceCause(CauseWord.BEGAN, tuple(sorted(each.home for each in members))),)
        why = causes(self.members_before, members)
        changed = self._topics_changed()
        why += (RebalanceCause(CauseWord.TOPICS, changed),) if changed or self.topics_changed else ()
        return why or (RebalanceCause(CauseWord.UNSEEN),)

    def _topics_changed(self) -> tuple[str, ...]:
        """Topics of which more partitions are assigned than before, as where a topic grew."""
        before = self.counts_before or {}
        grown = {topic for topic, count in self.counts.items() if 0 < before.get(topic, 0) < count}
        return tuple(sorted(tp.topic for tp in self.named(TopicPartition(topic, 0) for topic in grown)))

    def _own(self, member: str, value: CurrentPartitions | None, moment: LogMoment) -> None:
        self.touched.add(member)
        old = self.had.pop(member, None)
        read = {*old.read} if old else set()
        reads = {*value.assigned, *value.revoking} if value and value.epoch != _LEFT_FOR_NOW else set()
        self.given_up |= read - reads
        self.gained.update(dict.fromkeys(reads - read, member))
        for tp in old.partitions if old else ():
            owners = self.owners.get(tp, set())
            owners.discard(member)
            if not owners:
                self.owners.pop(tp, None)
        if value is not None:
            new = self.had[member] = HeldPartitions(value, moment)
            for tp in new.partitions:
                self.owners.setdefault(tp, set()).add(member)

    def _read(self) -> None:
        """Follow who reads what from the end of this batch on."""
        readers, last = self.readers, self.last
        if readers is not None and last is not None:
            if not self.subscriptions:
                readers.forget()
            else:
                readers.name_topics(self.named)
                gained = dict(zip(self.named(self.gained), self.gained.values()))
                if self.shares:
                    gained = dict.fromkeys(gained, _ANY_MEMBER)
                given_up = (tp for tp in self.given_up if not self._is_read(tp))
                readers.release(set(self.named(given_up)) - gained.keys(), last)
                unread = readers.assign(gained, self.subscriptions, last, self.epoch or 0, None)
                self.audit.without_reader += unread
        self.gained.clear()
        self.given_up.clear()

    def _is_read(self, tp: TopicPartition) -> bool:
        """Whether another member of a share group still reads the partition."""
        return self.shares and any(tp in self.had[each].read for each in self.owners.get(tp, ()))

    def _double_owners(self, log: LogContinuity) -> Iterator[AuditFinding]:
        """Partitions that two members own at once, by records between which no offset is missing."""
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
            shown = ", ".join(map(str, self.named(sorted(tps)[:3]))) + (", ..." if len(tps) > 3 else "")
            yield AuditFinding(
                "single-owner",
                f"{shown}: owned by {member} (epoch {here.value.epoch}) while {other} still has it "
                f"(epoch {there.value.epoch}, offset {there.moment.offset})",
                here.value.epoch,
                here.moment,
            )

    def _is_sure(self, member: str, log: LogContinuity) -> bool:
        """Whether no offset is missing since the record of the member's partitions."""
        offset = self.had[member].moment.offset
        return offset is not None and log.unbroken_from is not None and offset >= log.unbroken_from

    def _rest(self) -> None:
        """Record how long the last rebalance took, once every member has its target."""
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
        rested = self.had.keys() == self.subscriptions.keys() and all(
            each.value.epoch == self.epoch and each.value.state == self.at_rest for each in self.had.values()
        )
        if rested and begin.timestamp is not None and end.timestamp is not None:
            self.audit.settle(end.timestamp - begin.timestamp)

    def _end(self, log: LogContinuity) -> None:
        """The group was deleted: the next one of its name begins with nothing."""
        self.before = self.counts_before = self.target_epoch = None
        self.fresh = log.is_whole
        self.members_before = () if log.is_whole else None
        self.replaced.clear()
        self.instances.clear()
        self.forget_topics()


def _counts(targets: Iterable[TargetPartitions]) -> dict[str, int]:
    """The partitions of each topic, by the highest number that is assigned."""
    counts: dict[str, int] = {}
    for target in targets:
        for topic, number in target.partitions:
            counts[topic] = max(counts.get(topic, 0), number + 1)
    return counts
