"""The optimal share assignor keeps what its group has, as far as even counts let it."""

from __future__ import annotations

from kassay.assignors.groups.server.optimal_share import OptimalShare
from kassay.model.groups.group import Group
from kassay.solver.groups.share_gap import as_share_group, share_gap
from kassay.solver.groups.shares import ShareProblem
from tests.solver.groups import cases


def test_no_answer_is_away_from_the_optimum_and_the_next_is_the_same() -> None:
    for case in cases.drawn(31, 120):
        problem = ShareProblem.parse(case)
        cluster, group = as_share_group(problem)
        answer = OptimalShare().assign(cluster, group)
        far = share_gap(problem, answer)
        assert (far.balance, far.spread, far.movement) == (0, 0, 0)
        settled = tuple(m._replace(owned=answer[m.member_id]) for m in reversed(group.members))
        again = OptimalShare().assign(cluster, Group(settled, assignable=group.assignable))
        assert again.same_sets(answer)
