"""Runs a campaign batch by batch, until every history is in the tables once, and watches each batch.

Monitors a batch on Spark: finished tasks, and the memory of all processes on this machine. Memory is the
proportional set size: pages that processes share count once. On a cluster, workers run elsewhere: only
the driver's machine is visible, and each task reports its own peak.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.processes.proc import descendants
from kassay.kinds.judging import InternalError
from kassay.model.errors import InputError
from kassay.pipeline.campaign import tables, worker
from kassay.pipeline.campaign.lanes import chunks_of, digests, next_batch
from kassay.pipeline.campaign.records import Campaign, Key, Sums, sums_of
from kassay.pipeline.campaign.tables import SUMS, WORK_DDL
from kassay.pipeline.spark import slots, translated_errors
from kassay.pipeline.tables import NO_ROWS, Summary, Table, summary_by_batch
from kassay.pipeline.workers import CodeIdentity, on_workers, own_code, sources_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


EVERY_S: Final = 2.0
PARTS: Final = ("driver", "java", "workers", "all")
_PROCESSES: Final = Path("/proc")


@dataclass
class Peaks:
    """The most memory so far, in KiB, of each part and of the total; empty if unknown."""

    kib: dict[str, int] = field(default_factory=dict)

    def take(self, sample: Mapping[str, int]) -> None:
        """Add one sample."""
        for part, kib in sample.items():
            self.kib[part] = max(kib, self.kib.get(part, 0))


class BatchWatch:
    """Inside the block, calls `tick` with the finished tasks of a stage of `tasks`; records the peaks."""

    def __init__(self, spark: SparkSession, tasks: int, tick: Callable[[int], None]) -> None:
        self.peaks = Peaks()
        self._tasks, self._done = tasks, 0
        self._tracker: Any = spark.sparkContext.statusTracker()
        self._java = java_process(spark)
        self._tick = tick
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kassay-watch", daemon=True)

    def __enter__(self) -> BatchWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            self.peaks.take(memory_kib(os.getpid(), self._java))
            with suppress(Exception):  # if the session ends meanwhile, the main thread reports it
                self._tick(self._count())

    def _count(self) -> int:
        """Finished tasks; the stages that write played rows are recognised by their number of tasks."""
        for stage in self._tracker.getActiveStageIds():
            info = self._tracker.getStageInfo(stage)
            if info is not None and info.numTasks == self._tasks:
                self._done = max(self._done, info.numCompletedTasks)
        return self._done


def java_process(spark: SparkSession) -> int:
    """The process id of the driver's Java."""
    jvm: Any = spark._jvm
    return int(jvm.java.lang.ProcessHandle.current().pid())


def memory_kib(driver: int, java: int) -> dict[str, int]:
    """Memory of the driver, its Java and all processes below them, in KiB; empty without /proc."""
    if not (_PROCESSES / "self" / "smaps_rollup").exists():
        return {}
    sample = dict.fromkeys(PARTS, 0)
    for pid, part in family(driver, java).items():
        kib = _kib(pid)
        sample[part] += kib
        sample["all"] += kib
    return sample


def family(driver: int, java: int) -> dict[int, str]:
    """The driver, its Java and all processes below them, each with the part that it belongs to."""
    workers = dict.fromkeys([*descendants(driver), *descendants(java)], "workers")
    return {**workers, java: "java", driver: "driver"}


