"""Small fleets for tests, replayed into folders, and their tables as hashes."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kassay.engines.targets.resolve import resolve
from kassay.pipeline.fleet.fleet import FleetWork, replay_fleet
from kassay.pipeline.fleet.ledger import open_ledger
from kassay.pipeline.fleet.replay import Subscriptions
from kassay.pipeline.fleet.tables import TABLES
from kassay.pipeline.store import Local
from kassay.pipeline.tables import Summary, summary

ASSIGNORS = ("range", "roundrobin", "sticky", "optimal-sticky")


def opened(
    spark: Any, out: Path, to: Sequence[str] = ASSIGNORS, known: Subscriptions | None = None
) -> FleetWork:
    targets = [resolve(name) for name in to]
    ledger = open_ledger(Local(out), {target.spec: target.digest for target in targets})
    return FleetWork(spark, ledger, targets, known or {})


def replayed(spark: Any, paths: Iterable[Path], out: Path, to: Sequence[str] = ASSIGNORS) -> dict[str, Any]:
    return replay_fleet(opened(spark, out, to), [str(path) for path in paths])


def hashes(work: FleetWork) -> dict[str, Summary]:
    """The hash of each table, as the manifest has it."""
    parts = work.ledger.parts()
    return {
        name: summary(work.ledger.frame(work.spark, table, parts), table.names)
        for name, table in TABLES.items()
    }
