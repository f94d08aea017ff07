"""What is remembered is what solving says, for the same group in whatever order, and no more than is kept."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import networkx as nx
import pytest

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from kassay.model.groups.player import permuted
from kassay.solver.check.balance import MOVEMENT_FIRST, ORDERS, RACK_FIRST, Topic, refusal
from kassay.solver.groups import optimum
from kassay.solver.groups.optimum import (
    REMEMBERED,
    NotPolynomialError,
    Optimum,
    best_assignment,
    remembered_optimum,
)
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.z3_optimum import z3_optimum
from kassay.solver.instances.groups import consumer
from kassay.solver.results import NO_OWNER, parse_order
from tests.properties.groups.priced import larger_priced
from tests.solver.groups import brute
from tests.solver.groups.z3_plain import plain_optimum

MEDIUM = [
    (shape, seed, members, partitions)
    for shape in ("shuffle", "groups", "random", "nested", "racks", "leave", "join")
    for seed, (members, partitions) in enumerate([(7, 31), (12, 60), (25, 140)])
]


def judged(found: Optimum) -> brute.Value:
    rest = (found.moved, found.rack_mismatch)
    return list(found.loads[::-1]), *(rest if found.order == MOVEMENT_FIRST else rest[::-1])


def medium(shape: str, seed: int, members: int, partitions: int) -> Problem:
    return Problem.parse(consumer(shape, seed, members=members, partitions=partitions))


def compare(seeds: range, plain_every: int) -> int:
    """Brute force, the flow, Z3 on the hubs, and now and then plain Z3."""
    compared = 0
    for number, document in enumerate(brute.small(seeds)):
        problem = Problem.parse(document)
        best = brute.best(problem)
        for order in ORDERS:
            assert judged(best_assignment(problem, order)) == best[order], document["name"]
            assert judged(z3_optimum(problem, order)) == best[order], document["name"]
            if number % plain_every == 0:
                assert judged(plain_optimum(problem, order)) == best[order], document["name"]
            compared += 1
    return compared


@pytest.mark.slow
def test_brute_force_flow_and_z3_agree() -> None:
    assert compare(range(1000, 1016), plain_every=4) == 192


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [40, pytest.param(850, marks=pytest.mark.deep)])
def test_brute_force_flow_and_z3_agree_on_many_instances(seeds: int) -> None:
    """480 instances and 10,200: a third of a CPU second a seed."""
    assert compare(range(seeds), plain_every=5) == 12 * seeds


@pytest.mark.slow
def test_copartitioned_bundles_of_equal_size_are_units() -> None:
    for seed in range(60):
        rng = Random(seed)
        document = consumer("groups" if seed % 2 else "shuffle", seed, members=3, partitions=6, topics=2)
        first, second = document["topics"]
        second["partitions"] = first["partitions"] = min(3, first["partitions"], second["partitions"])
        for topic in (first, second):
            topic["racks"] = [[f"r{rng.randrange(3)}"] for _ in range(first["partitions"])]
        for member in document["members"]:
            member["topics"] = [first["name"], second["name"]] if member["topics"] else []
            member["owned"] = [tp for tp in member["owned"] if tp[1] < first["partitions"]]
            member["rack"] = f"r{rng.randrange(3)}"
        document["copartition"] = [[second["name"], first["name"]]]
        problem = Problem.parse(document)
        best = brute.best(problem)
        for order in ORDERS:
            assert judged(best_assignment(problem, order)) == best[order], seed
            assert judged(z3_optimum(problem, order)) == best[order], seed


def convex(problem: Problem, order: tuple[str, ...]) -> brute.Value:
    """The optimum by networkx on the dense network: partition -> member, loads at convex cost."""
    graph = nx.DiGraph()
    racks = [member.rack for member in problem.members]
    total = sum(topic.partitions for topic in problem.topics if topic.name in problem.subscribers)
    scale = total + 1
    for topic in problem.topics:
        for p in range(topic.partitions if topic.name in problem.subscribers else 0):
            graph.add_node((topic.name, p), demand=-1)
            before = problem.previous[topic.name][p]
            known = topic.racks[p] if topic.racks else frozenset()
            for m in problem.subscribers[topic.name]:
                moved, wrong = before not in (NO_OWNER, m), bool(known) and racks[m] not in known
                cost = scale * moved + wrong if order == MOVEMENT_FIRST else scale * wrong + moved
                graph.add_edge((topic.name, p), m, weight=cost, capacity=1)
    graph.add_node("sink", demand=total)
    for m in range(len(racks)):
        for k in range(total):
            graph.add_node((m, k))
            graph.add_edge(m, (m, k), capacity=1, weight=(2 * k + 1) * scale * scale)
            graph.add_edge((m, k), "sink", capacity=1)
    flow = nx.min_cost_flow(graph)
    owners = {
        topic: tuple(
            next(m for m, amount in flow[topic, p].items() if amount)
            for p in range(len(problem.previous[topic]))
        )
        for topic in problem.subscribers
    }
    return brute.value(problem, owners, order)


@pytest.mark.parametrize("shape", ["random", "nested", "groups", "racks"])
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_networkx_on_the_dense_convex_network_agrees(shape: str, order: tuple[str, ...]) -> None:
    for seed in range(3):
        problem = medium(shape, seed, 6, 22)
        assert judged(best_assignment(problem, order)) == convex(problem, order)


@pytest.mark.parametrize(("shape", "seed", "members", "partitions"), MEDIUM)
def test_an_optimum_is_stable(shape: str, seed: int, members: int, partitions: int) -> None:
    problem = medium(shape, seed, members, partitions)
    for order in ORDERS:
        found = best_assignment(problem, order)
        again = best_assignment(replace(problem, previous={**problem.previous, **found.owners}), order)
        assert again.owners == found.owners
        assert again.moved == 0
        assert order == RACK_FIRST or not any(again.prices), "all is where it costs least without a price"


@pytest.mark.parametrize(("shape", "seed", "members", "partitions"), MEDIUM)
def test_the_order_of_the_input_does_not_matter(shape: str, seed: int, members: int, partitions: int) -> None:
    document = consumer(shape, seed, members=members, partitions=partitions)
    found = best_assignment(Problem.parse(document)).assignment
    rng = Random(seed)
    for _ in range(3):
        rng.shuffle(document["members"])
        rng.shuffle(document["topics"])
        for member in document["members"]:
            rng.shuffle(member["topics"])
            rng.shuffle(member["owned"])
        assert best_assignment(Problem.parse(document)).assignment == found


@pytest.mark.parametrize(("shape", "seed", "members", "partitions"), MEDIUM)
def test_z3_on_the_hubs_agrees_on_medium_sizes(shape: str, seed: int, members: int, partitions: int) -> None:
    problem = medium(shape, seed, members, partitions)
    for order in (MOVEMENT_FIRST, RACK_FIRST):
        assert judged(z3_optimum(problem, order)) == judged(best_assignment(problem, order))


@pytest.mark.parametrize("steps", [2, 5, 17, 60])
def test_chains_of_moves_level_the_staircase(steps: int) -> None:
    names = [f"t{i:02d}" for i in range(steps)]
    members = [
        {"id": f"m{i:02d}", "topics": names[i : i + 2], "owned": [[names[i], p] for p in range(i + 1)]}
        for i in range(steps)
    ]
    topics = [{"name": name, "partitions": i + 1} for i, name in enumerate(names)]
    found = best_assignment(Problem.parse({"family": "A", "members": members, "topics": topics}))
    # The first k members can hold no more than the first k + 1 topics have, and that is all they can take.
    assert sum(found.loads) == steps * (steps + 1) // 2
    assert found.loads[-1] - found.loads[0] < steps - 1 or steps == 2


def test_members_without_topics_and_topics_without_members_are_no_trouble() -> None:
    document = {
        "family": "A",
        "members": [{"id": "a", "topics": []}, {"id": "b", "topics": ["t", "none"]}],
        "topics": [
            {"name": "t", "partitions": 3},
            {"name": "none", "partitions": 0},
            {"name": "lonely", "partitions": 9},
        ],
    }
    found = best_assignment(Problem.parse(document))
    assert found.loads == (0, 3)
    assert len(found.assignment["b"]) == 3
    assert best_assignment(Problem((), (), {})).loads == ()


def test_what_is_np_hard_is_refused() -> None:
    weighted = Problem.parse(consumer("weighted", 1, members=3, partitions=6))
    with pytest.raises(NotPolynomialError, match="weighted"):
        best_assignment(weighted)
    uneven = Problem.parse(consumer("copart", 1, members=10, partitions=40))
    with pytest.raises(NotPolynomialError, match="different sizes"):
        best_assignment(uneven)
    alike = replace(
        weighted,
        topics=tuple(Topic(t.name, t.partitions, None, (1,) * t.partitions) for t in weighted.topics),
    )
    assert best_assignment(alike).loads == (2, 2, 2)


def test_an_unknown_order_is_named() -> None:
    assert parse_order("balance, rack,movement") == RACK_FIRST
    with pytest.raises(InputError, match="found 'rack,balance'"):
        parse_order("rack,balance")


@pytest.fixture
def solved(monkeypatch):
    """The problems that are solved; nothing is remembered from before."""
    problems = []

    def solving(problem, order, *, portable):
        problems.append(problem)
        return best_assignment(problem, order, portable=portable)

    monkeypatch.setattr(optimum, "best_assignment", solving)
    for memory in ("_by_call", "_by_instance", "_at_rest"):
        monkeypatch.setattr(optimum, memory, {})
    return problems


@pytest.mark.parametrize("order", ORDERS, ids=",".join)
def test_a_remembered_optimum_is_that_of_solving_and_proven_for_its_own_group(order):
    for step in larger_priced(80, seed=11):
        for turn in (0, 1):
            cluster, group = permuted(step.cluster, step.group, turn)
            problem = Problem.of(cluster, group)
            for best in (
                remembered_optimum(cluster, group, order),
                remembered_optimum(cluster, group, order),
            ):
                assert best == best_assignment(problem, order)
                assert refusal(problem, best) is None


def test_a_group_is_solved_once_in_whatever_order_it_comes(solved):
    for step in larger_priced(20, seed=12):
        before = len(solved)
        for turn in (0, 1, 0):
            remembered_optimum(step.cluster, step.group)
            remembered_optimum(*permuted(step.cluster, step.group, turn))
        assert len(solved) <= before + 1


def test_what_differs_is_solved_anew(solved):
    cluster, owned = Cluster.of({"t": 2}), (TopicPartition("t", 1),)
    one = Group((Member("a", ("t",)), Member("b", ("t",))))
    for group in (one, Group((Member("a", ("t",), owned, 1), Member("b", ("t",))))):
        for racks in (cluster, Cluster.of({"t": 3})):
            for order in ORDERS:
                remembered_optimum(racks, group, order)
    assert len(solved) == 8


def test_no_more_is_kept_than_was_said(solved):
    group = Group((Member("a", ("t",)),))
    for count in range(1, 2 * REMEMBERED):
        remembered_optimum(Cluster.of({"t": count}), group)
    assert len(optimum._by_call) == len(optimum._by_instance) == REMEMBERED
    assert len(solved) == 2 * REMEMBERED - 1


def test_a_group_that_has_what_was_best_keeps_it_as_solving_would_say(solved):
    for step in larger_priced(80, seed=13):
        best = remembered_optimum(step.cluster, step.group)
        before = len(solved)
        members = tuple(
            m._replace(owned=best.assignment[m.member_id], generation=2) for m in step.group.members
        )
        after = Group(members, step.group.leader)
        rests = remembered_optimum(step.cluster, after)
        assert len(solved) == before
        assert rests == best_assignment(Problem.of(step.cluster, after))
    assert len(optimum._at_rest) <= REMEMBERED
