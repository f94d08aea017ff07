"""The coordinator and its members, on groups, timers and clients of a few lines."""

from types import SimpleNamespace

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values import groups as g
from kassay.model.protocols.values.records import RegexMatches
from kassay.model.protocols.values.requests import image_of
from kassay.properties.protocols.registry import (
    CLASSIC_GROUP,
    CLIENTS,
    CONSUMER_GROUP,
    LOADED,
    METADATA,
    PRESENCE,
    SESSIONS,
    STORED,
    UNWRITTEN,
    HeldGroup,
    LoadedGroup,
    Presence,
    WatchedSessions,
)
from tests.properties.protocols.asking import answers, broken


def classic(state, generation, *members, leader=""):
    listed = tuple(g.ClassicMember(member, "", "c", 0, 0, ()) for member in members)
    return g.ClassicGroup(state, generation, leader=leader, members=listed)


def consumer(epoch, target_epoch, *members):
    return g.ConsumerGroup(epoch, target_epoch, members=members)


def at(epoch, member_id="m", **more):
    return g.ConsumerMember(member_id, epoch=epoch, **more)


ASSIGNED = [
    (classic(g.PREPARING, 1), classic(g.COMPLETING, 2), []),
    (classic(g.PREPARING, 1), classic(g.COMPLETING, 1), broken("generation 1 is followed by generation 1")),
    (classic(g.PREPARING, 1), classic(g.COMPLETING, 3), broken("generation 1 is followed by generation 3")),
    (classic(g.STABLE, 1), classic(g.COMPLETING, 1), broken("generation 1 is to be assigned twice")),
    (classic(g.STABLE, 1), classic(g.COMPLETING, 2), []),
    (classic(g.COMPLETING, 1), classic(g.STABLE, 1, "m", leader="m"), []),
    (
        classic(g.COMPLETING, 1),
        classic(g.STABLE, 2, "m", leader="m"),
        broken("generation 1 became 2 by an assignment"),
    ),
    (
        classic(g.COMPLETING, 1),
        classic(g.STABLE, 1, "m", leader="x"),
        broken("the leader 'x' of generation 1 is no member"),
    ),
    (classic(g.STABLE, 1, "m", leader="m"), classic(g.PREPARING, 1, leader="m"), None),
    (classic(g.COMPLETING, 1), classic(g.COMPLETING, 2), None),
    (classic(g.EMPTY, 1), classic(g.STABLE, 5), None),
    (classic(g.PREPARING, 1), None, None),
    (None, classic(g.COMPLETING, 3), None),
]


@pytest.mark.parametrize(("before", "after", "said"), ASSIGNED)
def test_a_generation_is_assigned_once(before, after, said):
    assert answers("one-assignment-per-generation", CLASSIC_GROUP, before, after) == said


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (2, 1, broken("generation 2 is followed by generation 1")),
        (2, 2, []),
        (2, 3, []),
    ],
)
def test_generations_never_go_back(before, after, said):
    groups = (classic(g.STABLE, before), classic(g.STABLE, after))
    assert answers("epochs-never-go-back", CLASSIC_GROUP, *groups) == said
    assert answers("epochs-never-go-back", CLASSIC_GROUP, groups[0], None) is None


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (consumer(3, 3, at(3)), consumer(2, 3, at(3)), broken("the group's epoch 3 is followed by 2")),
        (consumer(3, 3, at(3)), consumer(3, 1, at(3)), broken("the group's target epoch 3 is followed by 1")),
        (consumer(3, 3, at(3)), consumer(3, 3, at(2)), broken("epoch 3 of m is followed by 2")),
        (consumer(3, 3, at(3)), consumer(3, 3, at(1)), broken("epoch 3 of m is followed by 1")),
        (consumer(3, 3, at(3)), consumer(3, 3, at(0)), []),
        (consumer(3, 3, at(3)), consumer(3, 3, at(-2)), []),
        (consumer(3, 3, at(3)), consumer(3, 3, at(2, "n")), []),
        (consumer(3, 3, at(3)), consumer(3, 3, at(3)), []),
        (consumer(2, 1, at(2)), consumer(3, 3, at(3)), []),
    ],
)
def test_epochs_never_go_back(before, after, said):
    assert answers("epochs-never-go-back", CONSUMER_GROUP, before, after) == said
    assert answers("epochs-never-go-back", CONSUMER_GROUP, None, after) is None


