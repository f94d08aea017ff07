"""A group at each number of members: what is safe, what the optimum moves, the busiest by lag."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.clusters.scale import counts_of, scale, usual_most, with_members
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.report.screen.clusters import meaning_of
from tests.cli.runner import valid
from tests.engines.clusters.cluster import observed, offsets

TWELVE = observed(offsets({"a": [f"t-{p}" for p in range(6)], "b": [f"t-{p}" for p in range(6, 12)]}))


def safe(answer):
    return [each.members for each in answer.counts if each.is_safe]


def test_range_is_even_at_every_count_of_one_topic_and_idle_beyond_its_partitions():
    answer = scale(TWELVE, resolve("range"), 14, extra_moves=100)
    assert safe(answer) == list(range(2, 13))  # a single member is none for a group of two
    assert [len(each.assignor.loads.idle) for each in answer.counts[-2:]] == [1, 2]
    few = scale(TWELVE, resolve("range"), 14, extra_moves=2)
    assert set(safe(few)) < set(safe(answer))
    valid(few.to_json(), "scale-1")


def test_over_three_topics_range_is_even_where_the_count_divides_them():
    owned = {"a": [f"{topic}-{p}" for topic in "tuv" for p in range(12)]}
    answer = scale(observed(offsets(owned)), resolve("range"), 12, extra_moves=100)
    assert safe(answer) == [2, 3, 4, 6, 12]  # a single member is never safe, even for a group of one


def test_the_optimum_never_spreads_or_moves_more():
    for spec in ("range", "roundrobin", "cooperative-sticky"):
        for each in scale(TWELVE, resolve(spec), 8).counts:
            assert each.optimum.loads.spread <= each.assignor.loads.spread
            assert each.optimum.moved <= each.assignor.moved or each.assignor.loads.spread > 1


def test_of_a_large_group_some_counts_are_evaluated_and_all_near_to_todays(monkeypatch):
    assert list(counts_of(TWELVE, 14)) == [*range(1, 15)]
    owned = {f"m{n:03d}": [f"t-{n * 20 + p}" for p in range(20)] for n in range(100)}
    group = observed(offsets(owned))
    monkeypatch.setattr("kassay.engines.clusters.scale.WORK", 400_000)
    chosen = counts_of(group, 200)
    assert {1, 200, *range(95, 106)} <= {*chosen}
    assert len(chosen) <= 400_000 // (5 * 2_100)
    apart = [after / before for before, after in pairwise(chosen) if before >= 10]
    assert max(apart) < 1.4, "no wide gap"
    answer = scale(group, resolve("range"), 200)
    assert [each.members for each in answer.counts] == chosen
    assert answer.left_out == 200 - len(chosen)
    assert f"{answer.left_out} counts, the more the further" in meaning_of(answer)
    valid(answer.to_json(), "scale-1")


def test_fewer_are_the_first_and_more_are_newcomers():
    assert [m.member_id for m in with_members(TWELVE, 1).group.members] == ["a"]
    grown = with_members(TWELVE, 4).group.members
    assert [m.member_id for m in grown] == ["a", "b", "c-a-new-1", "c-a-new-2"]
    (one,) = scale(TWELVE, resolve("sticky"), 1).counts
    assert (one.assignor.moved, one.assignor.orphaned) == (0, 6)
    assert usual_most(TWELVE) == 4


def test_by_lag_the_busiest_stands_beside_what_any_assignment_could_do():
    lags = {TopicPartition("t", 0): 100, TopicPartition("t", 1): 60, TopicPartition("t", 2): 40}
    one, two, three = scale(TWELVE, resolve("range"), 3, lags=lags, seconds=60).counts
    assert (one.lag.most, one.lag.least_bound) == (200, 200)
    assert (two.lag.most, two.lag.member) == (200, "a")
    assert (two.lag.least_bound, two.lag.least_found, two.lag.is_exact) == (100, 100, True)
    assert three.lag.least_bound == 100


BAD = "class Bad:\n    def assign(self, partitions_per_topic, members):\n        return {'z': [('t', 0)]}\n"


def test_a_count_at_which_nothing_is_answered_is_told(tmp_path):
    (tmp_path / "bad.py").write_text(BAD)
    answer = scale(TWELVE, resolve(str(tmp_path / "bad.py"), in_process=True), 2)
    assert [each.failure for each in answer.failed] == [
        "switch: assigns partitions to 'z', which is not in the group"
    ] * 2
    assert safe(answer) == []
    valid(answer.to_json(), "scale-1")


@pytest.mark.parametrize("spec", ["uniform", "sticky"])
def test_what_moves_is_what_left_a_member_who_stays(spec):
    for each in scale(TWELVE, resolve(spec), 4).counts:
        assert each.assignor.moved + each.assignor.orphaned <= 12


def test_a_count_is_useful_where_the_busiest_member_gets_lighter():
    """126 partitions: 16 and 17 members both leave 8 to the busiest, 18 leave 7."""
    group = observed(offsets({"a": [f"t-{p}" for p in range(63)], "b": [f"t-{p}" for p in range(63, 126)]}))
    answer = scale(group, resolve("range"), 18, extra_moves=126)
    useful = [each.members for each in answer.counts if each.is_useful]
    assert useful[-3:] == [14, 16, 18] and 1 not in useful
    assert answer.to_json()["useful"] == useful


@given(st.integers(2, 40), st.integers(1, 12))
def test_steps_cover_every_count_and_each_begins_where_the_busiest_gets_lighter(partitions, most):
    group = observed(offsets({"a": [f"t-{p}" for p in range(partitions)]}))
    answer = scale(group, resolve("roundrobin"), most, extra_moves=partitions)
    steps = answer.steps
    assert [n for each in steps for n in range(each.first, each.last + 1)] == list(range(1, most + 1))
    assert [each.first for each in steps[1:]] == [each.members for each in answer.counts if each.is_useful]
    loads = [each.most for each in steps]
    assert loads == sorted(set(loads), reverse=True)
    for each in steps:  # one topic in turn: nobody has more than its share
        assert each.most == -(-partitions // each.first) == -(-partitions // each.last)


@given(st.integers(2, 6), st.integers(1, 4))
def test_a_safe_count_is_never_one_member_nor_more_than_twice_the_load_of_today(members, share):
    group = observed(offsets({f"m{m}": [f"t-{m * share + p}" for p in range(share)] for m in range(members)}))
    for each in scale(group, resolve("range"), members, extra_moves=100).counts:
        if each.is_safe:
            assert each.members > 1 and each.assignor.loads.most <= 2 * share


def test_what_depends_on_the_ids_of_newcomers_is_a_range_and_safe_only_at_its_worst():
    group = observed(offsets({"a": [f"t-{p}" for p in range(6)], "b": [f"t-{p}" for p in range(6, 12)]}))
    for spec, depends in (("range", True), ("cooperative-sticky", False)):
        three = scale(group, resolve(spec), 3, extra_moves=2).counts[2]
        moved = three.assignor.range_of("moved")
        assert (moved.least < moved.most) is depends
        assert three.is_safe is (moved.most <= three.limits.moves)
