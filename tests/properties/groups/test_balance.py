"""Claims about balance on answers that keep them and on ones that break them."""

import pytest

from kassay.model.cluster import Broker, Cluster, Topic
from kassay.properties.groups.balance import Best
from tests.properties.groups.steps import (
    AB,
    BEST,
    FAIR,
    UV,
    assignment,
    evidence,
    member,
    step,
)


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        ("balanced-within-one", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "a"),
        ("balanced-kip54", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "t-0"),
    ],
)
def test_loads_of_one_round(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


def test_balance_within_one_speaks_of_equal_subscriptions_only():
    mixed = [member("a", "tu"), member("b", "t")]
    assert evidence("balanced-within-one", step(mixed, {"a": "t0 u0 u1", "b": ""}, UV)) is None


def test_the_optimum_claims():
    owners = [member("a", owned="t0 t1"), member("b", owned="t2 t3")]
    assert evidence("balanced-optimal", step(owners, FAIR), BEST) == []
    assert evidence("balanced-optimal", step(owners, {"a": "t0 t1 t2", "b": "t3"}), BEST)
    assert evidence("sticky-minimal", step(owners, FAIR), BEST) == []
    assert evidence("sticky-minimal", step(owners, {"a": "t0 t2", "b": "t1 t3"}), BEST)
    uneven = step(owners, {"a": "t0 t1 t2", "b": "t3"})
    assert evidence("sticky-minimal", uneven, BEST) is None, "judged where the loads are optimal"
    racked = Cluster((Topic("t", 2, ((0,), (1,))),), (Broker(0, "r0"), Broker(1, "r1")))
    members = [member("a", rack="r0"), member("b", rack="r1")]
    best = Best(loads=(1, 1), moved=0, mismatched=0, assignment=assignment({"a": "t0", "b": "t1"}))
    assert evidence("rack-local", step(members, {"a": "t0", "b": "t1"}, racked), best) == []
    assert evidence("rack-local", step(members, {"a": "t1", "b": "t0"}, racked), best)


def test_weighted_spread_goes_by_the_certified_bound():
    heavy = Cluster((Topic("t", 4, weights=(5, 1, 1, 1)),))
    best = BEST._replace(weight_bound=5)
    assert evidence("weighted-spread:1.2", step(AB, {"a": "t0 t1", "b": "t2 t3"}, heavy), best) == []
    assert evidence("weighted-spread:1.1", step(AB, {"a": "t0 t1", "b": "t2 t3"}, heavy), best)
    assert evidence("weighted-spread:2", step(AB, FAIR), BEST) is None, "no weights, no bound"
