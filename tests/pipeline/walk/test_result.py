"""What is read back: all that one process says, or, of too large a graph, all but liveness."""

from pathlib import Path
from typing import Any

import pytest

from kassay.engines.protocols.explore import explore
from kassay.model.kinds import Verdict
from kassay.pipeline.walk.levels import carry_on
from kassay.pipeline.walk.result import result_of
from kassay.pipeline.walk.tables import WalkTables
from tests.pipeline.walk.walks import NO_LIMITS, WORLDS, came_to, journal_of

pytestmark = pytest.mark.spark


def test_a_walk_too_large_to_be_judged_for_liveness_does_not_hold(spark: Any, tmp_path: Path) -> None:
    settings = WORLDS["eager"]
    alone, tables = explore(settings), WalkTables(spark, journal_of(settings, tmp_path))
    carry_on(tables, NO_LIMITS, lambda _: None, small=10_000)
    whole, large = result_of(tables, None), result_of(tables, None, edges_max=0)
    assert came_to(whole) == came_to(alone)
    assert alone.verdict is Verdict.HOLDS
    assert (large.verdict, large.exploration.limit, large.exploration.liveness, large.rounds) == (
        Verdict.UNKNOWN,
        "edges",
        None,
        None,
    )
    seen = {(v.invariant, v.severity, v.seen, v.length) for v in large.exploration.violations}
    assert seen == {(v.invariant, v.severity, v.seen, v.length) for v in alone.exploration.violations}
    assert (large.exploration.states, large.exploration.edges) == (
        alone.exploration.states,
        alone.exploration.edges,
    )
