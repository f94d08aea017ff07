"""Consumers of ZooKeeper: what one start costs, split brain, and what cannot happen.

What a member gets where partitions do not come out even.
"""

from __future__ import annotations

import pytest

from kassay.model.explore.values import Severity
from kassay.model.kinds import Verdict
from kassay.model.protocols.before_0_9 import zookeeper
from kassay.model.protocols.before_0_9 import zookeeper as zt
from kassay.model.protocols.before_0_9.zookeeper import ZooKeeperStatus, ceil_range, fair_range
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.table import IMPOSSIBLE
from tests.explored import build, explore
from tests.model.protocols.refusing import refused
from tests.model.protocols.world.script import owned, play, real, started


@pytest.mark.parametrize("running", [1, 2, 3])
def test_scenario_04_one_start_costs_everybody_a_rebalance(running):
    model = build("zookeeper", members=running + 1, partitions=3)
    state = play(model, started(model, running), f"c{running + 1} start")
    rebalances = 0
    while True:
        step = next(((a, s) for a, s in model.steps(state) if not a.fault and s != state), None)
        if step is None:
            break
        rebalances += step[0].name == "rebalance"
        state = step[1]
    assert rebalances == running + 1


def rests_incomplete(model, state):
    """Nobody owns some partition, and nothing is left that would tell anybody."""
    assert None in state.owner
    assert [str(action) for action, after in model.steps(state) if not action.fault and after != state] == []
    assert not any(consumer.pending for consumer in state.consumers)


def test_scenario_05_finite_retries_rest_incomplete():
    result = explore("zookeeper", switches=frozenset({"zk_finite_retries"}))
    found = {v.invariant: v for v in result.exploration.violations}
    assert found["complete-at-rest"].severity is Severity.BY_DESIGN
    last = found["complete-at-rest"].trace[-1].state
    assert any(c.status is ZooKeeperStatus.GAVE_UP for c in last.consumers)
    rests_incomplete(result.built, last)


def test_scenario_06_only_the_guard_keeps_owners_apart():
    assert "single-current-owner" in real(explore("zookeeper", switches=frozenset({"zk_no_owner_guard"})))
    guarded = explore("zookeeper", faults=Faults(crash=1, pause=1))
    assert real(guarded) == []
    assert guarded.verdict is Verdict.HOLDS


def test_scenario_07_a_paused_owner_is_a_zombie():
    found = {v.invariant: v for v in explore("zookeeper", faults=Faults(pause=1)).exploration.violations}
    assert found["single-live-owner"].severity is Severity.BY_DESIGN
    last = found["single-live-owner"].trace[-1].state
    (zombie,) = [number for number, c in enumerate(last.consumers) if c.expired and c.owned]
    shared = [tp for c in last.consumers if not c.expired for tp in c.owned]
    assert set(shared) & set(last.consumers[zombie].owned)
    assert all(last.owner[tp] not in (None, zombie) for tp in shared), "one znode owner: the other one"


def test_scenario_08_a_stale_view_leaves_partitions_alone():
    result = explore("zookeeper", switches=frozenset({"zk_stale_view"}))
    found = {v.invariant: v for v in result.exploration.violations}
    assert "no member of the stable group owns" in found["complete-at-rest"].message
    assert "stale view" in found["complete-at-rest"].trace[-2].action.detail, "the last read is the stale one"
    rests_incomplete(result.built, found["complete-at-rest"].trace[-1].state)


@pytest.mark.parametrize("state", zt.ZooKeeperStatus)
def test_the_zookeeper_consumer_refuses_what_is_impossible(state):
    for event, rule in zt.CONSUMER[state].items():
        if rule is IMPOSSIBLE:
            refused(state, event, zookeeper.moved, state, event)


@pytest.mark.parametrize(
    ("rule", "share", "expected"),
    [("ceil-range", ceil_range, [2, 2, 1, 0]), ("range", fair_range, [2, 1, 1, 1])],
)
def test_scenario_02_five_partitions_for_four(rule, share, expected):
    assert [len(share(5, 4, index)) for index in range(4)] == expected
    model = build("zookeeper", members=4, partitions=5, assignor=rule)
    assert [len(tps) for tps in owned(model, started(model, 4))] == expected
