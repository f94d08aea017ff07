"""Share groups and Streams groups: who has what today, and what their own rules would do.

A share group is assigned by Kafka's `simple` rule: several members may have one partition and share its
records, so there is no owner to move, and what counts is how many members share each partition. The tasks of
a Streams group are assigned by `sticky`. The tools print neither subscriptions nor the topology, so an
answer says what it assumes, and what would be needed. Source: `SimpleAssignor` and `StickyTaskAssignor`, by
kassay's references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.assignors.groups.server.share_simple import ShareSimple
from kassay.assignors.groups.server.share_simple_4_2 import ShareEvenly
from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.engines.clusters.events import parse_events
from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.observed import Consumer, ObservedGroup
from kassay.engines.clusters.scale import with_members
from kassay.engines.clusters.stability import Stability
from kassay.model.cluster import Cluster, Topic, TopicPartition, numbers_by_topic
from kassay.model.errors import InputError, KafkaError
from kassay.model.groups.group import Group, Member
from kassay.model.groups.history import AddPartitions, Event, Join, Leave, Rebalance
from kassay.model.java import hash_map_order
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember, Subtopology
from kassay.reading.documents import shown, suggestion
from kassay.reading.kafka.other_groups import (
    ACTIVE,
    SHARE,
    STANDBY,
    TOOLS,
    WARMUP,
    OtherGroup,
    OtherMember,
    merged,
)
from kassay.writing.text import counted

SCHEMA: Final = "kassay/other-group/1"
Held = Mapping[str, tuple[TopicPartition, ...]]


@dataclass(frozen=True)
class SharedOrStreams:
    """A share group or a Streams group that was selected, as members and topics (or subtopologies).

    `standby`: the standby tasks of each thread; `processes`: the process of each thread. `release` is that of
    the rule.
    """

    group: OtherGroup
    observed: ObservedGroup
    standby: Held
    processes: Mapping[str, str]
    release: str

    @property
    def is_share(self) -> bool:
        """Whether it is a share group."""
        return self.group.kind == SHARE

    @property
    def rule(self) -> str:
        """The name of the rule, with the release."""
        return f"{'simple' if self.is_share else 'sticky'} of {self.release}"


@dataclass(frozen=True)
class OtherStep:
    """The group after an event: loads of members, members of partitions, and what was taken from members.

    `taken` counts partitions (or active tasks) that a member who stays has lost; `failure` is Kafka's own
    error.
    """

    text: str
    members: int
    least: int
    most: int
    idle: int
    shared_least: int
    shared_most: int
    unread: int
    taken: int
    standby: int
    failure: str | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the step."""
        return {
            "step": self.text,
            "members": self.members,
            "least": self.least,
            "most": self.most,
            "idle": self.idle,
            "members_a_partition": [self.shared_least, self.shared_most],
            "unread": self.unread,
            "taken": self.taken,
            "standby": self.standby,
            "failure": self.failure,
        }


