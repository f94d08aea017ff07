"""Watches running batches: their finished tasks, the memory on this machine, and the time left.

Memory is the proportional set size: pages that processes share count once. On a cluster, workers run
elsewhere: only the driver's machine is visible, and each task reports its own peak.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.processes.proc import descendants
from kassay.pipeline import connect
from kassay.pipeline.campaign.records import Campaign, Key

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


class TaskCounter:
    """Counts the finished tasks of a batch: those of the stage of its job group with so many tasks."""

    def __init__(self, spark: SparkSession, group: str, tasks: int) -> None:
        self._tracker: Any = None if connect.is_connect(spark) else spark.sparkContext.statusTracker()
        self._group, self.tasks, self._done = group, tasks, 0

    def done(self) -> int:
        """The finished tasks so far."""
        if self._tracker is None:
            return connect.finished_tasks(self._group, self.tasks)
        with suppress(Exception):  # if the session ends meanwhile, the batch reports it
            for job in self._tracker.getJobIdsForGroup(self._group):
                job_info = self._tracker.getJobInfo(job)
                for stage in job_info.stageIds if job_info is not None else ():
                    info = self._tracker.getStageInfo(stage)
                    if info is not None and info.numTasks == self.tasks:
                        self._done = max(self._done, info.numCompletedTasks)
        return self._done


def java_process(spark: SparkSession) -> int:
    """The process id of the driver's Java; of the driver itself where Java is a server's."""
    if connect.is_connect(spark):
        return os.getpid()
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

    While batches run, `done` is an estimate from their finished tasks; `tasks_done` of `tasks` are those of
    the first of them, both 0 when a batch has ended. `peak_kib`: the most memory so far, of all processes on
    this machine. `broken`: the claims first broken in this batch, with their targets; these verdicts are
    final.
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
        return replace(self._progress(number, {}), broken=tuple(broken))

    def within(self, running: Mapping[int, tuple[int, int]]) -> CampaignProgress:
        """Progress while batches run: the finished tasks and all tasks of each."""
        number = min(running)
        shares = {each: done / tasks if tasks else 0.0 for each, (done, tasks) in running.items()}
        return self._progress(number, shares, *running[number])

    def _progress(
        self, number: int, shares: Mapping[int, float], tasks_done: int = 0, tasks: int = 0
    ) -> CampaignProgress:
        campaign = self._campaign
        within = sum(int(share * campaign.histories_of(each)) for each, share in shares.items())
        done = campaign.histories_done + within
        rate = (done - self._at_first) / max(1e-9, time.monotonic() - self._began)
        peak = self.peaks.kib.get("all", 0)
        eta = self._eta(shares)
        return CampaignProgress(
            number, done, campaign.histories, rate, eta, len(self.kinds), tasks_done, tasks, peak
        )

    def _eta(self, shares: Mapping[int, float]) -> float | None:
        """The remaining work in seconds, divided by the slots; None until every lane's cost is known."""
        costs, left = self._campaign.costs, self._campaign.left
        if any(lane.number not in costs for lane, count in left if count):
            return None
        whole = sum(costs[lane.number] * count for lane, count in left if count)
        played = sum(
            share * costs[part.lane] * (part.stop - part.start)
            for number, share in shares.items()
            if share
            for part in self._campaign.planned[number]
        )
        return (whole - played) / self._slots


def _kinds_broken(campaign: Campaign) -> KindsBroken:
    return {(campaign.lanes[lane].target, key) for lane, sums in campaign.sums.items() for key in sums.kinds}
