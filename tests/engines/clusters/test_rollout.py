"""The safe way from one assignor to another.

Which rule is in force in each mix of restarted members and others.
"""

import pytest

from kassay.engines.clusters.mixes import Members, RuleSpan
from kassay.engines.clusters.rollout import rollout, start_of
from kassay.engines.targets.resolve import resolve


def way(start, goal, members=5, static=0):
    return rollout(resolve(start), resolve(goal), Members(members, static))


def test_range_to_cooperative_sticky_takes_two_restarts_of_all():
    path = way("range", "cooperative-sticky", members=100)
    assert [step.setting.strategies for step in path.steps] == [
        ("cooperative-sticky", "range"),
        ("cooperative-sticky",),
    ]
    first, second = path.steps
    assert first.spans == (RuleSpan(("range",), 1, 99), RuleSpan(("cooperative-sticky",), 100, 100))
    assert second.spans == (RuleSpan(("cooperative-sticky",), 1, 100),)
    assert (first.eager, second.eager) == ((100, 100), (100, 0))
    assert first.rebalances_range == (200, 200)
    assert second.rebalances_range[0] == 200 < second.rebalances_range[1] <= 400
    assert (first.back, second.back) == (100, 1)
    assert path.refused == (
        ("partition.assignment.strategy=cooperative-sticky", "INCONSISTENT_GROUP_PROTOCOL"),
    )
    assert path.policies == ()


def test_static_members_rebalance_once_where_the_rule_changes():
    path = way("range", "sticky", members=50, static=50)
    assert [step.rebalances for step in path.steps] == [1, 0]
    assert [step.eager for step in path.steps] == [(50, 50), (50, 50)]


@pytest.mark.parametrize(
    ("start", "goal", "policies"),
    [
        ("range", "uniform", ("upgrade", "bidirectional")),
        ("cooperative-sticky", "server-range", ("upgrade", "bidirectional")),
        ("uniform", "cooperative-sticky", ("downgrade", "bidirectional")),
        ("uniform", "server-range", ()),
    ],
)
@pytest.mark.parametrize("static", [0, 3, 5])
def test_between_the_protocols_one_restart_under_the_policies_that_allow_it(start, goal, policies, static):
    path = way(start, goal, static=static)
    assert path.safe and len(path.steps) == 1
    assert path.policies == policies
    assert path.steps[0].back == 5


def test_where_nothing_changes_there_is_no_step():
    path = way("range", "range")
    assert path.safe and path.steps == ()


def test_a_single_member_may_just_change():
    path = way("range", "sticky", members=1)
    assert [step.setting.strategies for step in path.steps] == [("sticky",)]


def test_what_the_coordinator_calls_the_strategy_as_a_target():
    assert start_of("range", is_consumer_group=False) == "range"
    assert start_of("range", is_consumer_group=True) == "server-range"
    assert start_of("uniform", is_consumer_group=True) == "uniform"
    assert start_of(None, is_consumer_group=False) is None


@pytest.mark.parametrize("total", [1, 2, 3, 5, 40])
def test_between_the_protocols_the_rule_in_every_mix_is_told(total):
    there = way("range", "uniform", members=total).steps[0].spans
    assert there == (RuleSpan(("uniform",), 1, total),)
    back = way("uniform", "range", members=total).steps[0].spans
    last = RuleSpan(("range",), total, total)
    assert back == ((RuleSpan(("uniform",), 1, total - 1), last) if total > 1 else (last,))


@pytest.mark.parametrize(
    ("total", "spans"),
    [
        (1, [(("range",), 1, 1)]),
        (2, [(("range", "uniform"), 1, 1), (("range",), 2, 2)]),
        (5, [(("uniform",), 1, 2), (("range",), 3, 5)]),
        (6, [(("uniform",), 1, 2), (("range", "uniform"), 3, 3), (("range",), 4, 6)]),
    ],
)
def test_in_the_consumer_protocol_what_most_members_want_is_in_force(total, spans):
    assert [tuple(each) for each in way("uniform", "server-range", members=total).steps[0].spans] == spans
