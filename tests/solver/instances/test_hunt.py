from __future__ import annotations

from itertools import islice

from kassay.solver.consumers.gap import as_group, gap
from kassay.solver.instances.hunt import STAIRS, ladder, staircase
from tests.solver.consumers.test_gap import kept


def test_where_everything_stays_the_gap_grows_with_the_stairs() -> None:
    gaps = [gap(problem, kept(problem)).balance or 0 for problem in map(staircase, STAIRS)]
    assert gaps == sorted(gaps)
    assert 0 < gaps[0] < gaps[-1]


def test_one_of_the_smallest_groups_is_out_of_balance_where_everything_stays() -> None:
    """An idle member, although 1, 1, 1 can be had; the ladder comes to small groups first."""
    drawn = list(islice(ladder(0), 2000))
    sizes = [len(p.members) + sum(topic.partitions for topic in p.topics) for p in drawn]
    assert sizes == sorted(sizes)
    stays = ({member.member_id: member.owned for member in as_group(p)[1].members} for p in drawn)
    assert any(gap(problem, answer).balance for problem, answer in zip(drawn, stays, strict=True))
