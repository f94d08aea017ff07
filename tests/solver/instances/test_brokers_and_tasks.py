"""Placements and tasks by shape: what each shape says, and the same on every machine.

Tasks for members: what each shape leaves of who had what.
"""

from __future__ import annotations

from collections import Counter

import pytest

from kassay.solver.instances.brokers_and_tasks import (
    MEMBER_SHAPES,
    PLACEMENT_SHAPES,
    TASK_SHAPES,
    member_tasks,
    placement,
    tasks,
)
from kassay.solver.instances.families import solve_document
from kassay.solver.placement.problem import PlacementProblem
from kassay.solver.streams.problem import MemberTaskProblem, TaskProblem


@pytest.mark.parametrize("shape", PLACEMENT_SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_a_placement_is_as_its_shape_says(shape: str, seed: int) -> None:
    document = placement(shape, seed, brokers=7, partitions=12, change=2)
    assert document == placement(shape, seed, brokers=7, partitions=12, change=2)
    assert document != placement(shape, seed + 1, brokers=7, partitions=12, change=2)
    PlacementProblem.parse(document)
    there = {broker["id"] for broker in document["brokers"]}
    rows = document["current"]["t0000"]
    held = Counter(broker for row in rows for broker in row)
    assert len(there) == 7
    assert all(len(set(row)) == 3 for row in rows)
    assert len(rows) == (0 if shape == "create" else 12)
    gone, fresh = set(held) - there, there - set(held)
    if shape == "skewed":
        assert not gone
        assert held[0] > held[6]
    else:
        moved = {"remove": (2, 0), "add": (0, 2), "create": (0, 7)}
        assert (len(gone), len(fresh)) == moved.get(shape, (0, 0))
    if shape in ("add", "remove", "weighted"):
        racks = {broker["id"]: broker["rack"] for broker in document["brokers"]}
        assert all(len({racks[b] for b in row if b in racks} | gone & set(row)) >= 2 for row in rows)
        for rack in racks.values():
            inside = [count for broker, count in held.items() if racks.get(broker) == rack]
            assert not inside or max(inside) - min(inside) <= 1
    racks_held = Counter(broker["rack"] for broker in document["brokers"])
    assert (max(racks_held.values()) - min(racks_held.values()) > 1) == (shape in ("rack_skew", "skewed"))
    assert ({broker["share"] for broker in document["brokers"]} != {1}) == (shape == "weighted")


@pytest.mark.parametrize("shape", TASK_SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_tasks_are_as_their_shape_says(shape: str, seed: int) -> None:
    document = tasks(shape, seed, clients=5, tasks=20, standbys=2, change=2)
    assert document == tasks(shape, seed, clients=5, tasks=20, standbys=2, change=2)
    TaskProblem.parse(document)
    names = [client["id"] for client in document["clients"]]
    active, standby = document["active"], document["standby"]
    assert len(active) == len(standby) == 20
    for lead, row in zip(active, standby, strict=True):
        assert lead not in row
        assert set(row) <= set(names)
        assert len(row) <= 2
    held = Counter(active)
    if shape == "fresh":
        assert held == {None: 20}
        assert standby == [[]] * 20
    elif shape == "join":
        assert set(held) == set(names[:3])
        assert max(held.values()) - min(held.values()) <= 1
        assert all(len(row) == 2 for row in standby)
    else:
        assert set(held) == {*names, None}
        assert held[None] in range(4, 7)
        assert any(len(row) < 2 for row in standby)


@pytest.mark.parametrize("shape", MEMBER_SHAPES)
def test_a_shape_is_read_and_solved(shape: str) -> None:
    document = member_tasks(shape, 3, processes=4, members=3, tasks=12)
    problem = MemberTaskProblem.parse(document)
    assert (len(problem.processes), problem.tasks, problem.stateful) == (4, 12, 8)
    assert solve_document(document)["loads"][-1] - solve_document(document)["loads"][0] <= 1
    assert member_tasks(shape, 3, processes=4, members=3, tasks=12) == document


def test_who_has_what_is_as_the_shape_says() -> None:
    fresh, join, leave, restart, scattered = (
        MemberTaskProblem.parse(member_tasks(shape, 1, processes=4, tasks=24)) for shape in MEMBER_SHAPES
    )
    assert set(fresh.active) == {None}
    assert not any(fresh.standby)
    assert set(join.active) == set(range(len(join.member_ids))) - set(join.members_of[3])
    assert None in leave.active
    (again,) = {place for place, own in enumerate(restart.members_of) if not set(own) & set(restart.active)}
    assert any(again in row for row in restart.standby)
    assert None not in scattered.active
