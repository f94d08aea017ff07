"""The situations of consumer groups, each a predicate over a played rebalance.

All of them are evaluated on every rebalance. So the conditions that exclude most rebalances are evaluated
first, once for all situations `within` them: whether ownership conflicts, and whether members read different
topics.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from kassay.model.calls import Look
from kassay.model.groups.history import AddPartitions, Join, Resubscribe
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS, GROUPS
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.registry import SENDS_NO_GENERATIONS, situation

BALANCE: Final = ("balanced-within-one", "balanced-kip54", "balanced-optimal")
NO_CONFLICT: Final = ("no-conflicting-claims",)
OF_GENERATIONS: Final = (*NO_CONFLICT, SENDS_NO_GENERATIONS)
"""The condition for a situation in which ownership of several generations meets."""
EQUAL: Final = ("equal-subscriptions",)


def _contradicts(rebalanced: Rebalanced) -> bool:
    """Whether the members' reported ownership conflicts."""
    return rebalanced.steps[0].contradictory


def _differ(rebalanced: Rebalanced) -> bool:
    """Whether members read different topics."""
    return not rebalanced.steps[0].group.equal_subscriptions


@situation(
    "skipped-generation",
    kinds=CLIENT,
    required_by=("single-owner", "sticky-minimal", "cooperative"),
    excluded_by=OF_GENERATIONS,
    within=_contradicts,
)
def skipped_generation(rebalanced: Rebalanced) -> bool:
    """A member skipped a generation and returns with its old list."""
    members = rebalanced.steps[0].group.members
    latest = max((m.generation for m in members), default=-1)
    return any(m.owned and 0 <= m.generation < latest for m in members)


def _double(step: Step) -> bool:
    """Whether two members report one partition at the same generation."""
    if not step.is_owned_twice:
        return False
    owned = [(tp, member.generation) for member in step.group.members for tp in member.owned]
    return len(set(owned)) < len(owned)


@situation("owned-twice", kinds=CLIENT, required_by=("single-owner", "total"), excluded_by=NO_CONFLICT)
def owned_twice(rebalanced: Rebalanced) -> bool:
    """Two members report one partition as owned at the same effective generation."""
    return any(step.contradictory and _double(step) for step in rebalanced.steps)


@situation(
    "all-minus-one",
    kinds=CLIENT,
    required_by=("total", "terminates"),
    excluded_by=NO_CONFLICT,
    within=_contradicts,
)
def all_minus_one(rebalanced: Rebalanced) -> bool:
    """All generations are -1 and ownership conflicts."""
    step = rebalanced.steps[0]
    return all(m.generation == -1 for m in step.group.members) and _double(step)


@situation("failed-sync", kinds=CLIENT, required_by=("cooperative",), excluded_by=NO_CONFLICT)
def failed_sync(rebalanced: Rebalanced) -> bool:
    """A member's sync failed (old list) while another joins in the same round."""
    first = rebalanced.steps[0]
    return (
        len(rebalanced.steps) > 1
        and any(first.group.by_id[m].owned for m in first.failed_sync if m in first.group.by_id)
        and any(isinstance(event, Join) for event in rebalanced.change)
    )


@situation(
    "stale-on-overloaded",
    kinds=CLIENT,
    required_by=("cooperative", "subscribed"),
    excluded_by=OF_GENERATIONS,
    within=_contradicts,
)
def stale_on_overloaded(rebalanced: Rebalanced) -> bool:
    """A stale member reports a partition as owned whose owner is overloaded."""
    members = rebalanced.steps[0].group.members
    owners = [m for m in members if m.owned]
    if len(owners) < 2:
        return False
    least = min(len(m.owned) for m in members)
    overloaded = [m for m in owners if len(m.owned) >= least + 2]
    return any(
        other.generation < owner.generation and not frozenset(owner.owned).isdisjoint(other.owned)
        for owner in overloaded
        for other in owners
    )


@situation(
    "owned-and-resubscribe",
    kinds=CLIENT,
    required_by=("total", "complete", "subscribed"),
    excluded_by=NO_CONFLICT,
    within=_contradicts,
)
def owned_and_resubscribe(rebalanced: Rebalanced) -> bool:
    """Conflicting ownership and a subscription change come in one step."""
    return any(isinstance(e, Resubscribe) for e in rebalanced.change)


@situation(
    "racks-against",
    kinds=CONSUMER_GROUPS,
    required_by=("rack-local", "copartitioned"),
    excluded_by=("no-racks",),
    defines=("rack-local",),
)
def racks_against(rebalanced: Rebalanced) -> bool:
    """Members and replicas have racks, P mod M != 0, and ownership goes against the rack."""
    step = rebalanced.steps[0]
    racks = step.cluster.replica_racks
    by_id = step.group.by_id
    size = len(by_id)
    if not racks or not size:
        return False
    if not any(step.cluster.counts.get(topic, 0) % size for topic in racks):
        return False
    return any(
        of_partition and member.rack not in of_partition
        for member in step.group.members
        if member.rack is not None
        for topic, partition in member.owned
        for of_partition in racks.get(topic, ())[partition : partition + 1]
    )


