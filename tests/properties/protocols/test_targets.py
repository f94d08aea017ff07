"""When targets are computed: an interval apart, and none for a group without members.

Whom a consumer group has to let in.

What the members of a group ask for, and that the epoch goes up when it changes.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engines.protocols.explore import explore as explore_settings
from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.cluster import TopicPartition
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.groups import UNRELEASED, ConsumerGroup, ConsumerMember
from kassay.properties.protocols.registry import CONSUMER_GROUP, ENDED, INTERVALS, PREFERENCES, STOPPED
from kassay.properties.protocols.targets import DEFAULT, preferred
from tests.explored import explore
from tests.properties.protocols.asking import answers, broken

INTERVAL = "targets-keep-the-interval"
EMPTY = "empty-group-at-its-target"
ONE = (ConsumerMember("m"),)


def group(target_epoch, target_time, members=ONE, epoch=5):
    return ConsumerGroup(epoch, target_epoch, target_time=target_time, members=members)


@settings(max_examples=80)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(-1, 2), st.integers(-1, 2))
def test_a_newer_target_comes_after_the_interval_and_begins_another(was, now, before, after):
    said = answers(INTERVAL, INTERVALS, group(was, before), group(now, after))
    early = [f"the target of epoch {now} is computed before the interval is over"] if before > 0 else []
    undated = [f"the time of the target of epoch {now} is not recorded"] if after == -1 else []
    assert said == (broken(*early, *undated) if now > was else None)


def test_a_group_that_had_no_members_waits_for_no_interval():
    assert answers(INTERVAL, INTERVALS, group(1, 2, ()), group(2, 2)) is None
    assert answers(INTERVAL, INTERVALS, group(1, 2), group(2, -1, ())) is None


def test_an_empty_group_has_the_target_of_its_epoch():
    assert answers(EMPTY, CONSUMER_GROUP, group(5, -1, ())) == []
    assert answers(EMPTY, CONSUMER_GROUP, group(4, -1, ())) == broken(
        "the group is empty at epoch 5, and its target is of 4"
    )
    assert answers(EMPTY, CONSUMER_GROUP, group(4, -1)) is None


T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def at(epoch, state="STABLE", assigned=(), pending=(), name="m"):
    return ConsumerMember(name, state=state, epoch=epoch, assigned=assigned, pending=pending)


def led(was, now, *others):
    """What is asked of a step that leads `m` from one thing to another; its target is both partitions."""
    before, after = (
        ConsumerGroup(5, 5, members=(member, *others), target=(("m", (T0, T1)),)) for member in (was, now)
    )
    return before, after


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(-2, 5))
def test_a_member_goes_on_to_the_epoch_of_the_target(was, now):
    said = answers("epochs-of-targets", CONSUMER_GROUP, *led(at(was), at(now)))
    moves = now > 0 and now != was
    assert said == ((broken(f"m advances to epoch {now}, not to 5") if now != 5 else []) if moves else None)


def test_no_member_is_at_the_epoch_of_who_joins():
    assert answers("members-have-epochs", CONSUMER_GROUP, ConsumerGroup(1, 1)) is None
    assert answers("members-have-epochs", CONSUMER_GROUP, led(at(1), at(1))[0]) == []
    assert answers("members-have-epochs", CONSUMER_GROUP, led(at(0), at(0))[0]) == broken(
        "m is a member at epoch 0: each reply makes it join again"
    )


def test_a_member_waits_for_what_others_hold():
    waits = at(5, UNRELEASED, (T0,))
    mine = broken("m has to wait for t-1, which no other member holds")
    assert answers("waits-for-others", CONSUMER_GROUP, *led(at(4, "UNREVOKED", (T0,), (T1,)), waits)) == mine
    for other in (at(4, assigned=(T1,), name="o"), at(4, "UNREVOKED", pending=(T1,), name="o")):
        assert answers("waits-for-others", CONSUMER_GROUP, *led(at(4), waits, other)) == []
    assert answers("waits-for-others", CONSUMER_GROUP, *led(at(4), at(-2, UNRELEASED))) is None


NAME = "joins-are-let-in"


def test_each_client_that_an_error_has_ended_is_named():
    assert answers(NAME, ENDED, frozenset({"c2", "c1"})) == broken(
        "an error has ended c1", "an error has ended c2"
    )
    assert answers(NAME, ENDED, frozenset()) == []


def test_each_client_that_an_error_has_ended_is_an_outcome_where_nothing_forbids_it():
    found = answers("clients-go-on", STOPPED, frozenset({"c2", "c1 (static)"}))
    words = "ends with a fatal error: its application has to start it again"
    assert found == [("outcome", f"c1 (static) {words}"), ("outcome", f"c2 {words}")]
    assert answers("clients-go-on", STOPPED, frozenset()) == []


def test_the_first_of_two_with_one_instance_id_ends_fenced() -> None:
    classic = ExploreSettings(model="classic", members=2, partitions=1, instances=("i1", "i1"))
    done = explore_settings(classic).exploration
    (found,) = [each for each in done.violations if each.invariant == "clients-go-on"]
    assert found.message.startswith("c1 (static) ends with a fatal error")
    assert found.trace[-1].action.detail == "FENCED_INSTANCE_ID"
    assert done.verdict == "holds"


@pytest.mark.parametrize(
    "bound",
    [
        {"faults": Faults(crash=1, loss=1)},
        {"static": 1, "faults": Faults(crash=1)},
        {"regex": True},
    ],
    ids=lambda bound: ",".join(bound),
)
def test_no_client_of_kip_848_is_ended_where_the_rules_are_those_of_4_4(bound):
    done = explore_settings(ExploreSettings("kip848", partitions=1, **bound)).exploration
    assert (NAME in done.checked) and NAME not in {one.invariant for one in done.violations}


def test_a_static_member_may_be_ended_and_a_migration_may_end_anybody():
    refused = explore_settings(
        ExploreSettings("kip848", members=1, partitions=1, static=1, faults=Faults(crash=1))
    )
    assert refused.exploration.checked >= {NAME} and refused.verdict == "holds"
    assert (
        NAME
        not in explore_settings(ExploreSettings("migration", members=1, partitions=1)).exploration.checked
    )


PREFERENCES_NAME = "preference-takes-effect"
asked = st.lists(st.sampled_from(["", "uniform", "range"]), max_size=5)


def preferences_group(asked_for, epoch=3):
    members = tuple(ConsumerMember(f"m{i}", assignor=name) for i, name in enumerate(asked_for))
    return ConsumerGroup(epoch, 3, members=members)


@settings(max_examples=60)
@given(asked)
def test_most_votes_count_whoever_has_them_and_a_tie_is_left_open(names):
    counts = {name: names.count(name) for name in names if name}
    top = [name for name, count in counts.items() if count == max(counts.values())]
    expected = DEFAULT if not counts else top[0] if len(top) == 1 else ""
    assert preferred(preferences_group(names)) == preferred(preferences_group(reversed(names))) == expected


@settings(max_examples=60)
@given(asked, asked)
def test_a_change_without_another_epoch_is_a_breach_and_none_else_is(before, after):
    was, now = preferred(preferences_group(before)), preferred(preferences_group(after))
    changes = bool(before and after and was and now and was != now)
    silent = answers(PREFERENCES_NAME, PREFERENCES, preferences_group(before), preferences_group(after))
    assert silent == (
        broken(f"the group prefers {now} to {was}, and its epoch is still 3") if changes else None
    )
    assert answers(
        PREFERENCES_NAME, PREFERENCES, preferences_group(before), preferences_group(after, epoch=4)
    ) == ([] if changes else None)


def test_nobody_asking_is_asking_for_the_default():
    assert answers(PREFERENCES_NAME, PREFERENCES, preferences_group(["range"]), preferences_group([""]))
    assert (
        answers(PREFERENCES_NAME, PREFERENCES, preferences_group([DEFAULT]), preferences_group([""])) is None
    )


@pytest.mark.slow
def test_a_running_member_that_changes_its_mind_makes_such_a_tie():
    result = explore("kip848", partitions=1, remote_assignors=("range", ""), faults="assignor=1")
    assert result.exploration.violations == ()
    assert [len(one.trace) for one in result.exploration.liveness.livelocks] == [16, 16]
    for livelock in result.exploration.liveness.livelocks:
        assert any(step.action and step.action.name == "prefers uniform" for step in livelock.trace)
    before = explore(
        "kip848", partitions=1, remote_assignors=("range", ""), faults="assignor=1", release="2024-10"
    )
    assert before.verdict == "holds"
