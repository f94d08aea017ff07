"""The smallest requests: each once, none larger than the one that they come from, the smallest first."""

from itertools import product

import pytest

from kassay.kinds.placement.scopes import fresh_plan_requests, fresh_requests, placer_cell, plan_cell
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.plan import PlanRequest
from kassay.model.placement.request import PlacementRequest

PLAIN = PlacementRequest(2, 2, (Broker(0), Broker(1), Broker(2)))


def test_placements_come_once_by_brokers_and_partitions():
    fresh = list(fresh_requests(PLAIN))
    assert len(set(fresh)) == len(fresh) > 100
    sizes = [(len(asked.brokers), asked.partitions) for asked in fresh]
    assert sizes == sorted(sizes)
    assert max(sizes) == (3, 2)
    assert {len(asked.existing) for asked in fresh} == {0, 1}
    assert not any(broker.fenced for asked in fresh for broker in asked.brokers)


def test_fenced_brokers_other_orders_and_too_many_replicas_only_where_the_request_has_them():
    fenced = list(fresh_requests(PlacementRequest(1, 3, (Broker(1), Broker(0, fenced=True)))))
    assert any(broker.fenced for asked in fenced for broker in asked.brokers)
    assert not any(all(broker.fenced for broker in asked.brokers) for asked in fenced)
    assert any([broker.broker_id for broker in asked.brokers] == [1, 0] for asked in fenced)
    assert max(asked.replication_factor - len(asked.brokers) for asked in fenced) == 1
    assert max(asked.replication_factor - len(asked.brokers) for asked in fresh_requests(PLAIN)) == 0


def test_plans_may_set_out_from_a_broker_that_goes():
    asked = PlanRequest((Broker(0), Broker(1)), ((TopicPartition("t", 0), (0,)),), 1)
    fresh = list(fresh_plan_requests(asked))
    assert len(set(fresh)) == len(fresh) > 5
    assert {row for each in fresh for _, row in each.before} == {(0,), (1,), (2,)}
    assert {each.replication_factor for each in fresh} == {1}


def test_a_cell_of_plans_has_every_placement_before():
    assert len(set(plan_cell(2, 2, True))) == 3 * (3**2 + 6**2)
    assert len(set(plan_cell(2, 1, False))) == 3 + 6


def naive_racks(count):
    """The racks of so many brokers: none has one, or all have; numbered in the order of their first brokers."""
    racks = {None, *(f"r{i}" for i in range(count))}
    placed = set()
    for names in product(racks, repeat=count):
        if None not in names or set(names) == {None}:
            order = [name for name in dict.fromkeys(names) if name is not None]
            placed.add(tuple(name and f"r{order.index(name)}" for name in names))
    return placed


@pytest.mark.parametrize(("count", "partitions", "cases"), [(1, 1, 2), (2, 3, 12), (3, 2, 54), (4, 1, 256)])
def test_a_cell_of_placements_has_every_request_once(count, partitions, cases):
    every = {
        (PlacementRequest(partitions, factor, brokers, fixed_start_index=start), start)
        for racks in naive_racks(count)
        for brokers in [tuple(map(Broker, range(count), racks))]
        for factor in range(1, count + 1)
        for start in range(count)
    }
    cell = list(placer_cell(count, partitions))
    assert len(cell) == len(every) == cases
    assert set(cell) == every


@pytest.mark.parametrize(
    ("count", "partitions", "cases"), [(1, 2, 8), (2, 2, 135), (3, 1, 240), (3, 2, 4_416)]
)
def test_a_cell_of_plans_has_every_request_once(count, partitions, cases):
    def rows(factor):
        return [row for row in product(range(count + 1), repeat=factor) if len(set(row)) == factor]

    every = {
        PlanRequest(
            tuple(map(Broker, range(count), racks)),
            tuple((TopicPartition("t0", i), row) for i, row in enumerate(before)),
            factor,
        )
        for racks in naive_racks(count)
        for factor in range(1, count + 1)
        for before in product(rows(factor), repeat=partitions)
    }
    cell = list(plan_cell(count, partitions, True))
    assert len(cell) == len(every) == cases
    assert set(cell) == every
