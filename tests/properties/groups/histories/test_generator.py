"""What a history may hold, and the names and extras that the generator gives out.

The shapes of production are taken as they are told.
"""

import re
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import Topic
from kassay.model.groups.history import Crash, Join, Leave, Return, StaticReturn
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.properties.groups.histories.generator import RACKS, SHAPES, GeneratorState, GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.sources import Seeded


def state(seed=0, profile=GroupProfile(), **habits):  # noqa: B008
    own = {"racked": False, "weighted": False, "static": False, "odd": False, "backwards": False}
    return GeneratorState(Seeded(seed), profile, {"t": Topic("t", 3), "u": Topic("u", 1)}, **own | habits)


@pytest.mark.parametrize("backwards", [False, True])
def test_ids_are_new_each_time_and_rise_or_fall(backwards):
    draft = state(backwards=backwards)
    ids = [draft.new_id() for _ in range(60)]
    assert ids == sorted(set(ids), reverse=backwards)


def test_extras_are_one_row_a_partition_and_only_where_there_are_any():
    racked = weighted = 0
    for seed in range(60):
        topic = state(seed, racked=True, weighted=True).new_topic("x", 7)
        assert 1 <= topic.partitions <= 7
        if topic.replicas is not None:
            racked += 1
            assert len(topic.replicas) == topic.partitions
            assert all(
                len(set(row)) == len(row) and set(row) <= set(range(len(RACKS))) for row in topic.replicas
            )
        if topic.weights is not None:
            weighted += 1
            assert len(topic.weights) == topic.partitions
        bare = state(seed).new_topic("x", 7)
        assert (bare.replicas, bare.weights) == (None, None)
    assert min(racked, weighted) > 30


def test_nobody_reads_nothing_where_that_is_assumed():
    narrow = GroupProfile(assume=frozenset({"no-empty-subscriptions"}))
    assert any(state(seed).some_topics(0.1) == () for seed in range(20))
    assert all(state(seed, narrow).some_topics(0.1) for seed in range(20))
    assert all(set(state(seed).some_topics(0.9)) <= {"t", "u"} for seed in range(20))


def test_static_members_are_noted_and_others_not():
    draft = state(static=True, racked=True)
    members = [draft.new_member(("t",)) for _ in range(40)]
    assert draft.instances == {m.member_id: m.instance_id for m in members if m.instance_id is not None}
    assert 0 < len(draft.instances) < 40
    assert list(draft.members) == [m.member_id for m in members]
    assert {m.rack for m in members} == {None, *RACKS}
    assert all(m.rack is m.instance_id is None for m in (state().new_member(()) for _ in range(9)))


def test_partitions_are_those_of_the_topics_that_are_there():
    assert [str(tp) for tp in state().tps(["u", "ghost", "t", "u"])] == ["u-0", "t-0", "t-1", "t-2"]


@pytest.mark.parametrize("kind", [CLIENT, SERVER, SHARE])
@pytest.mark.parametrize("assume", [frozenset(), frozenset({"no-conflicting-claims"})])
def test_only_clients_contradict_each_other_and_only_where_they_may(kind, assume):
    assert GroupProfile(kind=kind, assume=assume).contradicts is (kind is CLIENT and not assume)


def test_how_often_a_case_goes_large():
    large = {
        name: sum(GroupProfile(name=name).goes_large(Seeded(s)) for s in range(400))
        for name in ("small", "mixed", "large")
    }
    assert (large["small"], large["large"]) == (0, 400)
    assert 5 < large["mixed"] < 40


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_a_newcomer_is_dealt_what_fewest_of_those_have_who_are_there_or_may_return(seed, count):
    values = tuple(f"v{n}" for n in range(count))
    profile = GroupProfile(member_configs=(("priority", values),), deals=True)
    config: dict[str, str] = {}
    away: dict[str, str] = {}
    for event in (event for change in history(Seeded(seed), profile).changes for event in change):
        if isinstance(event, Join):
            held = Counter([*config.values(), *away.values()])
            value = dict(event.config)["priority"]
            assert held[value] == min(held[each] for each in values)
            config[event.member.member_id] = value
        elif isinstance(event, Leave):
            config.pop(event.member_id, None)
        elif isinstance(event, Crash) and event.member_id in config:
            away[event.member_id] = config.pop(event.member_id)
        elif isinstance(event, Return) and event.member_id in away:
            config[event.member_id] = away.pop(event.member_id)
        elif isinstance(event, StaticReturn) and event.member_id in config:
            config[event.new_member_id] = config.pop(event.member_id)


def test_who_gets_which_value_is_drawn():
    deals = set()
    for seed in range(40):
        draft = state(
            profile=GroupProfile(member_configs=(("priority", ("1", "2", "3")),), deals=True), seed=seed
        )
        deals.add(tuple(draft.join(draft.new_member(())).config[0][1] for _ in range(3)))
    assert deals == set(permutations("123"))


def test_a_static_member_keeps_its_value_and_one_that_leaves_gives_it_back():
    draft = state(profile=GroupProfile(member_configs=(("priority", ("1", "2")),), deals=True))
    first, second = (draft.new_member((), static=static) for static in (True, False))
    (_, kept), (_, given) = draft.join(first).config[0], draft.join(second).config[0]
    draft.instances["new"] = draft.instances.pop(first.member_id)
    draft.members["new"] = draft.members.pop(first.member_id)
    del draft.members[second.member_id]
    assert {kept, given} == {"1", "2"}
    assert draft.join(draft.new_member(())).config == (("priority", given),)


def test_configurations_are_drawn_from_the_profile():
    draft = state(profile=GroupProfile(member_configs=(("priority", ("1", "2")),)))
    drawn = {draft.join(draft.new_member(())).config for _ in range(20)}
    assert drawn == {(("priority", "1"),), (("priority", "2"),)}


def test_every_shape_has_a_name_of_its_own_and_a_source():
    assert len({shape.id for shape in SHAPES}) == len(SHAPES)
    assert all(shape.source for shape in SHAPES)
    assert {shape.graph for shape in SHAPES} == {"all", "own", "two", "some"}


def test_a_shape_has_the_sizes_that_its_source_names():
    """A tasks' or partitions' number is the sum, consumers' or threads' the members; `12 topics of 40` multiply."""
    named = 0
    for shape in SHAPES:
        if many := re.search(r"(\d+) topics of (\d+) partitions", shape.source):
            assert shape.topics == (int(many[2]),) * int(many[1])
        elif total := re.search(r"(\d+) (?:partitions|tasks)", shape.source):
            assert sum(shape.topics) == int(total[1])
            named += 1
        if groups := re.search(r"(\d+) processes of (\d+) consumers", shape.source):
            assert shape.members == int(groups[1]) * int(groups[2])
        elif members := re.search(r"(\d+) (?:consumers|threads)", shape.source):
            assert shape.members == int(members[1])
            named += 1
    assert named >= 8


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.id)
def test_a_large_history_starts_as_its_shape_says(shape):
    case = history(Seeded(3), GroupProfile(name="large", shape=shape.id))
    assert sorted(topic.partitions for topic in case.cluster.topics) == sorted(shape.topics)
    members = [event.member for event in case.changes[0]]
    assert len(members) == shape.members
    names = [topic.name for topic in case.cluster.topics]
    read = {member.topics for member in members}
    if shape.graph == "all":
        assert {frozenset(topics) for topics in read} == {frozenset(names)}
    elif shape.graph == "own":
        assert {len(set(topics)) for topics in read} == {1}
        assert len(read) == len(names)
    elif shape.graph == "two":
        assert {len(set(topics)) for topics in read} == {2}
