"""Blocks in several processes: the same tallies as here, and an interrupt that is this process's alone."""

import os
import signal
import time
from pathlib import Path

import pytest

from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.verdicts import Tally
from kassay.engines.runs.workers import worker_processes
from kassay.engines.targets.resolve import resolve


@pytest.fixture
def heeded():
    """An interrupt is heeded here, and so by what starts here, also where a shell ignores it for its jobs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_an_interrupt_reaches_no_worker_and_what_they_played_is_kept():
    options = RunOptions(claims=("topic-even",), budget=Budget(histories=60), jobs=2)
    job = Job(resolve("ceil-range"), options)
    before = children()
    total, deadline = Tally(), time.monotonic() + 100
    with pytest.raises(KeyboardInterrupt), worker_processes(job, total) as (submit, waiting, _):
        for start in (0, 30):
            waiting.append(submit(start, start + 30, deadline))
        workers = children() - before
        assert len(workers) >= 2
        for pid in workers:
            os.kill(pid, signal.SIGINT)
        for block in waiting:
            assert block.result().histories == 30
        raise KeyboardInterrupt
    with open_bench(job) as bench:
        here = play_block(bench, 0, 60)
    assert (total.histories, total.rebalances, total.reached) == (60, here.rebalances, here.reached)
    assert total.counts == here.counts
    assert total.findings == 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def children():
    """The processes that this one has started and that are there."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    return {int(pid) for pid in listed.split()}
