"""A counterexample to one claim is put to the others: what it breaks does not hold."""

import pytest

from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.engines.runs.counterexamples import BrokenByAnother, least_of
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment
from kassay.model.kinds import Verdict

CLAIMS = ("members", "single-owner", "exists", "subscribed", "complete", "topic-even", "contiguous")


REPORTED = []
"""The progress of all runs, as it was reported."""


class WrongWithThree(AssignorBase):
    """Deals one by one; of three partitions in all it leaves one out.

    Of two members the second then has nothing. Of one alone the last is left, and a member that nobody knows
    is named.
    """

    name = "wrong-with-three"

    def assign(self, cluster, group):
        given = {m: list(tps) for m, tps in RoundRobin().assign(cluster, group).items()}
        if sum(map(len, given.values())) == 3:
            if len(given) == 2:
                given[min(given, key=lambda m: len(given[m]))].clear()
            elif len(given) == 1:
                given[group.members[0].member_id].pop()
                given["stranger"] = []
        return Assignment(given)


def results_of(histories, **options):
    target = resolve(f"{__name__}:{WrongWithThree.__name__}")
    options = {"claims": CLAIMS, "controls": False, **options}
    certificate = certify(target, RunOptions(budget=Budget(histories=histories), **options), REPORTED.append)
    return certificate, {result.id: result for result in certificate.claims}


@pytest.fixture(scope="module")
def run():
    return results_of(12)


@pytest.mark.slow
def test_a_claim_that_no_history_broke_is_broken_by_the_counterexample_to_another(run):
    certificate, results = run
    assert results["contiguous"].failed
    played = results_of(12, shrink=False)[1]
    assert played["contiguous"].verdict is Verdict.VIOLATED
    assert played["complete"].verdict is not Verdict.VIOLATED
    lost = results["complete"]
    assert (lost.verdict, lost.failed) == (Verdict.VIOLATED, 0)
    assert lost.why == "broken by the counterexample to contiguous, not in the 12 histories played"
    assert certificate.exit_code == 1


def test_its_own_counterexample_goes_on_from_there_and_is_put_to_all_in_turn(run):
    lost, named = (run[1][name].counterexample for name in ("complete", "members"))
    for each in (lost, named):
        assert (each.members, each.partitions, each.events) == (1, 3, 0)
        assert (each.trace.seed, each.trace.index) == (None, None)
    assert lost.message.startswith("complete: t0-2 ")
    assert named.message.startswith("members: The answer has an entry for stranger, ")
    assert run[1]["members"].why.startswith("broken by the counterexample to complete,")


def test_what_they_break_is_reported_as_broken_once_it_is_known(run):
    by_claim = {each.shrunk.id: each for each in REPORTED if each.shrunk is not None}
    assert by_claim["complete"].shrunk == run[1]["complete"]
    assert "complete" in by_claim["complete"].broken
    assert "complete" not in by_claim["contiguous"].broken
    assert by_claim["members"].findings == len(by_claim["members"].broken)


def test_claims_that_the_counterexamples_keep_are_as_they_were(run):
    results, played = run[1], results_of(12, shrink=False)[1]
    kept = ("single-owner", "exists", "subscribed")
    assert [results[name] for name in kept] == [played[name] for name in kept]
    assert not any(results[name].counterexample for name in kept)


def test_the_smallest_on_ordinary_input_stands_for_a_claim():
    small = BrokenByAnother("complete", True, (0, 1, 1), "members", "small, contradictory")
    large = BrokenByAnother("complete", False, (2, 3, 4), "contiguous", "large")
    ordinary = BrokenByAnother("complete", False, (0, 2, 3), "exists", "ordinary")
    other = BrokenByAnother("total", True, (9, 9, 9), "exists", "other")
    assert least_of([small, large, ordinary, other]) == {"complete": ordinary, "total": other}
    assert least_of([ordinary, small])["complete"] is ordinary


class WrongOnTies(AssignorBase):
    """Names a stranger where two members claim one partition, and where two share two."""

    name = "wrong-on-ties"

    def assign(self, cluster, group):
        given = dict(RoundRobin().assign(cluster, group).items())
        tied = any(owner is None for _, owner in group.reported_owners.values())
        two = len(given) == sum(map(len, given.values())) == 2
        return Assignment(given | {"stranger": ()} if tied or two else given)


def test_a_claim_broken_on_contradictory_input_alone_says_so_if_its_counterexample_is_on_ordinary_input():
    target = resolve(f"{__name__}:{WrongOnTies.__name__}")
    whys = []
    for shrink in (False, True):
        twelve = Budget(histories=12)
        options = RunOptions(budget=twelve, claims=("members",), controls=False, shrink=shrink)
        (named,) = certify(target, options).claims
        assert named.counterexample.trace.contradictory is not shrink
        whys.append(named.why)
    assert whys[0].endswith(" of 12 histories, on conflicting input only")
    assert whys[1] == f"{whys[0]}; made smaller, on ordinary input"
