"""Validity: the rules for any assignor of a consumer group, whatever else it declares."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from operator import attrgetter

from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS, GROUPS, SERVER, SHARE
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.answers import Difference, shown_lists
from kassay.properties.registry import Evidence, Scope, always, claim
from kassay.writing.text import counted, series


@claim(
    "members",
    kinds=CLIENT,
    validity=True,
    breakable=always,
    source="ConsumerPartitionAssignor.assign",
    fix=(
        "make an entry for each member of the request, an empty list for one that gets "
        "nothing, and no other entry"
    ),
)
def members(step: Step) -> Iterator[Evidence]:
    """The answer has an entry for each member and no other."""
    wanted, got = step.group.by_id.keys(), step.given.keys()
    if wanted == got:
        return
    for member_id in sorted(wanted - got):
        yield Evidence(member_id, {"entry": "missing"}, f"The answer has no entry for member {member_id}.")
    for member_id in sorted(got - wanted):
        yield _stranger(member_id)


def _stranger(member_id: str) -> Evidence:
    words = f"The answer has an entry for {member_id}, which is not a member of the group."
    return Evidence(member_id, {"entry": "of no member"}, words)


@claim(
    "members",
    kinds=(SERVER, SHARE),
    validity=True,
    breakable=always,
    source="KIP-848: PartitionAssignor",
    fix="name only members of the request",
)
def known_members(step: Step) -> Iterator[Evidence]:
    """The answer names only members of the group; one without an entry gets nothing."""
    for member_id in sorted(step.given.keys() - step.group.by_id.keys()):
        yield _stranger(member_id)


_is_read = attrgetter("is_read")


@claim(
    "single-owner",
    kinds=CONSUMER_GROUPS,
    validity=True,
    breakable=_is_read,
    source="KIP-429",
    fix=(
        "assign each partition to one member alone: remove it from the list of free ones once it is assigned"
    ),
)
def single_owner(step: Step) -> Iterator[Evidence]:
    """No partition is assigned twice."""
    given = step.given
    if step.facts.is_given_once:
        return
    owners: dict[TopicPartition, list[str]] = {}
    for member_id, tps in given.items():
        for tp in tps:
            owners.setdefault(tp, []).append(member_id)
    for tp, ids in sorted(owners.items()):
        if len(ids) > 1:
            to = series(sorted(set(ids))) if len(set(ids)) > 1 else f"{ids[0]} more than once"
            yield Evidence(str(tp), {"owners": tuple(sorted(ids))}, f"{tp} was assigned to {to}.")


@claim(
    "single-owner",
    kinds=SHARE,
    validity=True,
    breakable=_is_read,
    source="KIP-932",
    fix="list each partition once for a member",
)
def given_once(step: Step) -> Iterator[Evidence]:
    """No partition is assigned twice to one member."""
    for member_id, tps in sorted(step.given.items()):
        for tp in sorted({tp for tp in tps if tps.count(tp) > 1}) if len(set(tps)) < len(tps) else ():
            words = f"{tp} was assigned to {member_id} more than once."
            yield Evidence(str(tp), {"twice to": member_id}, words)


def _reads_something(step: Step) -> bool:
    """Whether a member could get a missing partition of a topic that it reads."""
    return bool(step.group.subscribers)


@claim(
    "exists",
    kinds=GROUPS,
    validity=True,
    breakable=_reads_something,
    source="Kafka metadata",
    fix=(
        "take topics and partition numbers from the metadata (0 to count - 1), not from "
        "subscriptions or owned partitions"
    ),
)
def exists(step: Step) -> Iterator[Evidence]:
    """Every assigned partition exists: its topic is in the metadata, and 0 <= number < count."""
    if step.facts.is_of_read_topics or step.given_out <= step.cluster.everything:
        return
    counts = step.cluster.counts
    for member_id, tps in step.given.items():
        for topic, partition in tps:
            if not 0 <= partition < counts.get(topic, 0):
                why = (
                    f"has {counted(counts[topic], 'partition')}, numbered from 0"
                    if topic in counts
                    else "does not exist"
                )
                yield Evidence(
                    f"{topic}-{partition}",
                    {"assigned to": member_id, "partitions of the topic": counts.get(topic)},
                    f"{member_id} was assigned {topic}-{partition}, but topic {topic} {why}.",
                )


def _has_non_subscriber(step: Step) -> bool:
    """Whether there is a topic that some member does not read."""
    subscribers, all_members = step.group.subscribers, len(step.group.members)
    return any(len(subscribers.get(topic, ())) < all_members for topic in step.cluster.counts)


@claim(
    "subscribed",
    kinds=GROUPS,
    validity=True,
    breakable=_has_non_subscriber,
    source="KIP-54",
    fix="assign a partition only to members whose own subscription names its topic",
)
def subscribed(step: Step) -> Iterator[Evidence]:
    """A member is assigned only partitions of topics that it subscribes to."""
    if step.facts.is_sound:
        return
    by_id = step.group.by_id
    for member_id, tps in step.given.items():
        member = by_id.get(member_id)
        if member is None:
            continue
        topics = member.topics
        for tp in tps:
            if tp[0] not in topics:
                reads = f"only to {series(topics)}" if topics else "to nothing"
                words = f"{member_id} was assigned {tp} but subscribes {reads}."
                yield Evidence(str(tp), {"assigned to": member_id, "which reads": topics}, words)


def _left_out(step: Step) -> list[TopicPartition]:
    """Partitions of known, subscribed topics without an owner in the answer."""
    outcome, partitions = step.facts, step.cluster.partitions
    if not outcome.left:
        return []
    short = sorted(topic for topic, owners in outcome.by_number.items() if None in owners)
    return [tp for topic in short for tp in partitions[topic] if tp not in outcome.owners]


def _must_assign(rebalanced: Rebalanced) -> bool:
    """Whether some round must assign a partition: one with readers and, if cooperative, without an owner."""
    steps = rebalanced.steps
    if steps[0].protocol is RebalanceProtocol.EAGER:
        return steps[0].is_read
    return any(_has_unowned(step) for step in steps)


def _has_unowned(step: Step) -> bool:
    """Whether there is a partition that has readers and no reported owner."""
    subscribers = step.group.subscribers
    owned = step.group.reported_owners.keys()
    return any(
        not owned >= set(partitions)
        for topic, partitions in step.cluster.partitions.items()
        if topic in subscribers
    )


@claim(
    "complete",
    kinds=CONSUMER_GROUPS,
    scope=Scope.REBALANCE,
    validity=True,
    breakable=_must_assign,
    source="KIP-54, KIP-429",
    fix="continue until no partition of a subscribed topic is left over",
)
def complete(rebalanced: Rebalanced) -> Iterator[Evidence]:
    """Every partition of a known topic with a subscriber is assigned.

    In a cooperative round a partition that a member owns may be left out; at the fixpoint none.
    """
    for step in rebalanced.steps:
        if isinstance(step.answer, Failure):
            continue
        lost = _left_out(step)
        if lost and step.protocol is RebalanceProtocol.COOPERATIVE:
            lost = [tp for tp in lost if tp not in step.group.reported_owners]
        for tp in lost:
            readers = step.group.subscribers[tp.topic]
            yield Evidence(str(tp), {"owner": None, "subscribers": readers}, _unassigned(tp, readers))
    for outcome in rebalanced.outcomes:
        if outcome.protocol is RebalanceProtocol.COOPERATIVE:
            for tp in _left_out(outcome):
                words = f"{tp} still has no owner when the group is stable."
                yield Evidence(str(tp), {"owner": None, "stable": True}, words)


def _unassigned(tp: TopicPartition, readers: Collection[str]) -> str:
    subscribe = "subscribes" if len(readers) == 1 else "subscribe"
    return f"{tp} was assigned to no member, although {series(readers)} {subscribe} to {tp.topic}."


def _must_share(rebalanced: Rebalanced) -> bool:
    """Whether some round must assign a partition: an assignable one with readers."""
    return any(step.assignable_of(topic) for step in rebalanced.steps for topic in step.group.subscribers)


@claim(
    "complete",
    kinds=SHARE,
    scope=Scope.REBALANCE,
    validity=True,
    breakable=_must_share,
    source="KIP-932",
    fix="assign every assignable partition to a subscriber of its topic",
)
def shared_out(rebalanced: Rebalanced) -> Iterator[Evidence]:
    """Every assignable partition of a known topic with a subscriber has a member."""
    for step in rebalanced.steps:
        if isinstance(step.answer, Failure):
            continue
        for topic, subscribers in sorted(step.group.subscribers.items()):
            for tp in step.assignable_of(topic):
                if tp not in step.given_out:
                    facts = {"members": (), "subscribers": subscribers}
                    yield Evidence(str(tp), facts, _unassigned(tp, subscribers))


def difference(before: Assignment, then: Assignment) -> Iterator[Difference]:
    """The first member whose partitions differ as a set, or that only the member ids do."""
    if then.same_sets(before):
        return
    for member_id in sorted(before.keys() | then.keys()):
        first, second = sorted(before.get(member_id, ())), sorted(then.get(member_id, ()))
        if first != second:
            yield Difference(member_id, first, second, (f"{member_id} gets", *shown_lists(first, second)))
            return
    ids = sorted(before.keys()), sorted(then.keys())
    yield Difference("the answer", *ids, ("The answer has entries for", *shown_lists(*ids)))


def differences(step: Step, then: Assignment) -> Iterator[Difference]:
    """The differences of a second answer."""
    return difference(step.given, then)
