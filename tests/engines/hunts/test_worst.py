"""The worst: no worse than every group of a small size shows, below its bound, and shown by a trace that replays."""

from pathlib import Path

import pytest

from kassay.engines.hunts.worst import Badness, worst_case, worst_document
from kassay.engines.runs.options import RunOptions
from kassay.engines.runs.replay import playback_of, replay
from kassay.engines.targets.resolve import resolve
from kassay.kinds.groups.scopes import starting_points
from kassay.model.errors import InputError
from tests.cli.runner import valid


def worst(spec, badness, size, steps=120):
    return worst_case(resolve(spec), Badness(badness), size, RunOptions(), steps)


def spread_of_range(case):
    loads = dict.fromkeys((join.member.member_id for join in case.joins), 0)
    for topic in case.cluster.topics:
        readers = [join.member.member_id for join in case.joins if topic.name in join.member.topics]
        for i in range(topic.partitions):
            loads[readers[i % len(readers)]] += 1
    return loads


@pytest.mark.parametrize(
    ("spec", "badness", "value"), [("range", "gap", 6), ("range", "spread", 3), ("sticky", "gap", 2)]
)
def test_the_worst_at_a_size_and_its_trace(spec, badness, value):
    case = worst(spec, badness, (3, 3))
    assert case.value == value <= case.bound
    replayed = replay(playback_of(case.example.trace, Path("trace.json")))
    assert replayed.exit_code == 1
    assert valid(worst_document(case), "worst-1")["value"] == value


@pytest.mark.parametrize(
    ("spec", "badness", "least"),
    [
        ("placement:striped", "spread", 2),
        ("placement:striped", "gap", 2),
        ("streams-sticky", "spread", 1),
        ("connect-eager", "spread", 1),
        ("plan:optimal", "spread", 1),
        ("share-simple@4.1", "spread", 1),
    ],
)
def test_the_other_kinds_have_a_worst_too(spec, badness, least):
    case = worst(spec, badness, (3, 3) if spec.startswith("placement") else (3, 2), 8)
    assert least <= case.value <= case.bound
    assert replay(playback_of(case.example.trace, Path("trace.json"))).exit_code == 1
    assert valid(worst_document(case), "worst-1")["worst"] == badness


@pytest.mark.slow
def test_it_is_the_same_for_a_seed_and_grows_with_the_size():
    gaps = [worst("range", "gap", (3, n)).value for n in (2, 4, 6)]
    assert gaps == sorted(set(gaps))
    assert worst("range", "gap", (3, 4))._replace(example=None) == worst("range", "gap", (3, 4))._replace(
        example=None
    )


@pytest.mark.slow
def test_what_a_small_group_shows_is_not_lost_in_a_larger_one():
    """The 3 x 3 of gap 2 is a part of each; from 4 x 6 on stairs are worse."""
    gaps = [worst("sticky", "gap", size, 4).value for size in ((3, 3), (4, 4), (4, 6), (5, 10))]
    assert gaps == sorted(gaps) and gaps[:3] == [2, 2, 4]


def test_the_optimum_s_own_rule_is_at_its_bound():
    assert worst("optimal-sticky", "gap", (3, 4), 30).value == 0


def test_rounds_and_moves_are_searched_for_too():
    assert worst("cooperative-sticky", "rounds", (3, 3), 30).value >= 2
    assert worst("range", "moves", (2, 3), 30).value >= 2


def test_no_group_of_the_small_size_is_worse():
    """Round robin within each topic is what range answers up to whom; the most uneven of all are as far apart."""
    loads = [
        spread_of_range(case).values() for past in (False, True) for case in starting_points(2, 3, pasts=past)
    ]
    assert worst("range", "spread", (2, 3)).value <= max(max(each) - min(each) for each in loads)


def test_targets_of_other_kinds_are_refused():
    with pytest.raises(InputError, match="expected any other: where a key goes is up to the key"):
        worst("partitioner:murmur2", "gap", (2, 2))
    with pytest.raises(InputError, match="means nothing of a placer, expected spread, leaders, gap"):
        worst("placement:striped", "rounds", (2, 2))
    with pytest.raises(InputError, match="range has no leaders"):
        worst("range", "leaders", (2, 2))
