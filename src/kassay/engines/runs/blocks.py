"""Blocks of seeded cases: the unit that one process, many processes and Spark workers share.

The seed of case number i of a run is derived from the run's seed and i, so a block gives the same tally
wherever it is played.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from kassay.engines.processes.host import GuardedHost, Host, Maker
from kassay.engines.runs.lives import PLAYS, WHOLE_FROM, LongLife, live_long, lived_subject, memory_growth
from kassay.engines.runs.options import RunOptions, aim_at, aims_of, claims_of, profile_of
from kassay.engines.runs.verdicts import Tally
from kassay.engines.targets.mixed import MixedHost
from kassay.engines.targets.resolve import Target
from kassay.kinds.alarm import kept_alarm
from kassay.kinds.judging import Examination, Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.registry import driver_for
from kassay.kinds.wide import EVERY, Classes, WidePlan, Widths, wide_case
from kassay.model.surroundings import Surroundings
from kassay.properties.profile import Profile
from kassay.properties.registry import Claim
from kassay.properties.sources import Seeded, derive_seed

TWIN_EVERY = 20
TWINS_MAX = 50
"""Every 20th case, 50 in all, is also played in a process with another hash seed."""
WIDE_SHARE: Final = 1 / 3
FIRST_CLASSES: Final = 450
"""After so many cases each class was there, and wide cases take at most a third of a time budget."""
FIRST_AIMS: Final = 90
"""After so many cases each situation that claims require was aimed at."""
HURRIES_FROM_S: Final = 20.0
"""In a time budget of so much, a slow target gets each class before more plain cases."""
COLLECTED_AFTER = 50_000
"""The number of new objects between two garbage collections while a target is open."""


@dataclass(frozen=True)
class Job:
    """A target with the options of a run; picklable, so that any worker can open it."""

    target: Target
    options: RunOptions

    def __reduce__(self) -> tuple[type[Job], tuple[Target, RunOptions]]:
        """Leaves out the cached lookups: a worker looks up claims in its own registry."""
        return Job, (self.target, self.options)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims to check."""
        return claims_of(self.target.kind, self.target.protocol, self.target.claims, self.options)

    @cached_property
    def profile(self) -> Profile:
        """The profile of the generated inputs."""
        options = replace(self.options, assume=self.assume)
        return profile_of(self.target.kind, self.claims, options, mixed=bool(self.target.parts))

    @cached_property
    def assume(self) -> frozenset[str]:
        """The user's and the target author's assumptions about the inputs."""
        return self.options.assume | frozenset(self.target.assumes)

    @property
    def ruled_out(self) -> frozenset[str]:
        """What rules situations out: assumptions, and traits of the target."""
        return self.assume | self.target.traits

    @property
    def driver(self) -> Driver[Any]:
        """The driver of the target's kind."""
        return driver_for(self.target.kind)

    @cached_property
    def aims(self) -> tuple[str, ...]:
        """The recipes for the situations that the claims require; none if the user selected one shape."""
        if self.profile.shape:
            return ()
        return aims_of(self.target.kind, self.claims, self.assume, self.driver.aims)

    @cached_property
    def widths(self) -> Widths:
        """What is wide in every third case; nothing if the user selected one shape."""
        return Widths(self.driver, self.assume)

    def case(self, index: int) -> Any:
        """Case number `index`: its recipe depends only on the claims, the kind and the index."""
        return self.case_and_classes(index)[0]

    def plain_case(self, index: int) -> Any:
        """Case number `index` as it is without anything wide."""
        return self.case_and_classes(index, plain=True)[0]

    def is_wide(self, index: int) -> bool:
        """Whether case number `index` is wide."""
        return index % EVERY == EVERY - 1 and not self.profile.shape and self.widths.anything

    def wants_classes(self, index: int) -> bool:
        """Whether at case number `index` of a run by time some class of wide input may not have come yet."""
        whole = inf > self.options.budget.limit_s >= HURRIES_FROM_S
        return whole and index < FIRST_CLASSES and not self.profile.shape and self.widths.anything

    def case_and_classes(self, index: int, *, plain: bool = False) -> tuple[Any, Classes]:
        """Case number `index`, and the wide classes that it shows; none of them if it is to be `plain`."""
        seed = derive_seed(self.options.seed, index)
        if plain or not self.is_wide(index):
            return self.driver.generate(Seeded(seed), self.profile, aim_at(self._turn(index), self.aims)), ()
        return wide_case(self.widths, index // EVERY, seed, self._wide_base(index))

    def _turn(self, index: int) -> int:
        """The number of a plain case among the plain ones, so that no recipe falls to wide cases alone."""
        return index - (index + 1) // EVERY if self.widths.anything and not self.profile.shape else index

    def _wide_base(self, index: int) -> Callable[[Seeded, WidePlan, int], Any]:
        """What makes the case that becomes wide: the first by the recipe of its number, others by none."""
        driver, profile = self.driver, self.profile

        def base(source: Seeded, plan: WidePlan, attempt: int) -> Any:
            wanted = driver.wide_profile(profile, plan.dimensions)
            if plan.sizes:
                return driver.sized(source, wanted, plan.sizes)
            return driver.generate(source, wanted, "" if attempt else aim_at(index // EVERY, self.aims))

        return base


def _of_processes(claim: Claim) -> bool:
    """Whether the claim is about the answers of another process."""
    return claim.kind.id == "deterministic"


def of_environments(claim: Claim) -> bool:
    """Whether the claim is about answers in other environments: of another process, or of another leader."""
    return claim.kind.id in ("deterministic", "leader-neutral")


class Bench:
    """An open target with everything needed to check it.

    `between` has two surroundings by the id of a claim that is violated between them; `before` the cases that
    an object has to live through by the id of a claim that is violated then. `kept_s` is the time of a budget
    still kept for controls, None for their whole share.
    """

    def __init__(self, job: Job, host: Host, stack: ExitStack) -> None:
        self.job = job
        self.driver = job.driver
        self._host = host
        self._stack = stack
        self._apart: dict[int, Host] = {}
        self._pairs: dict[tuple[Surroundings, Surroundings], tuple[Host, Host]] = {}
        self.before: dict[str, tuple[Any, ...]] = {}
        self.between: dict[str, tuple[Surroundings, Surroundings]] = {}
        self.kept_s: float | None = None
        self.subject = Subject(
            new=self._maker(host),
            protocol=job.target.protocol,
            claims=job.claims,
            assume=job.assume,
        )
        self._seconds = self._wide_seconds = 0.0
        self._opened = time.monotonic()
        self._wants_twin = any(map(_of_processes, job.claims))

    def subject_for(self, index: int) -> Subject:
        """The subject for one case: every so many cases it has a twin in another process."""
        if not self._wants_twin or index % TWIN_EVERY or index >= TWIN_EVERY * TWINS_MAX:
            return self.subject
        return self.with_twin()

    def with_twin(self) -> Subject:
        """The subject with a twin in a process with another hash seed."""
        like_ours = not self.job.target.opener.repeats and os.environ.get("PYTHONHASHSEED") == "1"
        return replace(self.subject, twin=self._maker(self._process(2 if like_ours else 1)))

    def subjects_of(self, claim: Claim) -> Iterator[Subject]:
        """The subjects of one claim, the plainest first: for the claim alone, then for all claims.

        For a claim about processes, two processes with known hash seeds come before this process.
        """
        if claim.id in self.before:
            only = replace(self.subject, claims=(claim,))
            before, config = self.before[claim.id], self.job.options.config
            yield lived_subject(self.driver, only, self._host, config, before)
            return
        if claim.id in self.between:
            yield self.subject_in(claim, *self.between[claim.id])
            return
        if _of_processes(claim):
            yield self.subject_apart(claim)
            if not self.job.target.opener.repeats:
                yield replace(self.with_twin(), claims=(claim,))
            return
        yield replace(self.subject, claims=(claim,))
        if len(self.job.claims) > 1:
            yield self.subject

    def subject_apart(self, claim: Claim) -> Subject:
        """The subject of one claim in a process with hash seed 0, its twin in one with another."""
        twin = self._maker(self._process(1)) if _of_processes(claim) else None
        return replace(self.subject, new=self._maker(self._process(0)), twin=twin, claims=(claim,))

    def subject_in(self, claim: Claim, first: Surroundings, then: Surroundings) -> Subject:
        """The subject of a claim about environments, in processes with these surroundings."""
        key = (first, then)
        if key not in self._pairs:
            one, other = (
                self._stack.enter_context(self.job.target.open(surroundings=self._with_folder(each)))
                for each in key
            )
            self._pairs[key] = (one, other)
        return self.subject_between(claim, *self._pairs[key])

    def _with_folder(self, surroundings: Surroundings) -> Surroundings:
        """The surroundings; where their folder does not exist, with an empty one of the same name."""
        folder = surroundings.folder
        if folder is None or Path(folder).exists():
            return surroundings
        root = self._stack.enter_context(TemporaryDirectory(prefix="kassay-"))
        empty = Path(root, Path(folder).name)
        empty.mkdir()
        return replace(surroundings, folder=str(empty))

    def subject_between(self, claim: Claim, first: Host | None, then: Host) -> Subject:
        """The subject of a claim about environments whose answers are compared between two hosts.

        None stands for the host of the run. If the claim is about leaders, members' objects come from both
        hosts by turns; else each answer of the first host is compared with that of the other one.
        """
        one = self._host if first is None else first
        only = replace(self.subject, claims=(claim,), looks_apart_only=True)
        if _of_processes(claim):
            return replace(only, new=self._maker(one), twin=self._maker(then))
        return replace(only, new=self._maker(MixedHost((one, then))))

    def _process(self, hash_seed: int) -> Host:
        """A child process with that hash seed; each seed has one process."""
        if hash_seed == 0 and isinstance(self._host, GuardedHost):
            return self._host
        if hash_seed not in self._apart:
            opened = self.job.target.open(hash_seed=hash_seed)
            self._apart[hash_seed] = self._stack.enter_context(opened)
        return self._apart[hash_seed]

    def live_long(self, broken: Collection[str], seconds: float) -> LongLife:
        """What one object does that lives through many cases; claims `broken` already are left out."""
        options = self.job.options
        histories = options.budget.histories
        plays = PLAYS if histories is None or histories >= WHOLE_FROM else histories
        return live_long(
            self.driver,
            self.subject,
            self._host,
            options.config,
            self.job.plain_case,
            broken=broken,
            seconds=seconds,
            plays=plays,
        )

    def memory_growth(self, seconds: float) -> float | None:
        """How many MiB a new process of the target grows by, in many calls; None if that is not known."""
        options = self.job.options
        with self.job.target.open(hash_seed=0) as host:
            return memory_growth(
                self.driver, self.subject, host, options.config, self.job.plain_case, seconds=seconds
            )

    def _maker(self, host: Host) -> Maker:
        """What makes objects in the host, with the run's configuration on top of their own."""
        return Maker(host, self.job.options.config)

    def look(self, index: int, watch: Callable[[Any], None] | None = None) -> tuple[Any, Examination]:
        """Case number `index` and its results; `watch` gets its rebalances."""
        began = time.perf_counter()
        wide = self.job.is_wide(index)
        case, classes = self.job.case_and_classes(index, plain=wide and self._wide_enough(index))
        subject = self.subject_for(index)
        if watch is not None:
            subject = replace(subject, watch=watch)
        examination = self.driver.examine(case, subject)
        if any(examination.checked.values()):
            examination.covered = classes
        elif not any(examination.judged.values()):
            examination.silent = classes
        examination.seconds = time.perf_counter() - began
        examination.wide_seconds = examination.seconds if wide else 0.0
        self._seconds += examination.seconds
        self._wide_seconds += examination.wide_seconds
        return case, examination

    def leaves_out(self, index: int, deadline: float) -> bool:
        """Whether case number `index` is a plain one for which a slow target has no time yet.

        So it is until each class was there, as long as the share of the time until the deadline
        (`time.monotonic`) that is over is larger than the share of the cases.
        """
        if index < FIRST_AIMS or self.job.is_wide(index) or not self.job.wants_classes(index):
            return False
        spent, whole = time.monotonic() - self._opened, deadline - self._opened
        return spent * FIRST_CLASSES > whole * index

    def _wide_enough(self, index: int) -> bool:
        """Whether wide cases took a third of the time; in a run by time, after each class was there once."""
        first_time = index < FIRST_CLASSES or self.job.options.budget.histories is not None
        return not first_time and self._wide_seconds > WIDE_SHARE * self._seconds


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Runs Python's cyclic garbage collector after every 50,000 new objects instead of 700.

    Histories create hardly any cycles, and the collector took a quarter of the time of a large rebalance.
    """
    before = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def open_bench(job: Job) -> Iterator[Bench]:
    """The job's target, open until the block ends; leaves no process behind."""
    with _seldom_collected(), kept_alarm(), ExitStack() as stack:
        yield Bench(job, stack.enter_context(job.target.open()), stack)


def play_block(
    bench: Bench,
    start: int,
    stop: int,
    deadline: float | None = None,
    tally: Tally | None = None,
    *,
    hurries: bool = False,
) -> Tally:
    """The tally of cases `start` to `stop`, fewer if the deadline (`time.monotonic`) passes.

    If it `hurries`, plain cases are left out for which a slow target has no time yet. Cases are added one by
    one to `tally`, if given, so that it is complete up to an interrupt.
    """
    tally = Tally() if tally is None else tally
    for index in range(start, stop):
        if deadline is not None:
            if time.monotonic() > deadline:
                break
            if hurries and bench.leaves_out(index, deadline):
                continue
        tally.take(index, *bench.look(index), bench.driver)
    return tally
