"""The checker of tasks accepts nothing that is not so, whatever is done to a certificate."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import check_certificate
from tests.solver.streams import cases


def _accepted(document: Any) -> bool:
    try:
        return check_certificate(document).accepted
    except InputError:
        return False


def _damage(rng: random.Random, certificate: dict[str, Any]) -> dict[str, Any]:
    damaged = copy.deepcopy(certificate)
    ids = [client["id"] for client in damaged["instance"]["clients"]]
    for _ in range(rng.randint(1, 3)):
        giver, taker = rng.choice(ids), rng.choice(ids)
        match rng.randrange(6):
            case 0 | 1:
                role = damaged[rng.choice(("assignment", "standbys"))]
                if role[giver]:
                    role[taker].append(role[giver].pop())
            case 2:
                damaged[rng.choice(("lower", "upper", "moved"))] += rng.choice((-3, -1, 1, 3))
            case 3:
                prices = damaged[rng.choice(("copy_prices", "active_prices"))]
                prices[rng.randrange(len(ids))] += rng.choice((-200, -16, 16, 200, 10**6))
            case 4:
                damaged["balanced"] = not damaged["balanced"]
            case _:
                damaged["assignment"], damaged["standbys"] = damaged["standbys"], damaged["assignment"]
    return damaged


def _says_the_truth(certificate: dict[str, Any]) -> bool:
    case = certificate["instance"]
    chosen = cases.chosen_by(case, certificate)
    values = list(cases.every(case))
    best, mine = min(values), cases.worth(case, chosen)
    if not set(chosen) <= set(cases.choices(case)) or mine[1] != certificate["upper"]:
        return False
    if not certificate["balanced"]:
        # Without a word on the balances the bound speaks of every assignment.
        return bool(certificate["lower"] <= min(cost for _, cost in values))
    return bool(mine[0] == best[0] and certificate["lower"] <= best[1])


def test_no_damaged_certificate_says_what_is_not_so() -> None:
    rng = random.Random(8)
    accepted = refused = 0
    for _ in range(80):
        certificate = cases.solved(cases.small(rng))["certificate"]
        for _ in range(12):
            damaged = _damage(rng, certificate)
            if _accepted(damaged):
                assert _says_the_truth(damaged)
                accepted += 1
            else:
                refused += 1
    assert refused > 400
    assert accepted > 10


@pytest.mark.parametrize("junk", [{}, {"instance": None}, {"instance": {"clients": [], "tasks": 0}}])
def test_junk_is_unreadable(junk: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"missing|found"):
        check_certificate({"schema": "kassay/tasks-certificate/1"} | junk)
