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
    certificate = certify(resolve("range"), RunOptions(budget=Budget(seconds=3.0)))
    assert certificate.elapsed_s < 6
    assert certificate.histories > 50


def test_the_certified_optimum_judges_inside_a_run():
    options = RunOptions(
        budget=Budget(histories=150), claims=("balanced-optimal", "sticky-minimal"), controls=False
    )
    best = certify(resolve("optimal-sticky"), options)
    assert all(result.checked > 100 and not result.failed for result in best.claims)
    plain = {r.id: r.verdict for r in certify(resolve("roundrobin"), options).claims}
    assert plain["sticky-minimal"] is Verdict.VIOLATED
