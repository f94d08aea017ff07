"""Racks: every way to put brokers in them once, the evenest first."""

from collections import Counter

import pytest

from kassay.kinds.placement.scopes import groupings, rack_sizes, racks_of

SIZES = range(1, 8)


def sizes_of(racks):
    """How many brokers each rack has, in the order of their first brokers."""
    return tuple(Counter(racks).values())


@pytest.mark.parametrize("brokers", SIZES)
def test_brokers_are_put_in_racks_in_every_way_once(brokers):
    assert sorted(racks_of(brokers, runs=False)) == list(groupings(brokers))


@pytest.mark.parametrize("brokers", SIZES)
def test_neighbours_have_every_sizes_once_in_the_same_order(brokers):
    runs = list(racks_of(brokers, runs=True))
    assert [sizes_of(racks) for racks in runs] == rack_sizes(brokers)
    assert all(list(racks) == sorted(racks) for racks in runs)
    every = list(dict.fromkeys(sizes_of(racks) for racks in racks_of(brokers, runs=False)))
    assert every == rack_sizes(brokers)


@pytest.mark.parametrize("brokers", SIZES)
def test_the_evenest_racks_come_first(brokers):
    sizes = rack_sizes(brokers)
    assert len(set(sizes)) == len(sizes) == 2 ** (brokers - 1)
    assert {sum(one) for one in sizes} == {brokers}
    shapes = [sorted(one, reverse=True) for one in sizes]
    assert shapes == sorted(shapes)
