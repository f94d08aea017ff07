"""Tasks with standbys against every assignment there is; the checker against damage."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.tasks import check_tasks, check_tasks_document
from kassay.solver.streams.documents import solve_tasks_document
from kassay.solver.streams.problem import TaskProblem

Choice = tuple[int, frozenset[int]]


def _small(rng: random.Random, threads: bool = True) -> dict[str, Any]:
    ids = [f"c{i}" for i in range(rng.randint(1, 4))]
    tasks = rng.randint(0, 4 if len(ids) < 4 else 3)
    active = [rng.choice([*ids, None]) for _ in range(tasks)]
    standby = [
        rng.sample([id_ for id_ in ids if id_ != lead], rng.randint(0, len(ids) - (lead is not None)))
        for lead in active
    ]
    return {
        "family": "C",
        "name": "small",
        "clients": [{"id": id_, "threads": rng.randint(1, 3) if threads else 1} for id_ in ids],
        "tasks": tasks,
        "standbys": rng.randint(0, 2),
        "active": active,
        "standby": standby,
    }


def _choices(case: dict[str, Any]) -> list[Choice]:
    clients = range(len(case["clients"]))
    followers = min(case["standbys"], len(clients) - 1)
    return [
        (lead, frozenset(row))
        for lead in clients
        for row in itertools.combinations([c for c in clients if c != lead], followers)
    ]


def _worth(case: dict[str, Any], chosen: tuple[Choice, ...]) -> tuple[int, int]:
    """(imbalance of actives and copies, cost) of one choice a task."""
    place = {client["id"]: i for i, client in enumerate(case["clients"])}
    cost = 0
    for old, holders, (lead, row) in zip(case["active"], case["standby"], chosen, strict=True):
        state = {place[id_] for id_ in holders} | ({place[old]} if old else set())
        cost += 3 * len(({lead} | row) - state) + (old is not None and place[old] != lead)
    actives = Counter(lead for lead, _ in chosen)
    copies = actives + Counter(c for _, row in chosen for c in row)
    threads = [client["threads"] for client in case["clients"]]
    balance = 0
    for counts in (actives, copies):
        for c, share in enumerate(threads):
            balance += sum(threads) * counts[c] ** 2 - 2 * counts.total() * share * counts[c]
    return balance, cost


def _every(case: dict[str, Any]) -> Iterator[tuple[int, int]]:
    return (_worth(case, chosen) for chosen in itertools.product(_choices(case), repeat=case["tasks"]))


def _chosen(case: dict[str, Any], result: dict[str, Any]) -> tuple[Choice, ...]:
    ids = [client["id"] for client in case["clients"]]
    lead = {task: ids.index(id_) for id_, tasks in result["assignment"].items() for task in tasks}
    return tuple(
        (lead[task], frozenset(i for i, id_ in enumerate(ids) if task in result["standbys"][id_]))
        for task in range(case["tasks"])
    )


def _is_honest(case: dict[str, Any]) -> str:
    result = solve_tasks_document(case)
    assert check_tasks_document(result)[0]
    best = min(_every(case))
    mine = _worth(case, _chosen(case, result))
    assert set(_chosen(case, result)) <= set(_choices(case))
    assert mine[1] == result["upper"]
    if "balance of copies" in result["proven"]:
        assert mine[0] == best[0]
        assert result["lower"] <= best[1] <= result["upper"]
    if result["status"] == "optimal":
        assert mine == best
    return str(result["status"])


def _tried(seed: int, number: int, threads: bool) -> Counter[str]:
    rng = random.Random(seed)
    return Counter(_is_honest(_small(rng, threads)) for _ in range(number))


@pytest.mark.parametrize("threads", [False, True])
def test_an_interval_holds_the_best_of_all_assignments(threads: bool) -> None:
    seen = _tried(1, 120, threads)
    assert seen["optimal"] > 80


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
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
    result = solve_tasks_document(_large(12, 80))
    assert result["proven"][:2] == ["balance of actives", "balance of copies"]
    assert result["loads"][-1] - result["loads"][0] <= 1
    assert result["totals"][-1] - result["totals"][0] <= 1
    assert 0.9 * result["upper"] <= result["lower"] <= result["upper"] <= (result["actives_first"] or 10**9)


def test_a_settled_group_keeps_everything() -> None:
    case = _large(6, 30)
    first = solve_tasks_document(case)
    ids = [client["id"] for client in case["clients"]]
    active = {task: id_ for id_ in ids for task in first["assignment"][id_]}
    standby = {task: [id_ for id_ in ids if task in first["standbys"][id_]] for task in range(30)}
    again = solve_tasks_document(
        case | {"active": [active[t] for t in range(30)], "standby": [standby[t] for t in range(30)]}
    )
    assert (again["status"], again["upper"]) == ("optimal", 0)


def test_no_time_is_an_interval_or_an_optimum_that_holds() -> None:
    case = _large(12, 80)
    result = solve_tasks_document(case, time_limit_s=0)
    assert result["lower"] <= solve_tasks_document(case)["upper"]


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
    chosen = _chosen(case, certificate)
    best, mine = min(_every(case)), _worth(case, chosen)
    if not set(chosen) <= set(_choices(case)) or mine[1] != certificate["upper"]:
        return False
    return not certificate["balanced"] or (mine[0] == best[0] and certificate["lower"] <= best[1])


def test_no_damaged_certificate_says_what_is_not_so() -> None:
    rng = random.Random(8)
    accepted = refused = 0
    for _ in range(80):
        certificate = solve_tasks_document(_small(rng))["certificate"]
        for _ in range(12):
            damaged = _damage(rng, certificate)
            if check_tasks(damaged)[0]:
                assert _says_the_truth(damaged)
                accepted += 1
            else:
                refused += 1
    assert refused > 400
    assert accepted > 10


@pytest.mark.parametrize(
    "junk", [None, [], {}, {"schema": "kassay/tasks-certificate/1"}, {"certificate": {}}]
)
def test_junk_is_refused_without_an_exception(junk: Any) -> None:
    assert check_tasks_document(junk)[0] is False


GOOD: dict[str, Any] = {
    "family": "C",
    "clients": [{"id": "a"}, {"id": "b"}],
    "tasks": 1,
    "standbys": 1,
    "active": ["a"],
    "standby": [["b"]],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "B"}, "family: found 'B'"),
        ({"clients": []}, "clients: found"),
        ({"clients": [{"id": "a"}, {"id": "a"}]}, r"clients\[1\].id: client id 'a' is already"),
        ({"clients": [{"id": "a", "threads": 0}, {"id": "b"}]}, r"clients\[0\].threads: found 0"),
        ({"active": ["x"]}, r"active\[0\]: found 'x', expected the id of a client"),
        ({"active": []}, "active: found 0 entries, expected 1"),
        ({"standby": [["x"]]}, r"standby\[0\]\[0\]: found 'x'"),
        ({"standby": [["b", "b"]]}, r"standby\[0\]\[1\]: client 'b' is already"),
        ({"standby": [["a"]]}, r"standby\[0\]: found \['a'\], expected no standby on 'a'"),
        ({"standbys": -1}, "standbys: found -1"),
        ({"tasks": "1"}, "tasks: found '1'"),
    ],
)
def test_bad_input_is_one_line_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TaskProblem.parse(GOOD | change)


def test_a_document_comes_back_as_it_went() -> None:
    rng = random.Random(2)
    for _ in range(100):
        problem = TaskProblem.parse(_small(rng))
        assert TaskProblem.parse(problem.document()) == problem
