"""Events in a group's world: what each changes, and that an event about nobody changes nothing."""

from copy import deepcopy
from dataclasses import fields

import pytest

from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.groups.assignor import AssignorBase, GroupMetadata
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    EVENTS,
    AddPartitions,
    ChangeRack,
    Crash,
    CreateTopic,
    DeleteTopic,
    FailedSync,
    Join,
    Leave,
    NewLeader,
    RackBroker,
    Rebalance,
    ReportOwned,
    Resubscribe,
    Return,
    Reweigh,
    StaticReturn,
    Withhold,
)
from kassay.model.groups.playing import GroupWorld, happen
from tests.assignors.groups.client.groups import tps

GHOSTS = [
    Leave("x"),
    Crash("x"),
    Return("x"),
    Return("a"),
    StaticReturn("x", "y"),
    StaticReturn("a", "y"),
    StaticReturn("s", "a"),
    FailedSync("x"),
    NewLeader("x"),
    NewLeader("a"),
    Resubscribe("x", ("t",)),
    AddPartitions("x", 9),
    CreateTopic(Topic("t", 9)),
    DeleteTopic("x"),
    ChangeRack("x", "r"),
    RackBroker(99, "r"),
    Reweigh("x", (1,)),
    Reweigh("t", (1,)),
    Withhold("x", (0,)),
    Withhold("t", ()),
    Withhold("t", (2, 9)),
    ReportOwned("x", tps("t-0"), 3),
    Join(Member("a", ("u",))),
    Join(Member("y", ("u",), instance_id="i1")),
    Rebalance(),
]


class Learning(AssignorBase):
    name = "learning"

    def __init__(self, config):
        self.config, self.learned = dict(config), []

    def subscription_user_data(self, topics):
        return " ".join(topics).encode()

    def on_assignment(self, assignment, user_data, metadata):
        self.learned.append((assignment, metadata))


@pytest.fixture
def world():
    cluster = Cluster((Topic("t", 2, ((1,), (2,)), (5, 7)),), (Broker(1, "r1"), Broker(2)))
    world = GroupWorld(cluster, Learning)
    for member in (Member("a", ("t",)), Member("s", ("t",), tps("t-1"), 4, "r", "i1"), Member("b", ())):
        assert world.apply(Join(member, (("k", member.member_id),)))
    return world


def seen(world):
    """All of the world that is a value."""
    seats = {**world.seats, **{f"away {name}": seat for name, seat in world.away.items()}}
    rows = {
        name: tuple(getattr(s, f.name) for f in fields(s) if f.name != "assignor")
        for name, s in seats.items()
    }
    return deepcopy(
        (world.cluster, rows, world.generation, world.failed_sync, world.renamed, world.appointed)
    )


@pytest.mark.parametrize("event", GHOSTS, ids=str)
def test_an_event_about_what_is_not_there_does_nothing(world, event):
    before = seen(world)
    assert world.apply(event) is False
    assert seen(world) == before


def test_every_event_of_a_history_can_happen_and_nothing_else_can(world):
    assert {type(event) for event in GHOSTS} == set(EVENTS.values())
    assert set(EVENTS.values()) < happen.registry.keys()
    with pytest.raises(TypeError, match="str is not an event of a history"):
        world.apply("Leave")


def test_a_member_that_comes_with_claims_brings_its_generation_and_its_object_knows(world):
    seat = world.seats["s"]
    assert (world.generation, seat.config) == (4, {"k": "s"})
    assert seat.assignor.learned == [(tps("t-1"), GroupMetadata(4, "s", "i1"))]
    assert world.seats["a"].assignor.learned == []
    assert seat.subscription() == Member("s", ("t",), tps("t-1"), 4, "r", "i1", b"t")


def test_a_client_library_may_report_a_generation_of_its_own(world):
    seat = world.seats["s"]
    seat.assignor.reported_generation = 2
    assert seat.subscription().generation == 2


