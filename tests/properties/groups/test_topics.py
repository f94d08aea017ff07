"""Claims about single topics on answers that keep them and on ones that break them."""

import pytest

from kassay.model.cluster import Broker, Cluster, Topic
from tests.properties.groups.steps import (
    AB,
    FAIR,
    UV,
    evidence,
    member,
    step,
)


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        ("topic-even", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "t"),
        ("contiguous", step(AB, FAIR), step(AB, {"a": "t0 t2", "b": "t1 t3"}), "t"),
        ("contiguous", step(AB, FAIR), step(AB, {"a": "t2 t3", "b": "t0 t1"}), "t"),
        (
            "copartitioned",
            step([member("a", "tu"), member("b", "tu")], {"a": "t0 u0", "b": "t1 u1"}, UV),
            step([member("a", "tu"), member("b", "tu")], {"a": "t0 u1", "b": "t1 u0"}, UV),
            "u",
        ),
        (
            "active-passive",
            step(AB, {"a": "", "b": "t0 t1 t2 t3"}, configs={"a": {"assignment.consumer.priority": "1"}}),
            step(AB, {"a": "t0 t1 t2 t3", "b": ""}, configs={"a": {"assignment.consumer.priority": "1"}}),
            "t",
        ),
    ],
)
def test_shares_of_topics(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


def test_contiguous_is_not_judged_where_racks_match():
    racked = Cluster((Topic("t", 4, ((0,), (1,), (0,), (1,))),), (Broker(0, "r0"), Broker(1, "r1")))
    members = [member("a", rack="r0"), member("b", rack="r1")]
    assert evidence("contiguous", step(members, {"a": "t0 t2", "b": "t1 t3"}, racked)) is None
