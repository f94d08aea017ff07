"""Long lives: one object that answers many groups in turn, and what earlier calls leave behind in it.

Where objects serve several groups, small cases are played on one object, each under names that it never saw,
and now and then under those of an earlier one. Where a claim is violated there and not by a new object, the
cases that have to come before are looked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import inf
from typing import Any, Final, NamedTuple

from kassay.engines.processes.host import Host, Maker
from kassay.engines.runs.shrink import STEADY_PLAYS, STEADY_S, BrokenPlay, broken_play
from kassay.engines.targets.mixed import MixedMember
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.recorded import Recorded, recorded
from kassay.model.calls import Look
from kassay.properties.registry import Claim, Scope

PLAYS: Final = 1_100
"""The number of cases that one object lives through: a few thousand calls."""
WHOLE_FROM: Final = 260
"""A run of so many histories has whole lives; those of a smaller run are as short as itself."""
SMALL: Final = 12
"""The number of different cases among them, the smallest of the first `TRIED`."""
TRIED: Final = 60
RETURNS_EVERY: Final = 4
"""Every so many cases, an earlier group comes back."""
CALLS_FIRST: Final = 2_000
CALLS_LAST: Final = 10_000
GROWTH_MAX_MIB: Final = 10.0
"""The most memory that an object may keep of the calls between these two."""
CHANGES_FIRST: Final = 20
LONGER: Final = 17
"""How much longer than the one before it a long case may be, but for the last."""
LONE_FROM: Final = 2_000
"""From so many changes on, no second object repeats the calls: shorter cases showed what it shows."""
PREDECESSORS_S: Final = 5.0
"""The time to find the cases that have to come before."""
BY_NAMES: Final = "broken in a case of the run under other names"
BY_CHANCE: Final = "broken once on an object that answers several groups in turn, not when played again"


class SharedHost(Host):
    """Makes one object for each configuration, and the same one again until `begin`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._objects: dict[tuple[tuple[str, str], ...], MixedMember] = {}

    def new(self, config: Mapping[str, str]) -> MixedMember:
        """The object of this configuration."""
        key = tuple(sorted(config.items()))
        if key not in self._objects:
            self._objects[key] = MixedMember(self._host.new(config), self._host)
        return self._objects[key]

    def begin(self) -> None:
        """Forget the objects: the next calls get new ones."""
        self._objects.clear()


def lived_subject(
    driver: Driver[Any], subject: Subject, host: Host, config: Mapping[str, str], before: Sequence[Any]
) -> Subject:
    """The subject with one object for all calls of a play, which lives through the cases `before` first."""
    shared = SharedHost(host)
    own = replace(subject, new=Maker(shared, config), twin=None)
    alone = replace(own, claims=())

    def renew() -> None:
        """Make a new object, and let it live through the cases."""
        shared.begin()
        for case in before:
            for _ in driver.play(case, alone):
                pass

    return replace(own, renew=renew)


@dataclass(frozen=True)
class LifeFinding:
    """A claim that a case violates on an object that lived through other cases; `calls`: until then.

    `before` is None if the case alone violates it: one of many changes, or one under other names, on a new
    object too or by chance; `how` says which. `answers` are those of a play that violates it.
    """

    claim: str
    case: Any
    before: tuple[Any, ...] | None
    calls: int
    answers: Recorded = ()
    how: str = ""

    @property
    def why(self) -> str:
        """Why the claim is violated."""
        if self.how:
            return self.how
        if self.before is None:
            return f"broken in one history of {self.calls} calls"
        cases = len(self.before)
        first = f"after {cases} other case{'s' if cases > 1 else ''}" if cases else "by its own earlier calls"
        return f"broken on an object that answers several groups in turn, {first}; a new object keeps it"


@dataclass
class LongLife:
    """What a long life showed: findings by claim, the number of calls, and the names that the object saw.

    `alone` has those findings that a new object shows too, which a run may have shown before.
    """

    findings: dict[str, LifeFinding] = field(default_factory=dict)
    alone: dict[str, LifeFinding] = field(default_factory=dict)
    calls: int = 0
    names: int = 0


