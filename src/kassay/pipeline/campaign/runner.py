"""Runs a campaign batch by batch, until every history is in the tables once.

Two batches are played at a time: while the last tasks of one run, the tasks of the next take the other slots.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from kassay.model.errors import InputError
from kassay.pipeline.campaign.batch import Batch, batch_of, play
from kassay.pipeline.campaign.lanes import next_batch
from kassay.pipeline.campaign.records import Campaign
from kassay.pipeline.campaign.watching import (
    BatchClock,
    CampaignProgress,
    Peaks,
    Report,
    TaskCounter,
    java_process,
    memory_kib,
)
from kassay.pipeline.spark import cancel, slots
from kassay.pipeline.tables import NO_ROWS, Summary, Table, summary_by_batch
from kassay.pipeline.workers import CodeIdentity, own_code

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY_S: Final = 2.0
"""Between two looks at what runs."""
AT_ONCE: Final = 2
"""Batches that are played at a time."""


def _nothing(_: CampaignProgress) -> None:
    """No progress report."""


def carry_on(
    spark: SparkSession, campaign: Campaign, report: Report = _nothing, tick: Report = _nothing
) -> None:
    """Play everything that is missing, two batches at a time.

    `report` is called after each batch, `tick` about every two seconds while batches run. Raises `InputError`
    if another kassay played a batch: its histories and ours would not be those of one run.
    """
    _require_own(campaign)
    batches = _Batches(spark, campaign, report, tick)
    try:
        while batches.begin():
            batches.follow()
    except BaseException:
        batches.cancel()
        raise
    finally:
        batches.pool.shutdown()


@dataclass
class _Running:
    """A batch that is being played, what counts its tasks, and the most memory while it ran."""

    batch: Batch
    counter: TaskCounter
    peaks: Peaks = field(default_factory=Peaks)


class _Batches:
    """The batches of a campaign: those that wait, and those that run."""

    def __init__(self, spark: SparkSession, campaign: Campaign, report: Report, tick: Report) -> None:
        self._spark, self._campaign = spark, campaign
        self._report, self._tick = report, tick
        self._waiting = sorted(number for number in campaign.planned if number not in campaign.done)
        self._running: dict[Future[dict[str, Any]], _Running] = {}
        self._clock = BatchClock(campaign, slots(spark))
        self._signed = time.monotonic()
        self._java = java_process(spark)
        self.pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="kassay-batch")

    def begin(self) -> bool:
        """Begin as many batches as may run; False if none runs then, as everything is played."""
        while len(self._running) < AT_ONCE and (number := self._next()) is not None:
            batch = batch_of(self._campaign, number, slots(self._spark))
            counter = TaskCounter(self._spark, batch.group, len(batch.work.chunks))
            self._running[self.pool.submit(play, self._spark, self._campaign, batch)] = _Running(
                batch, counter
            )
        return bool(self._running)

    def _next(self) -> int | None:
        """The next batch, planned if it was not; None if there is none, or none yet."""
        if self._waiting:
            return self._waiting.pop(0)
        known = self._campaign.costs
        if self._running and any(lane.number not in known for lane, left in self._campaign.left if left):
            return None  # how large a batch should be is known once the first has been played
        number = max(self._campaign.planned, default=-1) + 1
        return number if _plan(self._campaign, number, slots(self._spark)) else None

    def follow(self) -> None:
        """Wait for a batch to end, at most until the next look, and record what has ended."""
        ended, _ = wait(self._running, EVERY_S, FIRST_COMPLETED)
        sample = memory_kib(os.getpid(), self._java)
        self._clock.peaks.take(sample)
        for each in self._running.values():
            each.peaks.take(sample)
        for future in sorted(ended, key=lambda each: self._running[each].batch.number):
            self._sign(future)
        if not ended:
            counts = {
                each.batch.number: (each.counter.done(), each.counter.tasks)
                for each in self._running.values()
            }
            self._tick(self._clock.within(counts))

    def _sign(self, future: Future[dict[str, Any]]) -> None:
        """Write the receipt of a batch that has ended; raises what ended it early."""
        receipt = future.result()
        running = self._running.pop(future)
        now = time.monotonic()
        cost = {"elapsed_s": round(now - self._signed, 3), "peak_kib": running.peaks.kib}
        self._signed = now
        self._campaign.sign(running.batch.number, {**receipt, **cost})
        self._campaign.store.discard(running.batch.staging)
        self._report(self._clock.after(running.batch.number))

    def cancel(self) -> None:
        """End the Spark jobs of the batches that run."""
        for each in self._running.values():
            cancel(self._spark, each.batch.group)


def _require_own(campaign: Campaign) -> None:
    """Raise `InputError` if a batch was played by another kassay."""
    for number, receipt in campaign.done.items():
        played = CodeIdentity(**receipt["code"])
        if played != own_code():
            raise InputError(
                f"{campaign.store.place}: batch {number} was played by {played}, this is {own_code()}; "
                "expected the same, or a new folder"
            )


def _plan(campaign: Campaign, number: int, slots_: int) -> bool:
    """Plan the batch and record the plan; False if nothing is left."""
    upto: dict[int, int] = {}
    for parts in campaign.planned.values():
        for part in parts:
            upto[part.lane] = max(upto.get(part.lane, 0), part.stop)
    parts = next_batch(campaign.lanes, upto, campaign.costs, campaign.spec.pace, slots_)
    if parts:
        campaign.plan(number, parts)
    return bool(parts)


def verify(spark: SparkSession, campaign: Campaign) -> list[int]:
    """The batches whose tables differ from their receipts; their receipts are deleted."""
    bad: set[int] = set()
    for table in campaign.batched if campaign.done else ():
        try:
            summaries = summary_by_batch(campaign.table(spark, table), table)
        except Exception:  # damaged or missing files: the batches are then checked one by one
            summaries = _one_by_one(spark, campaign, table)
        bad |= {
            number
            for number, receipt in campaign.done.items()
            if summaries.get(number, NO_ROWS) != receipt["tables"].get(table.name)
        }
    for number in sorted(bad):
        campaign.strike(number)
    return sorted({*bad, *campaign.damaged})


_UNREADABLE: Final[Summary] = {"rows": -1, "hash": "unreadable"}


def _one_by_one(spark: SparkSession, campaign: Campaign, table: Table) -> dict[int, Summary]:
    summaries: dict[int, Summary] = {}
    for number in campaign.done:
        alone = replace(campaign, done={number: campaign.done[number]})
        try:
            summaries |= {number: NO_ROWS, **summary_by_batch(alone.table(spark, table), table)}
        except Exception:  # the batch cannot be read, so it is played again
            summaries[number] = _UNREADABLE
    return summaries
