from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.streams.group.quotas import MemberQuota


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
