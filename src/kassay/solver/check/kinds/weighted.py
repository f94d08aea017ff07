"""Weighted partitions: an interval for the weight of the heaviest member, and a bound on the moves.

The heaviest load of the packing is its sum (`upper`); the certificate names a bound, a line of arithmetic,
for the least heaviest load (`lower`). A higher `lower`, which Z3 or CP-SAT found, relies on their word: the
checker then verifies the interval from the named bound on, and names the prover in its answer.

The members of a bound are given by id, prices in the order of member ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Final

from kassay.solver.check.consumers import ASSIGNMENT, FAMILY, costed, pose, weighted
from kassay.solver.check.packing import MOVES, PackedUnits, check_moves, read_packing
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    NAME,
    TEXT,
    Document,
    ProofKind,
    Proven,
    ProvenQuestion,
    nullable,
    one_of,
    record,
    require,
    rows,
    squares,
)

SCHEMA: Final = "kassay/interval-certificate/1"
PROVERS: Final = ("Z3", "CP-SAT")


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of its interval; raises `RefusedError` if it does not prove it."""
    packed = read_packing(form, certificate, weighted=True)
    upper, lower, prover = max(packed.loads()), certificate["lower"], certificate["prover"]
    require(certificate["upper"] == upper, f"the heaviest member carries {upper}")
    require(lower <= upper, "the lower bound is above the upper")
    bound, moves = certificate["bound"], certificate["moves"]
    proven = _named_bound(packed, bound["name"], bound["members"], bound["k"])
    require(bound["value"] <= proven, f"the {bound['name']} proves {proven}, not {bound['value']}")
    # A packing at least as good as this carries at most `upper` on every member.
    require(moves["low"] == 0 and moves["top"] >= upper, "the moves are not for this heaviest load")
    check_moves(packed, moves)
    if prover is None:
        require(lower <= proven, f"{lower} is above the {proven} that is proven")
        words = _verdict(lower, upper, f"the {bound['name']}")
    else:
        require(lower > proven, f"{prover} is named, and {lower} is proven without it")
        checked = _verdict(proven, upper, f"the {bound['name']}")
        words = f"{checked}; that the heaviest carries {lower} at least is {prover}'s word"
    return Proven(
        f"{words}; {certificate['moved']} moves, {moves['moves']} at the least",
        ProvenQuestion(("max_weight", "movement"), {"move": 1}),
        {
            **squares(packed.counts()),
            "status": "optimal" if lower == upper else "interval",
            "lower": lower,
            "upper": upper,
            "max_weight": upper,
            "weights": sorted(packed.loads()),
            "moved": certificate["moved"],
            "moved_lower": moves["moves"],
            "rack_mismatch": certificate["rack_mismatch"],
            "proven": _objectives(certificate),
            "bound": prover or _bound_words(bound, len(packed.ids)),
            "assignment": certificate["assignment"],
        },
        prover,
    )


def _named_bound(packed: PackedUnits, name: str, members: Sequence[str], k: int) -> int:
    """The bound from the units that only these members may take."""
    require(set(packed.ids) >= set(members), "the bound names a member that is not in the instance")
    require(len(set(members)) == len(members), "the bound names a member twice")
    inside = {m for m, member in enumerate(packed.ids) if member in set(members)}
    bound = {key: inside.issuperset(able) for key, able in {id(u.able): u.able for u in packed.units}.items()}
    require((k > 0) == (name == "pigeonhole"), f"the {name} with {k} for each member")
    weights = sorted((u.weight for u in packed.units if bound[id(u.able)]), reverse=True)
    if not weights:
        return 0
    if name == "mean":
        unit = gcd(*(u.weight for u in packed.units)) or 1
        return -(-sum(weights) // (len(inside) * unit)) * unit
    if name == "largest item":
        return weights[0]
    # Of the first k * members + 1 some member has k + 1, and those weigh no less than the last k + 1.
    require(len(weights) > k * len(inside), "too few items for the pigeonhole")
    return sum(weights[k * len(inside) - k : k * len(inside) + 1])


def _objectives(certificate: Document) -> list[str]:
    """The objectives, in order, that are proven optimal."""
    if certificate["lower"] < certificate["upper"]:
        return []
    fewest = certificate["moved"] == certificate["moves"]["moves"]
    return ["max_weight", "movement"] if fewest else ["max_weight"]


def _bound_words(bound: Document, members: int) -> str:
    inside = len(bound["members"])
    of = "all members" if inside == members else f"{inside} of {members} members"
    at = f"of {bound['k'] * inside + 1} items" if bound["k"] else ""
    return " ".join(filter(None, (bound["name"], at, f"over {of}")))


def _verdict(lower: int, upper: int, bound: str) -> str:
    if lower == upper:
        return f"optimal: the heaviest carries {upper} by {bound}"
    return f"interval: the heaviest carries {lower} to {upper} by {bound}"


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda form: weighted(form) and not costed(form),
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "kind": TEXT,
            "instance": ANYTHING,
            "assignment": ASSIGNMENT,
            "bound": record(
                {
                    "name": one_of("mean", "largest item", "pigeonhole"),
                    "members": rows(NAME),
                    "k": COUNT,
                    "value": COUNT,
                }
            ),
            "prover": nullable(one_of(*PROVERS)),
            "moves": MOVES,
            "lower": COUNT,
            "upper": COUNT,
            "moved": COUNT,
            "rack_mismatch": COUNT,
        }
    ),
    check=check,
    kind="weighted",
)
