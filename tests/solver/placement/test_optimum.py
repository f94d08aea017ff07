from __future__ import annotations

import random
from collections import Counter
from typing import Any

import networkx as nx
import pytest

from kassay.model.cluster import Broker, Cluster, Topic
from kassay.solver.algorithms import bulk_flow
from kassay.solver.check.check import check_certificate
from kassay.solver.check.replicas import forced_onto
from kassay.solver.instances.families import solve_document
from kassay.solver.placement.optimum import best_placement
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem
from tests.solver.placement import cases


def _agrees_with_trying_all(case: cases.Document) -> str:
    best = cases.best_by_trying(case)
    try:
        result = solve_document(case)
    except InfeasiblePlacementError as refused:
        assert best is None
        assert set(refused.witness) <= {host["id"] for host in case["brokers"]}
        return "infeasible"
    base = {host["id"]: host.get("base", 0) for host in case["brokers"]}
    counts = Counter({int(b): held - base[int(b)] for b, held in result["replicas"].items()})
    total = sum(result["replicas"].values())
    assert (cases.imbalance(case, counts, total), result["copies"]) == best
    rows = [row for topic in sorted(result["assignment"]) for row in result["assignment"][topic]]
    leaders = [row[0] for row in rows]
    assert cases.leaders_value(case, rows, leaders) == cases.best_leaders_by_trying(case, rows)
    return "witness" if result["witness"] else "optimal"


def _tried(seed: int, number: int) -> Counter[str]:
    rng = random.Random(seed)
    return Counter(_agrees_with_trying_all(cases.small(rng)) for _ in range(number))


@pytest.mark.slow
def test_small_placements_are_as_good_as_the_best_of_all() -> None:
    seen = _tried(1, 1500)
    assert seen["infeasible"] > 20
    assert seen["witness"] > 50
    assert seen["optimal"] > 500


def test_with_ortools_they_are_as_good(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ortools")
    monkeypatch.setattr(bulk_flow, "ENOUGH", 0)
    seen = _tried(2, 150)
    assert seen["infeasible"] > 2
    assert seen["witness"] > 5
    assert seen["optimal"] > 50


def _with_cordons(rng: random.Random) -> cases.Document:
    case = cases.small(rng)
    for host in case["brokers"]:
        host.pop("max_replicas", None)
        if rng.random() < 0.3:
            host["cordoned"] = True
    return case


def test_a_cordoned_broker_takes_no_new_replica_and_the_rest_is_as_good_as_the_best_of_all() -> None:
    rng = random.Random(3)
    seen = Counter(_agrees_with_trying_all(_with_cordons(rng)) for _ in range(200))
    assert seen["infeasible"] > 15 and seen["optimal"] > 80


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [2, 3, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(4, 12))]
)
def test_more_small_placements_are_as_good_as_the_best_of_all(seed: int) -> None:
    assert _tried(seed, 1500).total() == 1500


def _network_optimum(problem: PlacementProblem) -> tuple[int, int]:
    """(sum of squares, copies) by networkx on the plain network, a node a partition and rack."""
    graph = nx.DiGraph()
    racks = problem.racks or (0,) * len(problem.brokers)
    dear = problem.total + 1
    graph.add_node("sink", demand=problem.total)
    for tp, rf, row in problem.partitions():
        spread = problem.spread(rf)
        graph.add_node(tp, demand=-rf)
        for rack in set(racks):
            # What a rack must hold goes round the choice: a demand here, so much less to hand out.
            graph.add_node((tp, rack), demand=0)
            graph.add_edge(tp, (tp, rack), capacity=spread.most - spread.least)
            if spread.least:
                graph.nodes[tp]["demand"] += spread.least
                graph.nodes[(tp, rack)]["demand"] -= spread.least
        for place, broker in enumerate(problem.brokers):
            graph.add_edge((tp, racks[place]), place, capacity=1, weight=int(broker.id not in row))
    for place in range(len(problem.brokers)):
        for unit in range(len(problem.partitions())):
            graph.add_edge(place, (place, unit), capacity=1, weight=dear * (2 * unit + 1))
            graph.add_edge((place, unit), "sink", capacity=1)
    cost, _ = nx.network_simplex(graph)
    return divmod(cost, dear)


def _random_problem(
    rng: random.Random, number: int, partitions: int, racks: int, rf: int
) -> PlacementProblem:
    hosts = [
        {"id": i, "rack": f"r{rng.randrange(racks)}" if racks else None, "share": 1} for i in range(number)
    ]
    rows = [rng.sample(range(number + 1), rf) for _ in range(partitions)]
    return PlacementProblem.parse(cases.document(hosts, rows, rf))


def test_networkx_finds_the_same_balance_and_copies() -> None:
    rng = random.Random(7)
    for _ in range(60):
        rf = rng.randint(1, 4)
        problem = _random_problem(rng, rng.randint(rf, 8), rng.randint(1, 14), rng.choice((0, 2, 3)), rf)
        found = cases.certified(problem)
        squares = sum(count * count for count in found.replicas)
        assert (squares, found.copies) == _network_optimum(problem)


