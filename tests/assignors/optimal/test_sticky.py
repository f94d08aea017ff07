"""The optimal sticky assignor, against the certified optimum of what its members claimed."""

from __future__ import annotations

from random import Random

import pytest

from kassay.assignors.optimal.sticky import OptimalSticky
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group
from tests.assignors.optimal.groups import assert_optimal, cluster_of, group_of


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_sticky_is_optimal_whatever_is_claimed(start: int) -> None:
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
