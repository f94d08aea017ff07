"""What a walk gives: an invariant's findings in their order, and the verdict over everything that was found."""

from itertools import product

import pytest

from kassay.model.explore.graph import Graph
from kassay.model.explore.values import (
    Exploration,
    Finding,
    Invariant,
    InvariantViolation,
    Liveness,
    Severity,
    Stuck,
    WalkStep,
)
from kassay.model.verdict import Verdict

AT_REST = WalkStep(None, 0)
STUCK = Stuck((AT_REST,), 1)


def finding(text):
    return Finding(Severity.REAL, text)


def test_an_invariant_says_what_is_wrong_with_the_state_and_then_with_the_step():
    invariant = Invariant(
        "grows",
        "never falls",
        check=lambda state: [finding(f"at {state}")] if state < 0 else [],
        check_step=lambda before, after: [finding(f"{before} to {after}")] if after < before else [],
        relevant=lambda before, after: before != 9,
    )
    assert list(invariant.judge(3, -1)) == [finding("at -1"), finding("3 to -1")]
    assert list(invariant.judge(None, -1)) == [finding("at -1")]
    assert list(invariant.judge(9, 2)) == [], "no look at both ends lets it"
    assert list(invariant.judge(1, 2)) == []


def test_an_invariant_of_one_sort_says_nothing_of_the_other():
    assert list(Invariant("s", "", check=lambda state: [finding("s")]).judge(1, 2)) == [finding("s")]
    steps = Invariant("t", "", check_step=lambda before, after: [finding("t")])
    assert (list(steps.judge(None, 2)), list(steps.judge(1, 2))) == ([], [finding("t")])


def explored(severities, liveness, limit):
    violations = tuple(InvariantViolation("i", "c", s, "m", (AT_REST,), 1) for s in severities)
    return Exploration(Graph(), violations, liveness, limit, 0.0)


EVERY_OUTCOME = product(
    [(), (Severity.ZOMBIE, Severity.BY_DESIGN), (Severity.ZOMBIE, Severity.REAL)],
    [None, Liveness((), (), 0), Liveness((STUCK,), (), 0), Liveness((), (STUCK,), 0), Liveness((), (), 0, 2)],
    [None, "states"],
)


@pytest.mark.parametrize(("severities", "liveness", "limit"), list(EVERY_OUTCOME))
def test_only_a_whole_walk_without_real_findings_holds(severities, liveness, limit):
    verdict = explored(severities, liveness, limit).verdict
    stuck = liveness is not None and bool(liveness.dead_ends or liveness.livelocks)
    if Severity.REAL in severities or stuck:
        assert verdict is Verdict.VIOLATED
    elif liveness == Liveness((), (), 0) and limit is None:
        assert verdict is Verdict.HOLDS
    else:
        assert verdict is Verdict.UNKNOWN


def test_lengths_count_actions():
    assert InvariantViolation("i", "c", Severity.REAL, "m", (AT_REST,) * 4, 1).length == 3
    assert explored((), None, None).diameter == 0
