"""One case put to two targets: the first difference, in either direction, by answer or by quality.

Two objects asked as one: both hear everything, the first one's answers happen, each in its own words.
"""

from dataclasses import replace

import pytest

from kassay.engines.diff.compare import By, Comparison, Lead, Notebook, Pairs, both, is_answer
from kassay.engines.runs.blocks import Job
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.calls import Failure, Refusal
from kassay.model.cluster import Cluster, Topic
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, ConnectRequest
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.history import History, Join
from kassay.model.groups.kinds import CLIENT
from kassay.model.java import JavaRandom
from kassay.model.placement.request import PlacementRefusedError

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


class Speaker:
    """Answers with what it was made to say, and keeps what it hears."""

    name = "speaker"

    def __init__(self, says, user_data=None):
        self.says, self.user_data, self.heard = says, user_data, []

    def assign(self, *arguments):
        self.heard.append(arguments)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says

    def configure(self, *arguments):
        return self.assign(*arguments)

    def subscription_user_data(self, topics):
        return self.user_data


def paired(lead, other, kind=CLIENT):
    notebook = Notebook("assign", own_words=driver_for(kind).own_words())
    return Pairs(lambda _: lead, lambda _: other, notebook)({}), notebook


def test_both_are_asked_and_the_first_one_answers():
    lead, other = Speaker("one"), Speaker("two")
    pair, notebook = paired(lead, other)
    assert pair.assign("input") == "one"
    assert lead.heard == other.heard == [("input",)]
    assert [tuple(each) for each in notebook.exchanges] == [("assign", ("input",), "one", "two")]
    assert pair.name == "speaker"
    assert getattr(pair, "mutated", None) is None


def test_what_the_first_one_raises_is_raised_and_what_the_other_one_raises_is_noted():
    pair, notebook = paired(Speaker(ValueError("no")), Speaker("two"))
    with pytest.raises(ValueError, match="no"):
        pair.assign()
    pair, second = paired(Speaker("one"), Speaker(PlacementRefusedError("no")))
    assert pair.assign() == "one"
    assert isinstance(notebook.exchanges[0].lead, Failure)
    assert notebook.exchanges[0].other == "two"
    assert second.exchanges[0].other == Refusal(PlacementRefusedError.java_class, "no")
    assert not is_answer(second.exchanges[0].other)


def test_another_call_is_noted_only_where_one_of_the_two_fails():
    pair, notebook = paired(Speaker("one"), Speaker("two"))
    pair.configure()
    assert notebook.exchanges == []
    pair, notebook = paired(Speaker("one"), Speaker(ValueError()))
    pair.configure()
    assert [each.method for each in notebook.exchanges] == ["configure"]


def test_an_object_that_only_one_of_the_two_can_make_is_noted():
    def unable(_):
        raise OSError("none")

    notebook = Notebook("assign")
    pair = Pairs(lambda _: Speaker("one"), unable, notebook)({})
    assert pair.assign() == "one"
    assert [(each.method, is_answer(each.other)) for each in notebook.exchanges] == [
        ("new", False),
        ("assign", False),
    ]


def test_user_data_of_members_is_in_the_words_of_each():
    lead, other = Speaker(Assignment({}), b"lead"), Speaker(Assignment({}), b"other")
    pair, _ = paired(lead, other)
    data = pair.subscription_user_data(("t",))
    member = Member("m", ("t",), user_data=data)
    cluster = Cluster((Topic("t", 1),))
    pair.assign(cluster, Group((member,)))
    assert lead.heard[0][1].members[0].user_data == b"lead"
    assert other.heard[0][1].members[0].user_data == b"other"


def test_random_numbers_that_one_draws_are_nobody_elses():
    class Draws(Speaker):
        def assign(self, random):
            return [random.next_int(1000) for _ in range(3)]

    pair, notebook = paired(Draws(None), Draws(None))
    pair.assign(JavaRandom(7))
    assert notebook.exchanges[0].lead == notebook.exchanges[0].other


def test_both_hands_the_answer_on():
    assert both(Notebook("assign"), "assign", (), lambda: 1, lambda: 2) == 1


def test_each_leader_of_connect_is_given_what_it_answered_that_it_remembers():
    lead, other = Speaker(ConnectAssignment({}, memory="l1")), Speaker(ConnectAssignment({}, memory="o1"))
    pair, _ = paired(lead, other, CONNECT)
    for memory in (None, "l1", "l1", None):
        pair.assign(ConnectRequest((), (), memory=memory))
    assert [request.memory for (request,) in lead.heard] == [None, "l1", "l1", None]
    assert [request.memory for (request,) in other.heard] == [None, "o1", "o1", None]
