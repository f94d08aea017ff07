"""Cells: every case once, of that size, and all that are smaller before the scope's end."""

from collections import Counter
from dataclasses import replace

import pytest

from kassay.certify.hunts.cells import LADDER, cases, ladder
from kassay.kinds.groups.scopes import scope_cases
from kassay.kinds.protocol import ScopeCell
from kassay.kinds.registry import driver_for
from kassay.model.cluster import Broker
from kassay.model.groups.kinds import CLIENT, GROUPS
from kassay.model.kinds import every_kind
from kassay.model.placement.kinds import PLACER
from kassay.properties.groups.histories.generator import GroupProfile

WITH_CELLS = [kind for kind in every_kind() if driver_for(kind).pasts is not None]


@pytest.mark.parametrize("kind", WITH_CELLS, ids=str)
@pytest.mark.parametrize("pasts", [False, True])
def test_a_cell_has_cases_of_its_size_each_once(kind, pasts):
    driver = driver_for(kind)
    seen = list(cases(kind, ScopeCell(2, 3, pasts)))
    written = [repr(driver.form.write(case)) for case in seen]
    assert len(set(written)) == len(written) > 3
    counts = [driver.counts(case) for case in seen]
    assert {(count["members"], count["partitions"]) for count in counts} == {(2, 3)}


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_the_groups_of_cells_are_those_of_the_scope_whose_input_does_not_contradict_itself(kind):
    of_cells = [repr(case) for p in (False, True) for case in cases(kind, ScopeCell(2, 3, p))]
    profile = GroupProfile(kind=kind, assume=frozenset({"no-conflicting-claims"}))
    of_scope = [repr(case) for case in scope_cases(profile, 2, 3) if case.size[1:3] == (2, 3)]
    assert sorted(of_cells) == sorted(of_scope)


def test_equal_subscriptions_and_no_racks_narrow_a_cell():
    equal = list(cases(CLIENT, ScopeCell(2, 3, False), equal=True))
    assert all(len({j.member.topics for j in case.joins}) == 1 for case in equal)
    assert Counter(len(case.cluster.topics) for case in equal) == {1: 2, 2: 2 * 4, 3: 8}
    assert all(case.joins[0].member.topics == (*case.cluster.counts,) for case in equal[:4])
    bare = list(cases(PLACER, ScopeCell(2, 3, False), racks=False))
    assert {broker.rack for case in bare for broker in case.request.brokers} == {None}


def renamed(case):
    """The request with the brokers renamed so that those of a rack are neighbours, in the same order."""
    racks = [broker.rack for broker in case.request.brokers]
    order = sorted(range(len(racks)), key=lambda place: (racks[place] or "", place))
    brokers = tuple(Broker(new, racks[old]) for new, old in enumerate(order))
    return case._replace(request=replace(case.request, brokers=brokers))


@pytest.mark.parametrize("brokers", range(1, 6))
def test_of_requests_that_other_ids_make_alike_a_cell_has_one(brokers):
    cell = ScopeCell(brokers, 1, False)
    one = list(cases(PLACER, cell, alike_by_rack=True))
    assert len(set(one)) == len(one) == (2 ** (brokers - 1) + 1) * brokers**2
    assert {*one} == {renamed(case) for case in cases(PLACER, cell)}


@pytest.mark.parametrize("kind", WITH_CELLS, ids=str)
def test_a_ladder_has_each_cell_once_and_a_scope_all_that_are_not_larger(kind):
    done = set()
    for (members, partitions), cells in ladder(driver_for(kind), (4, 4)):
        assert not done & set(cells)
        done |= set(cells)
        assert {cell.size for cell in done} == {
            (m, p) for m in range(1, members + 1) for p in range(1, partitions + 1)
        }
    assert [rung for rung, _ in ladder(driver_for(kind), (2, 7))] == [(1, 1), (2, 2), (2, 3), (2, 7)]
    assert [rung for rung, _ in ladder(driver_for(kind), None)] == list(LADDER)