def test_a_generation_is_stored_once():
    def stored(generation, assignment, *members):
        return SimpleNamespace(generation=generation, members=members, assignment=assignment)

    second = broken("generation 1 has a second recorded assignment")
    for before, after, said in (
        (stored(1, "a", 0), stored(1, "b", 0), second),
        (stored(2, "a", 0), stored(1, "b", 0), second),
        (stored(1, "a", 0), stored(2, "b", 0), []),
        (stored(1, "a", 0), stored(1, "a", 0, 1), []),
        (stored(1, "a", 0), stored(1, "b"), []),
    ):
        assert answers("epochs-never-go-back", STORED, before, after) == said


HELD_TWICE = (at(1, "m", assigned=("t-0",)), at(1, "n", assigned=("t-0",)))


@pytest.mark.parametrize(
    ("group", "said"),
    [
        (consumer(1, 2), broken("target epoch 2 is above group epoch 1")),
        (consumer(2, 1, at(2)), broken("m is at epoch 2, above target epoch 1")),
        (consumer(1, 1, at(1, pending=("t-0",))), broken("m is stable and has pending t-0")),
        (consumer(1, 1, at(1, state=g.UNREVOKED)), broken("m is unrevoked with nothing pending")),
        (consumer(1, 1, *HELD_TWICE), broken("t-0 is held by m and n")),
        (
            consumer(1, 1, at(1, "m", assigned=("t-0",)), at(1, "n", state=g.UNREVOKED, pending=("t-0",))),
            broken("t-0 is held by m and n"),
        ),
        (
            consumer(1, 1, at(-2, "m", assigned=("t-0",)), at(1, "n", assigned=("t-0",))),
            broken("t-0 is held by m and n"),
        ),
        (consumer(2, 2, at(2)), []),
        (consumer(2, 1, at(1)), []),
        (consumer(2, 2, at(1, state=g.UNREVOKED, pending=("t-0",))), []),
        (consumer(2, 2, at(2, state=g.UNRELEASED)), []),
        (consumer(1, 1, at(1, "m", assigned=("t-0",)), at(1, "n", assigned=("t-1",))), []),
        (consumer(1, 1, at(0, state=g.UNREVOKED)), []),
        (consumer(1, 1, at(-2, state=g.UNREVOKED)), []),
        (None, None),
    ],
)
def test_epochs_are_in_order(group, said):
    assert answers("epochs-in-order", CONSUMER_GROUP, group) == said


def test_topics_never_shrink():
    def shrinks(*ends):
        return answers("topics-never-shrink", METADATA, *ends)

    one, two = image_of([("t", 1)]), image_of([("t", 2)])
    assert shrinks(two, one) == broken("topic t shrank")
    assert shrinks(image_of([("s", 1), ("t", 2)]), image_of([("s", 1), ("t", 1)])) == broken("topic t shrank")
    assert shrinks(one, two) == shrinks(two, two) == shrinks(two, ()) == shrinks((), one) == []


GROUP = g.ClassicGroup(members=tuple(g.ClassicMember(m, "", "c", 0, 0, ()) for m in "mn"))


@pytest.mark.parametrize(
    ("watch", "said"),
    [
        (WatchedSessions(GROUP, ("n",), ()), broken("m is a member, and no session timer watches it")),
        (WatchedSessions(GROUP, ("m", "x"), ()), broken("n is a member, and no session timer watches it")),
        (WatchedSessions(GROUP, ("m", "n"), ()), []),
        (WatchedSessions(GROUP, ("m",), ("n",)), []),
        (WatchedSessions(g.ClassicGroup(), ("m",), ()), None),
        (WatchedSessions(None, (), ()), None),
    ],
)
def test_every_member_is_watched(watch, said):
    assert answers("members-watched", SESSIONS, watch) == said


def heard(error="", member_id="m", run="up"):
    inbox = (SimpleNamespace(error=error),) if error else ()
    return SimpleNamespace(inbox=inbox, member_id=member_id, run=run)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (heard("NOT_COORDINATOR"), heard(member_id=""), "forgets its member id m over NOT_COORDINATOR"),
        (
            heard("COORDINATOR_LOAD_IN_PROGRESS"),
            heard(member_id=""),
            "forgets its member id m over COORDINATOR_LOAD_IN_PROGRESS",
        ),
        (
            heard("COORDINATOR_NOT_AVAILABLE"),
            heard(member_id=""),
            "forgets its member id m over COORDINATOR_NOT_AVAILABLE",
        ),
        (heard("NOT_COORDINATOR"), heard(), ""),
        (heard("UNKNOWN_MEMBER_ID"), heard(member_id=""), None),
        (heard("NOT_COORDINATOR", member_id=""), heard(member_id=""), None),
        (heard("NOT_COORDINATOR"), heard(member_id="", run="gone"), None),
        (heard("NOT_COORDINATOR"), heard("NOT_COORDINATOR", member_id=""), None),
        (heard(), heard(member_id=""), None),
    ],
)
def test_a_retriable_error_costs_no_member_id(before, after, said):
    said = broken(f"c2 {said}") if said else None if said is None else []
    assert answers("member-id-kept", CLIENTS, (heard(), before), (heard(), after)) == said


