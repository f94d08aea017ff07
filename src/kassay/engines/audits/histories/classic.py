"""Classic groups: a record is a generation, with the leader's input and its answer.

Each record is therefore checked by itself, whatever is missing before it, with two exceptions. A static
member that returns to a stable group is stored under its new id in the same generation, perhaps with another
subscription, without a rebalance. A consumer group that returns to the classic protocol is stored with the
target of its coordinator and without a leader. The partitions that members of an eager group owned are in the
previous record, if it is the previous generation.

Of a key the cleaner leaves at most one record below its cut, so none is missing between two records of a
group: in output without offsets, a generation that is not there is one that its leader never answered.

Source: Kafka `GroupMetadataManager.classicGroupSyncToClassicGroup` and
`updateStaticMemberThenRebalanceOrCompleteJoin`, `ClassicGroup.fromConsumerGroup`; KIP-345, KIP-429, KIP-792.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from kassay.assignors.groups.client.sticky_owned import decode_generation, decode_sticky
from kassay.engines.audits.continuity import LogContinuity
from kassay.engines.audits.judging import (
    SeenMember,
    causes,
    convergence,
    home,
    is_full,
    judgement,
    merged,
    of_racks,
    only_owners,
    protocol_of,
    renamed,
)
from kassay.engines.audits.readers import PartitionReaders
from kassay.engines.audits.topics import KnownTopics, SeenTopics
from kassay.engines.audits.values import (
    AuditedRebalance,
    CauseWord,
    GroupAudit,
    GroupProtocol,
    LogMoment,
    RebalanceCause,
    RebalanceFigures,
)
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import ROUNDS_MAX
from kassay.model.groups.step import Step
from kassay.model.kinds import RebalanceProtocol
from kassay.reading.kafka.offsets.values import ClassicGeneration, GenerationMember

_MAY_BE_LATER = "it has static members, and may be a later record of its generation than the leader's answer"


@dataclass(frozen=True)
class _Before:
    """The last generation read, and the rounds of its rebalance; `given` is None if it could not be read."""

    value: ClassicGeneration
    moment: LogMoment
    members: tuple[SeenMember, ...]
    given: Mapping[str, tuple[TopicPartition, ...]] | None
    step: Step | None = None
    rounds: tuple[Step, ...] = ()
    turn: int = 0
    withheld: bool = False
    since: LogMoment | None = None
    origin: Step | None = None
    """The first round of a rebalance that has withheld partitions since, whatever else happened then."""

    def origin_of(self, after: tuple[SeenMember, ...]) -> Step | None:
        """The first round, with static members by their present ids."""
        back = renamed(self.members, after)
        if self.origin is None or not back:
            return self.origin
        members = tuple(
            each._replace(member_id=back.get(each.member_id, each.member_id))
            for each in self.origin.group.members
        )
        return replace(self.origin, group=Group(members, self.origin.group.leader))


@dataclass
class ClassicHistory:
    """The generations of one group, in order."""

    audit: GroupAudit
    topics: SeenTopics
    homes: set[str] = field(default_factory=set)
    before: _Before | None = None
    migrated: bool = False
    readers: PartitionReaders | None = None
    left_behind: tuple[SeenMember, ...] = ()
    """The members that the group had when it became a consumer group."""

    @classmethod
    def of(cls, group: str, known: KnownTopics) -> ClassicHistory:
        """A group without records yet."""
        return cls(GroupAudit(group, GroupProtocol.CLASSIC), SeenTopics(known.counts))

    def forget(self) -> None:
        """The group was deleted, or continues as a consumer group."""
        self.finish()
        self.left_behind = () if self.before is None else self.before.members
        self.before = None

    def finish(self) -> None:
        """The last record has been read: moves of a rebalance that withholds partitions are not known."""
        if self.before is not None and self.before.withheld and self.audit.rebalances:
            self.audit.leave_open("its last round withholds partitions, and no other follows")

    def notes(self) -> Iterator[str]:
        """What is to be said of the group as it is at the end of the log."""
        members = self.before.value.members if self.before is not None else ()
        yield from of_racks(each.subscription.rack if each.subscription else None for each in members)

    def take(
        self, value: ClassicGeneration, moment: LogMoment, log: LogContinuity
    ) -> AuditedRebalance | None:
        """The rebalance that the record completes; None if it completes none."""
        members = tuple(map(_seen, value.members))
        before, gap = self.before, None
        if before is not None and not _is_unbroken(before.moment, log):
            missing = value.generation - before.value.generation - 1
            if missing > 0:
                gap = f"generations {before.value.generation + 1} to {value.generation - 1} are not there"
        if before is not None and value.generation == before.value.generation and _is_same(before, members):
            back = renamed(before.members, members)
            self.audit.kept += len(back)
            self._go_on(before, value, moment, members, back)
            return None
        if before is not None and value.generation <= before.value.generation:
            gap = f"generation {value.generation} follows generation {before.value.generation}: another life"
        if before is None and value.generation > 1 and log.unbroken_from != 0 and not self.migrated:
            gap = f"what was before generation {value.generation} is not there"
        if gap is None and before is not None:
            self.audit.abandoned += max(0, value.generation - before.value.generation - 1)
        return self._rebalance(value, moment, members, None if gap else before, gap, log)

    def _rebalance(
        self,
        value: ClassicGeneration,
        moment: LogMoment,
        members: tuple[SeenMember, ...],
        before: _Before | None,
        gap: str | None,
        log: LogContinuity,
    ) -> AuditedRebalance:
        why_not = _why_not(value)
        step = None if why_not else self._step(value, before)
        if step is None and not why_not:
            why_not = "it has more partitions than a topic can be believed to have"
        migrated = self.migrated
        why, follows = self._causes(value, members, before, step)
        given = step.given if step is not None else _given(value)
        turn = before.turn + 1 if before is not None and follows else 0
        rounds = before.rounds if before is not None and follows else ()
        full = step is not None and is_full(step)
        if step is not None and turn < ROUNDS_MAX:
            rounds += (step,)
        withheld = step is not None and not full
        self._read(value, before, given, moment, migrated)
        began = before.since if before is not None and follows else moment
        origin = before.origin_of(members) if before is not None else None
        self.before = _Before(
            value,
            moment,
            members,
            given,
            step,
            rounds,
            turn,
            withheld,
            began,
            (origin or step) if withheld else None,
        )
        head = AuditedRebalance(
            value.generation,
            moment,
            value.protocol,
            len(value.members),
            sum(len(tps) for tps in (given or {}).values()),
            turn,
            why,
            gap=gap,
            why_not=why_not,
            unmeasured=gap or (why_not if _moves(value) else None),
            unrest_ms=_lasted(before.since, moment) if before is not None and follows and full else None,
        )
        if step is None:
            return head
        if not self._is_first(value, before, log):
            # A member replaced in a stable group may have another subscription than the leader saw.
            judged = only_owners(CLIENT, value.protocol, step, moment)
            head = replace(head, unmeasured=head.unmeasured or _MAY_BE_LATER)
        else:
            knows = step.protocol is RebalanceProtocol.COOPERATIVE or any(m.owned for m in step.group.members)
            outcome = merged(rounds[0], step) if full else None
            judged = judgement(
                CLIENT, value.protocol, step, outcome, moment, owners_known=knows or before is not None
            )
            if full or turn == ROUNDS_MAX - 1:
                rest = convergence(CLIENT, value.protocol, rounds, moment, at_rest=full)
                judged = judged._replace(
                    judged=judged.judged + rest.judged, findings=judged.findings + rest.findings
                )
        measured = judged.measured
        if measured is not None and outcome is not None and origin is not None:
            measured = _with_interrupted(measured, origin, outcome)
        return replace(head, measured=measured, judged=judged.judged, findings=judged.findings)

    def _read(
        self,
        value: ClassicGeneration,
        before: _Before | None,
        given: Mapping[str, tuple[TopicPartition, ...]] | None,
        moment: LogMoment,
        migrated: bool,
    ) -> None:
        """Follow who reads what from this generation on."""
        readers = self.readers
        if readers is None:
            return
        if not given or (before is None and not migrated):
            readers.forget()
        if before is not None:
            readers.rename(renamed(before.members, map(_seen, value.members)))
        owners = {tp: member for member, tps in (given or {}).items() for tp in tps}
        readers.release(readers.partitions - owners.keys(), moment)
        members = {each.member_id for each in value.members}
        within = _within(before, value)
        self.audit.without_reader += readers.assign(owners, members, moment, value.generation, within)

    def _step(self, value: ClassicGeneration, before: _Before | None) -> Step | None:
        reports = [_reported_by(each, value.protocol) for each in value.members]
        protocol = protocol_of(CLIENT, value.protocol, any(owned for owned, _ in reports))
        eager = protocol is RebalanceProtocol.EAGER
        says_owned = value.protocol == "sticky" and any(owned for owned, _ in reports)
        if eager and not says_owned:
            reports = [((), NO_GENERATION)] * len(reports)
        if eager and not says_owned and before is not None and before.given is not None:
            back = renamed(before.members, map(_seen, value.members))
            had = {back.get(member_id, member_id): tps for member_id, tps in before.given.items()}
            generation = before.value.generation
            reports = [(had.get(each.member_id, ()), generation) for each in value.members]
        given = _given(value) or {}
        latest = max((generation for _, generation in reports), default=NO_GENERATION)
        cluster = self.topics.cluster(
            (tp for tps in given.values() for tp in tps),
            (
                tp
                for each, (owned, generation) in zip(value.members, reports)
                if protocol is RebalanceProtocol.COOPERATIVE and generation == latest and each.subscription
                for tp in owned
                if tp.topic in each.subscription.topics
            ),
            {},
        )
        if cluster is None:
            return None
        members = tuple(
            Member(
                each.member_id,
                tuple(dict.fromkeys(each.subscription.topics)) if each.subscription else (),
                tuple(dict.fromkeys(owned)),
                generation,
                each.subscription.rack if each.subscription else None,
                each.instance_id,
            )
            for each, (owned, generation) in zip(value.members, reports)
        )
        group = Group(members, value.leader)
        return Step(cluster, group, Assignment(given), value.generation, protocol=protocol)

    def _causes(
        self,
        value: ClassicGeneration,
        members: tuple[SeenMember, ...],
        before: _Before | None,
        step: Step | None,
    ) -> tuple[tuple[RebalanceCause, ...], bool]:
        """The causes, and whether the round continues the previous one."""
        if self.migrated:
            self.migrated = False
            return (RebalanceCause(CauseWord.MIGRATED),), False
        homes = {each.home for each in members}
        if before is None:
            self.homes |= homes
            return (), False
        came = homes - {each.home for each in before.members}
        self.audit.returns.update(came & self.homes)
        self.homes |= homes
        why = causes(before.members, members)
        if not before.members:
            return (RebalanceCause(CauseWord.BEGAN, tuple(sorted(homes))),), False
        if value.protocol != before.value.protocol and value.protocol and before.value.protocol:
            why += (RebalanceCause(CauseWord.PROTOCOL, (before.value.protocol, value.protocol)),)
        if not why and before.withheld and step is not None:
            return (RebalanceCause(CauseWord.FOLLOW_UP),), True
        if step is not None and before.step is not None:
            counts, then = before.step.cluster.counts, step.cluster.counts
            grown = sorted(topic for topic in then if topic in counts and then[topic] > counts[topic])
            grown += sorted(counts.keys() ^ then.keys())
            why += (RebalanceCause(CauseWord.TOPICS, tuple(grown)),) if grown else ()
        if not why and value.leader != before.value.leader:
            why += (RebalanceCause(CauseWord.LEADER, (before.value.leader or "-", value.leader or "-")),)
        return why or (RebalanceCause(CauseWord.UNSEEN),), False

    def _is_first(self, value: ClassicGeneration, before: _Before | None, log: LogContinuity) -> bool:
        """Whether the record is certainly the first of its generation, which holds the leader's answer."""
        if not any(each.instance_id for each in value.members):
            return True
        if log.unbroken_from == 0 or log.is_whole:
            return True
        return before is not None and _is_unbroken(before.moment, log)

    def _go_on(
        self,
        before: _Before,
        value: ClassicGeneration,
        moment: LogMoment,
        members: tuple[SeenMember, ...],
        back: Mapping[str, str],
    ) -> None:
        """Continue the same generation with other member ids."""
        given = before.given
        if given is not None:
            given = {back.get(member_id, member_id): tps for member_id, tps in given.items()}
        origin = before.origin_of(members)
        self.before = _Before(
            value,
            moment,
            members,
            given,
            before.step,
            withheld=before.withheld,
            since=before.since,
            origin=origin,
        )


