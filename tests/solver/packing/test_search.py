"""Good packings: no worse than the first one, and the books are kept while items change hands."""

from __future__ import annotations

import random
import time

import pytest

from kassay.solver.packing.bounds import lower_bound
from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import PackingSearch, at_home, longest_first, search
from tests.solver.packing import cases


@pytest.mark.parametrize("seed", range(5))
def test_search_is_no_worse_than_longest_first(seed: int) -> None:
    packing = Packing.of(cases.large(seed, 20, 100))
    bound = lower_bound(packing).value
    plain = max(packing.loads(longest_first(packing)))
    owner = search(packing, bound, time.monotonic() + 30)
    assert bound <= max(packing.loads(owner)) <= plain
    assert packing.moved(owner) <= packing.moved(longest_first(packing))


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
