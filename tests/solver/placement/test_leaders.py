"""Leaders of given replicas: balance first, then the fewest changes, and no fenced broker without need."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from kassay.solver.algorithms import bulk_flow
from kassay.solver.placement.flows import choose_leaders, leader_quota
from kassay.solver.placement.problem import Broker


@pytest.mark.parametrize("engine", ["ours", "ortools"])
def test_no_choice_of_leaders_is_better(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine == "ortools":
        pytest.importorskip("ortools")
        monkeypatch.setattr(bulk_flow, "ENOUGH", 0)
    rng = random.Random(91)
    for _ in range(120):
        brokers = [
            Broker(i, share=rng.randint(1, rng.randint(1, 2)), fenced=rng.random() < 0.2)
            for i in range(rng.randint(1, 4))
        ]
        places = range(len(brokers))
        rows = [rng.sample(places, rng.randint(1, len(brokers))) for _ in range(rng.randint(0, 5))]
        wanted = [rng.choice([*row, None]) for row in rows]
        able = [[b for b in row if not brokers[b].fenced] or row for row in rows]
        scale = sum(broker.share for broker in brokers)

        def value(
            chosen: tuple[int, ...],
            brokers: list[Broker] = brokers,
            wanted: list[int | None] = wanted,
            able: list[list[int]] = able,
            scale: int = scale,
        ) -> tuple[int, int]:
            counts = Counter(chosen)
            away = sum((scale * counts[b] - len(chosen) * own.share) ** 2 for b, own in enumerate(brokers))
            pairs = zip(chosen, wanted, able, strict=True)
            return away, sum(want in row and lead != want for lead, want, row in pairs)

        leaders = tuple(choose_leaders(brokers, rows, wanted).leads)
        assert all(lead in row for lead, row in zip(leaders, able, strict=True))
        assert value(leaders) == min(map(value, product(*able)))


def test_one_unit_of_balance_is_dearer_than_every_change() -> None:
    quota = leader_quota([Broker(0), Broker(1, share=3)], 8)
    assert [quota.floor(place) for place in (0, 1)] == [2, 6]
    steps = {quota.marginal(place, count) for place in (0, 1) for count in range(8)}
    assert min(abs(a - b) for a in steps for b in steps if a != b) > 8
