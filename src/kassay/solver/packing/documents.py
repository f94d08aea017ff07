"""The results of weighted partitions and uneven bundles as JSON, and the certificates that go with them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from kassay.model.errors import InputError
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.check.intervals import SCHEMA, check_interval
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.bundles import PackedBundles, pack_bundles
from kassay.solver.packing.items import Packing
from kassay.solver.packing.prices import MovesBound
from kassay.solver.packing.weighted import Packed, pack_weighted
from kassay.solver.placement.documents import RefusedCertificateError


def solve_weighted_document(
    document: Any,
    order: tuple[str, ...] = MOVEMENT_FIRST,
    time_limit_s: float = 10.0,
    engine: str = "auto",
) -> dict[str, Any]:
    """The interval of a weighted or unevenly co-partitioned document, as `kassay optimum --json` has it.

    Raises `InputError` for a document that cannot be read, or that the exact methods take, and
    `RefusedCertificateError` if the certificate does not hold.
    """
    began = time.perf_counter()
    problem = Problem.parse(document)
    if problem.weighted:
        result = weighted_result(problem, pack_weighted(problem, time_limit_s, engine))
    elif len(problem.bundle_sizes) > 1:
        result = bundles_result(problem, pack_bundles(problem, order, time_limit_s))
    else:
        raise InputError("topics: neither weights nor bundles of different sizes, expected either")
    accepted, reason = check_interval(result["certificate"])
    if not accepted:
        raise RefusedCertificateError(f"{problem.name or 'packing'}: {reason}")
    return result | {"elapsed_s": round(time.perf_counter() - began, 6)}


def weighted_result(problem: Problem, packed: Packed) -> dict[str, Any]:
    """The JSON form of a weighted packing."""
    ids = [member.member_id for member in problem.members]
    bound = {
        "name": packed.bound.name,
        "members": [ids[m] for m in packed.bound.members],
        "k": packed.bound.k,
        "value": packed.bound.value,
    }
    figures = _figures(packed.packing, packed.owner, packed.lower, packed.upper)
    certificate = _certificate("weighted", problem, packed.packing, packed.owner) | figures
    certificate |= {"bound": bound, "prover": packed.prover, "moves": _moves(packed.moves)}
    return {
        **_head(problem, packed.packing, packed.owner, packed.optimal),
        **figures,
        "max_weight": packed.upper,
        "weights": sorted(packed.packing.loads(packed.owner)),
        "bound": packed.prover or _words(bound, len(ids)),
        "moved_lower": packed.moves.moves,
        "proven": list(packed.proven),
        "assignment": certificate["assignment"],
        "certificate": certificate,
    }


def bundles_result(problem: Problem, packed: PackedBundles) -> dict[str, Any]:
    """The JSON form of a packing of bundles."""
    figures = _figures(packed.packing, packed.owner, packed.lower, packed.upper)
    certificate = _certificate("bundles", problem, packed.packing, packed.owner) | figures
    certificate |= {
        "order": ",".join(packed.order),
        "prices": list(packed.prices),
        "grain": packed.grain,
        "moves": _moves(packed.moves),
    }
    bound = f"multiples of {packed.grain}" if packed.grain else "the optimum without co-partitioning"
    return {
        **_head(problem, packed.packing, packed.owner, packed.lower == packed.upper),
        **figures,
        "bound": bound,
        "moved_lower": packed.moves_lower,
        "proven": list(packed.proven),
        "assignment": certificate["assignment"],
        "certificate": certificate,
    }


def _moves(bound: MovesBound) -> dict[str, Any]:
    return {"low": bound.low, "top": bound.top, "moves": bound.moves, "prices": list(bound.prices)}


def _words(bound: dict[str, Any], members: int) -> str:
    inside = len(bound["members"])
    of = "all members" if inside == members else f"{inside} of {members} members"
    at = f"of {bound['k'] * inside + 1} items" if bound["k"] else ""
    return " ".join(filter(None, (bound["name"], at, f"over {of}")))


def _figures(packing: Packing, owner: Sequence[int], lower: int, upper: int) -> dict[str, int]:
    mismatch = sum(packing.mismatch(item, m) for item, m in zip(packing.items, owner, strict=True))
    return {"lower": lower, "upper": upper, "moved": packing.moved(owner), "rack_mismatch": mismatch}


def _head(problem: Problem, packing: Packing, owner: Sequence[int], optimal: bool) -> dict[str, Any]:
    counts = [0] * len(problem.members)
    for item, member in zip(packing.items, owner, strict=True):
        counts[member] += item.size
    return {
        "name": problem.name,
        "family": "A",
        "status": "optimal" if optimal else "interval",
        "loads": sorted(counts),
        "sum_squares": sum(count * count for count in counts),
    }


def _certificate(kind: str, problem: Problem, packing: Packing, owner: Sequence[int]) -> dict[str, Any]:
    ids = [member.member_id for member in problem.members]
    given: dict[str, dict[str, list[int]]] = {id_: {} for id_ in ids}
    for topic, owners in packing.owners_by_topic(owner).items():
        for partition, member in enumerate(owners):
            given[ids[member]].setdefault(topic, []).append(partition)
    return {"schema": SCHEMA, "kind": kind, "instance": problem.document(), "assignment": given}
