"""Blocks of seeded cases: the unit that one process, many processes and Spark workers share.

Case number i of a run comes from the seed derived from the run's seed and i, so a block gives the
same tally wherever it is played.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kassay.certify.kinds.judging import Driver, Examination, Subject
from kassay.certify.kinds.registry import driver_for
from kassay.certify.processes.host import Host
from kassay.certify.runs.options import RunOptions, profile_of, promises_of
from kassay.certify.runs.verdicts import Tally
from kassay.certify.targets.resolve import Target
from kassay.model.groups.step import Rebalanced
from kassay.properties.groups.histories.generator import Profile
from kassay.properties.registry import Promise
from kassay.properties.sources import Seeded, derive_seed

TWIN_EVERY = 20
TWINS_MAX = 50
"""Every 20th case, 50 in all, is also played in a process with another hash seed."""


@dataclass(frozen=True)
class Job:
    """A target with the options of a run; picklable, so that any worker can open it."""

    target: Target
    options: RunOptions

    def __reduce__(self) -> tuple[type[Job], tuple[Target, RunOptions]]:
        """Without what was looked up: a worker finds claims in its own registry."""
        return Job, (self.target, self.options)

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """What is judged."""
        return promises_of(self.target.kind, self.target.claims, self.options)

    @cached_property
    def profile(self) -> Profile:
        """What is generated."""
        return profile_of(self.target.kind, self.promises, replace(self.options, assume=self.assume))

    @cached_property
    def assume(self) -> frozenset[str]:
        """What the user and the target's author assume of the inputs."""
        return self.options.assume | frozenset(self.target.assumes)

    @property
    def driver(self) -> Driver[Any]:
        """The driver of the target's kind."""
        return driver_for(self.target.kind)

    def case(self, index: int) -> Any:
        """Case number `index`."""
        return self.driver.generate(Seeded(derive_seed(self.options.seed, index)), self.profile)


class Bench:
    """An open target with everything to judge it by."""

    def __init__(self, job: Job, host: Host, stack: ExitStack) -> None:
        self.job = job
        self.driver = job.driver
        self._stack = stack
        self._twin: Host | None = None
        self.subject = Subject(
            new=self._maker(host),
            protocol=job.target.protocol,
            promises=job.promises,
            assume=job.assume,
        )
        self._wants_twin = any(promised.claim.id == "deterministic" for promised in job.promises)

    def subject_for(self, index: int) -> Subject:
        """The subject for one case: with a twin in another process where it is this case's turn."""
        if not self._wants_twin or index % TWIN_EVERY or index >= TWIN_EVERY * TWINS_MAX:
            return self.subject
        return self.with_twin()

    def with_twin(self) -> Subject:
        """The subject with a twin in a process with another hash seed."""
        if self._twin is None:
            unlike_ours = 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1
            self._twin = self._stack.enter_context(self.job.target.open(hash_seed=unlike_ours))
        return replace(self.subject, twin=self._maker(self._twin))

    def _maker(self, host: Host) -> Callable[[Mapping[str, str]], Any]:
        """What makes objects there with the run's configuration under their own."""
        config = self.job.options.config
        return lambda own: host.new({**config, **own})

    def subject_of(self, promised: Promise) -> Subject:
        """The subject with this promise alone, and with a twin where the promise is about processes."""
        subject = self.with_twin() if promised.claim.id == "deterministic" else self.subject
        return replace(subject, promises=(promised,))

    def look(self, index: int, watch: Callable[[Rebalanced], None] | None = None) -> tuple[Any, Examination]:
        """Case number `index` and what it showed; `watch` is shown its rebalances."""
        case = self.job.case(index)
        subject = self.subject_for(index)
        if watch is not None:
            subject = replace(subject, watch=watch)
        return case, self.driver.examine(case, subject)


@contextmanager
def open_bench(job: Job) -> Iterator[Bench]:
    """The job's target, open until the block ends; leaves no process behind."""
    with ExitStack() as stack:
        yield Bench(job, stack.enter_context(job.target.open()), stack)


def play_block(bench: Bench, start: int, stop: int, deadline: float | None = None) -> Tally:
    """The tally of cases `start` to `stop`, fewer if the deadline (`time.monotonic`) passes."""
    tally = Tally()
    for index in range(start, stop):
        if deadline is not None and time.monotonic() > deadline:
            break
        tally.take(index, *bench.look(index), bench.driver)
    return tally
