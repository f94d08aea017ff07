"""Walks at random: they end at their limit, never find that all holds, and what they find is a run."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from kassay.model.explore.random_walk import LIMIT, STEPS_MAX, random_walk
from kassay.model.explore.values import Action, Finding, Invariant, Severity, WalkLimits
from kassay.model.kinds import Verdict
from tests.model.explore.toys import Counter, Toy, act, chain

FORK = Toy(
    {0: [(act("on"), 1), (act("round"), 0)], 1: [(act("on"), 2), (act("back"), 0)], 2: [(act("on"), 3)]}
)


def never(bad, severity=Severity.REAL):
    def check(state):
        if state in bad:
            yield Finding(severity, f"{state} is bad")

    return Invariant("never", "Some states are never reached.", check=check)


def test_finding_nothing_proves_nothing():
    done = random_walk(chain(0, 1, 2), budget=WalkLimits(3))
    assert (done.limit, done.verdict, done.liveness) == (LIMIT, Verdict.UNKNOWN, None)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_found_is_a_run_and_as_short_as_can_be(seed):
    (found,) = random_walk(FORK, [never({3})], seed=seed, budget=WalkLimits(50)).violations
    assert (found.message, found.length) == ("3 is bad", 3)
    for before, step in pairwise(found.trace):
        assert (step.action, step.state) in FORK.steps(before.state)


@dataclass
class Tree(Toy):
    """Forks for ever: no two ways lead to one state."""

    arrows: dict = field(default_factory=dict)

    def steps(self, state):
        return [(act("left"), 2 * state + 1), (act("right"), 2 * state + 2)]


def test_a_seed_walks_the_same_way_again_and_another_seed_another_way():
    one, two, other = (random_walk(Tree(), seed=seed, budget=WalkLimits(STEPS_MAX)) for seed in (5, 5, 6))
    assert one.graph.states == two.graph.states != other.graph.states


def test_a_seed_finds_the_same_runs_again():
    one, two = (
        random_walk(FORK, [never({2}, Severity.ZOMBIE)], seed=5, budget=WalkLimits(4)) for _ in range(2)
    )
    assert [v.trace for v in one.violations] == [v.trace for v in two.violations]


def test_a_world_smaller_than_the_budget_is_left_once_nothing_new_is_met():
    done = random_walk(chain(0, 1, 2), budget=WalkLimits(4))
    assert (sorted(done.graph.states), done.verdict) == ([0, 1, 2], Verdict.UNKNOWN)


def test_a_walk_without_end_stops_at_its_limit():
    done = random_walk(Counter({}), budget=WalkLimits(30))
    assert len(done.graph.states) == 30


def test_the_last_step_of_a_walk_is_judged_like_the_first():
    longest = chain(*range(STEPS_MAX + 2))
    (found,) = random_walk(longest, [never({STEPS_MAX})], budget=WalkLimits(STEPS_MAX + 1)).violations
    assert (found.length, found.trace[-1].state) == (STEPS_MAX, STEPS_MAX)
    (start,) = random_walk(longest, [never({0}, Severity.ZOMBIE)], budget=WalkLimits(2)).violations
    assert start.seen == 1


def test_a_walk_tells_what_it_asked():
    silent = Invariant("silent", "", check=lambda state: None)
    done = random_walk(FORK, [never({9}), silent], seed=3, budget=WalkLimits(4))
    assert done.checked == {"never"}


def test_a_step_is_judged_by_both_its_ends():
    def check_step(before, after):
        if (before, after) == (1, 0):
            yield Finding(Severity.REAL, "back")

    back = Invariant("forward", "Nothing goes back.", check_step=check_step)
    (found,) = random_walk(FORK, [back], seed=1, budget=WalkLimits(50)).violations
    assert [step.action for step in found.trace[1:]] == [Action("a", "on"), Action("a", "back")]
