"""`any-balanced` against every assignment there is: the flattest, of them the stickiest, less what is withheld.

Every balanced target of tasks: complete, even, in processes of their own, and moving least.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.clients.any_balanced import (
    AnyBalanced,
    balanced,
    balanced_targets,
    balanced_tasks,
    latest_owners,
    stickiest,
    tps_of,
    withheld,
)
from kassay.model.protocols.clients.classic_state import Ask
from kassay.model.protocols.values.choices import TargetAsk, TargetMember
from kassay.model.protocols.values.requests import Subscription, TopicImage, image_of
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember, Subtopology
from tests.assignors.groups.client.groups import tps

IMAGE = image_of({"t": 2, "u": 2}.items())
NONE = frozenset()


def drawn(count):
    """Members with subscriptions and reports of any generation."""
    for seed in range(count):
        rng = Random(seed)
        members = []
        for i in range(rng.randint(1, 3)):
            topics = tuple(sorted(rng.sample("tu", rng.randint(1, 2))))
            owned = tuple(sorted(rng.sample(tps("t-0 t-1 u-0 u-1"), rng.randint(0, 2))))
            members.append((f"m{i}", "", Subscription(topics, owned, rng.randint(0, 2))))
        yield tuple(members)


def test_balanced_are_all_assignments_with_the_flattest_loads():
    for members in drawn(60):
        readers = tuple((member, metadata.topics) for member, _, metadata in members)
        wanted = tps_of(IMAGE, {topic for _, topics in readers for topic in topics})
        every = set()
        for owners in product(range(len(readers)), repeat=len(wanted)):
            if all(tp.topic in readers[o][1] for tp, o in zip(wanted, owners)):
                every.add(
                    tuple(
                        (m, tuple(tp for tp, o in zip(wanted, owners) if o == i))
                        for i, (m, _) in enumerate(readers)
                    )
                )
        loads = {answer: sorted((len(own) for _, own in answer), reverse=True) for answer in every}
        flattest = {answer for answer in every if loads[answer] == min(loads.values())}
        answers = balanced(readers, IMAGE)
        assert set(answers) == flattest
        assert len(answers) == len(flattest)


def test_the_only_reporter_of_the_latest_generation_wins():
    for members in drawn(120):
        expected = {}
        for tp in {tp for _, _, m in members for tp in m.owned}:
            latest = max(m.generation for _, _, m in members if tp in m.owned)
            names = [name for name, _, m in members if tp in m.owned and m.generation == latest]
            if len(names) == 1:
                expected[tp] = names[0]
        assert latest_owners(members, NONE) == expected


def test_cooperative_answers_are_the_stickiest_without_what_another_owns():
    for members in drawn(60):
        owner = latest_owners(members, NONE)
        ask = Ask("any-balanced", members, IMAGE)
        sticky = AnyBalanced("eager", sticky=True)(ask)
        kept = [
            sum(owner.get(tp) == m for m, own in answer for tp in own) for answer in AnyBalanced("eager")(ask)
        ]
        for answer in sticky:
            assert sum(owner.get(tp) == m for m, own in answer for tp in own) == max(kept)
        cooperative = AnyBalanced("cooperative")(ask)
        assert set(cooperative) == {withheld(answer, owner) for answer in sticky}
        assert all(owner.get(tp, m) == m for answer in cooperative for m, own in answer for tp in own)
        if any(withheld(answer, owner) != answer for answer in sticky):
            bare = AnyBalanced("cooperative", switches=frozenset({"no_withhold"}))(ask)
            assert set(bare) == set(sticky)


@pytest.mark.parametrize(
    ("switch", "winners"),
    [("", {}), ("dup_claim_unchecked", {"t-0": "a"}), ("max_gen_only", {})],
)
def test_switches_change_who_wins_a_partition_owned_twice(switch, winners):
    members = [(name, "", Subscription(("t",), tps("t-0"), 1)) for name in "ab"]
    assert {str(tp): name for tp, name in latest_owners(members, frozenset({switch})).items()} == winners


def test_a_rule_that_validates_naively_throws_on_conflicting_ownership():
    members = tuple(
        (name, "", Subscription(("t",), tps("t-0"), generation)) for name, generation in (("a", 1), ("b", 2))
    )
    naive = AnyBalanced("cooperative", switches=frozenset({"naive_validation"}))
    assert naive(Ask("any-balanced", members, IMAGE)) == ()
    assert naive(Ask("any-balanced", members[:1], IMAGE)) != ()


def test_targets_move_least_from_the_former_one_and_name_topics_by_id():
    image = (TopicImage("t", "t-again", 2),)
    members = (TargetMember("a", "", ("t",), tps("t-again-1")), TargetMember("b", "", ("t",), ()))
    assert balanced_targets(TargetAsk("uniform", members, image)) == (
        (("a", tps("t-again-1")), ("b", tps("t-again-0"))),
    )


def test_without_answers_there_is_no_stickiest():
    assert stickiest((), {}) == ()


def test_withheld_is_what_another_still_owns_and_nothing_else():
    answer = (("a", tps("t-0 t-1")), ("b", tps("u-0 u-1")))
    owner = dict(zip(tps("t-0 t-1 u-0"), "aba"))
    assert withheld(answer, owner) == (("a", tps("t-0")), ("b", tps("u-1")))


ZERO, ONE = GroupTask("0", 0), GroupTask("0", 1)


def group(*members, tasks=2, standbys=0):
    return StreamsGroup((Subtopology("0", tasks, stateful=True),), tuple(members), standbys)


def test_two_members_of_two_processes_have_two_targets_and_one_once_they_run():
    fresh = group(StreamsMember("a", "p1"), StreamsMember("b", "p2"), standbys=1)
    assert len(balanced_tasks(fresh)) == 2
    running = group(StreamsMember("a", "p1", (ONE,)), StreamsMember("b", "p2", (ZERO,)), standbys=1)
    ((one, other),) = balanced_tasks(running)
    assert one == ("a", ((ONE,), (ZERO,), ()))
    assert other == ("b", ((ZERO,), (ONE,), ()))


def test_copies_stay_with_who_has_them():
    """Either of two other processes could keep the copy; it moves only where it must."""
    active, idle = StreamsMember("a", "p1", (ZERO,)), StreamsMember("b", "p2")
    (target,) = balanced_tasks(
        group(active, idle, StreamsMember("c", "p3", (), (ZERO,)), tasks=1, standbys=1)
    )
    assert dict(target)["c"].standby == (ZERO,)
    either = balanced_tasks(group(active, idle, StreamsMember("c", "p3"), tasks=1, standbys=1))
    assert {name for target in either for name, roles in target if roles.standby} == {"b", "c"}


def test_copies_lie_as_evenly_as_can_be_and_in_a_process_once():
    members = (
        StreamsMember("a", "p1", tuple(GroupTask("0", number) for number in range(2))),
        StreamsMember("b", "p2"),
        StreamsMember("c", "p3", tuple(GroupTask("0", number) for number in range(2, 4))),
        StreamsMember("d", "p3"),
    )
    for target in balanced_tasks(group(*members, tasks=4, standbys=2)):
        roles = dict(target)
        assert sorted(len(own.standby) for own in roles.values()) == [1, 1, 3, 3]
        assert not {*roles["c"].standby} & {*roles["d"].standby}


def test_two_threads_of_one_process_keep_no_copies_for_each_other():
    (only, *more) = balanced_tasks(group(StreamsMember("a", "p1"), StreamsMember("b", "p1"), standbys=1))
    assert all(not roles.standby for target in (only, *more) for _, roles in target)


def test_nobody_is_given_nothing():
    assert balanced_tasks(group()) == ((),)


@st.composite
def groups(draw):
    members = tuple(
        StreamsMember(f"m{number}", f"p{draw(st.integers(1, 3))}")
        for number in range(draw(st.integers(1, 3)))
    )
    tasks = draw(st.integers(0, 3))
    owners = [draw(st.integers(0, len(members))) for _ in range(tasks)]
    held = [
        tuple(GroupTask("0", t) for t, o in enumerate(owners) if o == place) for place in range(len(members))
    ]
    placed = tuple(StreamsMember(one.member_id, one.process_id, active) for one, active in zip(members, held))
    return group(*placed, tasks=tasks, standbys=draw(st.integers(0, 2)))


@given(groups())
def test_every_target_keeps_what_an_assignor_of_tasks_must(ask):
    processes = {member.process_id for member in ask.members}
    process_of = {member.member_id: member.process_id for member in ask.members}
    targets = balanced_tasks(ask)
    assert targets
    assert len(set(targets)) == len(targets)
    for target in targets:
        run = [task for _, roles in target for task in roles.active]
        assert sorted(run) == sorted(ask.tasks)
        loads = [len(roles.active) for _, roles in target]
        assert max(loads) - min(loads) <= 1
        places = Counter(
            (process_of[who], task) for who, roles in target for task in (*roles.active, *roles.standby)
        )
        assert set(places.values()) <= {1}, "a process has a task once"
        kept = Counter(task for _, roles in target for task in roles.standby)
        due = min(ask.standby_replicas, len(processes) - 1)
        assert all(kept[task] == due for task in ask.stateful)
