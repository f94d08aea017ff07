"""One case put to two targets: the first difference, in either direction, by answer or by quality."""

from dataclasses import replace

import pytest

from kassay.certify.diff.compare import By, Comparison, Lead
from kassay.certify.runs.blocks import Job
from kassay.certify.runs.options import RunOptions
from kassay.certify.targets.resolve import resolve
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join

THREE = History(
    Cluster((Topic("a", 1), Topic("b", 1))),
    ((Join(Member("m0", ("a", "b"))), Join(Member("m1", ("a", "b")))),),
)
"""Two topics of one partition: `range` gives both to m0, `roundrobin` one to each."""


def compared(left, right, case, by=By.ANSWER, lead=Lead.LEFT, assume=frozenset()):
    targets = resolve(left), resolve(right)
    subjects = [replace(Subject(t.open().new, t.protocol, ()), assume=assume) for t in targets]
    return Comparison(driver_for(targets[0].kind), *subjects, (left, right), by, lead).compare(case)


@pytest.mark.parametrize("lead", Lead)
def test_the_first_difference_says_what_each_gives_to_whom(lead):
    seen = compared("range", "roundrobin", THREE, lead=lead)
    assert seen.inputs == 1
    assert [(line.subject, line.facts) for line in seen.lines] == [
        ("m0", {"range": ("a-0", "b-0"), "roundrobin": ("a-0",)}),
        ("m1", {"range": "nothing", "roundrobin": ("b-0",)}),
    ]
    assert not seen.contradictory


def test_quality_says_how_much_better_one_is():
    seen = compared("range", "roundrobin", THREE, by=By.QUALITY)
    assert [(line.subject, line.facts) for line in seen.lines] == [
        ("balance", {"range": ("2", "0"), "roundrobin": ("1", "1")})
    ]


def test_answers_that_are_as_good_do_not_differ_by_quality():
    other = History(Cluster((Topic("a", 4), Topic("b", 4))), THREE.changes)
    assert compared("range", "roundrobin", other).lines
    assert not compared("range", "roundrobin", other, by=By.QUALITY).lines


def test_a_history_goes_on_as_the_one_that_leads_answers():
    """What the two are asked after a difference in answers alone is the same for both, so that it compares."""
    job = Job(resolve("sticky"), RunOptions())
    inputs = dict.fromkeys(Lead, 0)
    for index in range(20):
        for lead in Lead:
            inputs[lead] += compared("sticky", "sticky", job.case(index), lead=lead).inputs
    assert inputs[Lead.LEFT] == inputs[Lead.RIGHT] > 20


def test_what_is_not_assumed_is_not_compared():
    case = History(THREE.cluster, ((Join(Member("m0", ("a",))), Join(Member("m1", ("a", "b")))),))
    assert compared("range", "roundrobin", case, assume=frozenset({"equal-subscriptions"})).inputs == 0
    assert compared("range", "roundrobin", case).inputs == 1


@pytest.mark.parametrize(
    ("left", "right", "method"),
    [
        ("placement:striped", "placement:rack-aware", "place"),
        ("streams-sticky", "streams-high-availability", "assign"),
    ],
)
@pytest.mark.parametrize("by", By)
def test_every_kind_is_compared(left, right, method, by):
    target = resolve(left)
    assert driver_for(target.kind).asks == method
    job = Job(target, RunOptions())
    seen = [compared(left, right, job.case(index), by) for index in range(30)]
    assert any(each.lines for each in seen)
    alike = [compared(left, left, job.case(index), by) for index in range(30)]
    assert not any(each.lines for each in alike)
    assert sum(each.inputs for each in alike) >= 30


@pytest.mark.parametrize("spec", ["plan:optimal", "partitioner:murmur2"])
def test_a_rule_is_like_itself(spec):
    job = Job(resolve(spec), RunOptions())
    seen = [compared(spec, spec, job.case(index)) for index in range(10)]
    assert not any(each.lines for each in seen)
    assert sum(each.inputs for each in seen) >= 10
