"""From counts to verdicts."""

import pytest

from kassay.certify.runs.verdicts import Candidate, ClaimCount, Tally, verdict_of
from kassay.model.kinds import Kind
from kassay.model.verdict import Verdict
from kassay.properties.registry import promise, situations_of

BALANCED = promise("balanced-within-one", Kind.CLIENT)
ENOUGH = BALANCED.claim.minimum
REQUIRED = [
    name for s in situations_of(Kind.CLIENT) if BALANCED.claim.id in s.required_by for name in s.names
]


def judged(times, reached=REQUIRED, **counts):
    """The verdict on `BALANCED` with its reason, after so many judgements and these situations."""
    count = ClaimCount(checked=times, **counts)
    tally = Tally(histories=9, counts={BALANCED.id: count}, reached=dict.fromkeys(reached, 1))
    return verdict_of(BALANCED, Kind.CLIENT, tally, frozenset())


def test_enough_judgements_and_every_situation_hold():
    assert judged(ENOUGH) == (Verdict.HOLDS, f"not refuted by {ENOUGH} checks")


def test_one_judgement_too_few_is_unknown():
    assert judged(ENOUGH - 1) == (Verdict.UNKNOWN, f"judged {ENOUGH - 1} times, {ENOUGH} needed")


@pytest.mark.parametrize("part", REQUIRED)
def test_one_part_of_a_situation_that_never_came_up_is_unknown(part):
    rest = [name for name in REQUIRED if name != part]
    assert judged(ENOUGH, rest) == (Verdict.UNKNOWN, f"not reached: {part}")


def test_many_parts_that_never_came_up_are_counted():
    first = ", ".join(REQUIRED[:4])
    assert judged(ENOUGH, ()) == (
        Verdict.UNKNOWN,
        f"not reached: {first} and {len(REQUIRED) - 4} more",
    )


def test_what_was_never_judged_is_unknown():
    assert verdict_of(BALANCED, Kind.CLIENT, Tally(), frozenset()) == (Verdict.UNKNOWN, "never judged")


def test_one_failure_is_a_violation_and_says_on_which_input():
    worst = Candidate(False, (0,), 3, {})
    assert judged(1, failed=1, worst=worst) == (Verdict.VIOLATED, "broken in 1 of 9 histories")
    assert judged(1, failed=1, contradictory=1, worst=worst) == (
        Verdict.VIOLATED,
        "broken in 1 of 9 histories, on contradictory input only",
    )


def test_a_scope_tried_to_its_end_needs_no_minimum():
    few = Tally(counts={BALANCED.id: ClaimCount(checked=1)})
    assert verdict_of(BALANCED, Kind.CLIENT, few, frozenset(), exhaustive="2x2") == (
        Verdict.HOLDS,
        "not refuted by any input to 2x2 (1 checks)",
    )
