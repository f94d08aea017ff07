"""The run: blocks that add up, verdicts, shrinking, controls."""

from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.run import certify
from kassay.certify.targets.resolve import resolve
from kassay.model.verdict import Verdict


def test_an_unfinished_scope_is_unknown():
    options = RunOptions(
        claims=("topic-even",), exhaustive=(4, 8), budget=Budget(seconds=0.2), controls=False
    )
    certificate = certify(resolve("range"), options)
    assert certificate.claims[0].verdict is Verdict.UNKNOWN
    assert certificate.verdict == "unknown"


def test_a_time_budget_is_kept():
    """The run ends by itself, and not before its time is used as it says."""
    options = RunOptions(budget=Budget(seconds=0.8), controls=False, shrink=False)
    certificate = certify(resolve("range"), options)
    assert certificate.histories > 0
    assert certificate.elapsed_s >= 0.8


def test_too_few_judgements_are_unknown_and_enough_hold():
    target = resolve("roundrobin")
    few, enough = (
        certify(
            target, RunOptions(budget=Budget(histories=n), claims=("single-owner",), controls=False)
        ).claims[0]
        for n in (3, 60)
    )
    assert (few.verdict, few.why) == (Verdict.UNKNOWN, f"{few.checked} checks, 50 needed")
    assert 0 < few.checked < 50
    assert enough.verdict is Verdict.HOLDS
    assert enough.why == f"not refuted by {enough.checked} checks ({enough.judged} judgements in all)"
    assert enough.checked < enough.judged, "of a group that reads nothing nothing can be given twice"


def test_a_situation_that_never_came_up_is_named():
    options = RunOptions(budget=Budget(histories=60), claims=("total",), controls=False)
    total = certify(resolve("roundrobin"), options).claims[0]
    assert total.checked > 50
    assert (total.verdict, total.why) == (Verdict.UNKNOWN, "not reached: all-minus-one")


def test_the_certified_optimum_judges_inside_a_run():
    options = RunOptions(
        budget=Budget(histories=150), claims=("balanced-optimal", "sticky-minimal"), controls=False
    )
    best = certify(resolve("optimal-sticky"), options)
    assert all(result.checked > 100 and not result.failed for result in best.claims)
    plain = {r.id: r.verdict for r in certify(resolve("roundrobin"), options).claims}
    assert plain["sticky-minimal"] is Verdict.VIOLATED
