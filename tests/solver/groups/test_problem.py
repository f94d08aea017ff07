from __future__ import annotations

import copy
from typing import Any

import pytest

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import CONSUMER_SHAPES, consumer
from kassay.solver.results import NO_OWNER
from tests.solver.packing.cases import one_topic

GOOD: dict[str, Any] = {
    "family": "A",
    "name": "good",
    "members": [
        {"id": "b", "rack": "r0", "topics": ["t", "u"], "owned": [["t", 0]]},
        {"id": "a", "rack": None, "topics": ["t"], "owned": [["t", 1], ["u", 0]]},
    ],
    "topics": [
        {"name": "t", "partitions": 2, "racks": [["r0"], ["r1", "r0"]], "weights": [1, 2]},
        {"name": "u", "partitions": 1, "racks": None, "weights": None},
    ],
    "copartition": [],
}


def test_members_and_topics_are_in_the_order_of_their_names() -> None:
    problem = Problem.parse(GOOD)
    assert [member.member_id for member in problem.members] == ["a", "b"]
    assert problem.previous == {"t": (1, 0), "u": (NO_OWNER,)}
    assert problem.weighted
    assert not problem.unweighted().weighted


@pytest.mark.parametrize("shape", CONSUMER_SHAPES)
def test_a_problem_survives_its_document(shape: str) -> None:
    problem = Problem.parse(consumer(shape, 3, members=6, partitions=24))
    assert Problem.parse(problem.document()) == problem


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("family",), "Z", "family: found 'Z'"),
        (("members",), [], "members: found [], expected at least one member"),
        (("members", 0, "id"), "a", "members[1].id: member id 'a' is already at members[0].id"),
        (("members", 0, "id"), 7, "members[0].id: found 7, expected a name"),
        (("members", 0, "topics", 1), "nope", "members[0].topics[1]: found 'nope'"),
        (("members", 0, "topics", 1), ["t"], "members[0].topics[1]: found ['t']"),
        (("members", 0, "topics"), "t", "members[0].topics: found 't', expected a list"),
        (("members", 0, "owned", 0), ["nope", 0], "members[0].owned[0][0]: found 'nope'"),
        (("members", 0, "owned", 0), ["t", 2], "members[0].owned[0][1]: found 2, expected a partition of t"),
        (("members", 0, "owned", 0), ["t", True], "members[0].owned[0][1]: found True, expected a whole"),
        (("members", 0, "owned", 0), ["t", 1], "members.owned: t-1 is owned by 'b' and 'a'"),
        (("members", 0, "rack"), 5, "members[0].rack: found 5, expected a name"),
        (("topics", 0, "name"), "u", "topics[1].name: topic 'u' is already at topics[0].name"),
        (("topics", 0, "partitions"), -1, "topics[0].partitions: found -1"),
        (("topics", 0, "partitions"), 1.5, "topics[0].partitions: found 1.5"),
        (
            ("topics", 0, "weights", 1),
            -2,
            "topics[0].weights[1]: found -2, expected a whole number from 0 on",
        ),
        (("topics", 0, "weights"), [1], "topics[0].weights: found 1 entries, expected 2"),
        (("topics", 0, "racks"), [["r0"]], "topics[0].racks: found 1 entries, expected 2"),
        (("topics", 0, "racks", 0), [3], "topics[0].racks[0][0]: found 3, expected a name"),
        (("copartition",), [["t", "nope"]], "copartition[0][1]: found 'nope'"),
        (("copartition",), [["t", "u"]], "copartition[0]: the topics differ in partition counts"),
        (("copartition",), [["t"], ["t"]], "copartition[1][0]: topic 't' is already at copartition[0][0]"),
    ],
)
def test_one_line_names_the_field(where: tuple[Any, ...], value: Any, said: str) -> None:
    document = copy.deepcopy(GOOD)
    inner: Any = document
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    with pytest.raises(InputError) as caught:
        Problem.parse(document)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["family", "members", "topics"])
def test_a_missing_field_is_named(key: str) -> None:
    document = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(InputError, match=f"^{key}: missing$"):
        Problem.parse(document)


def test_of_takes_the_owners_that_the_claims_leave() -> None:
    cluster = Cluster.of({"t": 3, "u": 1})
    tps = [TopicPartition("t", p) for p in range(3)]
    group = Group(
        (
            Member("b", ("t", "t", "ghost"), (tps[0], tps[1]), 5),
            Member("a", ("t",), (tps[1], tps[2], TopicPartition("u", 0)), 5),
            Member("c", ("t",), (tps[0],), 4),
        )
    )
    problem = Problem.of(cluster, group)
    assert problem.previous == {"t": (1, NO_OWNER, 0), "u": (NO_OWNER,)}
    assert problem.subscribers == {"t": (0, 1, 2)}


def test_a_negative_weight_is_named() -> None:
    with pytest.raises(InputError, match=r"topics\[0\].weights\[1\]: found -1"):
        Problem.parse(one_topic([3, -1], 2))
