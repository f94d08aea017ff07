"""Shapes of groups: the same group there and back, and changes that keep size and sense."""

import random

from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.hunts.cells import ScopeCell, cases
from kassay.certify.hunts.shapes import chain, changed, shape_of, widened
from kassay.model.kinds import Kind


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
    for case in cases(Kind.CLIENT, ScopeCell(2, 3, pasts=True)):
        shape = shape_of(case)
        assert shape_of(shape.history()) == shape


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_whatever_is_changed_a_shape_keeps_its_size_and_its_sense(members, partitions, seed):
    rng = random.Random(seed)
    shape = chain((members, partitions))
    assert sound(shape, members, partitions)
    for _ in range(30):
        shape = changed(shape, rng)
        assert sound(shape, members, partitions)


def test_a_small_group_is_widened_to_the_size():
    for case in cases(Kind.CLIENT, ScopeCell(2, 2, pasts=False)):
        assert sound(widened(shape_of(case), (5, 7)), 5, 7)