RESIDUES: Final = tuple(f"{p}mod{m}" for m in range(2, 7) for p in range(m))


@situation("residue", kinds=CONSUMER_GROUPS, required_by=BALANCE, parts=RESIDUES)
def residue(rebalanced: Rebalanced) -> str | None:
    """Every residue of P mod M is met with skewed previous loads, up to M = 6."""
    step = rebalanced.steps[0]
    members = step.group.members
    size = len(members)
    if not 2 <= size <= 6 or not step.group.equal_subscriptions:
        return None
    owned = [len(m.owned) for m in members]
    if max(owned) - min(owned) < 2:
        return None
    counts = step.cluster.counts
    partitions = sum(counts.get(topic, 0) for topic in dict.fromkeys(members[0].topics))
    return f"{partitions % size}mod{size}"


@situation("no-change", kinds=GROUPS, required_by=("stable",))
def no_change(rebalanced: Rebalanced) -> bool:
    """A settled group is run again."""
    return rebalanced.quiet


@situation(
    "chain", kinds=CONSUMER_GROUPS, required_by=(*BALANCE, "terminates"), excluded_by=EQUAL, within=_differ
)
def chain(rebalanced: Rebalanced) -> bool:
    """Windows overlap: member i reads topics i and i+1."""
    step = rebalanced.steps[0]
    sets = step.known
    if len(sets) < 3 or any(len(topics) != 2 for topics in sets):
        return False
    degree: dict[str, int] = {}
    for topics in sets:
        for topic in topics:
            degree[topic] = degree.get(topic, 0) + 1
    return len(set(sets)) == len(sets) == len(degree) - 1 and max(degree.values()) == 2


@situation("nested", kinds=CONSUMER_GROUPS, required_by=BALANCE, excluded_by=EQUAL, within=_differ)
def nested(rebalanced: Rebalanced) -> bool:
    """Each member's topics contain those of the next."""
    step = rebalanced.steps[0]
    sets = sorted(step.known, key=len)
    distinct = {topics for topics in sets if topics}
    return len(distinct) > 1 and all(a <= b for a, b in pairwise(sets))


@situation("pyramid", kinds=CONSUMER_GROUPS, required_by=BALANCE, excluded_by=EQUAL, within=_differ)
def pyramid(rebalanced: Rebalanced) -> bool:
    """Member i reads the first i topics, for each i from 1 on."""
    step = rebalanced.steps[0]
    sets = sorted(step.known, key=len)
    return (
        len(sets) > 2
        and all(len(topics) == i + 1 for i, topics in enumerate(sets))
        and all(a < b for a, b in pairwise(sets))
    )


@situation("disjoint", kinds=CONSUMER_GROUPS, required_by=BALANCE, excluded_by=EQUAL, within=_differ)
def disjoint(rebalanced: Rebalanced) -> bool:
    """No two members read the same topic."""
    step = rebalanced.steps[0]
    sets = [topics for topics in step.known if topics]
    return len(sets) > 1 and sum(map(len, sets)) == len(frozenset().union(*sets))


@situation("few-partitions", kinds=CONSUMER_GROUPS, required_by=("terminates", "topic-even", *BALANCE))
def few_partitions(rebalanced: Rebalanced) -> bool:
    """A topic has fewer partitions than subscribers."""
    step = rebalanced.steps[0]
    subscribers = step.group.subscribers
    return any(count < len(subscribers.get(t, ())) for t, count in step.cluster.counts.items())


@situation("tiny-topics", kinds=CONSUMER_GROUPS, required_by=("balanced-within-one",))
def tiny_topics(rebalanced: Rebalanced) -> bool:
    """At least three topics of one partition are read."""
    step = rebalanced.steps[0]
    subscribers = step.group.subscribers
    return sum([count == 1 and t in subscribers for t, count in step.cluster.counts.items()]) >= 3


@situation("one-by-one", kinds=CONSUMER_GROUPS, required_by=("sticky-minimal", "terminates"))
def one_by_one(rebalanced: Rebalanced) -> bool:
    """The group grew from one to five members, a round each."""
    return (
        rebalanced.index == 4
        and len(rebalanced.steps[0].group.members) == 5
        and len(rebalanced.change) == 1
        and isinstance(rebalanced.change[0], Join)
    )


@situation(
    "deleted-topic",
    kinds=CLIENT,
    required_by=("total",),
    excluded_by=("no-unknown-topics", *NO_CONFLICT),
    within=_contradicts,
)
def deleted_topic(rebalanced: Rebalanced) -> bool:
    """A topic is owned and subscribed to but gone."""
    step = rebalanced.steps[0]
    counts = step.cluster.counts
    return any(
        topic not in counts and topic in member.topics
        for member in step.group.members
        for topic, _ in member.owned
    )


