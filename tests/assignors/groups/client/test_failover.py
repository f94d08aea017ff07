"""Failover: priorities, and who takes over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.groups.client.failover import PRIORITY_DEFAULT, PRIORITY_KEY, Failover, priority_of
from kassay.model.cluster import Cluster
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.client.groups import cases, problems, told


def data(priority: int) -> bytes | None:
    assignor = Failover()
    assignor.configure({PRIORITY_KEY: str(priority)})
    return assignor.subscription_user_data(("t",))


def member(member_id: str, priority: int, topics: str = "t", instance_id: str | None = None) -> Member:
    return Member(member_id, tuple(topics.split()), instance_id=instance_id, user_data=data(priority))


def answer(*group: Member) -> dict[str, str]:
    return told(Failover().assign(Cluster.of({"t": 2, "u": 1}), Group(group)))


@pytest.mark.slow
@given(cases(), st.lists(st.integers(-3, 3), min_size=6, max_size=6))
def test_everything_is_given_out_once_and_whole(case, priorities):
    cluster, group = case
    sent = Group(tuple(m._replace(user_data=data(p)) for m, p in zip(group.members, priorities)))
    found = Failover().assign(cluster, sent)
    assert problems(cluster, sent, found) == []
    owner = found.owners()
    for topic, partitions in cluster.partitions.items():
        readers = [priority_of(m) for m in sent.members if topic in m.topics]
        owners = {owner[tp] for tp in partitions if readers}
        assert len(owners) == bool(readers)
        assert all(priority_of(sent.by_id[found]) == max(readers) for found in owners)


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_priority_survives_the_wire(priority):
    assert priority_of(member("m", priority)) == priority
    assert data(priority) == priority.to_bytes(4, "big", signed=True)


@pytest.mark.parametrize("sent", [None, b"", b"\0\0\1"])
def test_missing_or_short_user_data_is_the_default(sent):
    assert priority_of(Member("m", ("t",), user_data=sent)) == PRIORITY_DEFAULT


def test_the_default_is_the_greatest_integer():
    assert Failover().subscription_user_data(("t",)) == b"\x7f\xff\xff\xff"


def test_the_highest_priority_works_and_the_next_takes_over():
    c1, c2, c3 = member("C1", 3), member("C2", 2), member("C3", 1)
    assert answer(c3, c1, c2) == {"C3": "", "C1": "t-0 t-1", "C2": ""}
    assert answer(c3, c2) == {"C3": "", "C2": "t-0 t-1"}


def test_each_topic_goes_to_the_highest_of_its_own_subscribers():
    assert answer(member("a", 5), member("b", 1, "t u")) == {"a": "t-0 t-1", "b": "u-0"}


def test_ties_go_by_instance_id_then_member_id():
    assert answer(member("b", 1), member("a", 1))["a"] == "t-0 t-1"
    static = (member("a", 1, instance_id="i2"), member("z", 1, instance_id="i1"), member("0", 1))
    assert answer(*static)["z"] == "t-0 t-1"


@pytest.mark.parametrize("stated", ["high", "", "1.5", str(2**31)])
def test_a_priority_that_is_no_integer_of_32_bits_is_refused(stated):
    with pytest.raises(InputError, match=r"assignment\.consumer\.priority: expected an integer of 32 bits"):
        Failover().configure({PRIORITY_KEY: stated})
