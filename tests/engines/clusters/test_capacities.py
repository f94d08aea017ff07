"""Members of different capacity: the least highest load by brute force, its proof, the fewest moves."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engines.clusters.capacities import best_with, capacities_of, is_proven, strain_of
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment
from tests.engines.clusters.cluster import observed, offsets

EVEN = observed(offsets({"a": ["t-0", "t-1", "t-2"], "b": ["t-3", "t-4", "t-5"]}))


@st.composite
def groups(draw):
    members = draw(st.integers(1, 3))
    count = draw(st.integers(1, 5))
    owners = [draw(st.integers(0, members - 1)) for _ in range(count)]
    owned = {f"m{m}": [f"t-{p}" for p in range(count) if owners[p] == m] for m in range(members)}
    sizes = [Fraction(draw(st.sampled_from(["0.5", "1", "1.5", "2", "3"]))) for _ in range(members)]
    return observed(offsets(owned)), {f"m{m}": sizes[m] for m in range(members)}


def every_assignment(group):
    tps = [tp for topic in group.cluster.topics for tp in topic.tps()]
    ids = [member.member_id for member in group.group.members]
    for owners in itertools.product(ids, repeat=len(tps)):
        yield {each: tuple(tp for tp, owner in zip(tps, owners) if owner == each) for each in ids}


@given(groups())
@settings(deadline=None)
def test_no_assignment_has_a_lower_load_nor_fewer_moves_for_it(drawn):
    group, capacities = drawn
    best = best_with(group, capacities)
    owner = group.assignment.owners()
    every = [*every_assignment(group)]
    loads = [strain_of(Assignment(each), capacities).load for each in every]
    assert best.load == min(loads)
    moves = [sum(owner[tp] != member for member, tps in each.items() for tp in tps) for each in every]
    assert best.moved == min(moved for moved, load in zip(moves, loads) if load == best.load)
    assert is_proven(best, capacities)
    assert sum(best.counts.values()) == sum(group.cluster.counts.values())


def test_a_member_of_twice_the_capacity_has_twice_the_partitions():
    best = best_with(EVEN, capacities_of(["a=2"], EVEN))
    assert (best.load, best.moved, best.counts) == (2, 1, {"a": 4, "b": 2})
    assert (best.bound.partitions, best.bound.readers) == (6, ("a", "b"))
    assert not is_proven(best._replace(load=Fraction(3)), capacities_of(["a=2"], EVEN))


@pytest.mark.parametrize("text", ["a", "a=", "a=-1", "a=0", "=2", "c=2"])
def test_a_capacity_that_is_none_is_named(text):
    with pytest.raises(InputError, match="--capacity: found"):
        capacities_of([text], EVEN)
