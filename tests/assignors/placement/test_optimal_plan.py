"""Plans to the best placement: even in the end, never worse on the way, and nothing to do once there."""

from itertools import product
from random import Random

import pytest

from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.plan import PlanRequest
from kassay.solver.algorithms import bulk_flow


def requests(count):
    """Placements on brokers 0 to 3, of which one may go and one may come, with racks or without."""
    for seed in range(count):
        rng = Random(seed)
        factor = rng.randint(1, 2)
        racked = rng.random() < 0.5
        brokers = tuple(Broker(b, f"r{b % 2}" if racked else None) for b in range(rng.randint(0, 1), 4))
        rows = tuple(
            (TopicPartition("t", p), tuple(rng.sample(range(4), factor))) for p in range(rng.randint(1, 4))
        )
        yield PlanRequest(brokers, rows, factor)


def loads(rows, brokers):
    return sorted(sum(b.broker_id in replicas for _, replicas in rows) for b in brokers)


def test_a_large_plan_is_the_same_whether_or_tools_is_installed_or_not(monkeypatch):
    monkeypatch.setattr(bulk_flow, "installed", lambda: pytest.fail("a plan asked for OR-tools"))
    rows = tuple((TopicPartition("t", p), (p % 4, (p + 1) % 4)) for p in range(bulk_flow.ENOUGH // 2))
    plan = OptimalPlan().plan(PlanRequest(tuple(map(Broker, range(5))), rows, 2))
    least, *_, most = loads(plan.after, plan.brokers)
    assert (least, most) == (400, 400)


def test_the_way_ends_even_and_no_partition_has_fewer_replicas_on_it():
    for request in requests(40):
        plan = OptimalPlan().plan(request)
        assert all(
            len(state.after) >= min(len(state.before), request.replication_factor) for state in plan.states()
        )
        ids = {broker.broker_id for broker in request.brokers}
        assert all(set(row) <= ids and len(set(row)) == request.replication_factor for _, row in plan.after)
        if not request.brokers[0].rack:
            least, *_, most = loads(plan.after, request.brokers)
            assert most - least <= 1


def test_where_all_is_at_its_best_nothing_moves():
    for request in requests(40):
        after = OptimalPlan().plan(request).after
        again = PlanRequest(request.brokers, after, request.replication_factor)
        assert OptimalPlan().plan(again).moves == ()


def test_no_even_placement_needs_fewer_copies():
    for request in requests(40):
        if request.replication_factor > 1 or request.brokers[0].rack:
            continue
        places = [broker.broker_id for broker in request.brokers]
        names = [tp for tp, _ in request.before]
        options = [list(zip(names, [(b,) for b in chosen])) for chosen in product(places, repeat=len(names))]
        flattest = min(loads(rows, request.brokers)[::-1] for rows in options)
        even = [rows for rows in options if loads(rows, request.brokers)[::-1] == flattest]
        fewest = min(sum(a != b for a, b in zip(rows, request.before)) for rows in even)
        plan = OptimalPlan().plan(request)
        assert sum(a != b for a, b in zip(plan.after, request.before)) == fewest
