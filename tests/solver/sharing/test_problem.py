"""Share groups as documents and as groups: what is read, what is refused, what is shared by itself."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from kassay.solver.sharing.problem import ShareProblem
from tests.solver.sharing import cases

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
