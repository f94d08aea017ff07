"""Walks by several processes: counts, verdicts and lengths of one; what is killed or fails is said."""

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.explore.parallel.walk import explore_by
from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from tests.model.explore.parallel.crews import INVARIANTS, RING, broken, explored_by, ring
from tests.model.explore.toys import graphs


def shown(done):
    live = done.liveness
    stuck = live and (len(live.dead_ends), sorted(len(s.trace) for s in live.livelocks), live.hopeless)
    violations = [(v.invariant, v.severity, v.length, v.seen) for v in done.violations]
    return done.states, done.edges, done.diameter, done.verdict, sorted(violations), stuck, done.asked


@given(graphs(), st.integers(1, 4), st.integers(0, 7))
def test_a_walk_by_shards_comes_to_what_one_comes_to(toy, count, alone_most):
    done, _ = explored_by(toy, count, alone_most=alone_most)
    assert shown(done) == shown(explore(toy, INVARIANTS))
    for violation in done.violations:
        for before, step in zip(violation.trace, violation.trace[1:]):
            assert (step.action, step.state) in toy.steps(before.state)


@pytest.mark.slow
def test_processes_come_to_the_same_and_say_how_it_goes():
    for alone_most in (0, 20, 100):
        seen = []
        done = explore_by(2, ring(), ring, progress=seen.append, alone_most=alone_most)
        assert shown(done) == shown(explore(RING, INVARIANTS))
        assert seen[-1].states == done.states


def test_the_first_violation_ends_a_walk_where_that_is_asked():
    assert explored_by(RING, 2, WalkLimits(stop_at_first=True))[0].limit == "first violation"
    assert explored_by(RING, 2, WalkLimits(time_s=0.0))[0].limit == "time"


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (WalkLimits(stop_at_first=True), "first violation"),
        (WalkLimits(time_s=0.0), "time"),
        (WalkLimits(20), "states"),
    ],
)
def test_limits_hold_for_what_one_process_walks_alone(limits, limit):
    done = explore_by(2, ring(), ring, budget=limits, alone_most=20)
    assert (done.limit, done.liveness) == (limit, None)
    assert done.states < 60


def test_what_a_process_raises_is_raised_here():
    with pytest.raises(ValueError, match="no such ring"):
        explore_by(2, ring(), broken, alone_most=0)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_is_said_in_one_line():
    with pytest.raises(InputError, match="a process of the walk was killed"):
        explore_by(2, ring(), killed, alone_most=0)
