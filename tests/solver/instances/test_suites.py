"""Tests."""

from __future__ import annotations

from hashlib import sha256
from itertools import islice

import pytest

from kassay.model.errors import InputError
from kassay.solver.groups.results import as_group, gap
from kassay.solver.instances.brokers_and_tasks import member_tasks, placement, tasks
from kassay.solver.instances.groups import consumer, share_group
from kassay.solver.instances.suites import STAIRS, SUITES, ladder, staircase, suite, to_line
from tests.solver.groups.test_results import kept

DIGESTS = {
    "small": (2400, "adac2df2d8f5329ba1ab81fc9d9ae78e62bfe34ac161afeeb6d079fc0d4f09ba"),
    "bench": (52, "8a2d374d5c3430979ce1aac0d129bc4645f7710172affd4a6515543cb535b344"),
    "share": (36, "eb9bab6ad3e0d04f1f92f61bbf8114504089425d792cecf071b245493572b931"),
    "streams": (30, "f53503d25c3193add29cf04af84e66e1dd555bdf476f54f839725a532665a630"),
    "large": (12, "7af0a4243ca497147058b3eaa80248d273d792fa8752febcb1fc4a11d22eea02"),
}


@pytest.mark.slow_cases("share")
@pytest.mark.parametrize(
    "name", ["small", "bench", "share", "streams", pytest.param("large", marks=pytest.mark.slow)]
)
def test_the_bytes_of_a_suite_never_change(name: str) -> None:
    digest, count = sha256(), 0
    for document in suite(name):
        digest.update(to_line(document).encode() + b"\n")
        count += 1
    assert (count, digest.hexdigest()) == DIGESTS[name]
    assert name in SUITES


def test_unknown_suites_and_shapes_are_named() -> None:
    with pytest.raises(InputError, match="found 'huge', expected one of small, bench, large, share, streams"):
        suite("huge")
    for maker in (consumer, member_tasks, placement, share_group, tasks):
        with pytest.raises(InputError, match="shape: found 'round'"):
            maker("round")


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
