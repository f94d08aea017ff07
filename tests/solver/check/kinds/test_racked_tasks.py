"""Racks of clients count: the copies of a task that share one, against every assignment of small tasks."""

from __future__ import annotations

import copy
import itertools
import random
from types import SimpleNamespace
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import check_certificate
from kassay.solver.check.kinds import racked_tasks, tasks
from kassay.solver.check.kinds.tasks import CHANGE, RESTORE, SCALE
from tests.solver.streams import cases


def _racked(rng: random.Random) -> dict[str, Any]:
    case = cases.small(rng, threads=rng.random() < 0.5)
    for client in case["clients"]:
        client["rack"] = rng.choice(("a", "a", "b", None))
    return case


def _shared(case: dict[str, Any], chosen: tuple[cases.Choice, ...]) -> int:
    """The copies in a rack where their task has another already."""
    racks = [[case["clients"][c]["rack"] for c in {lead} | row] for lead, row in chosen]
    return sum(len([r for r in row if r]) - len({r for r in row if r}) for row in racks)


def _lie(case: dict[str, Any], result: dict[str, Any]) -> str | None:
    """What a result says of racks that is not so."""
    rack = next(goal for goal in result["goals"] if goal["goal"] == "rack")
    chosen = cases.chosen_by(case, result)
    if rack["value"] != _shared(case, chosen) or result["rack_mismatch"] != rack["value"]:
        return "the value"
    every = list(itertools.product(cases.choices(case), repeat=case["tasks"]))
    worth = [cases.worth(case, ways) for ways in every]
    best = min(worth)
    least = min(_shared(case, ways) for ways, value in zip(every, worth, strict=True) if value == best)
    if cases.worth(case, chosen) == best and rack["bound"] > least:
        return "the bound"
    if rack["proven"] and (cases.worth(case, chosen) != best or rack["value"] != least):
        return "that it is proven"
    optimal = all(goal["proven"] for goal in result["goals"])
    return None if (result["status"] == "optimal") == optimal else "the status"


def test_shared_racks_are_counted_and_what_is_proven_of_them_is_so() -> None:
    rng = random.Random(41)
    proven = shared = 0
    for _ in range(120):
        case = _racked(rng)
        result = cases.solved(case)
        assert check_certificate(result).accepted
        assert _lie(case, result) is None, (_lie(case, result), case)
        proven += result["goals"][-1]["proven"]
        shared += result["goals"][-1]["value"] > 0
    assert proven > 70
    assert shared > 20


def test_no_forgery_says_what_is_not_so() -> None:
    rng = random.Random(42)
    accepted = refused = 0
    for _ in range(40):
        case = _racked(rng)
        result = cases.solved(case)
        for _ in range(12):
            damaged = copy.deepcopy(result)
            rack, prices = damaged["goals"][-1], damaged["certificate"]["copy_prices"]
            match rng.randrange(5):
                case 0:
                    rack["proven"] = not rack["proven"]
                case 1:
                    rack[rng.choice(("value", "bound"))] += 1
                case 2:
                    prices[rng.randrange(len(prices))] += rng.choice((-200, -16, 16, 200))
                case 3:
                    damaged["certificate"]["schema"] = "kassay/tasks-certificate/1"
                case _:
                    client = rng.choice(damaged["certificate"]["instance"]["clients"])
                    client["rack"] = rng.choice(("a", "b", None))
            try:
                outcome = check_certificate(damaged).accepted
            except InputError:
                outcome = False
            accepted, refused = accepted + outcome, refused + (not outcome)
            if outcome:
                assert _lie(damaged["certificate"]["instance"], damaged) is None
    assert accepted > 30
    assert refused > 150


@pytest.mark.parametrize(("racks", "value"), [(("a", "a"), 1), (("a", "b"), 0), (("a", None), 0)])
def test_two_copies_on_two_clients_share_a_rack_or_do_not(racks: tuple[str | None, ...], value: int) -> None:
    clients = [{"id": f"c{i}", "rack": rack} for i, rack in enumerate(racks)]
    case = {"family": "C", "clients": clients, "tasks": 1, "standbys": 1, "active": [None], "standby": [[]]}
    result = cases.solved(case)
    goal = result["goals"][-1]
    assert (goal["value"], goal["bound"], goal["proven"]) == (value, value, True)
    assert (result["status"], result["rack_mismatch"]) == ("optimal", value)


def test_nothing_is_optimal_without_a_word_on_the_balances() -> None:
    rng = random.Random(43)
    for _ in range(20):
        certificate = cases.solved(_racked(rng))["certificate"] | {"balanced": False, "lower": 0}
        assert check_certificate({"certificate": certificate, "status": "interval"}).accepted
        assert not check_certificate({"certificate": certificate, "status": "optimal"}).accepted


def _forced_by_trying_all(
    case: Any, copies: list[int], actives: list[int], room: int, racks: list[Any]
) -> int:
    """The tasks of which every pair of clients that is cheap enough is in one rack."""
    pairs = [(c, d) for c in range(len(racks)) for d in range(len(racks)) if c != d]
    forced = 0
    for old, state in zip(case.old, case.state, strict=True):

        def paid(c: int, d: int, old: Any = old, state: Any = state) -> int:
            restores = SCALE * RESTORE * ((c not in state) + (d not in state))
            changed = SCALE * CHANGE * (old is not None and c != old)
            return copies[c] + copies[d] + actives[c] + restores + changed

        least = min(paid(c, d) for c, d in pairs)
        cheap = [(c, d) for c, d in pairs if paid(c, d) <= least + room]
        forced += all(racks[c] is not None and racks[c] == racks[d] for c, d in cheap)
    return forced


def test_a_task_is_forced_where_all_its_cheap_choices_share_a_rack(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, some = random.Random(61), 0
    monkeypatch.setattr(tasks, "imbalance", lambda _: 0)
    for _ in range(600):
        clients = rng.randint(2, 6)
        old = [rng.choice([None, *range(clients)]) for _ in range(rng.randint(1, 5))]
        state = [frozenset(c for c in range(clients) if rng.random() < 0.3) for _ in old]
        case: Any = SimpleNamespace(old=old, state=state)
        copies, actives = ([rng.randint(-20, 20) for _ in range(clients)] for _ in range(2))
        room = rng.choice([0, 0, 1, 5, 16, 40, 100])
        monkeypatch.setattr(tasks, "lowest_payment", lambda *_, room=room: -room)
        racks = [rng.choice([None, "a", "b", "a", "a"]) for _ in range(clients)]
        certificate = {"copy_prices": copies, "active_prices": actives, "upper": 0}
        forced = racked_tasks._forced(case, certificate, racks)
        assert forced == _forced_by_trying_all(case, copies, actives, room, racks)
        some += forced > 0
    assert some > 100
