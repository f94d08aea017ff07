"""Placers in the plain form: what they are given, what they may answer, and how they fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.plain import PlainPlacer, plain_request, refusals
from kassay.model.cluster import Broker
from kassay.model.errors import FailureKind, TargetFailure, failed
from kassay.model.java import JavaRandom
from kassay.model.placement.request import PlacementRefusedError, PlacementRequest, place
from kassay.properties.placement.scenarios import request
from kassay.properties.sources import Drawn

BROKERS = (Broker(4, "a"), Broker(2, None, fenced=True))
ASKED = PlacementRequest(2, 1, BROKERS)


class Answering:
    """Answers what it was made with, or raises it, and notes what it was given."""

    def __init__(self, answer):
        self.answer = answer

    def place(self, *arguments, **keywords):
        self.given = arguments, keywords
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def ask(answer, asked=ASKED):
    return PlainPlacer(Answering(answer)).place(asked, JavaRandom(0))


def test_it_is_given_dicts_and_lists():
    target = Answering([[4], [4]])
    assert PlainPlacer(target).place(ASKED, JavaRandom(0)) == ((4,), (4,))
    brokers = [{"id": 4, "rack": "a", "fenced": False}, {"id": 2, "rack": None, "fenced": True}]
    assert target.given == ((2, 1, brokers), {})


def test_existing_partitions_are_passed_where_there_are_some():
    target = Answering([[4]])
    PlainPlacer(target).place(PlacementRequest(1, 1, BROKERS, existing=((2,), (4,))), JavaRandom(0))
    assert target.given[1] == {"existing": [[2], [4]]}


@given(st.composite(lambda draw: request(Drawn(draw)))())
def test_every_call_gets_a_copy_of_its_own(asked):
    first, second = plain_request(asked), plain_request(asked)
    assert first == second
    assert first["brokers"] is not second["brokers"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "answer is None, expected a list of replica lists, as in [[0, 1], [1, 2]]"),
        ({0: [4]}, "answer is {0: [4]} (dict), expected a list of replica lists, as in [[0, 1], [1, 2]]"),
        ([4], "answer[0] is 4 (int), expected a list of broker ids, as in [0, 1]"),
        ([[4], ["2"]], "answer[1] has the broker '2' (str), expected an int"),
        ([[4], [True]], "answer[1] has the broker True (bool), expected an int"),
        ([[4.0]], "answer[0] has the broker 4.0 (float), expected an int"),
    ],
)
def test_an_answer_of_another_form_is_told_in_one_line(answer, message):
    with pytest.raises(TargetFailure) as malformed:
        ask(answer)
    assert (malformed.value.kind, str(malformed.value)) == (FailureKind.MALFORMED, message)


def test_a_value_error_is_a_refusal_and_nothing_else_is():
    with pytest.raises(PlacementRefusedError, match="not enough brokers"):
        ask(ValueError("not enough\nbrokers"))
    with pytest.raises(PlacementRefusedError, match="refused without a reason"):
        ask(ValueError())
    for error in (IndexError("list index"), SystemExit(3)):
        with pytest.raises(TargetFailure, match=type(error).__name__) as failure:
            ask(error)
        assert failure.value.kind is FailureKind.RAISED
    with pytest.raises(KeyboardInterrupt):
        ask(KeyboardInterrupt())


def test_a_refusal_is_known_from_the_failure_of_another_process_too():
    with pytest.raises(PlacementRefusedError, match="too few"), refusals():
        raise failed(ValueError("too few"), "place")
    for failure in (failed(IndexError("x"), "place"), TargetFailure(FailureKind.TIMEOUT, "2 s")):
        with pytest.raises(TargetFailure) as left, refusals():
            raise failure
        assert left.value is failure


def test_a_call_that_changes_its_input_is_caught():
    class Sorting:
        def place(self, num_partitions, replication_factor, brokers, existing=None):
            brokers.sort(key=lambda broker: broker["id"])
            if existing:
                existing[0].append(9)
            return [[brokers[0]["id"]]] * num_partitions

    step = place(lambda: PlainPlacer(Sorting()), ASKED)
    assert step.mutated == "brokers[0]['id'] was 4 (int) and is 2 (int)"
    grown = PlacementRequest(1, 1, (Broker(0),), existing=((0,),))
    assert place(lambda: PlainPlacer(Sorting()), grown).mutated.startswith("existing[0] was [0]")
    assert place(lambda: PlainPlacer(Answering([[4], [4]])), ASKED).mutated is None
