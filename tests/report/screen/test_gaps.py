"""Gaps, hunts and leaderboards as tables.

Optima and proofs as tables: numbers shortened without a lie, every status counted.
"""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from kassay.engines.optimum.gaps import Hunt, WorstFound, measure
from kassay.engines.optimum.rank import rank
from kassay.engines.optimum.solve import line_of, solve
from kassay.engines.runs.options import Budget
from kassay.engines.targets.resolve import resolve
from kassay.reading.documents import Located
from kassay.report.screen.gaps import (
    assignment_view,
    gap_view,
    hunt_view,
    optimum_row,
    optimum_table,
    rank_view,
    runs,
)
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.results import as_group, gap
from kassay.solver.instances.brokers_and_tasks import placement
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import staircase

INSTANCES = [Located(consumer("join", seed, members=4, partitions=10), str(seed)) for seed in range(5)]
RAISES = "class A:\n    def assign(self, topics, members):\n        raise ValueError('no')\n"


def shown(view):
    console = Console(width=200, file=StringIO())
    console.print(view)
    return console.file.getvalue()


@pytest.fixture
def targets(tmp_path):
    (tmp_path / "raises.py").write_text(RAISES)
    return [
        resolve(spec, in_process=True) for spec in ("roundrobin", "optimal-sticky", f"{tmp_path}/raises.py")
    ]


def test_every_gap_has_a_row_and_failures_are_told_up_to_three(targets):
    other = Located(placement("create", 1, brokers=4, partitions=4), "b")
    measured = measure(targets, [*INSTANCES, other], "six", order=MOVEMENT_FIRST)
    text = shown(gap_view(measured))
    lines = text.splitlines()
    first, best, _ = measured.targets
    for each in (first, best):
        (start,) = (i for i, line in enumerate(lines) if line.startswith(f"{each.target.spec} "))
        for line, (name, spread) in zip(lines[start : start + 6], each.distributions.items(), strict=True):
            words = line.removeprefix(each.target.spec).split()
            assert words[0] == name
            assert int(words[1]) == (0 if spread is None else spread.judged)
    assert text.count("failed on A-join") == 3
    assert "raises.py failed on 2 more" in text
    assert "1 instances set aside: these targets do not answer them" in text
    assert f"{first.totals['moved']} moves (optimum {first.totals['optimal_moved']})" in text


def worst(steps):
    """What a member with everything but what only others read makes of the staircase."""
    problem = staircase(steps)
    target = resolve("sticky", in_process=True)
    with target.open() as host:
        cluster, group = as_group(problem)
        answer = host.new({}).assign(cluster, group)
    return WorstFound(gap(problem, answer), answer)


def test_a_hunt_shows_the_smallest_instance_and_how_to_see_it_again():
    each = worst(3)
    hunt = Hunt(resolve("sticky"), 7, {"balance": each}, {"balance": each}, [each], [], 9, True)
    text = shown(hunt_view(hunt, {"balance": "a b.json"}))
    assert "sticky: 9 instances to 4 members x 6 partitions, seed 7; the ladder ended" in text
    assert f"smallest instance with a balance gap: {each.gap.balance}; 3 members, 6 partitions" in text
    assert "worst balance gap met" not in text
    assert "again: kassay gap sticky --suite 'a b.json'" in text
    assert "no movement gap on the ladder" in text
    members = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("  m0")}
    for name, words in members.items():
        assert words[1:3] == ["t01", "t02"] or name != "m00"
        assert {str(tp) for tp in each.answer[name]} <= set(words)


@pytest.mark.slow
def test_a_leaderboard_has_a_place_a_line_and_tells_what_is_broken():
    _, found = rank(
        [resolve("range"), resolve("optimal-sticky")],
        INSTANCES[:2],
        "two",
        order=MOVEMENT_FIRST,
        budget=Budget(histories=20),
    )
    lines = shown(rank_view(found, "two instances", 7)).splitlines()
    for place, each in enumerate(found, start=1):
        words = lines[place].split()
        assert words[:2] == [str(place), each.spec]
        assert words[3:5] == ["no" if each.invalid else "yes", str(each.balance)]
    (broken,) = (line for line in lines if line.startswith("range breaks "))
    assert "balanced-optimal" in broken
    assert any(line.startswith("two instances, seed 7. ") for line in lines)
    assert not any(line.startswith("missing ") for line in lines)
    more = shown(rank_view(found, "two", 7, versions=True, missing={"acme:fair": "pip install acme"}))
    assert "missing acme:fair: pip install acme" in more.splitlines()


def spelled(text):
    """The numbers that a text without a gap stands for."""
    numbers = []
    for part in text.split():
        count, times, value = part.partition("x")
        numbers += [int(value)] * int(count) if times else [int(part)]
    return numbers


@given(st.lists(st.integers(0, 6)).map(sorted), st.integers(1, 9))
def test_runs_stand_for_their_numbers(numbers, most):
    text = runs(numbers, most)
    if "..." in text:
        start, end = (spelled(part) for part in text.split("..."))
        assert numbers[: len(start)] == start
        assert numbers[len(numbers) - len(end) :] == end
        assert len(text.split()) <= max(most, 2 * (most // 3 + 1)) + 1
    else:
        assert spelled(text) == numbers


def line(document, **options):
    return solve(Located(document, "here"), MOVEMENT_FIRST, **options)


def test_a_row_tells_the_optimum_or_why_there_is_none():
    found = line(consumer("join", 1, members=3, partitions=7))
    name, status, loads, moved, racks, value, _, proven = optimum_row(line_of(found))
    assert (name, str(status), loads, moved, racks) == (
        found["name"], "optimal", "2 2 3", found["moved"], found["rack_mismatch"]
    )  # fmt: skip
    assert value == found["upper"] == found["lower"]
    assert found["bound"].startswith(proven)
    none = optimum_row(line_of(line(placement("add", 1, brokers=4, partitions=4), solver="z3")))
    assert (str(none[1]), none[2:6]) == ("unknown", ("-",) * 4)
    assert "does not take placements" in none[-1]
    assert optimum_row(line_of(found | {"status": "interval", "lower": 3}))[5] == f"3..{found['upper']}"


def test_several_rows_are_counted_by_status():
    found = line(consumer("join", 1, members=3, partitions=7))
    results = [found, found, found | {"status": "unknown", "why": "x"}]
    rows = [optimum_row(line_of(each)) for each in results]
    assert shown(optimum_table(rows)).splitlines()[-1] == "3 instances: 2 optimal, 1 unknown"
    assert "instances:" not in shown(optimum_table(rows[:1]))


@pytest.mark.parametrize(("members", "short"), [(12, True), (13, False)])
def test_a_short_assignment_is_shown_member_by_member(members, short):
    found = line(consumer("join", 1, members=members, partitions=26))
    text = shown(assignment_view(line_of(found)))
    assert (text.strip() != "") is short
    if short:
        rows = [row.split() for row in text.splitlines()[1:]]
        assert [int(row[1]) for row in rows] == [len(row) - 2 for row in rows]
        assert sorted(int(row[1]) for row in rows) == found["loads"]
