"""One call of a placer: an answer, a refusal or a failure, and the second looks at it."""

from kassay.model.calls import Failure, Look, Refusal
from kassay.model.cluster import Broker
from kassay.model.placement.request import InvalidReplicationFactorError, PlacementRequest
from kassay.model.placement.step import PlacementStep, place

ASKED = PlacementRequest(2, 1, tuple(map(Broker, (1, 2, 3))), existing=((1,),))


class FirstListed:
    """Leads everything by whoever is listed first."""

    def place(self, request, random):
        return ((request.brokers[0].broker_id,),) * request.partitions


class Random:
    """Draws every leader."""

    def place(self, request, random):
        return tuple((random.next_int(1000),) for _ in range(request.partitions))


class Declines:
    def place(self, request, random):
        raise InvalidReplicationFactorError("too few")


class Breaks:
    def place(self, request, random):
        raise KeyError("rack")


def test_partitions_are_numbered_behind_the_existing_ones():
    step = place(FirstListed, ASKED)
    assert step.placed == ((1,), (1,))
    assert list(step.numbered()) == [(1, (1,)), (2, (1,))]


def test_loads_are_those_of_the_whole_topic_on_unfenced_brokers():
    brokers = (Broker(1), Broker(2, fenced=True), Broker(3), Broker(4))
    step = PlacementStep(PlacementRequest(2, 2, brokers, existing=((1, 2),)), ((3, 1), (2, 1)))
    assert step.topic == ((1, 2), (3, 1), (2, 1))
    assert step.replica_loads == {1: 3, 3: 1, 4: 0}
    assert step.leader_loads == {1: 1, 3: 1, 4: 0}


def test_a_refusal_is_an_answer_and_a_failure_is_none():
    declined, broken = place(Declines, ASKED), place(Breaks, ASKED)
    refusal = Refusal("org.apache.kafka.common.errors.InvalidReplicationFactorException", "too few")
    assert (declined.answer, declined.placed) == (refusal, None)
    assert isinstance(broken.answer, Failure)
    assert "KeyError: 'rack'" in broken.answer.message
    assert list(broken.numbered()) == []


def test_every_call_has_the_same_random_numbers_from_its_seed():
    assert place(Random, ASKED, 5).answer == place(Random, ASKED, 5).answer != place(Random, ASKED, 6).answer


def test_second_looks():
    step = place(FirstListed, ASKED, looks=tuple(Look), twin=Random)
    answers = {probe.look: probe.answer for probe in step.probes}
    assert answers[Look.AGAIN] == answers[Look.OTHER] == step.answer
    assert answers[Look.PERMUTED] == ((3,), (3,)), "the brokers are given backwards"
    assert answers[Look.PROCESS] != step.answer