def _kib(pid: int) -> int:
    with suppress(OSError):
        for line in (_PROCESSES / str(pid) / "smaps_rollup").read_text(encoding="utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


KindsBroken = set[tuple[str, Key]]
"""Findings as target and key."""


@dataclass(frozen=True)
class CampaignProgress:
    """Progress of a campaign; times in seconds, `eta_s` None while unknown.

    During a batch, `done` is an estimate from its `tasks_done` of `tasks`; both are 0 when the batch has
    ended. `peak_kib`: the most memory so far, of all processes on this machine. `broken`: the claims first
    broken in this batch, with their targets; these verdicts are final.
    """

    batch: int
    done: int
    of: int
    rate: float
    eta_s: float | None
    findings: int
    tasks_done: int = 0
    tasks: int = 0
    peak_kib: int = 0
    broken: tuple[tuple[str, str], ...] = ()


Report = Callable[[CampaignProgress], None]


def _nothing(_: CampaignProgress) -> None:
    """No progress report."""


class BatchClock:
    """Rate and remaining time of one run of the command."""

    def __init__(self, campaign: Campaign, slots_: int) -> None:
        self._campaign = campaign
        self._slots = slots_
        self._began, self._at_first = time.monotonic(), campaign.histories_done
        self.kinds: KindsBroken = _kinds_broken(campaign)
        self.peaks = Peaks()

    def after(self, number: int) -> CampaignProgress:
        """Progress after a batch, with the batch's findings."""
        alone = _kinds_broken(replace(self._campaign, done={number: self._campaign.done[number]}))
        known = {(target, key.claim) for target, key in self.kinds}
        self.kinds |= alone
        broken = sorted({(target, key.claim) for target, key in alone} - known)
        return replace(self._progress(number, 0.0, 0, 0), broken=tuple(broken))

    def within(self, number: int, tasks_done: int, tasks: int) -> CampaignProgress:
        """Progress during a batch."""
        share = tasks_done / tasks if tasks else 0.0
        return self._progress(number, share, tasks_done, tasks)

    def _progress(self, number: int, share: float, tasks_done: int, tasks: int) -> CampaignProgress:
        campaign = self._campaign
        done = campaign.histories_done + int(share * campaign.histories_of(number))
        rate = (done - self._at_first) / max(1e-9, time.monotonic() - self._began)
        peak = self.peaks.kib.get("all", 0)
        eta = self._eta(number, share)
        return CampaignProgress(
            number, done, campaign.histories, rate, eta, len(self.kinds), tasks_done, tasks, peak
        )

    def _eta(self, number: int, share: float) -> float | None:
        """The remaining work in seconds, divided by the slots; None until every lane's cost is known."""
        costs, left = self._campaign.costs, self._campaign.left
        if any(lane.number not in costs for lane, count in left if count):
            return None
        whole = sum(costs[lane.number] * count for lane, count in left if count)
        parts = self._campaign.planned[number] if share else []
        played = share * sum(costs[part.lane] * (part.stop - part.start) for part in parts)
        return (whole - played) / self._slots


def carry_on(
    spark: SparkSession, campaign: Campaign, report: Report = _nothing, tick: Report = _nothing
) -> None:
    """Play everything that is missing, batch by batch.

    `report` is called after each batch; `tick` every two seconds during a batch, from another thread. Raises
    `InputError` if another kassay played a batch: its histories and ours would not be those of one run.
    """
    _require_own(campaign)
    unfinished = sorted(number for number in campaign.planned if number not in campaign.done)
    clock = BatchClock(campaign, slots(spark))
    while True:
        if unfinished:
            number = unfinished.pop(0)
        else:
            number = max(campaign.planned, default=-1) + 1
            if not _plan(campaign, number, slots(spark)):
                return
        _play(spark, campaign, number, clock, tick)
        report(clock.after(number))


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


def _play(spark: SparkSession, campaign: Campaign, number: int, clock: BatchClock, tick: Report) -> None:
    """Play a planned batch, write its tables, then its receipt.

    Two passes: the first plays every history, caches the rows and collects the tasks' counts; the second
    writes the cached rows.
    """
    from pyspark import StorageLevel

    began = time.monotonic()
    chunks = chunks_of(campaign.planned[number], campaign.costs, campaign.spec.pace, slots(spark))
    work = worker.Work(
        campaign=campaign.spec.name,
        identity=campaign.spec.identity,
        gap=campaign.spec.gap,
        lanes={part.lane: campaign.lanes[part.lane] for part in campaign.planned[number]},
        chunks=chunks,
        files=sources_of(campaign.lanes[part.lane].job.target for part in campaign.planned[number]),
    )

    def tell(done: int) -> None:
        tick(clock.within(number, done, len(chunks)))

    numbers = spark.range(0, len(chunks), 1, len(chunks))
    rows = numbers.mapInArrow(on_workers(partial(worker.play, work)), WORK_DDL)
    rows = rows.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        with translated_errors(campaign.store.place), BatchWatch(spark, len(chunks), tell) as watch:
            counted = [
                json.loads(row[0]) for row in rows.select(SUMS).where(rows[SUMS].isNotNull()).collect()
            ]
            expected = campaign.histories_of(number)
            summed = {
                table.name: tables.write_batch(
                    rows, table, f"{campaign.address(table)}/batch={number}", expected
                )
                for table in campaign.batched
            }
    finally:
        rows.unpersist()
    clock.peaks.take(watch.peaks.kib)
    campaign.sign(
        number,
        {
            "tables": summed,
            "sums": _summed(number, counted, expected),
            "tasks": [
                {"lane": one["lane"], "start": one["start"], "stop": one["stop"], **one["task"]}
                for one in sorted(counted, key=itemgetter("lane", "start"))
            ],
            "code": own_code()._asdict(),
            "targets": dict(digests(tuple(work.lanes.values()))),
            "slots": slots(spark),
            "elapsed_s": round(time.monotonic() - began, 3),
            "peak_kib": watch.peaks.kib,
        },
    )


def _summed(number: int, counted: list[dict[str, Any]], expected: int) -> dict[str, Any]:
    """The tasks' counts, summed by lane, so that the split into tasks does not show."""
    sums: dict[int, Sums] = {}
    for one in counted:
        sums.setdefault(one["lane"], Sums()).add(sums_of(one["sums"]))
    played = sum(each.tally.histories for each in sums.values())
    if played != expected:
        raise InternalError(f"batch {number}: {played} histories played, {expected} planned")
    return {str(lane): sums[lane].to_json() for lane in sorted(sums)}


def _kinds_broken(campaign: Campaign) -> KindsBroken:
    return {(campaign.lanes[lane].target, key) for lane, sums in campaign.sums.items() for key in sums.kinds}


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
