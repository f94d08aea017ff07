"""Good packings: no worse than the first one, and the books are kept while items change hands."""

from __future__ import annotations

import random
import time

import pytest

from kassay.solver.packing.search import PackingSearch, at_home, longest_first
from tests.solver.packing import cases


def _is_kept(state: PackingSearch) -> bool:
    """Whether loads and items by member are those of the owners, and everybody may have what it has."""
    members = range(state.packing.members)
    held = [{i for i, member in enumerate(state.owner) if member == m} for m in members]
    items = zip(state.packing.items, state.owner, strict=True)
    return (
        state.loads == state.packing.loads(state.owner)
        and state.held == held
        and all(member in item.able for item, member in items)
    )


@pytest.mark.parametrize("great", [1, 10**8], ids=["by subset sums", "by moves and swaps"])
def test_no_step_of_the_search_makes_worse_what_it_is_to_better(great: int) -> None:
    rng = random.Random(6)
    late = time.monotonic() + 60
    for _ in range(60):
        case = cases.weighted(rng)
        for topic in case["topics"]:
            topic["weights"] = [weight * great for weight in topic["weights"]]
        packing, owner = cases.packed(rng, case)
        if not packing.items:
            continue
        state = PackingSearch(packing, owner)
        top = state.heaviest()
        state.relieve(0, late)
        assert _is_kept(state)
        assert state.heaviest() <= top
        top, moved = state.heaviest(), packing.moved(state.owner)
        state.go_home(top, late)
        assert _is_kept(state)
        assert state.heaviest() <= top
        assert packing.moved(state.owner) <= moved
        ranked = sorted(state.loads, reverse=True)
        state.even_out(late)
        assert _is_kept(state)
        assert sorted(state.loads, reverse=True) <= ranked
        ranked, moved = sorted(state.loads, reverse=True), packing.moved(state.owner)
        state.go_home(None, late)
        assert _is_kept(state)
        assert sorted(state.loads, reverse=True) <= ranked
        assert packing.moved(state.owner) <= moved


def test_relief_within_a_budget_keeps_it_and_makes_the_loads_no_worse() -> None:
    rng = random.Random(16)
    late = time.monotonic() + 60
    relieved = 0
    for _ in range(80):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        state = PackingSearch(packing, longest_first(packing, at_home(packing)))
        before, paid = sorted(state.loads, reverse=True), packing.moved(state.owner)
        budget = paid + rng.choice((0, 1, 3, 100))
        state.relieve_within(budget, late)
        assert packing.moved(state.owner) <= budget
        assert sorted(state.loads, reverse=True) <= before
        relieved += sorted(state.loads, reverse=True) < before
    assert relieved > 10


def test_longest_first_gives_each_item_to_the_lightest_and_keeps_who_has_one() -> None:
    rng = random.Random(7)
    for _ in range(60):
        packing, _ = cases.packed(rng, cases.weighted(rng))
        home = at_home(packing)
        owner = longest_first(packing, home)
        assert all(here in (None, there) for here, there in zip(home, owner, strict=True))
        loads = packing.loads([m or 0 for m in home])
        for item, m in zip(packing.items, home, strict=True):
            loads[0] -= item.weight if m is None else 0
        order = sorted(
            (i for i, m in enumerate(home) if m is None),
            key=lambda i: (-packing.weights[i], len(packing.items[i].able), i),
        )
        for i in order:
            assert loads[owner[i]] == min(loads[m] for m in packing.items[i].able)
            loads[owner[i]] += packing.weights[i]
