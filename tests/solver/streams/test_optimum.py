"""Tasks with standbys against every assignment there is."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from kassay.solver.check.check import check_certificate
from kassay.solver.instances.brokers_and_tasks import tasks
from tests.solver.streams import cases


def _is_honest(case: dict[str, Any]) -> str:
    result = cases.solved(case)
    assert check_certificate(result).accepted
    best = min(cases.every(case))
    mine = cases.worth(case, cases.chosen_by(case, result))
    assert set(cases.chosen_by(case, result)) <= set(cases.choices(case))
    assert mine[1] == result["upper"]
    if "balance of copies" in result["proven"]:
        assert mine[0] == best[0]
        assert result["lower"] <= best[1] <= result["upper"]
    if result["status"] == "optimal":
        assert mine == best
    return str(result["status"])


def _tried(seed: int, number: int, threads: bool) -> Counter[str]:
    rng = random.Random(seed)
    return Counter(_is_honest(cases.small(rng, threads)) for _ in range(number))


@pytest.mark.parametrize("threads", [False, True])
def test_an_interval_holds_the_best_of_all_assignments(threads: bool) -> None:
    seen = _tried(1, 120, threads)
    assert seen["optimal"] > 80


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, *(pytest.param(seed, marks=pytest.mark.deep) for seed in (4, 5))])
def test_more_intervals_hold_the_best(seed: int) -> None:
    assert _tried(seed, 400, seed % 2 == 0)["optimal"] > 250


def _large(clients: int, tasks: int) -> dict[str, Any]:
    rng = random.Random(clients)
    ids = [f"c{i:02}" for i in range(clients)]
    rows = [rng.sample(ids[: clients - 2], 2) for _ in range(tasks)]
    return {
        "family": "C",
        "clients": [{"id": id_, "threads": 1} for id_ in ids],
        "tasks": tasks,
        "standbys": 1,
        "active": [row[0] for row in rows],
        "standby": [row[1:] for row in rows],
    }


def test_two_new_clients_get_both_balances_at_once() -> None:
    result = cases.solved(_large(12, 80))
    assert result["proven"][:2] == ["balance of actives", "balance of copies"]
    assert result["loads"][-1] - result["loads"][0] <= 1
    assert result["totals"][-1] - result["totals"][0] <= 1
    assert 0.9 * result["upper"] <= result["lower"] <= result["upper"]


def test_a_settled_group_keeps_everything() -> None:
    case = _large(6, 30)
    first = cases.solved(case)
    ids = [client["id"] for client in case["clients"]]
    active = {task: id_ for id_ in ids for task in first["assignment"][id_]}
    standby = {task: [id_ for id_ in ids if task in first["standbys"][id_]] for task in range(30)}
    again = cases.solved(
        case | {"active": [active[t] for t in range(30)], "standby": [standby[t] for t in range(30)]}
    )
    assert (again["status"], again["upper"]) == ("optimal", 0)


def test_no_time_is_an_interval_or_an_optimum_that_holds() -> None:
    case = _large(12, 80)
    result = cases.solved(case, time_limit_s=0)
    assert result["lower"] <= cases.solved(case)["upper"]


def test_no_time_gives_an_assignment_and_no_false_bound() -> None:
    document = tasks("join", 1, clients=30, tasks=300)
    result = cases.solved(document, time_limit_s=0.0)
    assert check_certificate(result).accepted
    assert result["status"] == "interval"
    better = cases.solved(document, time_limit_s=60.0)
    assert better["goals"][0]["proven"]
    assert result["goals"][0]["value"] >= better["goals"][0]["value"]
