"""Small worlds of every model, and what a walk came to, as one value to compare."""

from pathlib import Path
from typing import Any

from kassay.engines.protocols.explore import ExploreResult, renames
from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.faults import Faults
from kassay.pipeline.store import Local
from kassay.pipeline.walk.records import Journal, open_journal
from kassay.pipeline.walk.worker import SparkWalk

CRASH = Faults(crash=1)
WORLDS = {
    "eager": ExploreSettings("classic", mode="eager", partitions=1, faults=Faults(pause=1)),
    "cooperative": ExploreSettings("classic", mode="cooperative", switches=frozenset({"no_withhold"})),
    "renamed": ExploreSettings("classic", mode="eager", members=3, partitions=1),
    "kip848": ExploreSettings("kip848", partitions=2, switches=frozenset({"recompute_on_new_target"})),
    "migration": ExploreSettings("migration", members=1, partitions=1, faults=CRASH),
    "streams": ExploreSettings("streams", partitions=1, faults=CRASH),
    "draft": ExploreSettings("draft", partitions=2, switches=frozenset({"split_persist"})),
    "zookeeper": ExploreSettings("zookeeper", partitions=2, switches=frozenset({"zk_finite_retries"})),
}
"""Between them they break promises of states and of steps, and have dead ends and livelocks."""


def walk_of(settings: ExploreSettings) -> SparkWalk:
    """The walk as it travels."""
    return SparkWalk(settings, renames(settings))


def journal_of(settings: ExploreSettings, folder: Path) -> Journal:
    """The journal of this walk in the folder."""
    return open_journal(Local(folder), walk_of(settings))


def came_to(result: ExploreResult) -> dict[str, Any]:
    """All that must not depend on who walked."""
    done, live = result.exploration, result.exploration.liveness
    assert live is not None
    return {
        "figures": (done.states, done.edges, done.diameter, done.limit, str(done.verdict), result.rounds),
        "violations": sorted((v.invariant, str(v.severity), v.seen, v.length) for v in done.violations),
        "dead ends": sorted(len(stuck.trace) for stuck in live.dead_ends[:1]) + [len(live.dead_ends)],
        "livelocks": sorted((len(stuck.trace), stuck.states, len(stuck.cycle)) for stuck in live.livelocks),
        "hopeless": (live.hopeless, live.undecided),
        "not checked": [(one.invariant, one.why) for one in result.not_checked],
    }


NO_LIMITS = WalkLimits(None)


def rows(folder: Path) -> list[tuple[Any, ...]]:
    """For each level, the number and a hash of all its states and of all their steps, in any order."""
    import duckdb

    tables = (
        ("visited", "fingerprint, parent, data", "true"),
        ("steps", "source, converged, targets, labels", "source IS NOT NULL"),
    )
    return [
        row
        for name, columns, which in tables
        for row in duckdb.sql(
            f"SELECT '{name}', level, count(*), bit_xor(hash({columns})) "
            f"FROM read_parquet('{folder}/{name}/**/*.parquet', hive_partitioning=true) "
            f"WHERE {which} GROUP BY level ORDER BY level"
        ).fetchall()
    ]
