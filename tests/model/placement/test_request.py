"""What a placement request says of its brokers and of its first partition."""

from itertools import product

import pytest

from kassay.model.cluster import Broker
from kassay.model.placement.request import (
    AdminOperationError,
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    PlacementRefusedError,
    PlacementRequest,
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
