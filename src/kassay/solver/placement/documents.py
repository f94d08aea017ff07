"""The result of a placement problem as JSON, and the certificate that goes with it."""

from __future__ import annotations

import time
from typing import Any

from kassay.model.errors import KassayError
from kassay.solver.check.placement import SCHEMA, check_placement
from kassay.solver.placement.optimum import PlacementOptimum, best_placement
from kassay.solver.placement.problem import PlacementProblem

BOUND = "broker prices: balance, then copies; leaders, then changes of leader"


class RefusedCertificateError(KassayError):
    """The independent checker refuses a certificate that the solver made: a fault of kassay itself."""


def solve_placement_document(document: Any) -> dict[str, Any]:
    """The certified optimum of a document of family "B", in the shape of `kassay optimum --json`.

    Raises `InputError` for a document that cannot be read, `InfeasiblePlacementError` with the
    witness where no placement is possible, `RefusedCertificateError` if the proof does not hold.
    """
    began = time.perf_counter()
    problem = PlacementProblem.parse(document)
    return _result(problem, certified_placement(problem), began)


def certified_placement(problem: PlacementProblem) -> PlacementOptimum:
    """The optimum of a problem, its certificate accepted; raises as `solve_placement_document` does."""
    found = best_placement(problem)
    accepted, reason = check_placement(placement_certificate(found))
    if not accepted:
        raise RefusedCertificateError(f"{problem.name or 'placement'}: {reason}")
    return found


def placement_certificate(found: PlacementOptimum) -> dict[str, Any]:
    """What `check_placement` needs: the instance, the placement and the prices."""
    certificate: dict[str, Any] = {
        "schema": SCHEMA,
        "instance": found.problem.document(),
        "assignment": rows_by_topic(found),
        "prices": list(found.prices),
        "leader_prices": list(found.leader_prices),
    }
    if found.witness is not None:
        certificate["witness"] = {
            "brokers": list(found.witness.brokers),
            "forced": found.witness.forced,
            "quota": found.witness.quota,
            "sentence": found.witness.sentence,
        }
    return certificate


def rows_by_topic(found: PlacementOptimum) -> dict[str, list[list[int]]]:
    """The placement as the instance format has it: broker ids by topic and partition, leader first."""
    rows: dict[str, list[list[int]]] = {topic.name: [] for topic in found.problem.topics}
    for tp, row in zip(found.partitions, found.rows, strict=True):
        rows[tp.topic].append(list(row))
    return rows


def _result(problem: PlacementProblem, found: PlacementOptimum, began: float) -> dict[str, Any]:
    ids = [str(broker.broker_id) for broker in problem.brokers]
    loads = [count + broker.base for count, broker in zip(found.replicas, problem.brokers, strict=True)]
    imbalance = _imbalance(problem, loads)
    certificate = placement_certificate(found)
    return {
        "name": problem.name,
        "family": "B",
        "status": "optimal",
        "loads": sorted(loads),
        "sum_squares": sum(load * load for load in loads),
        "moved": found.copies,
        "rack_mismatch": 0,
        "lower": imbalance,
        "upper": imbalance,
        "bound": BOUND,
        "assignment": certificate["assignment"],
        "leaders": dict(zip(ids, found.leaders, strict=True)),
        "replicas": dict(zip(ids, loads, strict=True)),
        "copies": found.copies,
        "leader_changes": found.leader_changes,
        "witness": certificate.get("witness"),
        "certificate": certificate,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def _imbalance(problem: PlacementProblem, loads: list[int]) -> int:
    """The sum of squares with equal shares, else of (load * sum of shares - total * share)."""
    shares = [broker.share for broker in problem.brokers]
    if len(set(shares)) == 1:
        return sum(load * load for load in loads)
    return sum(
        (load * sum(shares) - problem.total * share) ** 2 for load, share in zip(loads, shares, strict=True)
    )
