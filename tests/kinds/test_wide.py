"""Wide cases: each class comes up in its turn, is measured on the case, and is caught when it is a fault."""

from dataclasses import replace

import pytest

from kassay.kinds.registry import driver_for
from kassay.kinds.wide import (
    ATTEMPTS,
    IN_TURN,
    LARGE_FROM,
    MORE_NUMBERS,
    SIZED_EVERY,
    WidePlan,
    Widths,
    text_spaces,
    wide_case,
    widened,
)
from kassay.model.kinds import every_kind
from kassay.properties.sources import Seeded
from kassay.properties.wide.ranges import LARGE_COUNTS, WIDTHS

KINDS = [kind for kind in every_kind() if kind.certified]
TURNS = IN_TURN


def base(driver, profile):
    def generate(source, plan, attempt):
        wanted = driver.wide_profile(profile, plan.dimensions)
        if plan.sizes:
            return driver.sized(source, wanted, plan.sizes)
        return driver.generate(source, wanted)

    return generate


def profile_of(driver):
    from kassay.kinds.protocol import RunWishes

    return driver.profile(RunWishes("small", "", frozenset(), frozenset()))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_class_is_shown_within_a_few_hundred_cases(kind):
    driver = driver_for(kind)
    widths = Widths(driver, frozenset())
    shown = set()
    for turn in range(TURNS):
        shown.update(wide_case(widths, turn, turn, base(driver, profile_of(driver)))[1])
    expected = {(name, each) for name, classes in widths.expected().items() for each in classes}
    assert shown <= expected
    assert sorted(expected - shown) == []


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_nothing_is_wide_where_all_widths_are_excluded(kind):
    widths = Widths(driver_for(kind), frozenset(WIDTHS))
    assert not widths.anything
    assert widths.expected() == {}
    assert widths.plan(5) == WidePlan()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_turn_always_makes_the_same_case(kind):
    driver = driver_for(kind)
    widths = Widths(driver, frozenset())
    made = [wide_case(widths, 1, 77, base(driver, profile_of(driver))) for _ in range(2)]
    assert driver.form.write(made[0][0]) == driver.form.write(made[1][0])
    assert made[0][1] == made[1][1]


def test_renaming_keeps_the_case_but_for_its_names():
    driver = driver_for(next(kind for kind in KINDS if kind.name == "client"))
    widths = Widths(driver, frozenset())
    spaces = {space.id: space for space in widths.spaces}
    case = driver.generate(Seeded(5), profile_of(driver))
    dash = next(known for known in spaces["topic"].classes if known.id == "dash")
    wide, shown = widened(driver, WidePlan({"topic": dash}), case, Seeded(1))
    assert shown == (("topic names", "dash"),)
    assert all("-" in topic.name for topic in wide.cluster.topics)
    assert [t.partitions for t in wide.cluster.topics] == [t.partitions for t in case.cluster.topics]
    assert [j.member.member_id for j in wide.joins] == [j.member.member_id for j in case.joins]


def test_a_case_that_cannot_show_a_class_is_asked_for_again_and_then_not_counted():
    driver = driver_for(next(kind for kind in KINDS if kind.name == "client"))
    widths = Widths(driver, frozenset())
    asked = []

    def one_topic(source, plan, attempt):
        asked.append(attempt)
        return driver.sized(source, profile_of(driver), {"topics": 1})

    turn = next(t for t in range(200) if widths.plan(t).names.get("topic", None) is not None
                and widths.plan(t).names["topic"].id == "case" and not widths.plan(t).sizes)  # fmt: skip
    _, shown = wide_case(widths, turn, 3, one_topic)
    assert asked == list(range(ATTEMPTS))
    assert ("topic names", "case") not in shown


