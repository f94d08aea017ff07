"""The result of a share group says what its assignment is, and in no time an interval.

The fewest copies taken back, against everything tried and against a flow over all pairs.

Share groups as documents and as groups: what is read, what is refused, what is shared by itself.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import networkx
import pytest

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from kassay.solver.check.check import check_certificate
from kassay.solver.groups.shares import SharePart, ShareProblem, best_sharing, held_of
from kassay.solver.instances.families import NotTakenError, Wanted, solve_document
from kassay.solver.instances.groups import share_group
from tests.cli.runner import valid
from tests.solver.groups import cases


def test_figures_are_those_of_the_assignment() -> None:
    for case in cases.drawn(11, 60):
        result = cases.solved(case)
        given = cases.copies(result["assignment"])
        held = [cases.held(case, part) for part in cases.parts(case)]
        assert result["moved"] == sum(len(had - given) for had in held) == result["upper"]
        assert result["loads"] == sorted(sum(c[0] == m["id"] for c in given) for m in case["members"])
    valid(json.loads(json.dumps({"schema": "kassay/optimum/2", "solver": "flow", **result})), "optimum-2")


def test_without_time_the_counts_are_even_all_the_same() -> None:
    document = share_group("scattered", 1, members=40, topics=3, partitions=5)
    result = solve_document(document, Wanted(time_limit_s=0.0))
    best = solve_document(document)
    assert result["status"] == "interval"
    assert check_certificate(result).accepted
    assert result["goals"][:2] == best["goals"][:2]
    assert result["lower"] <= best["moved"] <= result["moved"]


@pytest.mark.parametrize("wanted", [Wanted(solver="z3"), Wanted(budget=3)])
def test_what_only_consumer_groups_are_asked_is_not_taken(wanted: Wanted) -> None:
    with pytest.raises(NotTakenError, match="share groups"):
        solve_document(share_group("join"), wanted)


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


INSTANCE: dict[str, Any] = {
    "family": "D",
    "name": "three",
    "members": [
        {"id": "b", "topics": ["t", "u"], "owned": [["t", 0]]},
        {"id": "a", "topics": ["u", "t"], "owned": [["t", 0], ["u", 1]]},
        {"id": "c", "topics": ["t", "u"]},
    ],
    "topics": [{"name": "u", "partitions": 2, "assignable": [1]}, {"name": "t", "partitions": 1}],
}
WRONG = [
    (("family",), "Z", "family: found 'Z'"),
    (("members",), [], "members: found "),
    (("members", 1, "id"), "b", "members[1].id: member id 'b' is already"),
    (("members", 0, "topics", 1), "x", "members[0].topics[1]: found 'x'"),
    (("members", 0, "owned", 0, 0), "x", "members[0].owned[0][0]: found 'x'"),
    (("members", 0, "owned", 0, 1), 1, "members[0].owned[0][1]: found 1, expected a partition of t"),
    (("members", 1, "owned", 1), ["t", 0], "members[1].owned: a partition stands twice"),
    (("topics", 1, "name"), "u", "topics[1].name: topic 'u' is already"),
    (("topics", 0, "assignable", 0), 2, "topics[0].assignable[0]: found 2, expected a partition of u"),
    (("topics", 0, "assignable"), [1, 1], "topics[0].assignable[1]: partition 1 is already"),
    (("topics", 0, "partitions"), -1, "topics[0].partitions: found -1"),
]


def test_a_document_and_what_it_is_written_as_are_one_problem() -> None:
    problem = ShareProblem.parse(INSTANCE)
    assert [member.member_id for member in problem.members] == ["a", "b", "c"]
    assert ShareProblem.parse(problem.document()) == problem
    for case in cases.drawn(3, 40):
        assert ShareProblem.parse(ShareProblem.parse(case).document()) == ShareProblem.parse(case)


def test_equal_subscriptions_are_one_part_and_others_a_part_a_topic() -> None:
    (part,) = ShareProblem.parse(INSTANCE).parts
    assert (part.topic, part.readers) == (None, (0, 1, 2))
    assert part.partitions == (TopicPartition("t", 0), TopicPartition("u", 1))
    assert (part.copies, part.least, part.longer, part.counts) == (2, 1, 1, [2, 1, 1])
    other = copy.deepcopy(INSTANCE)
    other["members"][2]["topics"] = ["t"]
    first, second = ShareProblem.parse(other).parts
    assert [(part.topic, part.readers, part.copies) for part in (first, second)] == [
        ("t", (0, 1, 2), 3),
        ("u", (0, 1), 2),
    ]


@pytest.mark.parametrize(("path", "value", "complaint"), WRONG)
def test_what_is_wrong_is_said_in_one_line_with_its_place(
    path: tuple[Any, ...], value: object, complaint: str
) -> None:
    document = copy.deepcopy(INSTANCE)
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(InputError) as caught:
        ShareProblem.parse(document)
    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


def test_a_group_poses_the_problem_of_its_document() -> None:
    topics = (Topic("t", 1), Topic("u", 2))
    members = (
        Member("b", ("t", "u"), (TopicPartition("t", 0),)),
        Member("a", ("u", "t"), (TopicPartition("t", 0), TopicPartition("u", 1), TopicPartition("u", 7))),
        Member("c", ("t", "u")),
    )
    able = frozenset({TopicPartition("t", 0), TopicPartition("u", 1)})
    problem = ShareProblem.of(Cluster(topics), Group(members, assignable=able), "three")
    assert problem == ShareProblem.parse(INSTANCE)


def test_a_topic_that_is_not_there_makes_subscriptions_differ() -> None:
    members = (Member("a", ("t", "ghost")), Member("b", ("t",)))
    problem = ShareProblem.of(Cluster((Topic("t", 2),)), Group(members))
    assert [part.topic for part in problem.parts] == ["t"]
    assert ShareProblem.parse(problem.document()) == ShareProblem.parse(
        problem.document() | {"name": "unnamed"}
    )
