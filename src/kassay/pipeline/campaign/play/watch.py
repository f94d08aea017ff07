"""Monitors a batch on Spark: finished tasks, and the memory of all processes on this machine.

Memory is the proportional set size: pages that processes share count once. On a cluster, workers run
elsewhere: only the driver's machine is visible, and each task reports its own peak.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.certify.processes.proc import descendants

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
