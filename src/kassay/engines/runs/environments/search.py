"""Makes the same calls in other environments, and finds what an answer depends on besides its input.

A few cases are played here and in processes that differ in everything at once; then one thing after the other
takes many values there, above all the clock. Where an answer differs, `cause` varies one thing at a time.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any, Final, NoReturn

from kassay.engines.processes.host import Host
from kassay.engines.runs.blocks import HURRIES_FROM_S, Bench, of_environments
from kassay.engines.runs.environments.cause import (
    CHANCE,
    Differs,
    EnvironmentCause,
    Ours,
    cause_of,
    needed_by,
)
from kassay.engines.runs.environments.coverage import EnvironmentCoverage, SeenEnvironments
from kassay.engines.runs.environments.values import (
    HOST_NAMES,
    LOCALES,
    PROCESSORS,
    environments,
    hours_of_week,
    rare_instants,
    variable_names,
    with_variable,
    zones,
)
from kassay.engines.runs.shrink import STEADY_PLAYS, broken_play
from kassay.kinds.recorded import Recorded, recorded
from kassay.model.errors import TargetNotLoadable
from kassay.model.surroundings import OURS, Surroundings
from kassay.properties.registry import Claim

CASES_MAX: Final = 8
"""The number of cases that are played in every environment."""
TRIED_MAX: Final = 60
"""The number of cases among which these are searched."""
FIRST_PLAYS: Final = 4
"""The number of cases played in an environment before its parts are varied."""
ADAPTED_MAX: Final = 6
"""How often the environments are adapted to what the target needs."""
MANY_HISTORIES: Final = 200
SCOPE_STEP: Final = 7
CAUSE_MAX_S: Final = 12.0
"""The time to find the cause of a difference."""
STEADY_S: Final = 1.0
"""The time to see that a named cause decides in every play."""
MOVED_CLOCK_S: Final = 3.0
"""A program whose clock can be moved has so much time for that: it takes longer to start than Python."""
NAMES_MAX: Final = 12
"""The number of variables that are varied one by one: the first that the target reads."""


@dataclass(frozen=True)
class EnvironmentFinding:
    """A claim that a case violates between two environments; `failed` of `calls` plays violated it.

    `answers` are those of a play that violated it between the two.
    """

    claim: str
    case: Any
    index: int
    cause: EnvironmentCause
    failed: int
    calls: int
    answers: Recorded = ()

    @property
    def why(self) -> str:
        """Why the claim is violated."""
        return f"answers differ when {self.cause.words}"


@dataclass(frozen=True)
class EnvironmentResult:
    """What other environments showed."""

    coverage: EnvironmentCoverage
    findings: tuple[EnvironmentFinding, ...] = ()

    def finding(self, claim: str) -> EnvironmentFinding | None:
        """What violates the claim, if anything does."""
        return next((each for each in self.findings if each.claim == claim), None)


class _Stop(Exception):
    """The time is over, or every claim is violated."""


class _Late(Exception):
    """The time to find a cause is over."""


class _Adapt(Exception):
    """The target needs something that the environments do not have; they keep it from now on."""


@dataclass
class _Difference:
    """The first difference under one claim, with its answers; `unanswered`: the surroundings have none."""

    case: Any
    index: int
    surroundings: Surroundings
    unanswered: bool
    answers: Recorded


@dataclass
class EnvironmentSearch:
    """One search: the bench, the claims about environments, and when it has to end (`time.monotonic`).

    `processes` is the number of processes with their own hash seeds and ids; environments beyond them are
    given to the first.
    """

    bench: Bench
    claims: tuple[Claim, ...]
    deadline: float
    processes: int = 4
    seen: SeenEnvironments = field(default_factory=SeenEnvironments)
    differences: dict[str, _Difference] = field(default_factory=dict)
    plays: int = 0
    failed: int = 0
    _base: Host | None = None
    _kept_variables: set[str] = field(default_factory=set)
    _kept_fields: set[str] = field(default_factory=set)

    def run(self, cases: Iterable[tuple[int, Any]]) -> EnvironmentResult:
        """The result for the cases, of which the first that have a choice are played."""
        listed = list(islice(cases, TRIED_MAX))
        findings: list[EnvironmentFinding] = []
        with tempfile.TemporaryDirectory(prefix="kassay-") as root:
            folders = tuple(str(Path(root).resolve() / name) for name in ("a", "work", "deep"))
            for folder in folders:
                Path(folder).mkdir()
            for _ in range(ADAPTED_MAX):
                try:
                    with ExitStack() as stack:
                        if not self.bench.job.target.opener.repeats:
                            # In this process objects follow its hash seed, which no other process can have.
                            self._base = stack.enter_context(self.bench.job.target.open(surroundings=OURS))
                        self._vary(stack, environments(folders), listed, folders)
                except _Stop:
                    pass
                except _Adapt:
                    continue
                try:
                    findings = [
                        self._finding(name, difference) for name, difference in self.differences.items()
                    ]
                    break
                except _Adapt:
                    self.differences.clear()
        return EnvironmentResult(self.seen.coverage(self.plays), tuple(findings))

    def _vary(
        self,
        stack: ExitStack,
        planned: tuple[Surroundings, ...],
        cases: list[tuple[int, Any]],
        folders: tuple[str, ...],
    ) -> None:
        """Play the cases in every environment, then with values of each part in two of them."""
        planned = tuple(map(self._adapted, planned))
        first = self._open(stack, planned[0])
        chosen = self._choose(first, planned[0], cases)
        if not chosen:
            self.seen.nothing = True
            self.seen.add_gap("nothing compared (no case has two valid answers)")
            return
        again = cycle(chosen)
        start = replace(planned[0], time_zone="UTC")
        instants = list(hours_of_week())
        if first.moves_clock:
            if not first.rearranges and self.bench.job.options.budget.limit_s >= HURRIES_FROM_S:
                self.deadline = max(self.deadline, time.monotonic() + MOVED_CLOCK_S)
            self._sweep(
                first, again, (replace(start, clock=at) for at in chain(instants[:24], rare_instants()))
            )
        second, base = first, planned[0]
        for number, each in enumerate(planned[1:], start=1):
            self._check_time()
            if number < self.processes:
                second, base = self._open(stack, each), each
            else:
                base = replace(each, process=base.process, hash_seed=base.hash_seed, modified=base.modified)
                self.seen.environments += 1
            for index, case in chosen[:FIRST_PLAYS]:
                self._compare(second, base, index, case)
        if not first.rearranges:
            return
        if first.loaded_once:
            self.seen.add_gap(f"loaded in {self.seen.environments} environments only ({first.loaded_once})")
        for name in variable_names(first.reads)[:NAMES_MAX]:
            self._sweep(first, again, with_variable(planned[0], name), variable=name)
        for values in (
            [replace(base, host_name=name) for name in HOST_NAMES],
            [replace(base, time_zone=name) for name in zones()],
            [replace(base, locale=name) for name in LOCALES],
            [replace(base, folder=name) for name in ("/", *folders)],
            [replace(base, processors=number) for number in PROCESSORS],
        ):
            self._sweep(second, again, map(self._adapted, values))
        if self.processes > 1:
            self._sweep(first, again, (replace(start, clock=at) for at in instants[24:]))

    def _adapted(self, surroundings: Surroundings) -> Surroundings:
        """The surroundings with what the target needs of kassay's own process."""
        if surroundings.variables is not None:
            kept = {name: os.environ[name] for name in sorted(self._kept_variables) if name in os.environ}
            surroundings = replace(
                surroundings, variables=tuple({**dict(surroundings.variables), **kept}.items())
            )
        return surroundings.without(*self._kept_fields)

    def _sweep(
        self,
        host: Host,
        cases: Iterator[tuple[int, Any]],
        values: Iterable[Surroundings],
        variable: str = "",
    ) -> None:
        """Play a case in each of the surroundings, of which only the `variable` differs if one is named."""
        for surroundings in values:
            self._check_time()
            index, case = next(cases)
            self._compare(host, surroundings, index, case, variable=variable)

    def _check_time(self) -> None:
        if time.monotonic() > self.deadline:
            self.seen.stopped = True
            raise _Stop
        if len(self.differences) == len(self.claims):
            raise _Stop

    def _open(self, stack: ExitStack, surroundings: Surroundings) -> Host:
        """A process in the surroundings; raises `_Adapt` if the target does not start there."""
        try:
            host = stack.enter_context(self.bench.job.target.open(surroundings=surroundings))
        except TargetNotLoadable as error:
            self._adapt(needed_by(self._starts, surroundings, _ours()), f"cannot start ({error})")
        self.seen.environments += 1
        return host

    def _starts(self, surroundings: Surroundings) -> bool:
        try:
            self.bench.job.target.open(surroundings=surroundings).close()
        except TargetNotLoadable:
            return False
        return True

    def _adapt(self, cause: EnvironmentCause | None, what: str) -> NoReturn:
        """Keep what the target needs of kassay's own process, and begin again."""
        if cause is None or not cause.field:
            self.seen.add_gap(what)
            raise _Stop
        does = what.partition(" (")[0]
        if cause.variable:
            self.seen.add_gap(f"{does} {_of_variable(cause.then, cause.variable)}")
        else:
            self.seen.add_gap(f"{does} when {cause.words}")
        if cause.variable:
            self._kept_variables.add(cause.variable)
        else:
            self._kept_fields.add(cause.field)
            self.seen.kept[cause.field] = what
        raise _Adapt

    def _choose(
        self, host: Host, surroundings: Surroundings, cases: Iterable[tuple[int, Any]]
    ) -> list[tuple[int, Any]]:
        """The first cases in which an answer could differ."""
        chosen = []
        for index, case in cases:
            self._check_time()
            if self._compare(host, surroundings, index, case):
                chosen.append((index, case))
            if len(chosen) == CASES_MAX:
                break
        return chosen

    def _compare(
        self, host: Host, surroundings: Surroundings, index: int, case: Any, variable: str = ""
    ) -> bool:
        """Play the case here and there; returns whether an answer could differ, and notes whether it did."""
        try:
            host.arrange(surroundings)
        except TargetNotLoadable as error:
            what = _of_variable(surroundings, variable) if variable else f"in another environment ({error})"
            self.seen.add_gap(f"cannot start {what}")
            return False
        could = False
        for claim in self.claims:
            subject = self.bench.subject_between(claim, self._base, host)
            examination = self.bench.driver.examine(case, subject)
            could = could or examination.checked.get(claim.id, 0) > 0
            self.plays += 1
            differing = [each for each in examination.violations if each.claim == claim.id]
            unanswered = bool(differing) and all("no answer" in each.evidence.facts for each in differing)
            if unanswered and variable:
                self.seen.add_gap(f"gives no answer {_of_variable(surroundings, variable)}")
            elif differing:
                self.failed += 1
                if claim.id not in self.differences:
                    answers = recorded(self.bench.driver, examination.plays)
                    self.differences[claim.id] = _Difference(case, index, surroundings, unanswered, answers)
        self.seen.add(surroundings, host.unchanged)
        return could

    def _finding(self, claim: str, difference: _Difference) -> EnvironmentFinding:
        """The difference with its cause; raises `_Adapt` if it is that the target needs a variable."""
        statement = next(each for each in self.claims if each.id == claim)
        target, driver = self.bench.job.target, self.bench.driver

        deadline = time.monotonic() + CAUSE_MAX_S
        answers: dict[tuple[Surroundings, Surroundings], Recorded] = {}

        def shows(one: Host, other: Host, pair: tuple[Surroundings, Surroundings]) -> bool:
            """Whether the case violates the claim between the two, which have these surroundings."""
            if time.monotonic() > deadline:
                raise _Late
            subject = self.bench.subject_between(statement, one, other)
            play = broken_play(driver, difference.case, subject, statement)
            if play is not None:
                answers[pair] = recorded(driver, play.plays)
            return play is not None

        def apart(first: Surroundings, then: Surroundings) -> bool:
            """Whether it does in two new processes with these surroundings."""
            try:
                with target.open(surroundings=first) as one, target.open(surroundings=then) as other:
                    return shows(one, other, (first, then))
            except TargetNotLoadable:
                return False

        with target.open(surroundings=OURS) as one, target.open(surroundings=OURS) as other:

            def differs(first: Surroundings, then: Surroundings) -> bool:
                """Whether it does in these two processes, given these surroundings."""
                try:
                    one.arrange(first)
                    other.arrange(then)
                except TargetNotLoadable:
                    return False
                return shows(one, other, (first, then))

            try:
                surroundings = difference.surroundings.without(*other.unchanged)
                cause = cause_of(differs, surroundings, _ours(), apart if other.rearranges else None)
                what = "something changes that could not be named"
                if cause is not None and not _is_steady(differs, cause, deadline):
                    cause = CHANCE
            except _Late:
                cause, what = None, f"something changes that was not named within {CAUSE_MAX_S:g} s"
        if cause is None:
            cause = EnvironmentCause(what, OURS, difference.surroundings)
        if difference.unanswered and cause.variable:
            self._adapt(cause, "gives no answer")
        seen = [kept for pair, kept in answers.items() if cause == CHANCE and pair[0] == pair[1]]
        broke = answers.get((cause.first, cause.then)) or (seen[-1] if seen else difference.answers)
        return EnvironmentFinding(
            claim, difference.case, difference.index, cause, self.failed, self.plays, broke
        )