def test_spaces_of_text_come_from_the_shape():
    of = {kind.name: set(text_spaces(driver_for(kind).form.node)) for kind in KINDS}
    assert of["client"] == {"topic", "member", "rack", "instance"}
    assert of["connect"] >= {"worker", "connector"}


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_after_the_first_pass_classes_of_different_dimensions_meet_by_chance(kind):
    """No class stands beside the same one of another space each time it comes."""
    widths = Widths(driver_for(kind), frozenset())
    plans = [widths.plan(turn) for turn in range(IN_TURN, 3 * IN_TURN)]
    ids = [{number.id for number, _ in plan.numbers} for plan in plans]
    assert all(len(own) == min(len(widths.numbers), 1 + MORE_NUMBERS) for own in ids[1::2])
    names = [tuple(sorted((space, known.id) for space, known in plan.names.items())) for plan in plans]
    if len(widths.spaces) > 1:
        assert len(set(names)) > len(names) * 2 // 3
    assert [widths.plan(turn) for turn in (IN_TURN, IN_TURN + 1)] == plans[:2]


def test_a_number_and_a_size_are_shown_only_where_the_case_has_them():
    driver = driver_for(next(kind for kind in KINDS if kind.name == "client"))
    case = driver.sized(Seeded(1), profile_of(driver), {"members": 9})
    nothing = replace(driver.ranges[0], widen=lambda case, wanted, source: case, seen=lambda *_: False)
    plan = WidePlan(sizes={"members": 8}, numbers=((nothing, nothing.classes[0]),))
    assert widened(driver, plan, case, Seeded(1))[1] == ()
    assert widened(driver, WidePlan(sizes={"members": 9}), case, Seeded(1))[1] == (("members", "9"),)


def test_the_attempt_that_shows_most_is_kept():
    driver = driver_for(next(kind for kind in KINDS if kind.name == "client"))
    widths = Widths(driver, frozenset())
    turn = next(t for t in range(1, 200, 2) if {"topic", "member"} <= widths.plan(t).names.keys())

    def only_the_first_has_members(source, plan, attempt):
        return driver.sized(source, profile_of(driver), {"members": 1 if attempt else 3, "topics": 1})

    dashed = WidePlan({each.id: each.classes[4] for each in widths.spaces if each.id in ("topic", "member")})
    object.__setattr__(widths, "plan", lambda _: dashed)
    case, shown = wide_case(widths, turn, 3, only_the_first_has_members)
    assert len({join.member.member_id for join in case.joins}) >= 3
    assert dict(shown).keys() == {"member names"}


@pytest.mark.parametrize(
    ("assume", "gone"),
    [
        ("no-racks", {"rack names", "racks", "known racks"}),
        ("no-static", {"instance names", "static members"}),
        ("plain-numbers", {"weights", "generations"}),
        ("small-sizes", {"members", "topics"}),
    ],
)
def test_an_assumption_excludes_its_dimensions_and_no_names_of_topics(assume, gone):
    driver = driver_for(next(kind for kind in KINDS if kind.name == "client"))
    every, narrowed = (Widths(driver, frozenset(some)).expected() for some in ((), (assume,)))
    assert gone <= every.keys() - narrowed.keys()
    assert "topic names" in narrowed


def test_large_sizes_come_in_the_first_of_four_cycles_and_small_ones_in_each():
    widths = Widths(driver_for(next(kind for kind in KINDS if kind.name == "client")), frozenset())
    cycle = SIZED_EVERY * len(widths._sized)
    largest = [
        max(max(widths.plan(turn).sizes.values(), default=0) for turn in range(start, start + cycle))
        for start in range(0, 4 * cycle, cycle)
    ]
    assert largest == [1025, *[129] * 3]


def test_later_cycles_have_any_size_between_the_small_and_the_large_ones():
    widths = Widths(driver_for(next(kind for kind in KINDS if kind.name == "client")), frozenset())
    plans = [widths.plan(turn).sizes for turn in range(20 * SIZED_EVERY * len(widths._sized))]
    alone = {size for sizes in plans if len(sizes) == 1 for size in sizes.values()}
    between = alone - {*LARGE_COUNTS}
    assert min(between) >= 13
    assert max(between) <= LARGE_FROM
    assert len(between) > 60, "nearly every number comes"
