"""How a run shares a time budget between playing, shrinking, controls, other environments and long lives."""

from __future__ import annotations

from math import inf

from kassay.engines.runs.blocks import Job
from kassay.engines.runs.controls import EarlyControls, kept_seconds
from kassay.engines.runs.options import RunOptions

SHRINK_SHARE = 1 / 6
"""The share of a time budget for shrinking while the search goes on, and again when it has ended."""
LEAST_FOR_CONTROLS = 1 / 10
"""Controls have this share of a time budget left if each class of wide input takes longer than planned."""
MEMORY_FROM_S = 120.0
"""From this time budget on, the growth of memory is measured, in at most an eighth of it."""
LIFE_SHARE = 1 / 6
"""Long lives take at most this share of a time budget."""
ENVIRONMENT_SHARE = 1 / 10
ENVIRONMENT_MIN_S = 1.5
ENVIRONMENT_MAX_S = 10.0
"""Calls in other environments take this share of a time budget, within these seconds."""


def play_deadline(
    job: Job,
    started: float,
    findings: int = 0,
    *,
    covered: bool = True,
    early: EarlyControls | None = None,
) -> float:
    """When playing must end so that controls, and shrinking if a claim is violated, fit a time budget.

    Controls have less time if nothing is violated and the classes of wide input are not `covered` yet: the
    verdict needs these.
    """
    options, limit = job.options, job.options.budget.limit_s
    if limit == inf:
        return inf
    shrinking = SHRINK_SHARE * limit if options.shrink and findings else 0.0
    kept = kept_seconds(job, early)
    if not (covered or findings):
        kept = min(kept, LEAST_FOR_CONTROLS * limit)
    return started + limit - shrinking - kept - reserved_seconds(job)


def environment_seconds(options: RunOptions) -> float:
    """The time for calls in other environments; without a limit if the budget has none."""
    limit = options.budget.limit_s
    if limit == inf:
        return 0.0
    return min(ENVIRONMENT_MAX_S, max(ENVIRONMENT_SHARE * limit, min(ENVIRONMENT_MIN_S, limit / 4)))


def reserved_seconds(job: Job) -> float:
    """The time of a budget that is kept for other environments, long lives, and memory."""
    limit = job.options.budget.limit_s
    memory = limit / 8 if MEMORY_FROM_S <= limit < inf else 0.0
    return environment_seconds(job.options) + life_seconds(job) + memory


def life_seconds(job: Job) -> float:
    """The time for a long life; without a limit if the budget has none."""
    limit = job.options.budget.limit_s
    return 0.0 if limit == inf else min(job.driver.life_s, LIFE_SHARE * limit)
