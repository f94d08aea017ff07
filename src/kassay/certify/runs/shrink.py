"""Making a counterexample small: greedy, deterministic, and blind to what the case is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple, Protocol

from kassay.kinds.judging import Examination, Subject
from kassay.model.shape.codec import Shape
from kassay.properties.registry import Violation

TRIES_MAX = 6000
"""Examinations that one counterexample may cost."""


class Shrinkable(Protocol):
    """What shrinking needs of a driver."""

    def examine(self, case: Any, subject: Subject) -> Examination:
        """Put the case to the subject and judge its promises."""

    def shrink_candidates(self, case: Any) -> Iterator[Any]:
        """Cases that are a little smaller, the boldest cuts first."""

    def restarts(self, case: Any, subject: Subject) -> Iterator[Any]:
        """Cases whose start is where this one has got to when it is put to the subject."""

    def size(self, case: Any) -> tuple[int, ...]:
        """What makes one case smaller than another."""

    @property
    def form(self) -> Shape[Any]:
        """How a case stands in a document."""


class Named(Protocol):
    """What a case breaks, by the name that violations of it have."""

    @property
    def id(self) -> str:
        """The name."""


class Shrunk(NamedTuple):
    """The smallest case found, how it breaks the claim, and how many cases were tried."""

    case: Any
    violations: tuple[Violation, ...]
    tries: int


def broken(driver: Shrinkable, case: Any, subject: Subject, promise: Named) -> tuple[Violation, ...]:
    """How the case breaks the promise: ordinary violations if there are any, else contradictory ones."""
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
    """The case with everything needless taken away; None if it does not break the promise at all.

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