def _seen(member: GenerationMember) -> SeenMember:
    topics = frozenset(member.subscription.topics) if member.subscription else frozenset[str]()
    at = home(member.instance_id, member.client_id, member.client_host)
    return SeenMember(member.member_id, member.instance_id, at, topics)


def _is_unbroken(since: LogMoment, log: LogContinuity) -> bool:
    """Whether no record of the group has been missing since that moment."""
    if since.offset is None:
        return True
    if log.unbroken_from is None:
        return False
    return since.offset >= log.unbroken_from


def _is_same(before: _Before, members: tuple[SeenMember, ...]) -> bool:
    """Whether the members are unchanged, apart from static ones with new ids."""
    back = renamed(before.members, members)
    return {back.get(each.member_id, each.member_id) for each in before.members} == {
        each.member_id for each in members
    }


def _with_interrupted(measured: RebalanceFigures, origin: Step, outcome: Step) -> RebalanceFigures:
    """The figures with the partitions that rounds took away before something else interrupted the rebalance.

    The assignor of the outcome no longer saw who had owned them, so none of these moves is needless.
    """
    if measured.moved is None or measured.least is None:
        return measured
    whole = merged(origin, outcome)
    more = len({*moved(whole.given, whole.previous)} - {*moved(outcome.given, outcome.previous)})
    return measured._replace(moved=measured.moved + more, least=measured.least + more)