@situation("unknown-topic", kinds=CLIENT, required_by=("total",), excluded_by=("no-unknown-topics",))
def unknown_topic(rebalanced: Rebalanced) -> bool:
    """A topic is subscribed to and was never there."""
    step = rebalanced.steps[0]
    unknown = step.unknown
    return bool(unknown) and not any(tp[0] in unknown for m in step.group.members for tp in m.owned)


@situation(
    "empty-subscription",
    kinds=CLIENT,
    required_by=("total", "subscribed"),
    excluded_by=("no-empty-subscriptions", *EQUAL),
    within=_differ,
)
def empty_subscription(rebalanced: Rebalanced) -> bool:
    """A member without topics is among others with topics."""
    return any(not topics for topics in rebalanced.steps[0].group.listed)


@situation(
    "duplicate-topic",
    kinds=CLIENT,
    required_by=("topic-even", *BALANCE),
    excluded_by=("no-duplicate-topics",),
)
def duplicate_topic(rebalanced: Rebalanced) -> bool:
    """A subscription lists a topic twice."""
    group = rebalanced.steps[0].group
    return sum(map(len, group.subscribers.values())) < sum(map(len, group.listed))


MIXES: Final = ("SSD", "SDS", "DSS", "SDD", "DSD", "DDS")


@situation(
    "static-mix", kinds=CLIENT, required_by=(*BALANCE, "topic-even"), parts=MIXES, excluded_by=("no-static",)
)
def static_mix(rebalanced: Rebalanced) -> str | None:
    """Static and dynamic members come in every order of three."""
    members = rebalanced.steps[0].group.members
    if len(members) < 3:
        return None
    first, second, third = [m.instance_id is None for m in members[:3]]
    if first is second is third:
        return None
    return ("D" if first else "S") + ("D" if second else "S") + ("D" if third else "S")


@situation(
    "static-return",
    kinds=CLIENT,
    required_by=("static-stable",),
    excluded_by=("no-static",),
    defines=("static-stable",),
)
def static_return(rebalanced: Rebalanced) -> bool:
    """A static member is back under a new member id."""
    return bool(rebalanced.renamed)


@situation("leader-differs", kinds=CLIENT, required_by=("complete",), excluded_by=EQUAL, within=_differ)
def leader_differs(rebalanced: Rebalanced) -> bool:
    """The leader's own subscription differs from others'."""
    group = rebalanced.steps[0].group
    own = frozenset(group.by_id[group.leader].topics) if group.leader in group.by_id else frozenset()
    return bool(own) and any(frozenset(topics) != own for topics in set(group.listed))


@situation(
    "leader-changed",
    kinds=CLIENT,
    required_by=("leader-neutral",),
    defines=("leader-neutral",),
)
def leader_changed(rebalanced: Rebalanced) -> bool:
    """A settled group has another leader, and nothing else happened."""
    return rebalanced.leader_changed


@situation("two-objects", kinds=CLIENT, required_by=("pure",))
def two_objects(rebalanced: Rebalanced) -> bool:
    """Two objects of the target are called alternately in one process."""
    looks = [probe.look for probe in rebalanced.steps[0].probes]
    return Look.AGAIN in looks and (Look.OTHER in looks or Look.PERMUTED in looks)


@situation("partitions-added", kinds=CONSUMER_GROUPS, required_by=("sticky-minimal",))
def partitions_added(rebalanced: Rebalanced) -> bool:
    """An existing topic grows."""
    grown = [event.topic for event in rebalanced.change if isinstance(event, AddPartitions)]
    if not grown:
        return False
    owned = {tp[0] for m in rebalanced.steps[0].group.members for tp in m.owned}
    return not owned.isdisjoint(grown)


@situation("equal-topics", kinds=CONSUMER_GROUPS, required_by=("copartitioned",))
def equal_topics(rebalanced: Rebalanced) -> bool:
    """Two topics have equally many partitions, at least two, and the same subscribers, at least two."""
    step = rebalanced.steps[0]
    subscribers = step.group.subscribers
    equal = [
        (count, subscribers[topic])
        for topic, count in step.cluster.counts.items()
        if count > 1 and len(subscribers.get(topic, ())) > 1
    ]
    return len(set(equal)) < len(equal)


@situation(
    "weights",
    kinds=CONSUMER_GROUPS,
    required_by=("weighted-spread",),
    excluded_by=("no-weights",),
    defines=("weighted-spread",),
)
def weights(rebalanced: Rebalanced) -> bool:
    """Partition weights are skewed."""
    cluster = rebalanced.steps[0].cluster
    return cluster.weighs and any(
        max(topic.weights) >= 3 * max(1, min(topic.weights)) for topic in cluster.topics if topic.weights
    )
