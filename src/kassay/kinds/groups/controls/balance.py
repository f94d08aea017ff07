"""Faulty assignors of consumer groups for balance and movement: optimal or nearly so."""

from __future__ import annotations

from functools import partial

from kassay.assignors.groups.client.optimal_cooperative import OptimalCooperative
from kassay.assignors.groups.client.optimal_sticky import OptimalSticky
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.assignors.registry import COOPERATIVE
from kassay.kinds import controls
from kassay.model.cluster import Broker, Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS

control = partial(controls.control, kinds=CONSUMER_GROUPS)

control("counts-partitions", breaks="weighted-spread", like="optimal-sticky")(OptimalSticky)
control("deals-in-turn", breaks="balanced-kip54", like="roundrobin")(RoundRobin)


@control("moves-one-at-a-time", breaks="balanced-optimal", like="roundrobin", keeps=("balanced-kip54",))
class MovesOneAtATime(AssignorBase):
    """Partitions move from a deal as long as a single move helps; two at once are never tried."""

    name = "control"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """A balance that no single move improves."""
        held = {m: sorted(tps) for m, tps in sorted(RoundRobin().assign(cluster, group).items())}
        reads = {member.member_id: frozenset(member.topics) for member in group.members}
        while (step := _helpful_move(held, reads)) is not None:
            tp, giver, taker = step
            held[giver].remove(tp)
            held[taker].append(tp)
        return Assignment(held)


def _helpful_move(
    held: dict[str, list[TopicPartition]], reads: dict[str, frozenset[str]]
) -> tuple[TopicPartition, str, str] | None:
    """A partition, its owner, and a subscriber with at least two fewer; None where there is none."""
    return next(
        (
            (tp, giver, taker)
            for giver, tps in held.items()
            for taker, own in held.items()
            if len(tps) >= len(own) + 2
            for tp in sorted(tps)
            if tp.topic in reads[taker]
        ),
        None,
    )


@control("deals-afresh", breaks="sticky-minimal", like="optimal-sticky")
class DealsAfresh(OptimalSticky):
    """Balance is all that counts, whoever had what before; only with static members it keeps what it can."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The best for a group without owned partitions, unless it has a static member."""
        if any(member.instance_id is not None for member in group.members):
            return super().assign(cluster, group)
        members = tuple(member._replace(owned=()) for member in group.members)
        return super().assign(cluster, Group(members, group.leader))


@control("forgets-racks", breaks="rack-local", like="optimal-sticky")
class ForgetsRacks(OptimalSticky):
    """Everybody is taken to be equally near to everything."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The best for brokers and members without racks."""
        brokers = tuple(Broker(broker.broker_id, None) for broker in cluster.brokers)
        return super().assign(Cluster(cluster.topics, brokers), without_racks(group))


def without_racks(group: Group) -> Group:
    """The group with every member outside of racks."""
    return Group(tuple(member._replace(rack=None) for member in group.members), group.leader)


@control(
    "gives-up-one-by-one",
    breaks="converges",
    kinds=CLIENT,
    protocol=COOPERATIVE,
    keeps=("cooperative", "balanced-within-one", "balanced-kip54", "balanced-optimal", "deterministic"),
)
class GivesUpOneByOne(OptimalCooperative):
    """In each round a single partition is taken from its owner, so that a rebalance goes on and on."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The plan, except for partitions that change owners: they stay with the old one for now."""
        planned = dict(super().assign(cluster, group).items())
        given = {tp for tps in planned.values() for tp in tps}
        reads = {member.member_id: member.topics for member in group.members}
        leaving = [
            (tp, owner)
            for tp, (_, owner) in sorted(group.reported_owners.items())
            if owner is not None and tp not in given and cluster.has(tp) and tp.topic in reads[owner]
        ]
        for tp, owner in leaving[1:]:
            planned[owner] = (*planned.get(owner, ()), tp)
        return Assignment(planned)
