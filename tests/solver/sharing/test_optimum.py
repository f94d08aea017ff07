"""The fewest copies taken back, against everything tried and against a flow over all pairs."""

from __future__ import annotations

from collections import Counter

import networkx
import pytest

from kassay.solver.instances.families import Wanted
from kassay.solver.instances.shares import share_group
from kassay.solver.sharing.optimum import best_sharing, held_of
from kassay.solver.sharing.problem import SharePart, ShareProblem
from tests.solver.sharing import cases


def agreeing(seed: int, number: int) -> Counter[str]:
    """Hold so many small groups against all their even answers."""
    met: Counter[str] = Counter()
    for case in cases.drawn(seed, number):
        least = cases.least_taken_back(case)
        result = cases.solved(case)
        assert (result["status"], result["moved"]) == ("optimal", least), case
        at_once = cases.solved(case, Wanted(time_limit_s=0.0))
        assert at_once["lower"] <= least <= at_once["upper"], case
        met["taken back"] += least > 0
        met["interval"] += at_once["status"] == "interval"
        met["several parts"] += len(cases.parts(case)) > 1
    return met


def test_nobody_takes_back_fewer() -> None:
    met = agreeing(1, 200)
    assert min(met["taken back"], met["several parts"]) > 20
    assert met["interval"] > 5


@pytest.mark.slow
def test_nobody_takes_back_fewer_in_two_thousand() -> None:
    assert agreeing(2, 2000)["taken back"] > 500


def most_kept(problem: ShareProblem, part: SharePart) -> int:
    """What is kept at the most, by a minimum-cost flow over every pair of a reader and a partition."""
    graph = networkx.DiGraph()
    held = held_of(problem, part)
    copies = part.copies * len(part.partitions)
    graph.add_node("source", demand=-copies)
    graph.add_node("sink", demand=copies)
    graph.add_edge("source", "more", capacity=part.longer)
    for reader in part.readers:
        graph.add_edge("source", reader, capacity=part.least)
        graph.add_edge("more", reader, capacity=1)
        for tp in part.partitions:
            graph.add_edge(reader, tp, capacity=1, weight=tp not in held[reader])
    for tp in part.partitions:
        graph.add_edge(tp, "sink", capacity=part.copies)
    return copies - int(networkx.min_cost_flow_cost(graph))


@pytest.mark.parametrize("shape", ["leave", "scattered", "groups", "missing"])
@pytest.mark.parametrize(("members", "topics", "partitions"), [(7, 2, 3), (16, 2, 5), (9, 3, 5)])
def test_a_flow_over_all_pairs_costs_as_much(shape: str, members: int, topics: int, partitions: int) -> None:
    for seed in range(2):
        document = share_group(
            shape, seed, members=members, topics=topics, partitions=partitions, change=members // 3
        )
        problem = ShareProblem.parse(document)
        held = sum(len(tps) for part in problem.parts for tps in held_of(problem, part).values())
        kept = sum(most_kept(problem, part) for part in problem.parts)
        assert best_sharing(problem).taken_back == held - kept


def test_the_answer_does_not_depend_on_the_order_of_the_document() -> None:
    document = share_group("groups", 3, members=12, topics=4, partitions=3)
    turned = document | {
        "members": [
            member | {"owned": member["owned"][::-1], "topics": member["topics"][::-1]}
            for member in reversed(document["members"])
        ],
        "topics": document["topics"][::-1],
    }
    assert cases.solved(document)["assignment"] == cases.solved(turned)["assignment"]


def test_partitions_that_two_members_share_are_never_given_to_one_of_them_twice() -> None:
    for members in range(3, 14):
        for partitions in range(2, members):
            document = share_group("scattered", members, members=members, topics=1, partitions=partitions)
            result = cases.solved(document)
            assert result["status"] == "optimal"
