"""Results of all solvers, whatever the family of instances, and their line of JSON."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kassay.model.errors import InputError, KassayError


class OutOfTimeError(KassayError):
    """The time limit is over and there is no answer."""


class InfeasibleError(InputError):
    """No assignment obeys the limits of the instance; `witness` are the members that show it."""

    def __init__(self, message: str, witness: Iterable[int]) -> None:
        super().__init__(message)
        self.witness = tuple(sorted(witness))


class Solved(NamedTuple):
    """A certificate with the other fields of a result: the figures that its checker derives, and more."""

    certificate: dict[str, Any]
    figures: Mapping[str, Any]


def result(name: str, solved: Solved, began: float) -> dict[str, Any]:
    """The line of `kassay optimum --json` for a solved instance."""
    return {
        "name": name,
        "family": solved.certificate["instance"]["family"],
        "status": solved.figures["status"],
        **solved.figures,
        "assignment": solved.certificate["assignment"],
        "certificate": solved.certificate,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def no_result(document: dict[str, Any], status: str, why: str, began: float) -> dict[str, Any]:
    """The line for an instance without an assignment, with the reason."""
    nothing = dict.fromkeys(("lower", "upper", "bound", "assignment", "certificate"))
    return {
        "name": str(document.get("name") or "unnamed"),
        "family": document.get("family"),
        "status": status,
        "why": why,
        **nothing,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }
