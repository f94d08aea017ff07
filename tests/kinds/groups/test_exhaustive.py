"""The scope of every small group."""

from kassay.kinds.groups.scopes import scope_cases
from kassay.model.groups.history import Join
from kassay.properties.groups.histories.generator import GroupProfile


def test_the_scope_holds_every_small_group():
    cases = list(scope_cases(GroupProfile(), 2, 2))
    assert len({repr(case) for case in cases}) == len(cases)
    # One member, one partition: nobody or the member owned it. Counted by hand.
    smallest = [c for c in cases if c.size[1] == 1 and c.size[2] == 1]
    assert len(smallest) == 2
    assert all(isinstance(e, Join) for case in cases for change in case.changes for e in change)
    fresh = list(scope_cases(GroupProfile(), 2, 2, pasts=False))
    assert len(fresh) < len(cases)
    assert all(not join.member.owned for case in fresh for join in case.joins)
