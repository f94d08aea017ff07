"""`kassay explore --master`: an exploration on Spark, started or resumed in its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.cli.options import require_writable
from kassay.cli.spark.session import started

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kassay.certify.protocols.explore import ExploreResult
    from kassay.certify.protocols.settings import ExploreSettings
    from kassay.model.explore.values import WalkLimits, WalkProgress
    from kassay.pipeline.walk.bench import SparkWalk
    from kassay.pipeline.walk.journal import Journal

HEAP: Final = "2g"
"""Java's heap on this machine: the fingerprints of one bucket per task, and the data being written."""


def walked(
    settings: ExploreSettings, limits: WalkLimits, place: str, chosen: Mapping[str, Any]
) -> ExploreResult:
    """Continue the exploration in the location, print each level on standard error, and read the result.

    Raises InputError if the location has another exploration or cannot be written, and for settings that need
    a single process.
    """
    from kassay.certify.protocols.explore import renames
    from kassay.pipeline.spark.session import translated_errors
    from kassay.pipeline.walk.bench import SparkWalk
    from kassay.pipeline.walk.levels import carry_on
    from kassay.pipeline.walk.result import result_of
    from kassay.pipeline.walk.tables import WalkTables
    from kassay.report.screen.console import console

    walk = SparkWalk(settings, renames(settings, chosen["symmetry"]))
    screen = console(stderr=True)
    try:
        with _opened(place, walk, chosen) as (spark, journal), translated_errors(place):
            if journal.receipts:
                screen.say(f"going on in {place}: {progress_line(journal.progress())}")
            tables = WalkTables(spark, journal)
            limit = carry_on(tables, limits, lambda now: screen.say(progress_line(now)))
            return result_of(tables, limit)
    except KeyboardInterrupt:
        screen.say(f"finished work is kept in {place}: run the same command to resume")
        raise


@contextmanager
def _opened(place: str, walk: SparkWalk, chosen: Mapping[str, Any]) -> Iterator[tuple[SparkSession, Journal]]:
    """A session and the journal in the location, under an exclusive lock.

    A local location is checked before Spark starts, to report its errors without a delay of half a minute.
    """
    from kassay.pipeline.campaign.records.store import Local, open_store
    from kassay.pipeline.walk.journal import open_journal

    if "://" not in place:
        require_writable(place, "--out", folder=True)
        local = Local(Path(place))
        with local.locked():
            open_journal(local, walk)
    with started(chosen, "kassay explore", HEAP) as spark:
        store = open_store(place, spark)
        with store.locked():
            yield spark, open_journal(store, walk)


def progress_line(now: WalkProgress) -> str:
    """The progress after a level, as a line."""
    rate = now.states / now.elapsed_s if now.elapsed_s else 0.0
    return (
        f"{now.depth} levels done: {now.states:,} states, {now.edges:,} edges, {now.waiting:,} states wait, "
        f"{now.elapsed_s:,.0f} s, {rate:,.0f} states/s"
    )
