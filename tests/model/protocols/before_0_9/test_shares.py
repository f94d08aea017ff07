"""What a member gets where partitions do not come out even."""

from __future__ import annotations

import pytest

from kassay.model.protocols.before_0_9.shares import ceil_range, fair_range
from tests.explored import build
from tests.model.protocols.world.script import owned, started


@pytest.mark.parametrize(
    ("rule", "share", "expected"),
    [("ceil-range", ceil_range, [2, 2, 1, 0]), ("range", fair_range, [2, 1, 1, 1])],
)
def test_scenario_02_five_partitions_for_four(rule, share, expected):
    assert [len(share(5, 4, index)) for index in range(4)] == expected
    model = build("zookeeper", members=4, partitions=5, assignor=rule)
    assert [len(tps) for tps in owned(model, started(model, 4))] == expected