def _is_steady(differs: Differs, cause: EnvironmentCause, deadline: float) -> bool:
    """Whether the answers differ in every play between the two environments, and in none within the first.

    A target whose answers depend only on its surroundings is steady in each of them.
    """
    if cause == CHANCE:
        return True
    end = min(deadline, time.monotonic() + STEADY_S)
    with suppress(_Late):
        for _ in range(STEADY_PLAYS):
            if not differs(cause.first, cause.then) or differs(cause.first, cause.first):
                return False
            if time.monotonic() > end:
                break
    return True


def _of_variable(surroundings: Surroundings, name: str) -> str:
    """The variable's value, to follow what the target cannot do: `without the variable HOME`."""
    value = dict(surroundings.variables or ()).get(name)
    return f"without the variable {name}" if value is None else f"when the variable {name} is {value!r}"


def _ours() -> Ours:
    return Ours(time.time(), os.environ)


def look_elsewhere(bench: Bench, seconds: float, broken: Collection[str]) -> EnvironmentResult:
    """What other environments show in at most these seconds; nothing if no claim is about environments.

    Claims that are `broken` already are left out. The number of processes depends on the number of histories,
    so that a small run stays small.
    """
    about = [claim for claim in bench.job.claims if of_environments(claim)]
    claims = tuple(claim for claim in about if claim.id not in broken)
    if not claims:
        why = f"{about[0].id} is violated" if about else "no claim is about environments"
        return EnvironmentResult(EnvironmentCoverage(gaps=(f"environment not varied ({why})",)))
    histories = bench.job.options.budget.histories
    processes = 4 if histories is None or histories >= MANY_HISTORIES else 1
    search = EnvironmentSearch(bench, claims, time.monotonic() + seconds, processes)
    return search.run(_cases(bench, histories))


def _cases(bench: Bench, histories: int | None) -> Iterator[tuple[int, Any]]:
    """The run's first cases that are not wide; those of the scope if there is one, at even distances."""
    job = bench.job
    if job.options.exhaustive is not None:
        yield from islice(
            enumerate(bench.driver.scope(job.profile, *job.options.exhaustive)), 0, None, SCOPE_STEP
        )
        return
    for index in range(min(TRIED_MAX, TRIED_MAX if histories is None else histories)):
        if not job.is_wide(index):
            yield index, job.case(index)
