"""What happened between snapshots, by Spark's windows."""

from typing import Any

import pytest

from kassay.pipeline.fleet.history import events_of
from kassay.pipeline.fleet.tables import SNAPSHOTS


@pytest.mark.spark
def test_events_shuffle_by_group_alone(spark: Any) -> None:
    """The snapshots of a large fleet fit no broadcast, and are moved between tasks once."""
    snapshots = spark.createDataFrame([], SNAPSHOTS.ddl).repartition(3, "group_id")
    plan = events_of(snapshots)._jdf.queryExecution().executedPlan().toString()
    assert "Broadcast" not in plan
    assert plan.count("hashpartitioning(") == plan.count("hashpartitioning(group_id#")
    assert "Window" in plan
