"""The checker of tasks accepts nothing that is not so, whatever is done to a certificate."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import check_certificate, pose
from kassay.solver.check.kinds import tasks
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


def _placed(case: dict[str, Any], chosen: tuple[cases.Choice, ...]) -> dict[str, Any]:
    """The fields of a certificate that say who has which task, and what that costs."""
    ids = [client["id"] for client in case["clients"]]
    return {
        "assignment": {id_: [t for t, (lead, _) in enumerate(chosen) if ids[lead] == id_] for id_ in ids},
        "standbys": {id_: [t for t, (_, row) in enumerate(chosen) if c in row] for c, id_ in enumerate(ids)},
        "moved": sum(
            old not in (None, ids[lead]) for old, (lead, _) in zip(case["active"], chosen, strict=True)
        ),
        "upper": cases.worth(case, chosen)[1],
    }


def test_with_the_solvers_prices_only_the_best_balances_are_accepted() -> None:
    rng = random.Random(9)
    best = worse = 0
    for _ in range(25):
        case = cases.small(rng)
        certificate = cases.solved(case)["certificate"]
        least = min(balance for balance, _ in cases.every(case))
        for _ in range(20):
            chosen = tuple(rng.choice(cases.choices(case)) for _ in range(case["tasks"]))
            accepted = _accepted(certificate | _placed(case, chosen) | {"lower": 0})
            if cases.worth(case, chosen)[0] == least:
                best += accepted
            else:
                assert not accepted
                worse += 1
    assert worse > 100
    assert best > 30


def _off(case: dict[str, Any], counts: Counter[int]) -> int:
    """How far so many tasks of each client are from their shares."""
    threads = [client["threads"] for client in case["clients"]]
    return sum((sum(threads) * counts[c] - counts.total() * own) ** 2 for c, own in enumerate(threads))


def test_without_a_word_on_the_balances_their_bounds_hold_for_every_assignment() -> None:
    rng, reached = random.Random(10), 0
    for _ in range(25):
        case = cases.small(rng)
        certificate = cases.solved(case)["certificate"] | {"balanced": False, "lower": 0}
        figures = tasks.check(pose(case).form, certificate).figures
        least = [10**9, 10**9]
        for chosen in itertools.product(cases.choices(case), repeat=case["tasks"]):
            actives = Counter(lead for lead, _ in chosen)
            copies = actives + Counter(c for _, row in chosen for c in row)
            least = [min(least[0], _off(case, actives)), min(least[1], _off(case, copies))]
        bounds = [goal["bound"] for goal in figures["goals"][:2]]
        assert [goal["proven"] for goal in figures["goals"]] == [False] * 3
        assert figures["status"] == "interval"
        assert bounds[0] <= least[0]
        assert bounds[1] <= least[1]
        reached += bounds == least
    assert reached > 5


def test_a_task_is_active_on_one_client() -> None:
    clients = [{"id": "a"}, {"id": "b"}]
    case = {"family": "C", "clients": clients, "tasks": 1, "standbys": 0, "active": ["a"], "standby": [[]]}
    certificate = cases.solved(case)["certificate"]
    for holders, count in ((["a"], 1), (["a", "b"], 2), ([], 0)):
        given = {id_: [0] * (id_ in holders) for id_ in "ab"}
        checked = check_certificate(certificate | {"assignment": given})
        assert checked.accepted == (count == 1)
        assert (checked.reason == f"task 0 has {count} active clients") == (count != 1)


@pytest.mark.parametrize("junk", [{}, {"instance": None}, {"instance": {"clients": [], "tasks": 0}}])
def test_junk_is_unreadable(junk: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"missing|found"):
        check_certificate({"schema": "kassay/tasks-certificate/1"} | junk)


def _paid_by_trying(case: tasks.Tasks, prices: list[int], actives: list[int]) -> int:
    """The least that all choices of each task pay, prices included, and all counts of each client."""
    clients = range(len(case.threads))
    total = 0
    for old, state in zip(case.old, case.state, strict=True):
        total += min(
            sum(prices[c] + tasks.SCALE * tasks.RESTORE * (c not in state) for c in chosen)
            + actives[lead]
            + tasks.SCALE * tasks.CHANGE * (old is not None and lead != old)
            for chosen in itertools.combinations(clients, case.copies)
            for lead in chosen
        )
    for each, copies in ((prices, case.copies), (actives, 1)):
        for share, price in zip(case.shares(copies, tasks.SCALE), each, strict=True):
            total += min(share.pays(n) - price * n for n in range(len(case.old) + 1))
    return total


def test_what_every_assignment_pays_is_the_least_of_all_choices() -> None:
    rng = random.Random(4)
    for _ in range(300):
        clients, copies = rng.randint(1, 6), rng.randint(1, 3)
        copies = min(copies, clients)
        old = [rng.choice([None, *range(clients)]) for _ in range(rng.randint(0, 4))]
        state = [
            frozenset(rng.sample(range(clients), rng.randint(0, clients)))
            | (frozenset() if lead is None else {lead})
            for lead in old
        ]
        case = tasks.Tasks([rng.randint(1, 3) for _ in range(clients)], copies, old, state, [], [])
        prices, actives = ([rng.randint(-60, 60) for _ in range(clients)] for _ in range(2))
        assert tasks.lowest_payment(case, prices, actives) == _paid_by_trying(case, prices, actives)
