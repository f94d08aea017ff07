"""What every solver answers, whichever family of instances it is for, and the line of JSON that tells it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Solved(NamedTuple):
    """An assignment with its certificate: loads, the figures moved, rack_mismatch, lower and upper, and more.

    `bound` names what proves `lower`; `more` is what is said of one family alone.
    """

    certificate: dict[str, Any]
    optimal: bool
    loads: Sequence[int]
    figures: Mapping[str, int]
    bound: str
    more: Mapping[str, Any]


def result(name: str, solved: Solved, began: float) -> dict[str, Any]:
    """The line of `kassay optimum --json` for an instance that is solved."""
    loads = sorted(solved.loads)
    return {
        "name": name,
        "family": solved.certificate["instance"]["family"],
        "status": "optimal" if solved.optimal else "interval",
        "loads": loads,
        "sum_squares": sum(load * load for load in loads),
        **solved.figures,
        "bound": solved.bound,
        **solved.more,
        "assignment": solved.certificate["assignment"],
        "certificate": solved.certificate,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def no_result(document: dict[str, Any], status: str, why: str, began: float) -> dict[str, Any]:
    """The line for an instance without an assignment, and why there is none."""
    nothing = dict.fromkeys(("lower", "upper", "bound", "assignment", "certificate"))
    return {
        "name": str(document.get("name") or "unnamed"),
        "family": document.get("family"),
        "status": status,
        "why": why,
        **nothing,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }
