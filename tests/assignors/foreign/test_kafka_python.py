"""kafka-python's own assignors, with history carried as its client carries it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.foreign import kafka_python
from kassay.assignors.foreign.kafka_python import KafkaPython, library
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.assignors.groups.client.sticky import Sticky
from kassay.assignors.registry import LibraryMissing, find_foreign, libraries, load_foreign
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError, TargetFailure, TargetNotLoadable
from kassay.model.groups.assignor import Assignor, GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member
from tests.engines.processes.children import children

pytest.importorskip("kafka")

NAMES = tuple(foreign.name for foreign in load_foreign().values() if foreign.library == "kafka-python")
CLUSTER = Cluster.of({"t": 4, "u": 2})


def tps(*names: str) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(name[0], int(name[1:])) for name in names)


def made(name: str) -> KafkaPython:
    foreign = find_foreign(f"kafka-python:{name}")
    assert foreign is not None
    assignor = foreign.factory()
    assert isinstance(assignor, KafkaPython)
    return assignor


class Consumer:
    """A member with an assignor of its own."""

    def __init__(self, name: str, member_id: str, *topics: str) -> None:
        self.member_id = member_id
        self.topics = topics
        self.assignor: KafkaPython = made(name)
        self.owned: tuple[TopicPartition, ...] = ()

    def join(self) -> Member:
        data = self.assignor.subscription_user_data(self.topics)
        generation = self.assignor.reported_generation
        return Member(self.member_id, self.topics, self.owned, generation, user_data=data)

    def got(self, owned: tuple[TopicPartition, ...], generation: int) -> None:
        self.owned = owned
        self.assignor.on_assignment(owned, None, GroupMetadata(generation, self.member_id))


def rebalance(consumers: list[Consumer], generation: int) -> Assignment:
    answer = consumers[0].assignor.assign(CLUSTER, Group(tuple(c.join() for c in consumers)))
    for consumer in consumers:
        consumer.got(answer[consumer.member_id], generation)
    return answer


@pytest.mark.parametrize("name", NAMES)
def test_a_first_assignment(name: str) -> None:
    assert isinstance(made(name), Assignor)
    consumers = [Consumer(name, "a", "t", "u", "gone"), Consumer(name, "b", "t", "u", "gone")]
    answer = rebalance(consumers, 1)
    everything = tps("t0", "t1", "t2", "t3", "u0", "u1")
    assert sorted(tp for own in answer.values() for tp in own) == sorted(everything)
    assert min(map(len, answer.values())) > 0


def test_roundrobin_of_3_0_takes_a_pair_for_a_member_where_subscriptions_differ() -> None:
    """Passing over a member that does not read the topic, it looks up (instance id, member id)."""
    group = Group((Member("a", ("t", "u")), Member("b", ("t",)), Member("c", ("u",))))
    with resolve("kafka-python:roundrobin").open() as host:
        assignor = host.new({})
        if library().modern:
            with pytest.raises(TargetFailure) as caught:
                assignor.assign(CLUSTER, group)
            assert caught.value.raised[0] == "KeyError"
            assert caught.value.where.startswith("roundrobin.py:")
        else:
            assert assignor.assign(CLUSTER, group).same_sets(RoundRobin().assign(CLUSTER, group))


@pytest.mark.parametrize("name", ["sticky", "cooperative-sticky"])
def test_what_a_member_had_stays_with_it(name: str) -> None:
    consumers = [Consumer(name, "a", "t"), Consumer(name, "b", "t")]
    consumers[0].got(tps("t3", "t1"), 5)
    consumers[1].got(tps("t0", "t2"), 5)
    answer = rebalance(consumers, 6)
    assert answer.same_sets(Assignment({"a": tps("t1", "t3"), "b": tps("t0", "t2")}))


def test_a_cooperative_round_withholds_what_changes_hands() -> None:
    consumers = [Consumer("cooperative-sticky", "a", "t"), Consumer("cooperative-sticky", "b", "t")]
    consumers[0].got(tps("t0", "t1", "t2", "t3"), 1)
    first = rebalance(consumers, 2)
    assert (len(first["a"]), len(first["b"])) == (2, 0)
    second = rebalance(consumers, 3)
    assert (second["a"], len(second["b"])) == (first["a"], 2)


def test_generations_travel_in_the_user_data_of_sticky_alone() -> None:
    for name, generation in (("range", -1), ("roundrobin", -1), ("sticky", 7), ("cooperative-sticky", -1)):
        consumer = Consumer(name, "a", "t")
        assert consumer.assignor.reported_generation == -1
        consumer.got(tps("t0"), 7)
        assert consumer.assignor.reported_generation == generation


def test_sticky_believes_the_higher_generation() -> None:
    for generation_of_a, keeper in ((1, "b"), (3, "a")):
        consumers = [Consumer("sticky", "a", "t"), Consumer("sticky", "b", "t")]
        consumers[0].got(tps("t0", "t1"), generation_of_a)
        consumers[1].got(tps("t0", "t1"), 2)
        answer = rebalance(consumers, 4)
        assert set(answer[keeper]) == set(tps("t0", "t1"))


def test_claims_stand_in_for_user_data_that_nobody_was_asked_for() -> None:
    group = Group((Member("a", ("t",), tps("t2", "t3"), 1), Member("b", ("t",), tps("t0", "t1"), 1)))
    answer = made("sticky").assign(CLUSTER, group)
    assert answer.same_sets(Assignment({"a": tps("t2", "t3"), "b": tps("t0", "t1")}))


def test_members_do_not_share_their_memory() -> None:
    one, other = Consumer("sticky", "a", "t"), Consumer("sticky", "b", "t")
    one.got(tps("t0"), 3)
    assert one.join().user_data
    assert other.join().user_data == b""


def test_user_data_of_3_0_is_not_in_kafkas_format() -> None:
    """The finding: a version of two bytes stands in front of what Kafka's own rule writes and reads."""
    consumer, kafkas = Consumer("sticky", "a", "t"), Sticky()
    consumer.got(tps("t0", "t2"), 5)
    kafkas.on_assignment(tps("t0", "t2"), None, GroupMetadata(5, "a"))
    version = b"\0\1" if library().modern else b""
    assert consumer.join().user_data == version + (kafkas.subscription_user_data(("t",)) or b"")


