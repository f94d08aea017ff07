"""Whoever walks, one process or Spark, from the start or from where another was stopped, comes to the same."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kassay.engines.protocols.explore import explore
from kassay.model.explore.values import WalkLimits, WalkProgress
from kassay.model.kinds import Verdict
from kassay.pipeline.walk.levels import carry_on
from kassay.pipeline.walk.result import result_of
from kassay.pipeline.walk.tables import WalkTables
from tests.pipeline.walk.walks import NO_LIMITS, WORLDS, came_to, journal_of

pytestmark = pytest.mark.spark


ON_SPARK = ("kip848", "migration", "streams", "renamed")
"""The other worlds take Spark's time for the same: `test_rows` walks all of them with the same worker."""


@pytest.mark.parametrize(
    "world", [pytest.param(world, marks=[pytest.mark.deep] * (world not in ON_SPARK)) for world in WORLDS]
)
def test_spark_comes_to_what_one_process_comes_to(world: str, spark: Any, tmp_path: Path) -> None:
    settings = WORLDS[world]
    alone = explore(settings)
    widths = Counter(alone.exploration.graph.depths)
    small = sorted(widths.values())[-3]  # so that two levels are left to the workers
    tables = WalkTables(spark, journal_of(settings, tmp_path))
    heard: list[WalkProgress] = []
    assert carry_on(tables, NO_LIMITS, heard.append, small) is None
    assert came_to(result_of(tables, None)) == came_to(alone)
    assert [each.states for each in tables.journal.receipts] == [widths[level] for level in sorted(widths)]
    assert heard[-1].states == alone.exploration.states
    assert heard[-1].waiting == 0


def test_a_walk_goes_on_where_it_stopped(spark: Any, tmp_path: Path) -> None:
    """It is stopped three times, and each time leaves a level half written behind."""
    settings = WORLDS["cooperative"]
    alone = explore(settings)
    for states in (30, 90, 150):
        tables = WalkTables(spark, journal_of(settings, tmp_path))
        assert carry_on(tables, WalkLimits(states), lambda _: None, small=12) == "states"
        cut = result_of(tables, "states")
        assert cut.exploration.states > states
        assert cut.verdict in (Verdict.UNKNOWN, Verdict.VIOLATED)
        after = len(tables.journal.receipts)
        for half in (f"visited/level={after + 1}", f"steps/level={after}"):
            table = half.partition("/")[0]
            whole = next((tmp_path / table / f"level={after - 1}").glob("*.parquet"))
            (tmp_path / half).mkdir()
            (tmp_path / half / whole.name).write_bytes(whole.read_bytes())
    tables = WalkTables(spark, journal_of(settings, tmp_path))
    assert carry_on(tables, NO_LIMITS, lambda _: None) is None
    assert came_to(result_of(tables, None)) == came_to(alone)
