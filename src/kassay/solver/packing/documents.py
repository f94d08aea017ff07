"""The results of weighted partitions and uneven bundles as JSON, and the certificates that go with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.check.check import require_accepted
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.bundles import PackedBundles, pack_bundles
from kassay.solver.packing.prices import MovesBound
from kassay.solver.packing.weighted import Packed, pack_weighted
from kassay.solver.results import Solved

SCHEMA: Final = "kassay/interval-certificate/1"


def solve_packing(
    problem: Problem,
    order: tuple[str, ...] = MOVEMENT_FIRST,
    time_limit_s: float = 10.0,
    engine: str = "auto",
) -> Solved:
    """The interval of a problem with weights or uneven bundles."""
    if problem.weighted:
        return _weighted(problem, pack_weighted(problem, time_limit_s, engine))
    return _bundles(problem, pack_bundles(problem, order, time_limit_s))


def _weighted(problem: Problem, packed: Packed) -> Solved:
    ids = [member.member_id for member in problem.members]
    bound = {
        "name": packed.bound.name,
        "members": [ids[m] for m in packed.bound.members],
        "k": packed.bound.k,
        "value": packed.bound.value,
    }
    return _result(
        problem,
        packed,
        {"kind": "weighted", "bound": bound, "prover": packed.prover, "moves": _moves(packed.moves)},
        bound=packed.prover or _words(bound, len(ids)),
        max_weight=packed.upper,
        weights=sorted(packed.packing.loads(packed.owner)),
        moved_lower=packed.moves.moves,
    )


def _bundles(problem: Problem, packed: PackedBundles) -> Solved:
    return _result(
        problem,
        packed,
        {
            "kind": "bundles",
            "order": ",".join(packed.order),
            "prices": list(packed.prices),
            "grain": packed.grain,
            "moves": _moves(packed.moves),
        },
        bound=f"multiples of {packed.grain}" if packed.grain else "the optimum without co-partitioning",
        moved_lower=packed.moves_lower,
    )


def _result(
    problem: Problem, packed: Packed | PackedBundles, proof: Mapping[str, Any], bound: str, **more: Any
) -> Solved:
    packing, owner = packed.packing, packed.owner
    figures = {
        "lower": packed.lower,
        "upper": packed.upper,
        "moved": packing.moved(owner),
        "rack_mismatch": sum(packing.mismatch(item, m) for item, m in zip(packing.items, owner, strict=True)),
    }
    certificate = {
        "schema": SCHEMA,
        "instance": problem.document(),
        "assignment": problem.partitions_by_member(problem.owners_by_topic(owner)),
        **proof,
        **figures,
    }
    require_accepted(certificate, problem.name or "a packing")
    counts = [0] * len(problem.members)
    for item, member in zip(packing.items, owner, strict=True):
        counts[member] += item.size
    return Solved(
        certificate,
        optimal=packed.lower == packed.upper,
        loads=counts,
        figures=figures,
        bound=bound,
        more={"proven": list(packed.proven), **more},
    )


def _moves(bound: MovesBound) -> dict[str, Any]:
    return {"low": bound.low, "top": bound.top, "moves": bound.moves, "prices": list(bound.prices)}


def _words(bound: Mapping[str, Any], members: int) -> str:
    inside = len(bound["members"])
    of = "all members" if inside == members else f"{inside} of {members} members"
    at = f"of {bound['k'] * inside + 1} items" if bound["k"] else ""
    return " ".join(filter(None, (bound["name"], at, f"over {of}")))