@pytest.mark.parametrize(
    ("known", "polling", "said"),
    [
        ("n", (("c1", "m"),), broken("m is removed though c1 is alive and polls")),
        ("n", (), []),
        ("n", (("c2", "m"),), []),
        ("m", (("c1", "m"),), []),
        ("mn", (("c1", "m"),), None),
        ("mno", (("c1", "m"),), None),
    ],
)
def test_who_polls_is_not_removed(known, polling, said):
    before = Presence(frozenset("mn"), (("c1", "m"),))
    assert answers("live-members-kept", PRESENCE, before, Presence(frozenset(known), polling)) == said
    away = before._replace(polling=())
    assert answers("live-members-kept", PRESENCE, away, Presence(frozenset("n"), polling)) == []


UNCHANGED = classic(g.STABLE, 1, "m", "n", leader="m")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (consumer(1, 1, at(1)), consumer(1, 1, at(1)), []),
        (consumer(1, 1, at(1)), consumer(2, 1, at(1)), broken("a write failed, and the group has changed")),
        (None, None, []),
        (None, g.ClassicGroup(), broken("a write failed, and the group has changed")),
        (UNCHANGED, UNCHANGED, []),
        (UNCHANGED, classic(g.EMPTY, 2), []),
        (UNCHANGED, classic(g.PREPARING, 1, "n", leader="n"), []),
        (UNCHANGED, None, broken("a write failed, and the group is of another kind")),
        (
            UNCHANGED,
            classic(g.STABLE, 1, "m", "o"),
            broken(
                "a write failed, and it made o a member",
                "a write failed, and the assignment of generation 1 is in force",
            ),
        ),
        (
            UNCHANGED._replace(state=g.COMPLETING),
            UNCHANGED,
            broken("a write failed, and the assignment of generation 1 is in force"),
        ),
        (
            UNCHANGED,
            UNCHANGED._replace(members=tuple(m._replace(assignment=()) for m in UNCHANGED.members)),
            broken("a write failed, and the assignment of generation 1 is in force"),
        ),
    ],
)
def test_what_could_not_be_written_is_not_in_force(before, after, said):
    assert answers("unwritten-not-in-force", UNWRITTEN, HeldGroup(before), HeldGroup(after)) == said


def reading(member_id, *assigned, topics=("t",), regex="", epoch=3):
    tps = tuple(TopicPartition(topic, 0) for topic in assigned)
    return at(epoch, member_id, subscribed=topics, regex=regex, assigned=tps)


HEARD = [
    (reading("m", "t"), []),
    (reading("m", "u"), broken("m is left with u, to which it does not subscribe")),
    (reading("m", "u", topics=(), regex="u.*"), []),
    (reading("m", "u", topics=(), regex="new.*"), broken("m is left with u, to which it does not subscribe")),
    (reading("m", "u", epoch=-2), None),
]


@pytest.mark.parametrize(("member", "findings"), HEARD)
def test_who_was_heard_has_nothing_that_it_does_not_read(member, findings):
    known = {"resolved": (("u.*", RegexMatches(("u",))),), "topics": image_of({"t": 1, "u": 1}.items())}
    before, after = (consumer(3, 3, one)._replace(**known) for one in (at(2), member))
    assert answers("assigned-is-subscribed", CONSUMER_GROUP, before, after) == findings
    assert answers("assigned-is-subscribed", CONSUMER_GROUP, after, after) is None, "nobody was heard"


def test_a_log_that_cannot_be_read_is_told_and_so_is_one_that_tells_of_another_group():
    group, other = consumer(1, 1), consumer(2, 1)
    assert answers("every-log-loads", LOADED, LoadedGroup(group, group, True)) == []
    assert answers("every-log-loads", LOADED, LoadedGroup(group, None, False)) == broken(
        "the log was compacted, and the new coordinator cannot read it"
    )
    before = LoadedGroup(group, group, True)
    told = "the log was compacted, and it yields another group than the whole log"
    for after, said in (
        (LoadedGroup(group, group, True), []),
        (LoadedGroup(group, other, True), broken(told)),
        (LoadedGroup(group, None, False), None),
    ):
        assert answers("compaction-means-nothing", LOADED, before, after) == said
