"""Two objects asked as one: both hear everything, the first one's answers happen, each in its own words."""

import pytest

from kassay.certify.diff.pair import Notebook, Pairs, both, is_answer
from kassay.kinds.registry import driver_for
from kassay.model.calls import Failure, Refusal
from kassay.model.cluster import Cluster, Topic
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, ConnectRequest
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.java.randomness import JavaRandom
from kassay.model.placement.request import PlacementRefusedError


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
