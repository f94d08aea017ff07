"""aiokafka's own assignors, with history carried as its client carries it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from kassay.assignors.foreign import aiokafka
from kassay.assignors.foreign.aiokafka import AioKafka
from kassay.assignors.registry import LibraryMissing, find_foreign, load_foreign
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import TargetNotLoadable
from kassay.model.groups.assignor import Assignor, GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member

NAMES = ("range", "roundrobin", "sticky")
CLUSTER = Cluster.of({"t": 4, "u": 2})
needs_library = pytest.mark.aiokafka


def tps(*names: str) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(name[0], int(name[1:])) for name in names)


def an_assignor(name: str) -> AioKafka:
    foreign = find_foreign(f"aiokafka:{name}")
    assert foreign is not None
    assignor = foreign.factory()
    assert isinstance(assignor, AioKafka)
    return assignor


def told(assignor: AioKafka, owned: tuple[TopicPartition, ...], generation: int = 7) -> AioKafka:
    assignor.on_assignment(owned, None, GroupMetadata(generation, "m"))
    return assignor


def join(assignor: AioKafka, member_id: str, owned: tuple[TopicPartition, ...] = ()) -> Member:
    data = assignor.subscription_user_data(("t",))
    return Member(member_id, ("t",), owned, assignor.reported_generation, user_data=data)


@needs_library
@pytest.mark.parametrize("name", NAMES)
def test_a_first_assignment(name: str) -> None:
    assignor = an_assignor(name)
    assert isinstance(assignor, Assignor)
    group = Group(tuple(Member(m, ("t", "u", "gone", "t")) for m in "ab"))
    answer = assignor.assign(CLUSTER, group)
    everything = tps("t0", "t1", "t2", "t3", "u0", "u1")
    assert sorted(tp for own in answer.values() for tp in own) == sorted(everything)
    assert min(map(len, answer.values())) > 0


@needs_library
def test_a_leader_knows_only_what_its_group_reads() -> None:
    answer = an_assignor("sticky").assign(CLUSTER, Group((Member("a", ("u",)), Member("b", ()))))
    assert answer == Assignment({"a": tps("u0", "u1"), "b": ()})


@needs_library
def test_what_a_member_had_stays_with_it() -> None:
    one, other = told(an_assignor("sticky"), tps("t3", "t1")), told(an_assignor("sticky"), tps("t0", "t2"))
    answer = an_assignor("sticky").assign(CLUSTER, Group((join(one, "a"), join(other, "b"))))
    assert answer.same_sets(Assignment({"a": tps("t1", "t3"), "b": tps("t0", "t2")}))


@needs_library
def test_claims_stand_in_for_user_data_that_nobody_was_asked_for() -> None:
    group = Group((Member("a", ("t",), tps("t2", "t3"), 1), Member("b", ("t",), tps("t0", "t1"), 1)))
    answer = an_assignor("sticky").assign(CLUSTER, group)
    assert answer.same_sets(Assignment({"a": tps("t2", "t3"), "b": tps("t0", "t1")}))


@needs_library
def test_members_do_not_share_their_memory() -> None:
    one, other = told(an_assignor("sticky"), tps("t0")), an_assignor("sticky")
    assert one.subscription_user_data(("t",))
    assert other.subscription_user_data(("t",)) == b""


@needs_library
@pytest.mark.parametrize("first", ["a", "b"])
def test_of_two_claims_the_one_that_is_listed_first_is_believed(first: str) -> None:
    """The generation is never sent, so the newer claim is not known to be newer."""
    older = join(told(an_assignor("sticky"), tps("t0", "t1"), generation=1), "a")
    newer = join(told(an_assignor("sticky"), tps("t0", "t1"), generation=2), "b")
    assert older.generation == newer.generation == -1
    listing = (older, newer) if first == "a" else (newer, older)
    answer = an_assignor("sticky").assign(CLUSTER, Group(listing))
    assert set(answer[first]) == set(tps("t0", "t1"))


@needs_library
def test_the_clients_own_coordinator_never_tells_its_assignor_the_generation() -> None:
    """What the adapter takes for granted, asked of the library's coordinator itself."""
    from aiokafka.consumer.group_coordinator import GroupCoordinator
    from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
    from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment

    class Sticky(StickyPartitionAssignor):
        pass

    class Ended(Exception):
        pass

    class Subscriptions:
        subscription = None

        def assign_from_subscribed(self, assigned: list[Any]) -> None:
            self.assigned = assigned

    class Coordinator(GroupCoordinator):
        def __init__(self) -> None:
            self._assignors = (Sticky,)
            self._subscription = Subscriptions()

        async def _stop_commit_offsets_refresh_task(self) -> None:
            raise Ended

        def __del__(self) -> None:
            pass

    given = ConsumerProtocolMemberAssignment(0, [("t", [0, 2])], b"").encode()
    with pytest.raises(Ended):
        asyncio.run(Coordinator()._on_join_complete(5, "m", "sticky", given))
    assert [tuple(tp) for tp in Sticky.member_assignment or ()] == [("t", 0), ("t", 2)]
    assert Sticky.generation == -1


@needs_library
def test_consumers_of_one_process_forget_what_they_had() -> None:
    """The finding: what a member was given is on the library's class, whoever of the process was given it."""
    from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

    class Shared(StickyPartitionAssignor):
        pass

    consumers = {member_id: an_assignor("sticky") for member_id in "ab"}
    for consumer in consumers.values():
        consumer._own = Shared
    answers = []
    for generation in (1, 2, 3):
        members = tuple(join(consumer, member_id) for member_id, consumer in consumers.items())
        answers.append(consumers["a"].assign(Cluster.of({"t": 2}), Group(members)))
        for member_id, consumer in consumers.items():
            told(consumer, answers[-1][member_id], generation)
    swapped = Assignment({"a": tps("t1"), "b": tps("t0")})
    assert answers == [Assignment({"a": tps("t0"), "b": tps("t1")}), swapped, answers[0]]


@needs_library
@pytest.mark.parametrize("name", NAMES)
def test_as_a_target(name: str) -> None:
    target = resolve(f"aiokafka:{name}")
    assert target.protocol == "eager"
    assert dict(target.versions)["aiokafka"]
    group = Group((Member("a", ("t",)),))
    with target.open() as host, target.open(hash_seed=3) as other:
        answers = [h.new({}).assign(CLUSTER, group) for h in (host, other)]
    assert answers[0] == answers[1]
    assert set(answers[0]["a"]) == set(tps("t0", "t1", "t2", "t3"))


@pytest.fixture
def _without_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:

    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(aiokafka, "imported", missing)
    aiokafka.wire.cache_clear()
    yield
    aiokafka.wire.cache_clear()


@pytest.mark.usefixtures("_without_library")
def test_without_the_library() -> None:
    with pytest.raises(LibraryMissing):
        an_assignor("sticky")
    assert {f"aiokafka:{name}" for name in NAMES} <= load_foreign().keys()
    with pytest.raises(TargetNotLoadable) as caught:
        resolve("aiokafka:sticky")
    assert "pip install 'kassay[aiokafka]'" in str(caught.value)
