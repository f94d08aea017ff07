"""Certificates of `kassay/interval-certificate/1`: users hold them, and no solver of today writes one."""

from __future__ import annotations

import itertools
import random
from typing import Any

from kassay.solver.packing.bounds import SCALE
from kassay.solver.packing.items import Packing
from tests.solver.packing import cases


def interval_certificate(rng: random.Random, case: cases.Document, weighted: bool) -> dict[str, Any]:
    """A certificate for a small case: a good packing, the best named bound, prices by chance."""
    packing = Packing.of(cases.Problem.parse(case))
    every = list(cases.owners_of(packing))
    squares = [sum(load * load for load in packing.loads(owner)) for owner in every]
    tops = [max(packing.loads(owner)) for owner in every]
    worth = tops if weighted else squares
    # Mostly the best packing of all, sometimes another, so that there are intervals as well.
    number = worth.index(min(worth)) if rng.random() < 0.7 else rng.randrange(len(every))
    owner, problem = every[number], packing.problem
    moves = _moves(rng, packing, owner, weighted)
    certificate = {
        "schema": "kassay/interval-certificate/1",
        "kind": "weighted" if weighted else "bundles",
        "instance": problem.document(),
        "assignment": problem.partitions_by_member(problem.owners_by_topic(owner)),
        "upper": worth[number],
        "moved": packing.moved(owner),
        "rack_mismatch": packing.mismatched(owner),
        "moves": moves,
    }
    if weighted:
        bound = max(_named(packing), key=lambda named: named["value"])
        return certificate | {"lower": bound["value"], "bound": bound, "prover": None}
    dear = 1 + sum(topic.partitions for topic in problem.topics)
    prices = [dear * (dear + 1) * rng.choice((0, 2, 3, 4))] * packing.members
    lower = max(0, _payment(packing, prices[0], dear) // (dear * (dear + 1)))
    return certificate | {"lower": lower, "order": "balance,movement,rack", "prices": prices, "grain": 0}


def _named(packing: Packing) -> list[dict[str, Any]]:
    ids = [member.member_id for member in packing.problem.members]
    bounds = []
    for number in range(1, len(ids) + 1):
        for inside in itertools.combinations(range(len(ids)), number):
            own = sorted((i.weight for i in packing.items if set(i.able) <= set(inside)), reverse=True)
            members = [ids[m] for m in inside]
            if own:
                bounds.append(("mean", members, 0, -(-sum(own) // number)))
                bounds.append(("largest item", members, 0, own[0]))
            if len(own) > number:
                bounds.append(("pigeonhole", members, 1, sum(own[number - 1 : number + 1])))
    bounds.append(("mean", ids, 0, 0))
    return [dict(zip(("name", "members", "k", "value"), bound, strict=True)) for bound in bounds]


def _moves(rng: random.Random, packing: Packing, owner: tuple[int, ...], weighted: bool) -> dict[str, Any]:
    loads = packing.loads(owner)
    top = max(loads) if weighted else sum(loads)
    prices = [rng.choice((0, 0, SCALE // 7, SCALE // 3)) for _ in loads]
    total = -top * sum(prices)
    for item in packing.items:
        total += min(SCALE * item.moved(m) + item.weight * prices[m] for m in item.able)
    return {"low": 0, "top": top, "moves": max(0, -(-total // SCALE)), "prices": prices}


def _payment(packing: Packing, price: int, dear: int) -> int:
    balance = dear * (dear + 1)
    total = sum(
        min(dear * item.moved(m) + packing.mismatch(item, m) for m in item.able) + item.weight * price
        for item in packing.items
    )
    vertex = price // (2 * balance)
    return total + packing.members * min(balance * x * x - price * x for x in (vertex, vertex + 1))