@dataclass(frozen=True)
class OtherAnswer:
    """The answer about a share group or a Streams group: today, and each step.

    `alarm`: that the rule would not leave the group as it is, so that facts are missing.
    """

    subject: SharedOrStreams
    today: OtherStep
    steps: tuple[OtherStep, ...]
    alarm: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the rule gave no assignment at some step."""
        return any(step.failure is not None for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        """The document of `kassay what-if --json` and `kassay scale --json` for such a group."""
        observed = self.subject.observed
        return {
            "schema": SCHEMA,
            "group": observed.name,
            "kind": self.subject.group.kind,
            "rule": self.subject.rule,
            "state": self.subject.group.state,
            "alarm": self.alarm,
            "warnings": list(observed.warnings),
            "assumptions": list(observed.assumptions),
            "not_shown": list(observed.gaps),
            "cleaned": list(observed.cleaned),
            "today": self.today.to_json(),
            "steps": [step.to_json() for step in self.steps],
        }


def select_other(inputs: ClusterInputs, name: str | None) -> SharedOrStreams | None:
    """The share or Streams group of this name, or the only group; None if it is a consumer group."""
    others = merged(inputs.others)
    if not others or name in inputs.group_names or (name is None and inputs.group_names):
        return None
    if name is None and len(others) > 1:
        raise InputError(f"{len(others)} groups ({', '.join(map(shown, others))}): expected --group with one")
    chosen = next(iter(others)) if name is None else name
    if chosen not in others:
        raise InputError(f"--group: there is no group {shown(chosen)}{suggestion(chosen, others)}")
    return _subject(inputs, others[chosen])


def _subject(inputs: ClusterInputs, group: OtherGroup) -> SharedOrStreams:
    tool = TOOLS[group.kind]
    if not group.members:
        if group.state in ("Empty", "Dead") or group.counted == 0:
            raise InputError(
                f"group {shown(group.name)}: has no members, expected a group with active members"
            )
        raise InputError(
            f"group {shown(group.name)}: no output has its members, expected {tool} --describe --group "
            f"{group.name} --members as well"
        )
    owned = {row.member: tuple(TopicPartition(*tp) for tp in row.of(ACTIVE)) for row in group.members}
    is_share = group.kind == SHARE
    members = tuple(
        Member(row.member, _topics(inputs, group, owned, row.member), tuple(sorted(owned[row.member])), 1)
        for row in _in_order(group)
    )
    counts = _counts(inputs, group, owned)
    read = {topic for member in members for topic in member.topics}
    cluster = Cluster(tuple(Topic(name, counts[name]) for name in sorted(counts) if name in read))
    standby = {
        row.member: tuple(TopicPartition(*tp) for tp in (*row.of(STANDBY), *row.of(WARMUP)))
        for row in group.members
    }
    warnings = list(_warnings(group))
    observed = ObservedGroup(
        group.name,
        cluster,
        Group(members, None),
        tuple(Consumer(row.member, row.client_id, row.host) for row in _in_order(group)),
        group.assignor or ("simple" if is_share else "sticky"),
        True,
        tuple(warnings),
        tuple(_assumptions(inputs, group, standby)),
        Stability(group.state, (), None, (), ()),
        tuple(_gaps(group)),
        cleaned=tuple(inputs.cleaned),
    )
    first = any(row.is_first_form for row in group.members)
    release = ("4.0" if first else "4.2 to 4.4") if is_share else "4.4"
    return SharedOrStreams(
        group, observed, standby, {row.member: row.process or row.member for row in group.members}, release
    )


def _in_order(group: OtherGroup) -> list[OtherMember]:
    """The members in the order of the coordinator's hash map, on which the rules depend."""
    rows = {row.member: row for row in group.members}
    return [rows[member] for member in hash_map_order(rows)]


def _topics(inputs: ClusterInputs, group: OtherGroup, owned: Held, member: str) -> tuple[str, ...]:
    """What the member subscribes to, as far as it is known: in a Streams group all read the same."""
    everything = sorted({tp.topic for tps in owned.values() for tp in tps})
    said = {name: each.values for each in inputs.subscriptions for name in (each.consumer,)}
    row = next(each for each in group.members if each.member == member)
    for name in (member, row.client_id, row.host):
        if group.kind == SHARE and name in said:
            return tuple(sorted(said[name]))
    own = sorted({tp.topic for tp in owned[member]})
    return tuple(own if group.kind == SHARE and own else everything)


def _counts(inputs: ClusterInputs, group: OtherGroup, owned: Held) -> dict[str, int]:
    """The partitions of each topic, or the tasks of each subtopology."""
    tps = {tp for each in owned.values() for tp in each}
    if group.kind == SHARE:
        tps |= {TopicPartition(*tp) for tp in group.lags or ()}
    seen = {topic: max(numbers) + 1 for topic, numbers in numbers_by_topic(tps).items()}
    if group.kind == SHARE:
        for said in inputs.subscriptions:
            for topic in said.values:
                if topic not in seen and topic not in (inputs.topics or {}):
                    raise said.place.wrong("topics", topic, f"a topic of the group{suggestion(topic, seen)}")
        for name, known in (inputs.topics or {}).items():
            seen[name] = max(known.partitions, seen.get(name, 0))
    return seen


