"""The optimal sticky assignor, against the certified optimum of what its members own."""

from __future__ import annotations

from random import Random

import pytest

from kassay.assignors.groups.client.optimal_cooperative import OptimalCooperative
from kassay.assignors.groups.client.optimal_sticky import OptimalSticky
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Group, Member
from kassay.solver.groups import hub
from kassay.solver.groups.optimum import best_assignment
from kassay.solver.groups.problem import Problem
from tests.assignors.groups.client.optimal_groups import assert_optimal, cluster_of, group_of


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_sticky_is_optimal_whatever_is_owned(start: int) -> None:
    for seed in range(start, start + 100):
        rng = Random(seed)
        cluster = cluster_of(rng)
        group = group_of(rng, cluster)
        answer = OptimalSticky().assign(cluster, group)
        assert_optimal(cluster, group, answer)
        shuffled = Group(
            tuple(m._replace(owned=tuple(rng.sample(m.owned, len(m.owned)))) for m in group.members[::-1])
        )
        assert (
            OptimalSticky().assign(Cluster(cluster.topics[::-1], cluster.brokers), shuffled).same_sets(answer)
        )


@pytest.mark.parametrize("optimal", [OptimalSticky, OptimalCooperative])
def test_the_answer_is_the_same_with_or_tools_and_without(optimal, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> int:
        raise AssertionError("OR-tools would be asked where it is installed")

    monkeypatch.setattr(hub, "carry", asked)
    cluster = Cluster((Topic("t", 7), Topic("u", 5)), ())
    members = (Member("a", ("t",), ()), Member("b", ("t", "u"), ()), Member("c", ("u",), ()))
    sizes = [len(owned) for owned in optimal().assign(cluster, Group(members)).values()]
    assert sorted(sizes) == [4, 4, 4]
    with pytest.raises(AssertionError, match="OR-tools"):
        best_assignment(Problem.of(cluster, Group(members)))