def live_long(
    driver: Driver[Any],
    subject: Subject,
    host: Host,
    config: Mapping[str, str],
    case_of: Callable[[int], Any],
    *,
    broken: Collection[str],
    seconds: float,
    plays: int = PLAYS,
) -> LongLife:
    """What an object does that lives through the run's smallest cases, in at most these seconds.

    Claims that are `broken` already are left out; those that a case violates on a new object, in any of
    several plays, are kept apart.
    """
    life = LongLife()
    claims = tuple(
        statement
        for statement in subject.claims
        if statement.id not in broken and statement.kind.scope not in (Scope.OPTIMUM, Scope.TIMING)
    )
    if not claims:
        return life
    deadline = time.monotonic() + seconds
    once = replace(subject, claims=claims, twin=None)
    if not driver.shares_objects:
        _live_in_one_case(driver, once, life, seconds, plays)
        return life
    chosen = sorted(map(case_of, range(min(TRIED, plays))), key=driver.size)[:SMALL]
    shared = SharedHost(host)
    long = replace(once, new=Maker(shared, config))
    lived: list[Any] = []
    for number in range(plays):
        if time.monotonic() > deadline:
            break
        named = number if number % RETURNS_EVERY else max(0, number - RETURNS_EVERY)
        case = driver.under_other_names(chosen[named * 7 % len(chosen)], named)
        examination = driver.examine(case, long)
        life.calls += examination.rebalances
        for claim in dict.fromkeys(v.claim for v in examination.violations):
            if claim in life.findings or claim in life.alone:
                continue
            statement = next(each for each in claims if each.id == claim)
            alone = _play_alone(driver, case, once, statement, STEADY_PLAYS)
            before = _Before(None, recorded(driver, examination.plays), 0)
            if alone is None:
                before = _predecessors(driver, once, host, config, statement, lived, case, before)
                alone = _play_alone(driver, case, once, statement, 3 * before.tries) if before.tries else None
            if alone is not None:
                answers = recorded(driver, alone.plays)
                life.alone[claim] = LifeFinding(claim, case, None, life.calls, answers, BY_NAMES)
            else:
                how = BY_CHANCE if before.cases is None else ""
                life.findings[claim] = LifeFinding(claim, case, before.cases, life.calls, before.answers, how)
        lived.append(case)
        if len(life.findings) + len(life.alone) == len(claims):
            break
    life.names = len(lived)
    return life


def memory_growth(
    driver: Driver[Any],
    subject: Subject,
    host: Host,
    config: Mapping[str, str],
    case_of: Callable[[int], Any],
    *,
    seconds: float,
) -> float | None:
    """How many MiB a process grows between calls 2,000 and 10,000 of one object with the same few cases.

    None if that many calls take longer, or if the process's memory is not known.
    """
    deadline = time.monotonic() + seconds
    chosen = sorted(map(case_of, range(TRIED)), key=driver.size)[:SMALL]
    alone = replace(subject, claims=(), twin=None, new=Maker(SharedHost(host), config))
    calls, first = 0, None
    while calls < CALLS_LAST:
        for case in chosen:
            calls += sum(driver.rebalances(case, played) for played in driver.play(case, alone))
        if time.monotonic() > deadline or not calls:
            return None
        if first is None and calls >= CALLS_FIRST:
            first = host.resident_mib
    return host.resident_mib - first if first else None


def _live_in_one_case(
    driver: Driver[Any], subject: Subject, life: LongLife, seconds: float, plays: int
) -> None:
    """Play one case of many changes; first shorter ones, which show how many fit the time."""
    lone = replace(subject, claims=tuple(p for p in subject.claims if Look.OTHER not in p.kind.looks))
    started = time.monotonic()
    changes, most = min(CHANGES_FIRST, plays), driver.long_changes
    for more in (LONGER, LONGER, inf, 1):
        case = driver.long_case(changes)
        if case is None or life.findings:
            return
        examination = driver.examine(case, subject if changes < LONE_FROM else lone)
        life.calls += examination.rebalances
        violated = dict.fromkeys(violation.claim for violation in examination.violations)
        answers = recorded(driver, examination.plays) if violated else ()
        for claim in violated:
            life.findings[claim] = LifeFinding(claim, case, None, examination.rebalances, answers)
        spent = max(1e-3, time.monotonic() - started)
        fitting = int(min(most, changes * min(more, seconds / spent - 1)))
        if plays < PLAYS or fitting <= changes:
            return
        changes = fitting


class _Before(NamedTuple):
    """The cases after which another one violates a claim, with the answers of that play.

    They are None if no play did so again. `tries` plays were made to find them.
    """

    cases: tuple[Any, ...] | None
    answers: Recorded
    tries: int


def _play_alone(
    driver: Driver[Any], case: Any, subject: Subject, claim: Claim, plays: int
) -> BrokenPlay | None:
    """A play on a new object that violates the claim, of several: the answers may be left to chance."""
    one = replace(subject, claims=(claim,))
    return broken_play(driver, case, one, claim, plays, time.monotonic() + STEADY_S)


def _predecessors(
    driver: Driver[Any],
    subject: Subject,
    host: Host,
    config: Mapping[str, str],
    claim: Claim,
    lived: list[Any],
    case: Any,
    first: _Before,
) -> _Before:
    """The fewest earlier cases found after which the case violates the claim: none, one, the last, or all.

    If no play violates it again, what the `first` play showed.
    """
    end = time.monotonic() + PREDECESSORS_S
    one = replace(subject, claims=(claim,))
    for tries, before in enumerate(_candidates(lived, end), start=1):
        play = broken_play(driver, case, lived_subject(driver, one, host, config, before), claim)
        if play is not None:
            return _Before(tuple(before), recorded(driver, play.plays), tries)
    return first


def _candidates(lived: list[Any], end: float) -> Iterator[Sequence[Any]]:
    """None of the cases, each of the last ones, more and more of them until the time is over, and all.

    At last all of them twice: where claims take second looks, the object had so many calls.
    """
    yield ()
    yield from takewhile(lambda _: time.monotonic() < end, ((one,) for one in reversed(lived[-40:])))
    number = 2
    while number < len(lived) and time.monotonic() < end:
        yield lived[-number:]
        number *= 2
    if lived:
        yield lived
        yield [*lived, *lived]