def _warnings(group: OtherGroup) -> Iterator[str]:
    if group.state not in (None, "Stable"):
        yield f"the state is {group.state}: what members have now is on the way to something else"
    if group.counted is not None and group.counted != len(group.members):
        yield (
            f"the state counts {counted(group.counted, 'member')}, the rows show {len(group.members)}: "
            "outputs of different times?"
        )
    for row in group.members:
        target = row.tasks.get(f"TARGET-{ACTIVE}")
        if target is not None and set(target) != set(row.of(ACTIVE)):
            yield f"{row.client_id or row.member} has not reached its target assignment"


def _assumptions(inputs: ClusterInputs, group: OtherGroup, standby: Held) -> Iterator[str]:
    if group.kind == SHARE:
        if not inputs.subscriptions:
            yield (
                "each member subscribes to the topics of its partitions, or to all if it has none; "
                "override with a consumer,topics file"
            )
        if inputs.topics is None:
            yield "topics have the partitions that the group shows: no kafka-topics output"
        return
    replicas = _replicas(standby)
    yield (
        "a subtopology has the tasks that are active now, and state if it has standby or warm-up tasks now "
        f"({counted(replicas, 'standby copy')} of each)"
        if replicas
        else "a subtopology has the tasks that are active now, and no state, since no standby task is shown"
    )
    yield "a thread that joins is a process of its own, without state on its disk"


def _gaps(group: OtherGroup) -> Iterator[str]:
    if group.kind != SHARE:
        yield (
            "the topology (subtopologies, their topics, state stores, num.standby.replicas): no tool of "
            "Kafka prints it; the application's Topology#describe does"
        )


def _replicas(standby: Held) -> int:
    """The number of standby copies of a task."""
    return max(Counter(tp for tps in standby.values() for tp in tps).values(), default=0)


def assign_by_rule(subject: SharedOrStreams, observed: ObservedGroup) -> tuple[Held, Held]:
    """What the group's rule assigns: partitions or active tasks, and standby tasks; raises `KafkaError`."""
    if subject.is_share:
        rule = ShareSimple() if subject.release == "4.0" else ShareEvenly()
        answer = rule.assign(observed.cluster, observed.group)
        return {each: tuple(answer.get(each, ())) for each in observed.group.ids}, {}
    stateful = {tp.topic for tps in subject.standby.values() for tp in tps}
    subtopologies = tuple(
        Subtopology(topic.name, topic.partitions, topic.name in stateful) for topic in observed.cluster.topics
    )
    members = tuple(
        StreamsMember(
            member.member_id,
            subject.processes.get(member.member_id, member.member_id),
            tuple(GroupTask(*tp) for tp in member.owned),
            tuple(GroupTask(*tp) for tp in subject.standby.get(member.member_id, ())),
        )
        for member in observed.group.members
    )
    given = StreamsGroupSticky().assign_group(
        StreamsGroup(subtopologies, members, _replicas(subject.standby))
    )
    ids = observed.group.ids
    active = {each: tuple(TopicPartition(*task) for task in given[each].active) for each in ids}
    return active, {each: tuple(TopicPartition(*task) for task in given[each].standby) for each in ids}


def _step(text: str, observed: ObservedGroup, before: Held, after: Held, standby: Held) -> OtherStep:
    """The figures of an assignment that follows another."""
    loads = [len(after.get(member, ())) for member in observed.group.ids]
    shared = Counter(tp for tps in after.values() for tp in tps)
    read = observed.group.subscribers
    every = [tp for name, tps in observed.cluster.partitions.items() if name in read for tp in tps]
    counts = [shared.get(tp, 0) for tp in every]
    taken = sum(len(set(before.get(each, ())) - set(after.get(each, ()))) for each in observed.group.ids)
    return OtherStep(
        text,
        len(loads),
        min(loads, default=0),
        max(loads, default=0),
        sum(1 for load in loads if not load),
        min(counts, default=0),
        max(counts, default=0),
        sum(1 for count in counts if not count),
        taken,
        sum(map(len, standby.values())),
    )


