"""Faulty placers: each breaks nothing where its fault has no occasion."""

import pytest

from kassay.assignors.placement.striped import Striped
from kassay.model.cluster import Broker
from kassay.model.java import JavaRandom
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest
from tests.kinds.caught import alone

CONTROLS = alone(PLACER)
FOUR = tuple(Broker(number) for number in range(4))


@pytest.mark.parametrize("name", ["settles-for-less", "lets-fenced-lead", "takes-partial-racks"])
def test_a_fault_without_its_occasion_places_as_kraft_does(name):
    (control,) = (each for each in CONTROLS if each.name == name)
    request = PlacementRequest(5, 3, FOUR)
    assert control.new({}).place(request, JavaRandom(4)) == Striped().place(request, JavaRandom(4))


def test_with_its_occasion_the_fault_is_the_one_that_is_named():
    placed = {
        control.name: control.new({}).place(PlacementRequest(2, 3, FOUR), JavaRandom(4))
        for control in CONTROLS
    }
    assert placed["numbers-brokers"] == placed["never-shifts"] == ((0, 1, 2), (1, 2, 3))
    (first, second) = placed["starts-at-the-first"]
    assert first == second
    assert placed["repeats-broker"][-1][-1] == placed["repeats-broker"][-1][0]
    less = next(c for c in CONTROLS if c.name == "settles-for-less").new({})
    assert {len(row) for row in less.place(PlacementRequest(2, 5, FOUR), JavaRandom(4))} == {4}
