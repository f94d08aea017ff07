"""Gaps, hunts and leaderboards as tables."""

from io import StringIO

import pytest
from rich.console import Console

from kassay.certify.optimum.gaps import Hunt, WorstFound, measure
from kassay.certify.optimum.rank import rank
from kassay.certify.runs.options import Budget
from kassay.certify.targets.resolve import resolve
from kassay.reading.documents import Located
from kassay.report.screen.gaps import gap_view, hunt_view, rank_view
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
    assert "again: kassay gap sticky --instances 'a b.json'" in text
    assert "no movement gap on the ladder" in text
    members = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("  m0")}
    for name, words in members.items():
        assert words[1:3] == ["t01", "t02"] or name != "m00"
        assert {str(tp) for tp in each.answer[name]} <= set(words)


def test_a_leaderboard_has_a_place_a_line_and_tells_what_is_broken():
    found = rank(
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
