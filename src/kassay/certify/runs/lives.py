"""Long lives: one object that answers many groups in turn, and what earlier calls leave behind in it.

Where objects serve several groups, small cases are played on one object, each under names that it never saw,
and now and then under those of an earlier one. Where a claim is violated there and not by a new object, the
cases that have to come before are looked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kassay.certify.processes.host import Host, Maker
from kassay.certify.targets.mixed import MixedMember
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.properties.registry import Promise, Scope

PLAYS: Final = 260
"""The number of cases that one object lives through."""
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
CHANGES_MAX: Final = 334
"""The number of changes of a long case: 1,001 members or keys come up."""
PREDECESSORS_S: Final = 5.0
"""The time to find the cases that have to come before."""


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
    alone = replace(own, promises=())

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

    `before` is None if the case alone violates it: one of many changes.
    """

    claim: str
    case: Any
    before: tuple[Any, ...] | None
    calls: int

    @property
    def why(self) -> str:
        """Why the claim is violated."""
        if self.before is None:
            return f"broken in one history of {self.calls} calls"
        cases = len(self.before)
        first = f"after {cases} other case{'s' if cases > 1 else ''}" if cases else "by its own earlier calls"
        return f"broken on an object that answers several groups in turn, {first}; a new object keeps it"


@dataclass
class LongLife:
    """What a long life showed: findings by claim, the number of calls, and the names that the object saw."""

    findings: dict[str, LifeFinding] = field(default_factory=dict)
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

    Claims that are `broken` already are left out, as are those that a case violates on a new object.
    """
    life = LongLife()
    promises = tuple(
        promised
        for promised in subject.promises
        if promised.id not in broken and promised.claim.scope not in (Scope.OPTIMUM, Scope.TIMING)
    )
    if not promises:
        return life
    deadline = time.monotonic() + seconds
    once = replace(subject, promises=promises, twin=None)
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
        life.calls += examination.asked
        for claim in dict.fromkeys(v.claim for v in examination.violations):
            if claim in life.findings:
                continue
            promised = next(each for each in promises if each.id == claim)
            if not _breaks(driver, case, once, promised):
                before = _predecessors(driver, once, host, config, promised, lived, case)
                life.findings[claim] = LifeFinding(claim, case, before, life.calls)
        lived.append(case)
        if len(life.findings) == len(promises):
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
    alone = replace(subject, promises=(), twin=None, new=Maker(SharedHost(host), config))
    calls, first = 0, None
    while calls < CALLS_LAST:
        for case in chosen:
            calls += sum(driver.asked(case, played) for played in driver.play(case, alone))
        if time.monotonic() > deadline or not calls:
            return None
        if first is None and calls >= CALLS_FIRST:
            first = host.resident_mib
    return host.resident_mib - first if first else None


def _live_in_one_case(
    driver: Driver[Any], subject: Subject, life: LongLife, seconds: float, plays: int
) -> None:
    """Play one case of many changes; first a short one, which shows how many fit the time."""
    started = time.monotonic()
    changes = min(CHANGES_FIRST, plays)
    for _ in range(2):
        case = driver.long_case(changes)
        if case is None or life.findings:
            return
        examination = driver.examine(case, subject)
        life.calls += examination.asked
        for violation in examination.violations:
            finding = LifeFinding(violation.claim, case, None, examination.asked)
            life.findings.setdefault(violation.claim, finding)
        spent = max(1e-3, time.monotonic() - started)
        changes = int(min(CHANGES_MAX, changes * max(1.0, seconds / spent - 1)))
        if plays < PLAYS:
            return


def _breaks(driver: Driver[Any], case: Any, subject: Subject, promised: Promise) -> bool:
    one = replace(subject, promises=(promised,))
    return any(v.claim == promised.id for v in driver.examine(case, one).violations)


def _predecessors(
    driver: Driver[Any],
    subject: Subject,
    host: Host,
    config: Mapping[str, str],
    promised: Promise,
    lived: list[Any],
    case: Any,
) -> tuple[Any, ...]:
    """The fewest earlier cases found after which the case violates the claim: none, one, or the last ones."""
    end = time.monotonic() + PREDECESSORS_S

    def shows(before: Sequence[Any]) -> bool:
        return _breaks(driver, case, lived_subject(driver, subject, host, config, before), promised)

    if shows(()):
        return ()
    for one in reversed(lived[-40:]):
        if time.monotonic() > end:
            break
        if shows((one,)):
            return (one,)
    number = 2
    while number < len(lived) and time.monotonic() < end:
        if shows(lived[-number:]):
            return tuple(lived[-number:])
        number *= 2
    return tuple(lived)