def _owned(observed: ObservedGroup) -> Held:
    return {member.member_id: member.owned for member in observed.group.members}


def _today(subject: SharedOrStreams) -> OtherStep:
    held = _owned(subject.observed)
    return _step("today", subject.observed, held, held, subject.standby)


def what_if_other(subject: SharedOrStreams, events: str | None) -> OtherAnswer:
    """Today, the group's rule on it, and each event; raises `InputError` for one that is not played."""
    changes = () if events is None else parse_events(events, subject.observed)
    texts: list[tuple[str, Sequence[Event]]] = [(f"settled under {subject.rule}", ())]
    for each in changes:
        parts = each.one_by_one()
        several = len(parts) > 1
        texts += [
            (f"{each.text} ({number} of {len(parts)})" if several else each.text, part)
            for number, part in enumerate(parts, start=1)
        ]
    steps: list[OtherStep] = []
    observed = subject.observed
    for text, part in texts:
        observed = _changed(observed, part)
        observed, subject, step = _played(text, subject, observed)
        steps.append(step)
        if step.failure is not None:
            break
    return OtherAnswer(subject, _today(subject), tuple(steps), _alarm(subject))


def _alarm(subject: SharedOrStreams) -> str | None:
    """That the group's rule would change a stable group: then facts are missing."""
    step = _played("now", subject, subject.observed)[2]
    if subject.observed.warnings or not (step.taken or step.failure):
        return None
    what = "subscriptions" if subject.is_share else "the topology, or the state on the threads' disks"
    things = counted(step.taken, "partition" if subject.is_share else "task")
    return f"the rule would take {things} from members of a group at rest: {what} differ from what is assumed"


def _played(
    text: str, subject: SharedOrStreams, observed: ObservedGroup
) -> tuple[ObservedGroup, SharedOrStreams, OtherStep]:
    """The group after its rule, and the step."""
    before = _owned(observed)
    try:
        after, standby = assign_by_rule(subject, observed)
    except KafkaError as error:
        return observed, subject, replace(_step(text, observed, before, before, {}), failure=str(error))
    step = _step(text, observed, before, after, standby)
    members = tuple(
        member._replace(owned=tuple(sorted(after.get(member.member_id, ()))))
        for member in observed.group.members
    )
    return replace(observed, group=Group(members, None)), subject, step


def _changed(observed: ObservedGroup, part: Sequence[Event]) -> ObservedGroup:
    """The group after the events of one moment; raises `InputError` for one that is not played here."""
    members, topics = list(observed.group.members), {topic.name: topic for topic in observed.cluster.topics}
    for event in part:
        if isinstance(event, Join):
            members.append(event.member)
        elif isinstance(event, Leave):
            members = [member for member in members if member.member_id != event.member_id]
        elif isinstance(event, AddPartitions):
            topics[event.topic] = Topic(event.topic, event.partitions)
        elif not isinstance(event, Rebalance):
            raise InputError("--events: expected leave, join, add-partitions or rebalance for such a group")
    cluster = Cluster(tuple(topics[name] for name in sorted(topics)))
    return replace(observed, cluster=cluster, group=_ordered(members))


def _ordered(members: Sequence[Member]) -> Group:
    """The members in the order of the coordinator's hash map."""
    by_id = {member.member_id: member for member in members}
    return Group(tuple(by_id[member_id] for member_id in hash_map_order(by_id)), None)


def scale_other(subject: SharedOrStreams, most: int) -> OtherAnswer:
    """The group with 1 to `most` members, each count reached from today's in one step."""
    steps = []
    noun = "member" if subject.is_share else "thread"
    for count in range(1, most + 1):
        group = with_members(subject.observed, count)
        observed = replace(group, group=_ordered(group.group.members))
        steps.append(_played(counted(count, noun), subject, observed)[2])
    return OtherAnswer(subject, _today(subject), tuple(steps), _alarm(subject))
