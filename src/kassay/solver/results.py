"""The lines of `kassay optimum --json`, whichever family was solved."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any


def result(
    certificate: Mapping[str, Any],
    began: float,
    *,
    optimal: bool,
    loads: Iterable[int],
    figures: Mapping[str, int],
    bound: str,
    name: str,
    **more: Any,
) -> dict[str, Any]:
    """What was found, with its certificate; `figures` are moved, rack_mismatch, lower and upper."""
    ascending = sorted(loads)
    return {
        "name": name,
        "family": certificate["instance"]["family"],
        "status": "optimal" if optimal else "interval",
        "loads": ascending,
        "sum_squares": sum(load * load for load in ascending),
        **figures,
        "bound": bound,
        **more,
        "assignment": certificate["assignment"],
        "certificate": certificate,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def no_result(document: Mapping[str, Any], status: str, why: str, began: float) -> dict[str, Any]:
    """Why there is no assignment for the instance of the document."""
    return {
        "name": str(document.get("name") or "unnamed"),
        "family": document.get("family"),
        "status": status,
        "why": why,
        "lower": None,
        "upper": None,
        "bound": None,
        "assignment": None,
        "certificate": None,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }
