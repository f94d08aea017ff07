"""Tests."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.streams.group_processes import MemberQuota, by_load, processes_of
from kassay.model.java import hash_map_order
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember

TASKS = [GroupTask("0", p) for p in range(9)]


def processes(*sizes: int):
    members = [StreamsMember(f"m{p}{k}", f"p{p}") for p, size in enumerate(sizes) for k in range(size)]
    return processes_of(StreamsGroup((), tuple(members)), [f"p{p}" for p in range(len(sizes))])


def test_members_stand_in_the_order_of_a_hash_map_of_their_process():
    one, two = processes(3, 1)
    assert [member.member_id for member in one.members] == hash_map_order(["m00", "m01", "m02"])
    assert [member.process.process_id for member in (*one.members, *two.members)] == ["p0"] * 3 + ["p1"]


def test_tasks_go_to_the_member_with_the_fewest_whatever_was_given_by_name_before():
    (process,) = processes(2)
    first, second = process.members
    process.give(first, TASKS[0], standby=False)
    process.give(first, TASKS[1], standby=True)
    given = [process.give_to_least_loaded(task, standby=False) for task in TASKS[2:5]]
    assert given[:2] == [second, second]
    assert first.count + second.count == 5
    assert abs(first.count - second.count) == 1
    assert process.tasks == set(TASKS[:5])
    assert first.answer() == MemberTasks(tuple(sorted(first.active)), (TASKS[1],))


def test_load_is_tasks_for_each_member_and_equals_come_out_as_filled():
    one, two, three = processes(2, 1, 1)
    one.give_to_least_loaded(TASKS[0], standby=False)
    assert (one.load, two.load) == (0.5, 0.0)
    queue = by_load([one, three, two])
    assert [queue.poll() for _ in range(3)] == [three, two, one]


def test_the_share_is_rounded_up_and_nobody_has_none():
    assert MemberQuota(5, 2).each == 3
    assert MemberQuota(5, 0).each == 0


def test_only_who_has_just_the_share_is_out_of_the_reckoning():
    quota = MemberQuota(5, 2)
    quota.reached_by(2)
    assert quota.each == 3
    quota.reached_by(3)
    assert quota.each == 2


@given(st.integers(0, 40), st.integers(1, 8))
def test_members_who_fill_up_in_turn_share_all_tasks_within_one(tasks: int, members: int):
    quota, shares = MemberQuota(tasks, members), []
    for _ in range(members):
        shares.append(quota.each)
        quota.reached_by(quota.each)
    assert sum(shares) == tasks
    assert max(shares) - min(shares) <= 1
