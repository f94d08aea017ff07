"""Wide histories of groups: every size is reached exactly, every value of a range is seen, all are legal."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.kinds.registry import driver_for
from kassay.model.groups.kinds import CLIENT, GROUPS, SERVER, SHARE
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.wide import EACH_MAX, SIZES, STATIC, ranges_of
from kassay.properties.sources import Seeded

SMALL = {size.id: size.small for size in SIZES}


def written(driver, history):
    return driver.form.read(driver.form.write(history), "case")


@pytest.mark.parametrize("kind", GROUPS, ids=str)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.id)
def test_a_size_is_reached_exactly_and_nothing_else_is_large(kind, size):
    driver = driver_for(kind)
    for number in (*size.small, *size.large):
        history = driver.sized(Seeded(number), GroupProfile(kind=kind), {size.id: number})
        assert size.count(history) == number
        partitions = sum(topic.partitions for topic in history.cluster.topics)
        members = len(history.joins)
        assert members * partitions <= max(EACH_MAX * (EACH_MAX + 3), 40 * 1025)
        if number <= 17:
            assert written(driver, history) == history


@given(
    st.fixed_dictionaries({name: st.sampled_from(sizes) for name, sizes in SMALL.items()}), st.integers(0, 99)
)
def test_middling_sizes_go_together(sizes, seed):
    driver = driver_for(CLIENT)
    history = driver.sized(Seeded(seed), GroupProfile(), sizes)
    assert {size.id: size.count(history) for size in SIZES} == sizes


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_every_value_of_every_range_can_be_seen(kind):
    driver = driver_for(kind)
    profile = GroupProfile(kind=kind)
    for each in driver.ranges:
        for wanted in each.classes:
            seen = 0
            for seed in range(12):
                history = driver.generate(Seeded(seed), profile)
                wide = each.widen(history, wanted, Seeded(seed))
                assert written(driver, wide) == wide, (each.id, wanted)
                seen += each.seen(wide, wanted)
            assert seen, (each.id, wanted)


def test_kinds_see_what_their_interface_has():
    of = {kind: {each.id for each in ranges_of(kind)} for kind in GROUPS}
    assert {"weights", "lives of topics", "static members"} <= of[CLIENT]
    assert "targets after a migration" in of[SERVER] - of[CLIENT]
    assert STATIC.id not in of[SHARE]


def test_server_members_are_static_in_wide_histories_only():
    driver = driver_for(SERVER)
    plain = GroupProfile(kind=SERVER)
    wide = driver.wide_profile(plain, frozenset({"instance"}))
    for seed in range(30):
        static = [join.member.instance_id for join in driver.generate(Seeded(seed), plain).joins]
        assert not any(static)
    assert any(
        join.member.instance_id for seed in range(30) for join in driver.generate(Seeded(seed), wide).joins
    )
    excluded = replace(wide, assume=frozenset({"no-static"}))
    assert not any(
        join.member.instance_id
        for seed in range(30)
        for join in driver.generate(Seeded(seed), excluded).joins
    )
