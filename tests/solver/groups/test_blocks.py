"""Sets in blocks: the same sets, in fewer parts, and no block that leads back."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.groups import hub
from kassay.solver.groups.hub import Blocks, in_blocks

SETS = st.lists(st.sets(st.integers(0, 40), min_size=1, max_size=41).map(sorted), max_size=9)


def members(parts: Sequence[int], cut: Blocks, after: int = -1) -> list[int]:
    """What parts stand for; a block may be part of earlier ones alone."""
    every: list[int] = []
    for part in parts:
        if part >= 0:
            every.append(part)
        else:
            assert -1 - part > after
            every += members(cut.blocks[-1 - part], cut, -1 - part)
    return every


def arcs(cut: Blocks) -> int:
    return sum(map(len, cut.sets)) + sum(map(len, cut.blocks))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(SETS)
def test_the_parts_of_a_set_are_its_members_once_each(sets: list[list[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub, "_WORTH", 0)
        cut = in_blocks(sets)
    assert [sorted(members(parts, cut)) for parts in cut.sets] == sets
    assert arcs(cut) <= sum(map(len, sets)) + len(cut.blocks) * 2


def test_sets_that_hold_one_another_need_few_parts() -> None:
    nested = [list(range(first, 200)) for first in range(200)]
    random.Random(3).shuffle(nested)
    cut = in_blocks(nested)
    assert [sorted(members(parts, cut)) for parts in cut.sets] == nested
    assert arcs(cut) < 200 * 12 < sum(map(len, nested)) / 8


def test_members_of_the_same_sets_are_one_block_whatever_their_numbers() -> None:
    kinds = [list(range(kind, 512, 4)) for kind in range(4)]
    sets = [sorted(kinds[a] + kinds[b]) for a in range(4) for b in range(a)]
    cut = in_blocks(sets)
    assert [sorted(members(parts, cut)) for parts in cut.sets] == sets
    assert arcs(cut) < 512 * 2


def test_one_set_and_few_members_stay_as_they_are() -> None:
    assert in_blocks([range(5000)]) == Blocks([range(5000)], [])
    assert in_blocks([[0, 1, 2, 3], [0, 1, 2, 3, 4]]).blocks == []