def test_a_new_broker_gets_its_part_and_nothing_else_moves() -> None:
    rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]
    hosts = [{"id": i, "rack": f"r{i % 3}"} for i in (0, 1, 2, 3)]
    result = solve_document(cases.document(hosts, rows, 3))
    assert result["replicas"] == {"0": 2, "1": 4, "2": 4, "3": 2}
    assert result["copies"] == 2
    assert result["leaders"] == {"0": 1, "1": 1, "2": 1, "3": 1}
    assert result["witness"]["brokers"] == [1, 2]
    assert "at least 8 replicas lie on brokers 1, 2" in result["witness"]["sentence"]


def test_a_going_broker_costs_just_what_it_held() -> None:
    hosts = cases.brokers(4, 0)
    result = solve_document(cases.document(hosts, [[4, 0], [1, 4], [2, 3], [4, 1]], 2))
    assert result["copies"] == 3
    assert result["loads"] == [2, 2, 2, 2]


def test_a_broker_in_another_rack_hands_over_what_the_rule_forbids() -> None:
    hosts = [{"id": i, "rack": rack} for i, rack in enumerate(("a", "a", "b", "b"))]
    result = solve_document(cases.document(hosts, [[0, 1], [0, 2], [1, 3], [2, 3]], 2))
    racks = [{hosts[b]["rack"] for b in row} for row in result["assignment"]["t"]]
    assert racks == [{"a", "b"}] * 4
    assert result["copies"] == 2


def test_replicas_reach_all_racks_even_where_the_cap_alone_would_not_ask_it() -> None:
    hosts = cases.brokers(6, 3)
    result = solve_document(cases.document(hosts, [[0, 3, 1, 4]], 4))
    assert {b % 3 for b in result["assignment"]["t"][0]} == {0, 1, 2}
    assert result["copies"] == 1


def test_shares_are_met_within_one() -> None:
    hosts = [{"id": 0, "share": 1}, {"id": 1, "share": 2}, {"id": 2, "share": 4}]
    result = solve_document(cases.document(hosts, [], 1, partitions=20))
    assert list(result["replicas"].values()) == [3, 6, 11]
    assert result["witness"] is None


def test_equal_replicas_give_equal_leaders() -> None:
    """Leaders lose nothing by being chosen after replicas."""
    rng = random.Random(3)
    for _ in range(40):
        rf, number = rng.randint(1, 4), rng.randint(4, 9)
        found = best_placement(_random_problem(rng, number, rng.randint(1, 40), 0, rf))
        assert max(found.replicas) - min(found.replicas) <= 1
        assert max(found.leaders) - min(found.leaders) <= 1


def test_no_fenced_broker_leads_what_another_can() -> None:
    hosts = cases.brokers(3, 0)
    hosts[0]["fenced"] = True
    result = solve_document(cases.document(hosts, [[0, 1], [0, 2], [0, 1]], 2))
    assert result["leaders"]["0"] == 0


def test_room_that_is_not_there_names_the_brokers() -> None:
    hosts = cases.brokers(4, 2)
    for host in hosts[::2]:
        host["max_replicas"] = 1
    with pytest.raises(
        InfeasiblePlacementError, match="max_replicas leave 2 places on brokers 0, 2"
    ) as refused:
        solve_document(cases.document(hosts, [], 2, partitions=3))
    assert refused.value.witness == (0, 2)
    assert forced_onto(cases.document(hosts, [], 2, partitions=3), refused.value.witness) == 3


def test_the_answer_does_not_depend_on_the_order_of_the_document() -> None:
    rng = random.Random(11)
    for _ in range(30):
        case = cases.small(rng)
        case["brokers"] = [host | {"max_replicas": None} for host in case["brokers"]]
        shuffled: dict[str, Any] = case | {
            "brokers": rng.sample(case["brokers"], len(case["brokers"])),
            "topics": rng.sample(case["topics"], len(case["topics"])),
        }
        assert solve_document(case)["assignment"] == solve_document(shuffled)["assignment"]


def test_a_settled_placement_stays() -> None:
    rng = random.Random(12)
    for _ in range(20):
        problem = _random_problem(rng, 6, 20, 3, 2)
        settled = solve_document(problem.document())["assignment"]
        again = solve_document(problem.document() | {"current": settled})
        assert again["assignment"] == settled
        assert (again["copies"], again["leader_changes"]) == (0, 0)


def test_a_cluster_as_the_model_has_it() -> None:
    cluster = Cluster(
        (Topic("t", 2, ((1, 2), (1, 2))),), (Broker(1, "a"), Broker(2, "b"), Broker(3, "b", fenced=True))
    )
    found = cases.certified(PlacementProblem.of(cluster))
    assert sorted(found.replicas) == [1, 1, 2]
    assert found.copies == 1
    assert found.leaders[2] == 0


def test_a_thousand_partitions_are_solved_to_the_end() -> None:
    rng = random.Random(5)
    rows = [rng.sample([b for b in range(47) if b % 3 == r], 1)[0] for _ in range(1000) for r in range(3)]
    case = cases.document(cases.brokers(48, 3), [rows[i : i + 3] for i in range(0, 3000, 3)], 3)
    result = solve_document(case)
    assert result["status"] == "optimal"
    assert set(result["loads"]) == {62, 63}
    assert check_certificate(result).accepted
