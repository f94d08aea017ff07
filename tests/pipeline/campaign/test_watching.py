"""How far a campaign is while it is played.

What is counted as the campaign's memory.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.pipeline.campaign.lanes import Chunk, lanes_of
from kassay.pipeline.campaign.records import Campaign
from kassay.pipeline.campaign.spec import Spec, TargetSpec
from kassay.pipeline.campaign.watching import BatchClock, Peaks, memory_kib
from kassay.pipeline.store import Local

LANES = lanes_of(Spec("n", (TargetSpec("range"), TargetSpec("sticky")), (("small", 100),)))


def begun(seconds: tuple[float, float]) -> Campaign:
    """Two lanes of 100: 20 of each are played at so many seconds a history, 40 more are planned."""
    campaign = Campaign(Spec("n", (), ()), LANES, Local(Path("unused")))
    campaign.planned = {0: [Chunk(0, 0, 20), Chunk(1, 0, 20)], 1: [Chunk(0, 20, 60), Chunk(1, 20, 60)]}
    tasks = [{"lane": lane, "nanoseconds": round(20e9 * cost)} for lane, cost in enumerate(seconds)]
    campaign.done = {0: {"tasks": tasks, "sums": {}}}
    return campaign


@given(st.tuples(st.floats(1e-3, 9), st.floats(1e-3, 9)), st.integers(1, 8), st.integers(1, 50))
def test_within_a_batch_there_is_ever_more_done_and_less_left(
    seconds: tuple[float, float], slots: int, tasks: int
) -> None:
    clock = BatchClock(begun(seconds), slots)
    told = [clock.within({1: (done, tasks)}) for done in range(tasks + 1)]
    assert (told[0].done, told[-1].done, told[-1].of) == (40, 120, 200)
    assert [now.done for now in told] == sorted(now.done for now in told)
    left = [now.eta_s if now.eta_s is not None else -1 for now in told]
    assert left == sorted(left, reverse=True)
    assert abs(left[0] - 80 * sum(seconds) / slots) < 1e-6 * sum(seconds)
    assert abs(left[-1] - 40 * sum(seconds) / slots) < 1e-6 * sum(seconds)


def test_nothing_is_foretold_before_every_lane_has_been_seen() -> None:
    campaign = begun((1.0, 1.0))
    campaign.done = {}
    assert BatchClock(campaign, 2).within({0: (1, 4)}).eta_s is None


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
