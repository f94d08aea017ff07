"""Shapes of groups: the same group there and back, and changes that keep size and sense."""

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.hunts.hunt import cases
from kassay.kinds.groups.scopes import starting_points
from kassay.kinds.groups.search import chained, changed, separate_copies, shape_of, stairs, widened
from kassay.kinds.protocol import ScopeCell
from kassay.model.groups.kinds import CLIENT


def sound(shape, members, partitions):
    topics = [t for t, size in enumerate(shape.sizes) for _ in range(size)]
    return (
        len(shape.reads) == members
        and sum(shape.sizes) == len(shape.owners) == partitions
        and all(shape.sizes)
        and all(shape.reads)
        and all(owner < 0 or t in shape.reads[owner] for t, owner in zip(topics, shape.owners, strict=True))
    )


def test_a_group_is_had_back_from_its_shape():
    for case in cases(CLIENT, ScopeCell(2, 3, pasts=True)):
        shape = shape_of(case)
        assert shape_of(shape.history()) == shape


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_whatever_is_changed_a_shape_keeps_its_size_and_its_sense(members, partitions, seed):
    rng = random.Random(seed)
    shape = chained((members, partitions))
    assert sound(shape, members, partitions)
    for _ in range(30):
        shape = changed(shape, rng)
        assert sound(shape, members, partitions)


def test_a_small_group_is_widened_to_the_size():
    for case in starting_points(2, 2, pasts=False):
        assert sound(widened(shape_of(case), (5, 7)), 5, 7)
        for size in ((2, 2), (2, 5), (5, 2), (4, 4), (4, 5), (5, 7)):
            assert sound(separate_copies(shape_of(case), size), *size)


def test_groups_beside_each_other_share_nothing():
    small = chained((2, 3))
    both = separate_copies(small, (5, 7))
    assert both.sizes == (*small.sizes, *small.sizes, 1)
    assert both.owners == (*small.owners, *(owner + 2 for owner in small.owners), -1)
    assert both.reads[2:] == (*(frozenset(t + 2 for t in read) for read in small.reads), frozenset({4}))


@given(st.integers(1, 9), st.integers(1, 40))
def test_stairs_have_the_size_and_each_step_is_one_high(members, partitions):
    shape = stairs((members, partitions))
    assert sound(shape, members, partitions)
    owners = [owner for owner in shape.owners if owner >= 0]
    loads = [owners.count(member) for member in range(max(owners, default=0) + 1)]
    assert all(0 <= higher - lower <= 1 for lower, higher in pairwise(loads)) or len(loads) == members
