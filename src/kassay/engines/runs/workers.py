"""Plays the blocks of a run in several processes, each of which opens the target for itself."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from typing import Any, NamedTuple

from kassay.engines.runs.blocks import Bench, Job, open_bench, play_block
from kassay.engines.runs.verdicts import Tally
from kassay.kinds.judging import InternalError


class Players(NamedTuple):
    """Plays the block between two case numbers before a deadline, and holds the blocks not yet counted.

    `apart` does other work on the bench of one of the processes; None where there is only one.
    """

    submit: Callable[[int, int, float], Future[Tally]]
    waiting: list[Future[Tally]]
    apart: Callable[[Callable[[Bench], Any]], Future[Any]] | None = None


@contextmanager
def worker_processes(job: Job, total: Tally) -> Iterator[Players]:
    """The job's processes; on an interrupt, the blocks that they began are added to `total`."""
    pool = ProcessPoolExecutor(
        job.options.jobs, mp_context=get_context("spawn"), initializer=_start_worker, initargs=(job,)
    )

    def submit(start: int, stop: int, deadline: float) -> Future[Tally]:
        # Worker processes inherit the blocked signals, so a terminal's interrupt cannot reach them
        # before they ignore it themselves.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return pool.submit(_work, start, stop, deadline - time.monotonic())
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def apart(work: Callable[[Bench], Any]) -> Future[Any]:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return pool.submit(_work_apart, work)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    players = Players(submit, [], apart)
    try:
        yield players
    except KeyboardInterrupt:
        for block in players.waiting:
            if not block.cancel():
                total.add(block.result())
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_open: ExitStack = ExitStack()
"""What a worker process holds open; its children end with it."""
_benches: list[Bench] = []


def _start_worker(job: Job) -> None:
    """Open the target in a worker process, which serves one job; only its parent handles interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _benches.append(_open.enter_context(open_bench(job)))


def _work(start: int, stop: int, seconds: float) -> Tally:
    if not _benches:
        raise InternalError("a worker was called before it was started")
    return play_block(_benches[0], start, stop, time.monotonic() + seconds, hurries=True)


def _work_apart(work: Callable[[Bench], Any]) -> Any:
    if not _benches:
        raise InternalError("a worker was called before it was started")
    return work(_benches[0])
