"""What a placement request says of its brokers and of its first partition.

One call of a placer: an answer, a refusal or a failure, and the second looks at it.
"""

from itertools import product

import pytest

from kassay.model.calls import Failure, Look, Refusal
from kassay.model.cluster import Broker
from kassay.model.placement.request import (
    AdminOperationError,
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    PlacementRefusedError,
    PlacementRequest,
    PlacementStep,
    place,
)


@pytest.mark.parametrize("racks", list(product((None, "a"), repeat=2)))
@pytest.mark.parametrize("count", [0, 1, 2])
def test_racks_are_whole_partial_or_none(racks, count):
    request = PlacementRequest(1, 1, tuple(Broker(b, rack) for b, rack in enumerate(racks[:count])))
    whole = count > 0 and None not in racks[:count]
    none = not any(racks[:count])
    assert (request.has_racks, request.has_partial_racks) == (whole, not whole and not none)


def test_brokers_are_found_by_id_and_the_fenced_may_not_lead():
    brokers = (Broker(3), Broker(1, fenced=True), Broker(2))
    request = PlacementRequest(1, 1, brokers)
    assert request.by_id == {3: brokers[0], 1: brokers[1], 2: brokers[2]}
    assert request.unfenced == {2, 3}


@pytest.mark.parametrize(("start", "first"), [(-1, 2), (0, 0), (7, 7)])
def test_new_partitions_go_behind_the_existing_ones_unless_it_is_said(start, first):
    request = PlacementRequest(1, 1, (Broker(1),), existing=((1,), (1,)), start_partition_id=start)
    assert request.first_partition == first


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (InvalidPartitionsError, "InvalidPartitionsException"),
        (InvalidReplicationFactorError, "InvalidReplicationFactorException"),
        (AdminOperationError, "AdminOperationException"),
    ],
)
def test_refusals_have_kafkas_names(error, name):
    assert issubclass(error, PlacementRefusedError)
    assert error.java_class.rpartition(".")[2] == name


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
