"""The run: blocks that add up, verdicts, shrinking, controls."""

from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings

from kassay.certify.faulty.registry import load_controls
from kassay.certify.kinds.exhaustive import scope_cases
from kassay.certify.kinds.judging import Subject
from kassay.certify.kinds.registry import driver_for
from kassay.certify.kinds.shrink_candidates import shrunk_histories
from kassay.certify.runs.blocks import Job, open_bench, play_block
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.run import certify
from kassay.certify.runs.shrink import broken, shrink
from kassay.certify.runs.verdicts import Candidate, ClaimCount, Tally, verdict_of
from kassay.certify.targets.resolve import resolve
from kassay.model.groups.history import History, Join
from kassay.model.kinds import Kind
from kassay.model.verdict import Verdict
from kassay.properties.groups.generator import Profile
from kassay.properties.registry import promise
from tests.strategies import histories


def tally_of(spec, *blocks, **options):
    job = Job(resolve(spec), RunOptions(budget=Budget(histories=1), **options))
    total = Tally()
    with open_bench(job) as bench:
        for start, stop in blocks:
            total.add(play_block(bench, start, stop))
    return total


def test_blocks_add_up_whatever_their_cut():
    whole = tally_of("ceil-range", (0, 120), claims=("topic-even", "complete"))
    parts = tally_of("ceil-range", (80, 120), (0, 37), (37, 80), claims=("topic-even", "complete"))
    assert whole == parts
    assert whole.counts["topic-even"].failed > 0
    assert whole.counts["complete"].failed == 0


# The one that breaks `deterministic` needs a second process; tests/cli/commands/test_certify.py counts it among the caught.
GROUP_CONTROLS = [c for c in load_controls() if c.kind is Kind.CLIENT and c.breaks != "deterministic"]


@pytest.mark.parametrize("control", GROUP_CONTROLS, ids=lambda control: control.name)
def test_every_control_is_caught_by_its_claim(control):
    found = promise(control.breaks, Kind.CLIENT)
    driver = driver_for(Kind.CLIENT)
    subject = Subject(control.new, control.protocol, (found,))
    job = Job(resolve("range"), RunOptions(budget=Budget(histories=1)))
    caught = next((i for i in range(600) if driver.examine(job.case(i), subject).violations), None)
    assert caught is not None
    small = shrink(driver, job.case(caught), subject, found)
    assert small is not None
    assert driver.size(small.case) <= driver.size(job.case(caught))
    assert broken(driver, small.case, subject, found)


def test_shrinking_is_deterministic_and_keeps_to_the_class_of_input():
    found = promise("topic-even", Kind.CLIENT)
    subject = Subject(resolve("ceil-range").open().new, resolve("ceil-range").protocol, (found,))
    driver = driver_for(Kind.CLIENT)
    job = Job(resolve("ceil-range"), RunOptions(budget=Budget(histories=1)))
    made = []
    for index in range(40):
        violations = broken(driver, job.case(index), subject, found)
        if violations:
            first = shrink(driver, job.case(index), subject, found)
            again = shrink(driver, job.case(index), subject, found)
            assert first.case == again.case
            assert first.violations[0].contradictory <= violations[0].contradictory
            made.append(driver.size(first.case)[:3])
    assert made
    assert set(made) == {(0, 3, 4)}


def test_a_case_that_breaks_nothing_does_not_shrink():
    found = promise("topic-even", Kind.CLIENT)
    target = resolve("range")
    case = Job(target, RunOptions()).case(0)
    assert (
        shrink(driver_for(Kind.CLIENT), case, Subject(target.open().new, target.protocol, (found,)), found)
        is None
    )


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(histories())
def test_candidates_for_a_smaller_history_are_histories(case):
    for smaller in islice(shrunk_histories(case), 200):
        assert isinstance(smaller, History)
        assert smaller.changes


def test_the_scope_holds_every_small_group():
    cases = list(scope_cases(Profile(), 2, 2))
    assert len({repr(case) for case in cases}) == len(cases)
    # One member, one partition: nobody or the member owned it. Counted by hand.
    smallest = [c for c in cases if c.size[1] == 1 and c.size[2] == 1]
    assert len(smallest) == 2
    assert all(isinstance(e, Join) for case in cases for change in case.changes for e in change)
    fresh = list(scope_cases(Profile(), 2, 2, pasts=False))
    assert len(fresh) < len(cases)
    assert all(not join.member.owned for case in fresh for join in case.joins)


def test_verdicts_need_enough_judgements_and_every_situation():
    found = promise("balanced-within-one", Kind.CLIENT)
    enough = found.claim.minimum
    tally = Tally(histories=9, counts={found.id: ClaimCount(checked=enough)})
    verdict, why = verdict_of(found, Kind.CLIENT, tally, frozenset())
    assert (verdict, "not reached" in why) == (Verdict.UNKNOWN, True)
    few = Tally(counts={found.id: ClaimCount(checked=enough - 1)})
    assert verdict_of(found, Kind.CLIENT, few, frozenset())[0] is Verdict.UNKNOWN
    assert verdict_of(found, Kind.CLIENT, Tally(), frozenset())[1] == "never judged"
    worst = Candidate(False, (0,), 3, {})
    bad = Tally(histories=9, counts={found.id: ClaimCount(checked=1, failed=1, worst=worst)})
    assert verdict_of(found, Kind.CLIENT, bad, frozenset())[0] is Verdict.VIOLATED
    assert verdict_of(found, Kind.CLIENT, few, frozenset(), exhaustive="2x2")[0] is Verdict.HOLDS


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