@given(
    st.dictionaries(st.sampled_from("tuvw"), st.integers(1, 6)),
    st.lists(st.sampled_from("tuvw"), unique=True),
    st.integers(1, 5),
)
def test_roundrobin_agrees_with_kafkas_where_all_subscribe_alike(
    counts: dict[str, int], topics: list[str], members: int
) -> None:
    group = Group(tuple(Member(f"m{i}", tuple(topics)) for i in range(members)))
    cluster = Cluster.of(counts)
    theirs = made("roundrobin").assign(cluster, group)
    assert theirs.same_sets(RoundRobin().assign(cluster, group))


@pytest.mark.slow
def test_answers_do_not_follow_the_hash_seed() -> None:
    code = (
        "from kassay.engines.targets.resolve import resolve\n"
        "from kassay.model.cluster import Cluster\n"
        "from kassay.model.groups.group import Group, Member\n"
        "names = ['alpha', 'beta', 'gamma', 'delta']\n"
        "cluster = Cluster.of({n: 3 for n in names})\n"
        "group = Group(tuple(Member(f'm{i}', tuple(names[i % 2 :] + names[: i % 2])) for i in range(4)))\n"
        "for name in ('range', 'roundrobin', 'sticky', 'cooperative-sticky'):\n"
        "    print(resolve(f'kafka-python:{name}').open().new({}).assign(cluster, group))\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "123"
    }
    assert len(runs) == 1


@pytest.mark.parametrize("name", NAMES)
def test_as_a_target(name: str) -> None:
    target = resolve(f"kafka-python:{name}")
    assert target.protocol == ("cooperative" if name == "cooperative-sticky" else "eager")
    group = Group((Member("a", ("t",)),))
    with target.open():
        assert not children()
    with target.open() as host, target.open(hash_seed=3) as other:
        answers = [h.new({}).assign(CLUSTER, group) for h in (host, other)]
    assert answers[0] == answers[1]
    assert set(answers[0]["a"]) == set(tps("t0", "t1", "t2", "t3"))


def test_a_file_is_a_library() -> None:
    assert libraries() == ["aiokafka", "kafka-python"]
    assert NAMES == ("cooperative-sticky", "range", "roundrobin", "sticky")
    assert find_foreign("range") is None
    for spec in ("kafka-python", "kafka-python:", "kafka-python:uniform"):
        with pytest.raises(InputError, match="expected one of cooperative-sticky, range"):
            find_foreign(spec)


@pytest.fixture
def _without_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:

    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(kafka_python, "imported", missing)
    kafka_python.library.cache_clear()
    yield
    kafka_python.library.cache_clear()


@pytest.mark.usefixtures("_without_library")
def test_without_the_library() -> None:
    with pytest.raises(LibraryMissing):
        made("sticky")
    assert "kafka-python:sticky" in load_foreign()
    with pytest.raises(TargetNotLoadable) as caught:
        resolve("kafka-python:sticky")
    assert "pip install 'kassay[kafka]'" in str(caught.value)
