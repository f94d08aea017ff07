"""Shrinks a counterexample: greedy, deterministic, and independent of the kind of case.

A target may answer differently in each play of a case. Then a candidate counts as violating the claim if it
does so in any of several plays.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import chain, repeat, takewhile
from math import ceil, inf
from typing import Any, Final, NamedTuple, Protocol

from kassay.kinds.judging import Examination, Subject
from kassay.model.shape.codec import Shape
from kassay.model.trace import Repeated
from kassay.properties.registry import Violation

TRIES_MAX = 6000
"""The maximum number of cases examined for one counterexample."""
STEADY_PLAYS: Final = 10
"""A case that violates the claim in as many plays in a row counts as one that always does."""
STEADY_S: Final = 0.5
"""The time for these plays, in seconds; a slow target is played less often."""
REPEATS_MAX: Final = 3000
"""How often a case is played again, at most, to count how often it violates the claim."""
REPEATS_S: Final = 1.0
"""The time for that, in seconds."""
PLAYS_MAX: Final = 1000
"""How often a candidate is played at most."""
_MISSED: Final = 3.0
"""A candidate that violates the claim as often as the case before it is missed with probability exp(-3)."""


class Shrinkable(Protocol):
    """The methods of a driver that shrinking uses."""

    def examine(self, case: Any, subject: Subject) -> Examination:
        """Play the case with the subject and check its claims."""

    def shrink_candidates(self, case: Any) -> Iterator[Any]:
        """Slightly smaller cases, the largest reductions first."""

    def restarts(self, case: Any, subject: Subject) -> Iterator[Any]:
        """Cases that start in a state which this case reaches when the subject plays it."""

    def size(self, case: Any) -> tuple[int, ...]:
        """The size by which cases are compared."""

    @property
    def form(self) -> Shape[Any]:
        """The case as JSON."""


class Named(Protocol):
    """A claim that a case can violate, by the name that its violations carry."""

    @property
    def id(self) -> str:
        """The name."""


class BrokenPlay(NamedTuple):
    """A play that violates the claim: the violations, what was played, and how long that took.

    `tries` plays led to it.
    """

    violations: tuple[Violation, ...]
    plays: list[Any]
    tries: int = 1
    seconds: float = 0.0

    @property
    def contradictory(self) -> bool:
        """Whether the claim is violated on contradictory input only."""
        return self.violations[0].contradictory


class Shrunk(NamedTuple):
    """The smallest case found, a play of it that violates the claim, and how many cases were tried."""

    case: Any
    play: BrokenPlay
    tries: int

    @property
    def violations(self) -> tuple[Violation, ...]:
        """The violations in that play."""
        return self.play.violations


def violations_of(examination: Examination, claim: Named) -> tuple[Violation, ...]:
    """The violations of the claim: the ordinary ones if there are any, else the contradictory ones."""
    violations = [v for v in examination.violations if v.claim == claim.id]
    ordinary = [v for v in violations if not v.contradictory]
    return tuple(ordinary or violations)


def broken(driver: Shrinkable, case: Any, subject: Subject, claim: Named) -> tuple[Violation, ...]:
    """The violations of the claim in one play of the case."""
    return violations_of(driver.examine(case, subject), claim)


def broken_play(
    driver: Shrinkable,
    case: Any,
    subject: Subject,
    claim: Named,
    plays: int = 1,
    deadline: float = inf,
) -> BrokenPlay | None:
    """The first of several plays that violates the claim; None if none does before the deadline.

    The deadline is one of `time.monotonic`; at least one play is made.
    """
    for number in range(1, plays + 1):
        began = time.monotonic()
        seen = driver.examine(case, subject)
        ended = time.monotonic()
        if violations := violations_of(seen, claim):
            return BrokenPlay(violations, seen.plays, number, ended - began)
        if ended > deadline:
            return None
    return None


def repeated(
    driver: Shrinkable, case: Any, subject: Subject, claim: Named, plays: int, seconds: float
) -> Repeated:
    """How often the claim is violated when the case is played again, as often as the time allows."""
    deadline, count, violated = time.monotonic() + seconds, 0, 0
    while count < plays and (not count or time.monotonic() < deadline):
        violated += bool(broken(driver, case, subject, claim))
        count += 1
    return Repeated(count, violated)


def frequency(driver: Shrinkable, case: Any, subject: Subject, claim: Named, play_s: float) -> Repeated:
    """How often the claim is violated when the case is played again: a few times where it always is.

    `play_s` is how long a play takes, in seconds; a case with slow plays counts as one that always violates
    the claim.
    """
    if play_s > STEADY_S:
        return Repeated(1, 1)
    first = repeated(driver, case, subject, claim, STEADY_PLAYS, STEADY_S)
    if first.always:
        return first
    more = repeated(driver, case, subject, claim, REPEATS_MAX - first.plays, REPEATS_S)
    return Repeated(first.plays + more.plays, first.broken + more.broken)


def plays_for(count: Repeated) -> int:
    """How often to play each candidate, if the case violates the claim as often as counted."""
    if count.always:
        return 1
    return min(PLAYS_MAX, ceil(_MISSED * count.plays / max(1, count.broken)))


def shrink(
    driver: Shrinkable,
    case: Any,
    subject: Subject,
    claim: Named,
    tries_max: int = TRIES_MAX,
    seconds: float = 20.0,
    plays: int = 1,
) -> Shrunk | None:
    """The case without everything that the violation does not need; None if it does not violate the claim.

    Each case is played up to `plays` times. A case on ordinary input never shrinks to one on contradictory
    input.
    """
    deadline = time.monotonic() + seconds
    first = broken_play(driver, case, subject, claim, plays, deadline)
    if first is None:
        return None
    search = _Search(driver, subject, claim, not first.contradictory, tries_max, deadline)
    start = Shrunk(case, first, 0)
    return search.steady(start) if plays == 1 else search.varying(start, plays)


class _Search(NamedTuple):
    """The search for a smaller case: what violates which claim, and when to stop."""

    driver: Shrinkable
    subject: Subject
    claim: Named
    ordinary: bool
    tries_max: int
    deadline: float

    def steady(self, best: Shrunk) -> Shrunk:
        """The smallest case found by playing each candidate once, the largest reductions first."""
        tries, seen = 0, {self._key(best.case)}
        progress = True
        while progress:
            progress = False
            for smaller in self._candidates(best.case, seen):
                if self._is_over(tries):
                    break
                tries += 1
                if (play := self._broken(smaller)) is not None:
                    best, progress = Shrunk(smaller, play, tries), True
                    break
        return best._replace(tries=tries)

    def varying(self, best: Shrunk, plays: int) -> Shrunk:
        """The smallest case found by playing each candidate `plays` times.

        All candidates are played once, the smallest first, before any is played again: where chance alone
        decides, the smallest are as likely to violate the claim as any other.
        """
        tries, progress = 0, True
        while progress:
            progress = False
            candidates = sorted(
                self._until(self._candidates(best.case, {self._key(best.case)})), key=self._size
            )
            for smaller in chain.from_iterable(repeat(candidates, plays)):
                if self._is_over(tries // plays):
                    break
                tries += 1
                if (play := self._broken(smaller)) is not None:
                    best, progress = Shrunk(smaller, play, tries), True
                    break
        return best._replace(tries=tries)

    def _candidates(self, case: Any, seen: set[str]) -> Iterator[Any]:
        """The cases after this one that are not larger and not seen yet, which they are from then on."""
        size = self.driver.size(case)
        candidates = chain(self.driver.restarts(case, self.subject), self.driver.shrink_candidates(case))
        for smaller in candidates:
            if self.driver.size(smaller) <= size and (key := self._key(smaller)) not in seen:
                seen.add(key)
                yield smaller

    def _until(self, candidates: Iterable[Any]) -> Iterator[Any]:
        """The candidates that are made before the deadline."""
        return takewhile(lambda _: time.monotonic() < self.deadline, candidates)

    def _broken(self, case: Any) -> BrokenPlay | None:
        """A play that violates the claim; on ordinary input if the first case did so on such."""
        play = broken_play(self.driver, case, self.subject, self.claim)
        return None if play is not None and self.ordinary and play.contradictory else play

    def _is_over(self, tries: int) -> bool:
        return tries >= self.tries_max or time.monotonic() > self.deadline

    def _size(self, case: Any) -> tuple[int, ...]:
        return self.driver.size(case)

    def _key(self, case: Any) -> str:
        return repr(self.driver.form.write(case))
