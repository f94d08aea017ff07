"""The one judge: what holds for targets of every kind alike."""

from dataclasses import replace

import pytest

from kassay.kinds.judging import Calls, Examination, Subject, judge
from kassay.kinds.registry import driver_for
from kassay.model.calls import Call, Failure, Look, Probe
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol, every_kind
from kassay.model.partitioners.partitioner import PartitionerBase
from kassay.model.placement.kinds import PLANNER
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.registry import Claim, Evidence, Scope, always, claim, one_of, validity_claims
from kassay.properties.sources import Seeded

CERTIFIED = list(every_kind())


def failing(kind):
    """A target, whatever it is asked, that ends in this way."""

    class Fails(AssignorBase, PartitionerBase):
        name = "fails"

        def _fail(self, *_):
            raise TargetFailure(kind, "no usable answer")

        assign = place = plan = partition = _fail

    return Fails


def broken_by(target_kind, failure_kind):
    driver, fails = driver_for(target_kind), failing(failure_kind)
    claims = tuple(validity_claims(target_kind))
    subject = Subject(lambda config: fails(), RebalanceProtocol.EAGER, claims)
    case = driver.generate(Seeded(4), GroupProfile(kind=target_kind))
    return {violation.claim for violation in driver.examine(case, subject).violations}


@pytest.mark.parametrize("kind", CERTIFIED, ids=str)
@pytest.mark.parametrize("failure", list(FailureKind), ids=str)
def test_a_call_ended_for_time_or_memory_breaks_terminates_and_any_other_failure_total(kind, failure):
    spent = failure in (FailureKind.TIMEOUT, FailureKind.MEMORY)
    assert broken_by(kind, failure) == {"terminates" if spent else "total"}


def claimed(claim_id, scope=Scope.STEP, **changes):
    changes = {"applies": None, "breakable": always, "parameter": None, **changes}
    claim = replace(validity_claims(PLANNER)[0].kind, id=claim_id, scope=scope, **changes)
    return Claim(replace(claim, predicate=lambda *things: iter([Evidence(str(things), {}, "It is.")])))


def examined(claim, *answers, outcomes=(), best=None):
    steps = tuple(Call(number, answer) for number, answer in enumerate(answers))
    seen = Examination()
    subject = Subject(dict, RebalanceProtocol.EAGER, (claim,))
    judge(Calls(steps, outcomes), subject, seen, lambda *_: best, outcomes)
    return seen


def judged(claim, *answers, **more):
    return examined(claim, *answers, **more).judged.get(claim.id, 0)


NO_ANSWER = Failure(FailureKind.RAISED, "oh")


def test_a_claim_is_judged_only_where_it_applies():
    even = claimed("replicas-distinct", applies=lambda step: step.request % 2 == 0)
    assert judged(even, "a", "b", "c") == 2


def test_every_judgement_runs_and_those_that_could_fail_count():
    even = claimed("replicas-distinct", breakable=lambda step: step.request % 2 == 0)
    seen = examined(even, "a", "b", "c")
    assert (seen.judged, seen.checked) == ({even.id: 3}, {even.id: 2})
    assert len(seen.violations) == 3, "evidence stands, whatever counts"
    never = examined(claimed("replicas-distinct", breakable=lambda step: False), "a")
    assert (never.judged, never.checked) == ({even.id: 1}, {})


def test_applies_and_breakable_are_asked_with_what_the_predicate_is_asked_with():
    things = []
    asked = dict.fromkeys(("applies", "breakable"), lambda *given: things.append(given) or True)
    best = claimed("plan-minimal", Scope.OPTIMUM, parameter=one_of("2"), **asked)
    seen = examined(best, "a", outcomes=("plan",), best=7)
    assert things == [("plan", 7, "2")] * 2
    assert seen.violations[0].evidence.subject == str(("plan", 7, "2"))


@pytest.mark.parametrize("look", Look)
def test_judgements_across_processes_are_counted_apart(look):
    found = claimed("deterministic", looks=frozenset(Look))
    seen = Examination()
    subject = Subject(dict, RebalanceProtocol.EAGER, (found,))
    steps = (Call(0, "a"), Call(1, "a", (Probe(look, "a"),)))
    judge(Calls(steps), subject, seen, lambda *_: None, ())
    assert seen.checked == {found.id: 2}
    assert seen.elsewhere == ({found.id: 1} if look is Look.PROCESS else {})
    unbreakable = claimed("deterministic", looks=frozenset(Look), breakable=lambda step: step.request == 0)
    seen = Examination()
    judge(Calls(steps), replace(subject, claims=(unbreakable,)), seen, lambda *_: None, ())
    assert (seen.checked, seen.elsewhere) == ({found.id: 1}, {})


def test_a_claim_says_where_it_can_be_broken_or_is_not_registered():
    with pytest.raises(TypeError, match="breakable"):
        claim("new", kinds=CLIENT, source="nobody", fix="be kind")


def test_calls_without_an_answer_are_for_the_claims_that_speak_of_them():
    assert judged(claimed("replicas-distinct"), "a", NO_ANSWER) == 1
    assert [judged(claimed(name), "a", NO_ANSWER) for name in ("total", "terminates")] == [2, 2]
    assert judged(claimed("stable", Scope.REBALANCE), "a", NO_ANSWER) == 0
    assert judged(claimed("stable", Scope.REBALANCE), NO_ANSWER, "a") == 1


def test_the_optimum_is_judged_where_it_is_known():
    fewest = claimed("plan-minimal", Scope.OPTIMUM)
    assert judged(fewest, "a", outcomes=("plan",), best=0) == 1
    assert judged(fewest, "a", outcomes=("plan",)) == 0


@pytest.mark.parametrize(("argument", "put"), [(None, "2"), ("3", "3")])
def test_the_argument_or_its_default_comes_last(argument, put):
    given = Claim(claimed("converges", parameter=one_of("2", "3")).kind, argument)
    assert examined(given, "a").violations[0].evidence.subject.endswith(f"'{put}')")
