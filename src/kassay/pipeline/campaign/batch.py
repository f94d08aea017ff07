"""Plays one batch: its rows go to disk out of the pass that plays them, then into the tables.

Each task writes what it played under `staging/`; a task that ended is not played again, whatever becomes of
the executor that ran it. The tables are read from there, in few files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from kassay.kinds.judging import InternalError
from kassay.pipeline.campaign import worker
from kassay.pipeline.campaign.lanes import chunks_of, digests
from kassay.pipeline.campaign.records import Campaign, Sums, sums_of
from kassay.pipeline.campaign.tables import SUMS, WORK_DDL, rows_of_table, write_batch
from kassay.pipeline.formats import PARQUET, commit_batch
from kassay.pipeline.spark import in_pool, slots, translated_errors
from kassay.pipeline.tables import Summary, Table, summary
from kassay.pipeline.workers import on_workers, own_code, sources_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STAGING: Final = "staging"


@dataclass(frozen=True)
class Batch:
    """A planned batch: its number, its work, how many histories that is, and the group of its Spark jobs."""

    number: int
    work: worker.Work
    histories: int

    @property
    def group(self) -> str:
        """The group of the jobs that play it."""
        return f"kassay-{self.work.identity}-{self.number}"

    @property
    def staging(self) -> str:
        """The folder, in the campaign's, of what is played and not yet in the tables."""
        return f"{STAGING}/batch={self.number}"


def batch_of(campaign: Campaign, number: int, slots_: int) -> Batch:
    """The batch, cut into tasks by what is known of the costs."""
    planned = campaign.planned[number]
    lanes = {part.lane: campaign.lanes[part.lane] for part in planned}
    work = worker.Work(
        campaign=campaign.spec.name,
        identity=campaign.spec.identity,
        gap=campaign.spec.gap,
        lanes=lanes,
        chunks=chunks_of(planned, campaign.costs, campaign.spec.pace, slots_),
        files=sources_of(lane.job.target for lane in lanes.values()),
    )
    return Batch(number, work, campaign.histories_of(number))


def play(spark: SparkSession, campaign: Campaign, batch: Batch) -> dict[str, Any]:
    """Play the batch and write its tables; its receipt, without what it cost in time and memory.

    Several batches may be played at a time, each in a thread of its own. Raises `InputError` if the folder
    cannot be written, `SparkFailed`.
    """
    place, tasks = campaign.store.address(batch.staging), len(batch.work.chunks)
    with translated_errors(campaign.store.place):
        with in_pool(spark, "play", batch.group):
            numbers = spark.range(0, tasks, 1, tasks)
            played = numbers.mapInArrow(on_workers(partial(worker.play, batch.work)), WORK_DDL)
            played.write.mode("overwrite").parquet(place)
        with in_pool(spark, "write", batch.group):
            rows = spark.read.schema(WORK_DDL).parquet(place)
            counted = [
                json.loads(row[0]) for row in rows.select(SUMS).where(rows[SUMS].isNotNull()).collect()
            ]
            summed = {table.name: _stored(campaign, batch, rows, table) for table in campaign.batched}
    return {
        "tables": summed,
        "sums": _summed(batch, counted),
        "tasks": [
            {"lane": one["lane"], "start": one["start"], "stop": one["stop"], **one["task"]}
            for one in sorted(counted, key=itemgetter("lane", "start"))
        ],
        "code": own_code()._asdict(),
        "targets": dict(digests(tuple(batch.work.lanes.values()))),
        "slots": slots(spark),
    }


def _stored(campaign: Campaign, batch: Batch, rows: DataFrame, table: Table) -> Summary:
    """Write the rows of one table in the campaign's format; their summary."""
    place, number = campaign.address(table), batch.number
    if campaign.format == PARQUET:
        return write_batch(rows, table, f"{place}/batch={number}", batch.histories)
    own = rows_of_table(rows, table, batch.histories)
    # measured first: of a batch that is committed already nothing is written
    measured = summary(own, table.names)
    key = f"kassay {campaign.spec.identity} {table.name} batch {number}"
    commit_batch(own, place, number, key, campaign.struck.get(number, 0))
    return measured


def _summed(batch: Batch, counted: list[dict[str, Any]]) -> dict[str, Any]:
    """The tasks' counts, summed by lane, so that the split into tasks does not show."""
    sums: dict[int, Sums] = {}
    for one in counted:
        sums.setdefault(one["lane"], Sums()).add(sums_of(one["sums"]))
    played = sum(each.tally.histories for each in sums.values())
    if played != batch.histories:
        raise InternalError(f"batch {batch.number}: {played} histories played, {batch.histories} planned")
    return {str(lane): sums[lane].to_json() for lane in sorted(sums)}
