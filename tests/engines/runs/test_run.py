"""The run: blocks that add up, verdicts, shrinking, controls."""

import pytest

from kassay.engines.diff.run import diff
from kassay.engines.runs import budgets, run
from kassay.engines.runs.blocks import Job
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.kinds.registry import driver_for
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Verdict


def test_an_unfinished_scope_is_unknown():
    options = RunOptions(
        claims=("topic-even",), exhaustive=(4, 8), budget=Budget(seconds=0.2), controls=False
    )
    certificate = certify(resolve("range"), options)
    assert certificate.claims[0].verdict is Verdict.UNKNOWN
    assert certificate.verdict == "unknown"


@pytest.mark.slow
def test_a_time_budget_is_kept():
    """The run ends by itself. Other environments and long lives may end early; playing uses its time."""
    options = RunOptions(budget=Budget(seconds=0.8), controls=False, shrink=False)
    target = resolve("range")
    certificate = certify(target, options)
    assert certificate.histories > 0
    assert certificate.elapsed_s >= 0.8 - budgets.reserved_seconds(Job(target, options))


@pytest.mark.slow
def test_a_class_that_no_claim_is_about_is_not_missing():
    """The claim is about equal subscriptions, and those of the class never are."""
    options = RunOptions(
        budget=Budget(histories=900), claims=("balanced-within-one",), controls=False, shrink=False
    )
    coverage = {each.id: each for each in certify(resolve("roundrobin"), options).coverage}
    joined = coverage["subscriptions joined to one text"]
    assert (joined.covered, joined.missing, len(joined.silent)) == ((), (), 4)
    assert all(not each.silent for name, each in coverage.items() if name.endswith(" names"))


def test_too_few_judgements_are_unknown_and_enough_hold():
    target = resolve("roundrobin")
    few, enough = (
        certify(
            target, RunOptions(budget=Budget(histories=n), claims=("single-owner",), controls=False)
        ).claims[0]
        for n in (3, 60)
    )
    assert (few.verdict, few.why) == (Verdict.UNKNOWN, f"{few.checked} checks passed, 50 needed")
    assert 0 < few.checked < 50
    assert enough.verdict is Verdict.HOLDS
    assert enough.why == f"{enough.checked} checks passed ({enough.judged} evaluated, the rest vacuous)"
    assert enough.checked < enough.judged, "of a group that reads nothing nothing can be given twice"


def test_a_situation_that_never_came_up_is_named():
    """Histories of one shape are not aimed at anything."""
    options = RunOptions(
        budget=Budget(histories=40), claims=("total",), profile="shape:range-idle", controls=False
    )
    total = certify(resolve("roundrobin"), options).claims[0]
    assert total.checked > 50
    assert (total.verdict, total.why) == (Verdict.UNKNOWN, "not reached: all-minus-one")


@pytest.mark.slow
def test_the_certified_optimum_judges_inside_a_run():
    options = RunOptions(
        budget=Budget(histories=150), claims=("balanced-optimal", "sticky-minimal"), controls=False
    )
    best = certify(resolve("optimal-sticky"), options)
    assert all(result.checked > 100 and not result.failed for result in best.claims)
    plain = {r.id: r.verdict for r in certify(resolve("roundrobin"), options).claims}
    assert plain["sticky-minimal"] is Verdict.VIOLATED


INTERRUPTED = """
class Interrupted:
    calls = 0

    def assign(self, partitions_per_topic, members):
        type(self).calls += 1
        if self.calls == 300:
            raise KeyboardInterrupt
        given = {m["id"]: [] for m in members}
        for topic, count in partitions_per_topic.items():
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            for p in range(count if readers else 0):
                given[readers[0]].append((topic, p))
        return given
"""


@pytest.fixture
def interrupted(tmp_path):
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    return resolve(str(tmp_path / "interrupted.py"), in_process=True)


@pytest.mark.parametrize("budget", [Budget(histories=10_000), Budget(seconds=100.0)])
def test_what_was_found_before_an_interrupt_is_told(interrupted, budget):
    options = RunOptions(claims=("balanced-within-one", "complete"), budget=budget, in_process=True)
    certificate = certify(interrupted, options)
    broken, complete = certificate.claims
    assert (certificate.verdict, certificate.exit_code) == ("not-certified", 1)
    assert broken.verdict is Verdict.VIOLATED
    assert broken.counterexample is not None
    assert (complete.verdict, complete.why) == (Verdict.UNKNOWN, "interrupted")
    assert complete.checked > 0
    assert 0 < certificate.histories < 300
    assert (certificate.interrupted, certificate.notes) == (True, ())
    assert certificate.controls["unknown"] > certificate.controls["of"] == 0


