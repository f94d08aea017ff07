"""What is read back: all that one process says, or, of too large a graph, all but liveness."""

from pathlib import Path
from typing import Any

import pytest

from kassay.engines.protocols.explore import explore
from kassay.model.errors import InputError
from kassay.model.explore.values import Severity
from kassay.model.kinds import Verdict
from kassay.pipeline.walk.levels import carry_on
from kassay.pipeline.walk.result import LIVENESS_MEMORY, MEMORY, memory_of, result_of
from kassay.pipeline.walk.tables import WalkTables
from tests.pipeline.walk.walks import NO_LIMITS, WORLDS, came_to, journal_of

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("world", ["eager", "cooperative", "zookeeper"])
def test_a_walk_too_large_for_the_memory_is_judged_but_for_livelocks(
    world: str, spark: Any, tmp_path: Path
) -> None:
    settings = WORLDS[world]
    alone, tables = explore(settings), WalkTables(spark, journal_of(settings, tmp_path))
    carry_on(tables, NO_LIMITS, lambda _: None, small=10_000)
    whole, large = result_of(tables, None), result_of(tables, None, memory=0)
    assert came_to(whole) == came_to(alone)
    done, live, judged = large.exploration, large.exploration.liveness, alone.exploration.liveness
    assert live is not None and judged is not None
    assert (done.limit, large.rounds, live.cycles_judged, live.livelocks) == ("edges", None, False, ())
    assert large.to_json()["livelocks"] is None
    stuck = [len(each.trace) for each in live.dead_ends[:1]], len(live.dead_ends)
    assert stuck == ([len(each.trace) for each in judged.dead_ends[:1]], len(judged.dead_ends))
    real = any(each.severity is Severity.REAL for each in done.violations)
    assert large.verdict is (Verdict.VIOLATED if real or live.dead_ends else Verdict.UNKNOWN)
    assert large.to_json()["violations"] == whole.to_json()["violations"]
    assert done.widths == alone.exploration.widths
    assert (done.states, done.edges, done.diameter) == (
        alone.exploration.states,
        alone.exploration.edges,
        alone.exploration.diameter,
    )


def test_memory_for_the_graph_is_a_size(spark: Any) -> None:
    session = spark.newSession()
    assert memory_of(session) == MEMORY
    session.conf.set(LIVENESS_MEMORY, "512m")
    assert memory_of(session) == 512 << 20
    session.conf.set(LIVENESS_MEMORY, "much")
    with pytest.raises(InputError, match=r"spark\.kassay\.liveness\.memory 'much': no size, expected"):
        memory_of(session)
