"""What is counted as the campaign's memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.pipeline.campaign.play.watch import Peaks, memory_kib

HOLDS_MIB = 40
HOLDER = f"import sys; held = b'x' * ({HOLDS_MIB} << 20); print('ready', flush=True); sys.stdin.read()"


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_a_child_counts_as_a_worker_and_a_stranger_not_at_all() -> None:
    def begun() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    with begun() as java, begun() as worker:
        for process in (java, worker):
            assert process.stdout is not None
            process.stdout.readline()
        found = memory_kib(os.getpid(), java.pid)
        alone = memory_kib(worker.pid, worker.pid)
        for process in (java, worker):
            process.communicate("")
    assert found["workers"] > HOLDS_MIB * 1024
    assert found["java"] > HOLDS_MIB * 1024
    assert found["driver"] > 0
    assert found["all"] == found["driver"] + found["java"] + found["workers"]
    assert alone["driver"] == alone["all"] < found["all"]


def test_peaks_keep_the_largest_of_each() -> None:
    peaks = Peaks()
    peaks.take({"driver": 3, "all": 9})
    peaks.take({"driver": 5, "all": 7})
    peaks.take({})
    assert peaks.kib == {"driver": 5, "all": 9}