@pytest.mark.parametrize("exhaustive", [None, (3, 5)])
def test_an_interrupt_before_anything_is_broken_exits_130(interrupted, exhaustive):
    options = RunOptions(claims=("complete",), exhaustive=exhaustive, in_process=True)
    certificate = certify(interrupted, options)
    assert (certificate.verdict, certificate.exit_code) == ("unknown", 130)
    assert certificate.histories > 0
    assert certificate.to_json()["interrupted"] is True


@pytest.mark.slow
def test_an_interrupt_of_the_controls_keeps_what_was_found(monkeypatch):
    def ended(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "_controls", ended)
    options = RunOptions(claims=("topic-even",), budget=Budget(histories=60))
    certificate = certify(resolve("ceil-range"), options)
    assert (certificate.exit_code, certificate.histories) == (1, 60)
    assert certificate.interrupted


def test_a_scope_whose_next_case_is_far_away_ends_in_time(monkeypatch):
    def endless(*_):
        while True:
            pass
        yield

    monkeypatch.setattr(type(driver_for(CLIENT)), "scope", endless)
    options = RunOptions(claims=("complete",), budget=Budget(seconds=0.2), exhaustive=(2, 2), controls=False)
    done = certify(resolve("range"), options)
    assert (done.verdict, done.histories) == ("unknown", 0)


FIRST_TOPIC_LARGEST = """
class Mine:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        names = sorted(partitions_per_topic)
        for t in names:
            readers = sorted(m["id"] for m in members if t in m["topics"])
            for p in range(LIMIT if readers else 0):
                given[readers[p % len(readers)]].append((t, p))
        return given
"""
LIMITS = {
    "short.py": "min(partitions_per_topic[t], partitions_per_topic[names[0]])",
    "whole.py": "partitions_per_topic[t]",
}
"""Targets that differ where a later topic is larger than the first."""


@pytest.fixture
def written(tmp_path):
    """Both targets, by the names of their files."""
    for name, limit in LIMITS.items():
        (tmp_path / name).write_text(FIRST_TOPIC_LARGEST.replace("LIMIT", limit))
    return {name: resolve(f"{tmp_path / name}:Mine", in_process=True) for name in LIMITS}


def exhausted(target, scope, *claims, **options):
    """The certificate of a run that tries the scope to its end."""
    run_options = RunOptions(claims=claims, exhaustive=scope, budget=Budget(seconds=300), **options)
    return certify(target, run_options)


def test_a_scope_has_later_topics_that_are_larger(written):
    (complete,) = exhausted(written["short.py"], (1, 3), "complete", controls=False).claims
    assert complete.verdict is Verdict.VIOLATED
    cluster = complete.counterexample.trace.case["cluster"]
    assert [(topic["name"], topic["partitions"]) for topic in cluster["topics"]] == [("t0", 1), ("t1", 2)]
    report = diff(written["short.py"], written["whole.py"], RunOptions(exhaustive=(1, 3), budget=Budget()))
    assert (report.verdict, report.scope) == ("differ", "1x3")
    assert report.smallest.counts == {"members": 1, "partitions": 3, "events": 0}
    alike = diff(written["whole.py"], written["whole.py"], RunOptions(exhaustive=(1, 3), budget=Budget()))
    assert (alike.verdict, alike.cases) == ("alike", 2 * 346)


def test_a_scope_has_members_without_subscriptions():
    (subscribed,) = exhausted(resolve("sticky"), (2, 1), "subscribed", controls=False).claims
    assert subscribed.verdict is Verdict.VIOLATED
    joins = subscribed.counterexample.trace.case["changes"][0]
    assert (len(joins), subscribed.counterexample.partitions) == (2, 1)


def test_nothing_is_certified_that_needs_what_the_scope_leaves_out(written):
    done = exhausted(written["whole.py"], (2, 2), "complete", "members", "single-owner", controls=False)
    assert [(claim.id, claim.verdict) for claim in done.claims] == [
        ("complete", Verdict.UNKNOWN),
        ("members", Verdict.HOLDS),
        ("single-owner", Verdict.HOLDS),
    ]
    assert done.claims[0].why.startswith("needs later changes, which 2x2 leaves out")
    assert done.notes == (
        "2x2 is without racks, weights, static members, unknown topics, repeated topics, later changes",
    )
    assume = frozenset({"no-conflicting-claims"})
    done = exhausted(written["whole.py"], (2, 2), "complete", controls=False, assume=assume)
    assert done.verdict == "certified"
