"""The formulas of the range and round-robin rules, put to real numbers: they are what the rules do."""

from __future__ import annotations

import pytest
import z3  # type: ignore[import-untyped]

from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member
from kassay.solver.proofs.prove import chosen
from kassay.solver.proofs.ranges import _ceiling, _dealt, _length, _size, _start


def number(formula: object, *known: object) -> int:
    """The one value that the formula has under what is known."""
    solver, value = z3.Solver(), z3.Int("value")
    solver.add(value == formula, *known)
    assert solver.check() == z3.sat
    result = solver.model()[value].as_long()
    solver.add(value != result)
    assert solver.check() == z3.unsat
    return int(result)


def shares(rule: Range | RoundRobin, members: int, partitions: int) -> list[list[int]]:
    """The partition numbers of each member of a group that reads one topic."""
    group = Group(tuple(Member(f"m{i:02}", ("t",)) for i in range(members)), "m00")
    answer = rule.assign(Cluster.of({"t": partitions}), group)
    return [sorted(tp.partition for tp in answer.get(f"m{i:02}", ())) for i in range(members)]


@pytest.mark.parametrize(("members", "partitions"), [(1, 0), (1, 3), (3, 2), (3, 7), (4, 4), (4, 11)])
def test_the_formulas_are_the_rules(members: int, partitions: int) -> None:
    quotient, rest = divmod(partitions, members)
    ranges, dealt = (shares(rule, members, partitions) for rule in (Range(), RoundRobin()))
    for i in range(members):
        start, length = (number(each(z3.IntVal(i), quotient, rest)) for each in (_start, _length))
        assert ranges[i] == list(range(start, start + length))
        count, known = _dealt(z3.IntVal(partitions), i, members, "i")
        assert number(count, *known) == len(dealt[i])


@pytest.mark.parametrize(("members", "partitions"), [(3, 4), (2, 5), (4, 5), (5, 3)])
def test_the_size_of_a_ceiling_share_is_that_of_slices(members: int, partitions: int) -> None:
    width = -(-partitions // members)
    for i in range(members):
        sliced = list(range(partitions))[i * width : (i + 1) * width]
        assert number(_size(z3.IntVal(partitions), z3.IntVal(width), z3.IntVal(i))) == len(sliced)


@pytest.mark.parametrize("name", ["range-contiguous", "range-even", "range-owner", "roundrobin-count"])
def test_assumptions_can_be_met_so_that_nothing_is_proved_of_nothing(name: str) -> None:
    for each in chosen([name]):
        solver = z3.Solver()
        solver.add(*each.ask().assumptions)
        assert solver.check() == z3.sat, each.name


def test_the_facts_about_a_ceiling_hold_of_it_alone_from_one_on() -> None:
    p, c, n, known = _ceiling()
    for partitions in range(1, 7):
        for members in range(1, 7):
            assert number(n, *known, p == partitions, c == members) == -(-partitions // members)