def test_who_crashed_comes_back_as_it_was_and_who_left_does_not(world):
    crashed = world.seats["s"]
    assert world.apply(Crash("s"))
    assert list(world.seats) == ["a", "b"]
    assert world.apply(Return("s"))
    assert (world.seats["s"], world.away) == (crashed, {})
    assert world.apply(Leave("s"))
    assert not world.apply(Return("s"))


@pytest.mark.parametrize("crashed", [False, True])
def test_a_static_member_comes_back_under_a_new_id_with_what_it_had(world, crashed):
    old = world.seats["s"]
    if crashed:
        world.apply(Crash("s"))
    assert world.apply(StaticReturn("s", "n"))
    seat = world.seats["n"]
    assert list(world.seats) == (["a", "b", "n"] if crashed else ["a", "n", "b"])
    assert seat.subscription() == old.subscription()._replace(member_id="n")
    assert (seat.config, seat.assignor is old.assignor) == (old.config, False)
    assert (world.renamed, world.away) == ([("s", "n")], {})


def test_no_two_members_have_one_instance_id(world):
    world.apply(Crash("s"))
    world.apply(Join(Member("z", (), instance_id="i1")))
    assert not world.apply(StaticReturn("s", "n"))


def test_new_partitions_copy_the_replicas_and_weights_of_the_old_in_turn(world):
    assert world.apply(AddPartitions("t", 5))
    assert world.cluster.topics == (Topic("t", 5, ((1,), (2,), (1,), (2,), (1,)), (5, 7, 5, 7, 5)),)
    assert world.apply(AddPartitions("t", 3)), "no topic shrinks"
    assert world.cluster.counts == {"t": 5}


def test_other_events_change_what_they_name(world):
    for event in (
        CreateTopic(Topic("u", 1)),
        Reweigh("t", (0, 1)),
        RackBroker(2, "r2"),
        Resubscribe("a", ("u",)),
        ChangeRack("a", "r9"),
        FailedSync("a"),
        ReportOwned("a", tps("t-0 t-0 u-0"), 7),
    ):
        assert world.apply(event), event
    assert world.cluster.by_name["t"].weights == (0, 1)
    assert world.cluster.broker_racks == {1: "r1", 2: "r2"}
    seat = world.seats["a"]
    assert (seat.topics, seat.rack, seat.owned, seat.generation) == (("u",), "r9", tps("t-0 u-0"), 7)
    assert (world.failed_sync, world.generation) == ({"a"}, 7)
    assert seat.assignor.learned == [(tps("t-0 u-0"), GroupMetadata(7, "a"))]
    assert world.apply(DeleteTopic("t"))
    assert world.cluster.counts == {"u": 1}


def test_what_is_withheld_is_all_that_may_not_be_given_out(world):
    assert world.assignable is None
    assert world.apply(Withhold("t", (1, 0, 7)))
    assert world.assignable == frozenset()
    assert world.apply(Withhold("t", (1,)))
    assert world.apply(AddPartitions("t", 3))
    assert world.assignable == frozenset(tps("t-0 t-2"))
    assert not world.apply(Withhold("t", (1,)))
    assert world.apply(Withhold("t", ()))
    assert world.assignable is None
    world.apply(Withhold("t", (1,)))
    assert world.apply(DeleteTopic("t"))
    assert world.assignable is None


def test_who_leads(world):
    assert world.leader.member_id == "a", "who is there longest"
    assert world.apply(NewLeader("s"))
    assert world.apply(NewLeader("b"))
    assert not world.apply(NewLeader("b"))
    assert world.leader.member_id == "b"
    assert world.apply(Crash("b"))
    assert world.leader.member_id == "a"
    assert world.apply(Return("b"))
    assert world.leader.member_id == "a", "who comes back leads no more"


def test_a_leader_that_comes_back_under_another_id_leads_on(world):
    assert world.apply(NewLeader("s"))
    assert world.apply(StaticReturn("s", "s2"))
    assert world.leader.member_id == "s2"
    assert world.apply(Crash("s2"))
    assert world.apply(StaticReturn("s2", "s3"))
    assert world.leader.member_id == "a"
