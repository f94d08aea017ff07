"""Changes that cannot finish: by hand, and in no step of any plan on clusters in any state."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from kassay.engines.replicas.cluster import PlacedCluster
from kassay.engines.replicas.planned import ClusterPlan, plan_cluster
from kassay.engines.replicas.states import PartitionState
from kassay.engines.replicas.steps import StepBound
from kassay.engines.replicas.unfinished import Change, hindrances
from kassay.solver.placement.problem import InfeasiblePlacementError
from tests.engines.replicas.clusters import drawn


def state(
    leader: int | None, isr: set[int], replicas: tuple[int, ...] = (1, 3), **more: object
) -> PartitionState:
    """A partition on brokers 1 and 3."""
    return PartitionState(leader, replicas, frozenset(isr))._replace(**more)


@pytest.mark.parametrize(
    ("after", "now", "silent", "reason"),
    [
        ((2, 3), state(1, {1, 3}), set(), ""),
        ((1, 2), state(1, {1}), {3}, ""),
        ((3, 1), state(None, set()), set(), ""),
        ((2, 1), state(None, set()), set(), "it has no leader, so nothing can be copied"),
        ((2, 1), state(None, {3}), {3}, "broker 3 can lead when started again"),
        ((2, 1), state(None, set(), elr=(3,)), {3}, "its last in-sync replica leaves: broker 3"),
        ((2, 1), state(None, set(), elr=(), last_known_elr=(3,)), {3}, "broker 3 led last"),
        ((2, 1), state(3, {3}), {3}, "its leader, broker 3, does not answer"),
        (
            (1, 2),
            state(3, {3}),
            set(),
            "its last in-sync replica leaves: broker 3 (broker 1 behind)",
        ),
        ((2, 4), state(3, {3}, (3,)), set(), ""),
        ((1,), state(3, {3}), set(), "its last in-sync replica leaves: broker 3"),
        ((2, 3), state(1, {1}), {3}, "broker 3 would hold a replica: no answer from there"),
        ((3, 1), state(1, {1}), {3}, "broker 3 would hold a replica: no answer from there"),
        ((1,), state(1, {1, 3}, min_isr=2), set(), "1 of min.insync.replicas 2 stay in sync"),
        ((1, 2), state(1, {1}, min_isr=2), {3}, ""),
        ((1,), state(1, {1}, min_isr=2), {3}, "RF 1 is below min.insync.replicas 2"),
    ],
)
def test_a_change_and_why_it_cannot_finish(
    after: tuple[int, ...], now: PartitionState, silent: set[int], reason: str
) -> None:
    text = "; ".join(hindrances(Change((1, 3), after), now, silent))
    assert reason in text and bool(reason) is bool(text)


def test_without_a_state_only_brokers_that_do_not_answer_hinder() -> None:
    assert not list(hindrances(Change((1, 3), (1, 2)), None, {3}))
    assert list(hindrances(Change((1, 2), (1, 3)), None, {3}))


def in_any_state(seed: int) -> ClusterPlan | None:
    """A plan on a cluster some of whose brokers are dead, with partitions in any state."""
    rng = random.Random(seed)
    placed, change = drawn(seed)
    dead = set(rng.sample(sorted(placed.ids), rng.choice((0, 1, 1, 2))))
    states = {}
    for tp, row in placed.rows.items():
        alive = [broker for broker in row if broker not in dead and rng.random() < 0.8]
        isr = frozenset(alive or row[:1])
        leader = next(iter(sorted(isr - dead)), None)
        states[tp] = PartitionState(leader, row, isr, rng.choice((None, 1, 2)), len(row))
    placed = replace(placed, states=states)
    factor = rng.choice((None, None, 1, 2, 3))
    try:
        return plan_cluster(placed, replace(change, factor=factor), None, StepBound(rng.choice((1, 3, 50))))
    except InfeasiblePlacementError:
        return None


def no_step_hindered(plan: ClusterPlan) -> None:
    """Every change of every step finishes, and partitions that stay are named."""
    cluster = plan.proposal.cluster
    states = dict(cluster.states)
    for step in plan.steps:
        for tp, row in step.after.items():
            change = Change(step.before[tp], row)
            assert not list(hindrances(change, states[tp], cluster.silent))
            isr = (states[tp].isr | change.adding) - change.removing
            states[tp] = states[tp]._replace(
                isr=isr, leader=min(isr) if states[tp].leader is not None else None
            )
            low, high = sorted((len(cluster.rows[tp]), len(plan.proposal.after[tp])))
            assert low <= len(row) == len(set(row)) <= high
    for each in plan.blocked:
        assert each.reasons and plan.proposal.after[each.partition] == cluster.rows[each.partition]


def plans(seeds: range) -> list[ClusterPlan]:
    """The plans that there are, each of them checked."""
    found = [plan for seed in seeds if (plan := in_any_state(seed)) is not None]
    for plan in found:
        no_step_hindered(plan)
    return found


def test_no_step_of_any_plan_is_one_that_cannot_finish() -> None:
    found = plans(range(40))
    assert any(plan.blocked for plan in found) and any(plan.steps and not plan.blocked for plan in found)


@pytest.mark.slow
def test_no_step_of_more_plans_is_one_that_cannot_finish() -> None:
    assert plans(range(1000, 1600))


def test_an_accepted_partition_is_planned_last_and_alone() -> None:
    for seed in range(200):
        plan = in_any_state(seed)
        if plan is not None and plan.blocked:
            break
    cluster: PlacedCluster = plan.proposal.cluster
    accepted = frozenset(each.partition for each in plan.blocked)
    free = replace(cluster, pinned=frozenset())
    insisted = plan_cluster(free, plan.proposal.change, None, StepBound(), accepted)
    assert not insisted.blocked
    assert accepted.issuperset(each.partition for each in insisted.unfinished) and insisted.unfinished
    losing = {each.partition for each in insisted.unfinished}
    purposes = [(step.purpose, losing.issuperset(step.after)) for step in insisted.steps]
    assert [is_losing for _, is_losing in purposes] == sorted(is_losing for _, is_losing in purposes)
    assert all((purpose == "data loss") is is_losing for purpose, is_losing in purposes)
    document = insisted.document_of(insisted.steps[-1].after, insisted.steps[-1].before)
    assert document["accepted_data_loss"] == sorted(map(str, insisted.steps[-1].after))
