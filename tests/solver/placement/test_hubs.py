"""Flows through racks' hubs against every placement tried, and against the exchange graph."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence

from kassay.solver.algorithms.exchange import Exchange
from kassay.solver.placement.flows import RackHubs
from kassay.solver.placement.optimum import fewest_copies, partitions_of, placement_rules, replica_quota
from kassay.solver.placement.problem import PlacementProblem
from tests.solver.placement import cases


def hubs_of(problem: PlacementProblem) -> RackHubs:
    return RackHubs(problem, partitions_of(problem), replica_quota(problem, problem.total + 1))


def test_they_prove_the_best_of_all_and_take_the_replica_of_the_fewest_leaders() -> None:
    rng = random.Random(23)
    apart = narrow = 0
    for _ in range(260):
        case = cases.small(rng)
        for host in case["brokers"]:
            host.pop("max_replicas", None)
        problem = PlacementProblem.parse(case)
        hubs = hubs_of(problem)
        quota = replica_quota(problem, problem.total + 1)
        proven = hubs.solved and hubs.prices(quota) is not None
        one_a_rack = all(spread.most <= 1 for spread in hubs.spreads.values())
        assert proven or not one_a_rack
        apart += one_a_rack
        narrow += proven and not one_a_rack
        if not proven:
            continue
        ids = [broker.id for broker in problem.brokers]
        rows = [sorted(ids[place] for place in picked) for picked in hubs.picks]
        assert (_value(case, rows)[0], _value(case, rows)[1]) == cases.best_by_trying(case)
        if one_a_rack:
            assert _value(case, rows) == min(
                _value(case, choice)
                for choice in itertools.product(
                    *(cases.valid_rows(case, rf) for rf, _ in cases.partitions(case))
                )
            )
    assert apart > 80
    assert narrow > 40


def _value(case: cases.Document, chosen: Sequence[Sequence[int]]) -> tuple[int, int, int]:
    """Imbalance, copies, and leaders whose replica goes though they could lead on."""
    placed = list(cases.partitions(case))
    total = sum(rf for rf, _ in placed) + sum(host.get("base", 0) for host in case["brokers"])
    fenced = {host["id"] for host in case["brokers"] if host.get("fenced")}
    staying = {host["id"] for host in case["brokers"]} - fenced
    copies = sum(len(set(new) - set(old)) for new, (_, old) in zip(chosen, placed, strict=True))
    lost = sum(
        bool(old) and old[0] in staying and old[0] not in new
        for new, (_, old) in zip(chosen, placed, strict=True)
    )
    counts = Counter(broker for row in chosen for broker in row)
    return cases.imbalance(case, counts, total), copies, lost


def test_they_agree_with_the_exchange_graph_on_larger_clusters() -> None:
    rng = random.Random(24)
    for racks in (0, 2, 3, 5):
        rows = [rng.sample(range(13), 3) for _ in range(60)]
        problem = PlacementProblem.parse(cases.document(cases.brokers(12, racks), rows, 3))
        partitions, quota = partitions_of(problem), replica_quota(problem, problem.total + 1)
        graph = Exchange(
            placement_rules(problem, partitions, {1: range(60)}), fewest_copies(problem, partitions, quota)
        )
        graph.descend(quota.marginal)
        hubs = hubs_of(problem)
        assert hubs.solved
        assert hubs.prices(quota) is not None
        copies = [
            sum(len(picked.difference(row)) for picked, row in zip(picks, partitions.current, strict=True))
            for picks in (hubs.picks, graph.picks)
        ]
        assert copies[0] == copies[1]
        assert sorted(hubs.counts) == sorted(graph.counts)


def test_a_broker_never_gets_two_replicas_of_a_partition() -> None:
    """A new broker without racks gets its part from as many partitions."""
    rows = [[i % 5, (i + 1) % 5, (i + 2) % 5] for i in range(40)]
    problem = PlacementProblem.parse(cases.document(cases.brokers(6, 0), rows, 3))
    hubs = hubs_of(problem)
    assert hubs.solved
    assert all(len(picked) == 3 for picked in hubs.picks)
    assert hubs.counts == [20] * 6
    assert sum(5 in picked for picked in hubs.picks) == 20
