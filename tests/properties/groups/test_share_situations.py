"""Situations of share groups, in and out of each."""

import pytest

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group
from kassay.model.groups.step import Rebalanced, ShareStep
from kassay.properties.groups import share_situations as situations
from tests.properties.groups.steps import assignment, member, tps

T2 = Cluster.of({"t": 2})
T2U1 = Cluster.of({"t": 2, "u": 1})


def one(members, cluster=T2, assignable=None):
    able = None if assignable is None else frozenset(tps(assignable))
    group = Group(tuple(members), members[0].member_id, assignable=able)
    return Rebalanced(0, (), (ShareStep(cluster, group, assignment({}), 2),), True, 0)


@pytest.mark.parametrize(
    ("reached", "inside", "outside"),
    [
        (situations.unassignable, one([member("a")], assignable="t0"), one([member("a")])),
        (situations.unassignable, one([member("a")], assignable="t1"), one([member("a")], assignable="")),
        (
            situations.outnumbered,
            one([member(m) for m in "abc"]),
            one([member(m) for m in "abcd"]),
        ),
        (
            situations.outnumbered,
            one([member("a", "tu"), member("b"), member("c")], T2U1),
            one([member(m, "tu") for m in "abc"], T2U1),
        ),
        (
            situations.outnumbered,
            one([member(m, "tu") for m in "abcd"], T2U1, "t0 t1 u0"),
            one([member(m, "tu") for m in "abcd"], T2U1, "t0 u0"),
        ),
        (
            situations.unread_owned,
            one([member("a", "u", "t0"), member("b", "u")], T2U1),
            one([member("a", "u", "t0"), member("b", "t")], T2U1),
        ),
        (situations.unread_owned, one([member("a", "", "t1")]), one([member("a", "", "x1")])),
    ],
)
def test_a_situation_is_what_its_sentence_says(reached, inside, outside):
    assert reached(inside)
    assert not reached(outside)
