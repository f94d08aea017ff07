"""The plain form: what it is given is all there is to know, and the answer is the full form's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.plain import PlainAssignor, plain_input
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.group import Assignment, Group, Member

names = st.sampled_from("abc")
tps = st.builds(TopicPartition, names, st.integers(0, 4))
members = st.builds(
    Member,
    names,
    st.lists(names).map(tuple),
    st.lists(tps, unique=True).map(tuple),
    st.integers(-1, 9),
    st.none() | names,
    st.none() | names,
    st.none(),
)
groups = st.lists(members, unique_by=lambda m: m.member_id).map(lambda found: Group(tuple(found)))
clusters = st.dictionaries(names, st.integers(0, 4)).map(Cluster.of)


def exact(value: Any) -> bool:
    """Whether the value is made of exact built-in types throughout."""
    if isinstance(value, dict):
        return type(value) is dict and all(exact(k) and exact(v) for k, v in value.items())
    if isinstance(value, list | tuple):
        return type(value) in (list, tuple) and all(map(exact, value))
    return value is None or type(value) in (str, int)


@given(clusters, groups)
def test_the_input_says_what_cluster_and_group_say(cluster: Cluster, group: Group) -> None:
    counts, given_members, racks, weights, _ = plain_input(cluster, group)
    assert counts == cluster.counts
    assert (racks, weights) == (None, None)
    assert exact(given_members)
    again = tuple(
        Member(
            m["id"],
            tuple(m["topics"]),
            tuple(map(TopicPartition._make, m["owned"])),
            m["generation"],
            m["rack"],
            m["instance_id"],
        )
        for m in given_members
    )
    assert again == group.members


@given(clusters, groups)
def test_each_call_gets_values_of_its_own(cluster: Cluster, group: Group) -> None:
    class Spoils:
        def assign(self, topics: dict[str, int], members: list[dict[str, Any]]) -> dict[str, Any]:
            topics.clear()
            for member in members:
                member.clear()
            return {}

    before = dict(cluster.counts)
    spoils = PlainAssignor(Spoils(), name="spoils")
    assert spoils.assign(cluster, group) == Assignment({})
    assert (spoils.mutated is None) is (not before and not group.members)
    assert cluster.counts == before
    assert plain_input(cluster, group)[0] == before


def test_racks_and_weights_are_told_where_there_are_any() -> None:
    cluster = Cluster(
        (Topic("t", 2, ((1, 0), (2,)), (3, 4)), Topic("u", 1, ((2,),))),
        (Broker(0, "x"), Broker(1, "b"), Broker(2)),
    )
    _, _, racks, weights, _ = plain_input(cluster, Group(()))
    assert racks == {("t", 0): ["b", "x"], ("t", 1): [], ("u", 0): []}
    assert weights == {("t", 0): 3, ("t", 1): 4, ("u", 0): 1}
    assert plain_input(cluster, Group(()), ())[2:] == (None, None, None)
    assert plain_input(Cluster(cluster.topics), Group(()))[2] is None


def test_failures_say_where() -> None:
    class Fails:
        def __init__(self, error: BaseException) -> None:
            self.error = error

        def assign(self, topics: Any, members: Any) -> Any:
            raise self.error

    for error, kind in (
        (KeyError("x"), FailureKind.RAISED),
        (SystemExit(2), FailureKind.RAISED),
        (MemoryError(), FailureKind.MEMORY),
        (RecursionError(), FailureKind.RAISED),
    ):
        fails = PlainAssignor(Fails(error), name="fails")
        assert isinstance(fails, Assignor)
        with pytest.raises(TargetFailure) as caught:
            fails.assign(Cluster(), Group(()))
        assert caught.value.kind is kind
        assert caught.value.where.startswith("test_plain_assignor.py:")
    with pytest.raises(KeyboardInterrupt):
        PlainAssignor(Fails(KeyboardInterrupt()), name="fails").assign(Cluster(), Group(()))


@pytest.mark.parametrize("able", [None, [TopicPartition("u", 0), TopicPartition("t", 1)]])
def test_what_a_share_group_may_give_out_is_passed_to_a_function_that_names_it(able):
    class Told:
        def assign(self, partitions_per_topic, members, assignable):
            told.append(assignable)
            return {member["id"]: [] for member in members}

    told = []
    group = Group((Member("a", ("t",)),), assignable=None if able is None else frozenset(able))
    PlainAssignor(Told(), name="told", extras=frozenset({"assignable"})).assign(
        Cluster.of({"t": 2, "u": 1}), group
    )
    assert told == [None if able is None else [("t", 1), ("u", 0)]]
