"""A way down the candidates of a driver, as shrinking takes it where every case breaks the claim."""

from itertools import islice

TRIED = 400
"""Candidates of one case that are looked at."""


def descent(driver, case):
    """The case from which no candidate is smaller any more."""
    while less := next(
        (c for c in islice(driver.shrink_candidates(case), TRIED) if driver.size(c) < driver.size(case)), None
    ):
        case = less
    return case
