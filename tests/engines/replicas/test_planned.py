"""The whole answer for a cluster."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
from kassay.engines.replicas.judge import Standing
from kassay.engines.replicas.planned import plan_cluster
from kassay.engines.replicas.proposal import MoveLimit
from kassay.engines.replicas.steps import StepBound
from kassay.model.cluster import Broker
from kassay.solver.placement.problem import InfeasiblePlacementError
from tests.cli.runner import valid
from tests.engines.replicas.clusters import cluster

ROWS: dict[str, list[tuple[int, ...]]] = {"t": [(1, 2, 3)] * 7 + [(1, 4, 2)], "u": [(2, 1)] * 5}


def test_today_tomorrow_and_every_broker_on_the_way() -> None:
    change = PlacementChange(frozenset({3}), frozenset({1}), (Broker(9, "c"), Broker(8, "a")))
    plan = plan_cluster(cluster(ROWS, sizes=True), change, None, StepBound(4))
    assert plan.is_broken and all(each.standing is not Standing.VIOLATED for each in plan.planned)
    loads = {load.broker.broker_id: load for load in plan.loads()}
    assert {id_: load.state for id_, load in loads.items() if load.state} == {
        3: "removed",
        1: "drained",
        8: "added",
        9: "added",
    }
    assert loads[3].replicas[1] == loads[1].replicas[1] == 0 and loads[9].replicas[0] == 0
    before, after = zip(*(load.replicas for load in loads.values()), strict=True)
    assert sum(before) == sum(after) == 34
    document = valid(plan.to_json({}), "place-2")
    assert len(document["steps"]) == len(plan.steps) > 2


def test_within_a_limit_balance_is_held_against_what_is_best_without() -> None:
    plan = plan_cluster(cluster(ROWS), PlacementChange(), MoveLimit(3, False), StepBound())
    assert plan.proposal.copies == 3
    broken = {each.claim for each in plan.planned if each.standing is Standing.VIOLATED}
    assert "replicas-even" in broken and "rack-spread" not in broken


def test_what_cannot_be_says_why() -> None:
    placed = cluster({"t": [(1, 2, 3)]}, {1: "a", 2: "b", 3: "c"})
    with pytest.raises(InfeasiblePlacementError, match=r"^RF 3 needs 3 brokers; 2 are left"):
        plan_cluster(placed, PlacementChange(drained=frozenset({2})), None, StepBound())


DEAD = PlacementChange(frozenset({3}), added=(Broker(9, "c"),))
"""Broker 3 is removed and does not answer."""


def without_3(rows: dict[str, list[tuple[int, ...]]]) -> PlacedCluster:
    """A cluster whose tools did not list broker 3."""
    placed = cluster(rows)
    others = tuple(broker for broker in placed.brokers if broker.broker_id != 3)
    return replace(placed, brokers=others, gone=frozenset({3}), undescribed=frozenset({3}))


def test_a_step_has_no_throttle_where_one_of_its_brokers_does_not_answer() -> None:
    plan = plan_cluster(without_3(ROWS), DEAD, None, StepBound(2))
    for step in plan.steps:
        held = {broker for row in (*step.before.values(), *step.after.values()) for broker in row}
        assert plan.unthrottled([step]) == held & {3}
    assert plan.unthrottled(plan.steps) == {3} and not plan.unthrottled(plan.steps[-1:])
    alive = plan_cluster(cluster(ROWS), DEAD, None, StepBound(2))
    assert not alive.unthrottled(alive.steps)


def test_leaders_of_a_broker_that_is_removed_are_changed_ones() -> None:
    rows: dict[str, list[tuple[int, ...]]] = {"t": [(3, 1, 2), (1, 2, 3), (2, 1, 3)]}
    alive = plan_cluster(cluster(rows), DEAD, None, StepBound())
    assert alive.leader_changes >= 1 and alive.proposal.figures["leader_changes"] < alive.leader_changes
    dead = plan_cluster(without_3(rows), DEAD, None, StepBound())
    assert dead.elections == alive.elections + 1, "another replica leads t-0 already, and goes on"
