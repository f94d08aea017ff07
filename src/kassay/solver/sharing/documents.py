"""The result of a share group as JSON, and its certificate."""

from __future__ import annotations

from typing import Any, Final

from kassay.solver.check.check import require_accepted
from kassay.solver.results import Solved
from kassay.solver.sharing.optimum import ShareOptimum, best_sharing
from kassay.solver.sharing.problem import ShareProblem

SCHEMA: Final = "kassay/share-certificate/1"


def solve_sharing(problem: ShareProblem, time_limit_s: float | None = None) -> Solved:
    """The optimum of a share group; an interval if the time ran out.

    `lower` and `upper` are numbers of revoked copies.
    """
    certificate = share_certificate(best_sharing(problem, time_limit_s))
    return Solved(certificate, require_accepted(certificate, problem.name or "a share group"))


def share_certificate(best: ShareOptimum) -> dict[str, Any]:
    """The input of the checker of share groups: the instance, the assignment, and a cover for each part."""
    problem = best.problem
    return {
        "schema": SCHEMA,
        "instance": problem.document(),
        "assignment": problem.by_topic(best.assignment),
        "covers": [
            {
                "topic": cover.topic,
                "members": [problem.members[reader].member_id for reader in cover.members],
                "partitions": [list(tp) for tp in cover.partitions],
            }
            for cover in best.covers
        ],
        "moved": best.taken_back,
    }