def _within(before: _Before | None, value: ClassicGeneration) -> int | None:
    """The milliseconds in which a dead member is replaced: its session, and the wait for the others."""
    sessions = [each.session_ms for each in before.value.members] if before is not None else []
    waits = [each.rebalance_ms for each in value.members]
    if not sessions or not waits or None in sessions or None in waits:
        return None
    return max(each or 0 for each in sessions) + max(each or 0 for each in waits)


def _lasted(since: LogMoment | None, until: LogMoment) -> int | None:
    """The milliseconds between two records; None if one has no time."""
    if since is None or since.timestamp is None or until.timestamp is None:
        return None
    return max(0, until.timestamp - since.timestamp)


def _moves(value: ClassicGeneration) -> bool:
    """Whether the generation can have moved partitions.

    None moves where all members have left, or where the coordinator stores the target of a consumer group as
    the first generation of a classic one, without a leader.
    """
    return bool(value.members) and value.leader is not None


def _why_not(value: ClassicGeneration) -> str | None:
    """Why no claim applies to the generation; None if one does."""
    if value.protocol_type not in ("consumer", ""):
        return f"its members speak {value.protocol_type!r}, not the protocol of consumers"
    if not value.members:
        return "the group is empty"
    if len({each.member_id for each in value.members}) < len(value.members):
        return "two of its members have one id"
    unread = next((each.unread for each in value.members if each.unread), None)
    if unread is not None:
        return f"bytes that do not decode: {unread}"
    if value.leader is None:
        return "it was stored without a leader, when the group left the consumer protocol"
    return None


def _given(value: ClassicGeneration) -> dict[str, tuple[TopicPartition, ...]] | None:
    """The assigned partitions of each member; None if they could not be read."""
    if any(each.assignment is None for each in value.members):
        return None
    return {each.member_id: each.assignment.partitions for each in value.members if each.assignment}


def _reported_by(member: GenerationMember, protocol: str | None) -> tuple[tuple[TopicPartition, ...], int]:
    """The partitions that the member reports as owned, and their generation (KIP-792)."""
    subscription = member.subscription
    if subscription is None:
        return (), NO_GENERATION
    if protocol == "sticky":
        report = decode_sticky(subscription.user_data)
        return report.owned, max(report.generation, NO_GENERATION)
    generation = subscription.generation
    if generation < 0 and protocol == "cooperative-sticky":
        generation = decode_generation(subscription.user_data)
    return subscription.owned, max(generation, NO_GENERATION)
