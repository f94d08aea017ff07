"""Shrinks a counterexample: greedy, deterministic, and independent of the kind of case."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple, Protocol

from kassay.kinds.judging import Examination, Subject
from kassay.model.shape.codec import Shape
from kassay.properties.registry import Violation

TRIES_MAX = 6000
"""The maximum number of examinations for one counterexample."""


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


class Shrunk(NamedTuple):
    """The smallest case found, its violations, and how many cases were tried."""

    case: Any
    violations: tuple[Violation, ...]
    tries: int


def broken(driver: Shrinkable, case: Any, subject: Subject, promise: Named) -> tuple[Violation, ...]:
    """The case's violations of the claim: the ordinary ones if there are any, else the contradictory ones."""
    violations = [v for v in driver.examine(case, subject).violations if v.claim == promise.id]
    ordinary = [v for v in violations if not v.contradictory]
    return tuple(ordinary or violations)


def shrink(
    driver: Shrinkable,
    case: Any,
    subject: Subject,
    promise: Named,
    tries_max: int = TRIES_MAX,
    seconds: float = 20.0,
) -> Shrunk | None:
    """The case without everything that the violation does not need; None if it does not violate the claim.

    A case on ordinary input never shrinks to one on contradictory input.
    """
    violations = broken(driver, case, subject, promise)
    if not violations:
        return None
    ordinary = not violations[0].contradictory
    best, size, tries = case, driver.size(case), 0
    seen = {repr(driver.form.write(case))}
    deadline = time.monotonic() + seconds
    progress = True
    while progress and tries < tries_max and time.monotonic() < deadline:
        progress = False
        for smaller in chain(driver.restarts(best, subject), driver.shrink_candidates(best)):
            if driver.size(smaller) > size or tries >= tries_max or time.monotonic() > deadline:
                continue
            key = repr(driver.form.write(smaller))
            if key in seen:
                continue
            seen.add(key)
            tries += 1
            still_broken = broken(driver, smaller, subject, promise)
            if still_broken and not (ordinary and still_broken[0].contradictory):
                best, size, violations, progress = smaller, driver.size(smaller), still_broken, True
                break
    return Shrunk(best, violations, tries)
