"""KRaft's placer: stripes, fencing, refusals, and the random numbers in their order."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.placement.striped import Striped
from kassay.engines.vectors.check import read_vectors
from kassay.kinds.placement.vectors import PlacementVector
from kassay.model.cluster import Broker
from kassay.model.java import JavaRandom, Recorded
from kassay.model.placement.request import (
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    PlacementRefusedError,
    PlacementRequest,
    place,
)
from kassay.properties.placement.scenarios import PlacementProfile, request
from kassay.properties.sources import Drawn
from kassay.reading.values import read_as
from tests.paths import VECTORS


class Zeros:
    """A source that always draws 0, and notes the bounds."""

    def __init__(self):
        self.bounds = []

    def next_int(self, bound):
        self.bounds.append(bound)
        return 0


def nine(fenced=()):
    """Racks A, B, C with brokers 0-2, 10-12, 20-22."""
    return tuple(Broker(10 * r + i, "ABC"[r], 10 * r + i in fenced) for r in range(3) for i in range(3))


def test_the_documented_stripes():
    """Three racks of three brokers, all offsets 0: A0 B0 C0, then B1 C1 A1, then C2 A2 B2."""
    rows = Striped().place(PlacementRequest(3, 3, nine()), Zeros())
    assert rows == ((0, 10, 20), (11, 21, 1), (22, 2, 12))


def test_fenced_brokers_come_last_and_never_lead():
    rows = Striped().place(PlacementRequest(2, 4, nine(fenced=(0, 1, 2))), Zeros())
    # Rack A has only fenced brokers: the first rack with another leads, and A follows in its turn.
    assert rows == ((10, 0, 20, 1), (11, 21, 1, 12))


def test_the_draws_are_offsets_by_rack_then_the_first_rack_then_shuffles():
    brokers = (Broker(0, "a"), Broker(1, "a", fenced=True), Broker(2))
    zeros = Zeros()
    Striped().place(PlacementRequest(3, 1, brokers), zeros)
    # Broker 2 is in the rack without a name (hash 0), then a's fenced and unfenced list, then the racks;
    # two unfenced brokers make a lap, after which only the racks have an order to lose.
    assert zeros.bounds == [1, 1, 1, 2, 2]


def test_the_recorded_order_of_racks_decides_who_draws_first():
    brokers = (Broker(0, "a"), Broker(1, "b"), Broker(2, "b"))
    asked = PlacementRequest(1, 1, brokers, rack_order=("b", "a"))
    draws = Recorded([(2, 1), (1, 0), (2, 1)])
    assert Striped().place(asked, draws) == ((2,),)


@given(
    st.composite(lambda draw: request(Drawn(draw), PlacementProfile(too_few_brokers=False)))(),
    st.integers(0, 999),
)
def test_an_unfenced_broker_of_the_rack_is_taken_before_a_fenced_one(asked, seed):
    lap, last = len(asked.unfenced), {}
    for number, row in enumerate(place(Striped, asked, seed).placed):
        for broker in row:
            rack = asked.by_id[broker].rack
            left = {b.broker_id for b in asked.brokers if b.rack == rack and not b.fenced} - set(row)
            if broker not in asked.unfenced and left:
                # The rack's list ran out as many partitions into an earlier lap, and was not asked since.
                assert lap > 1
                assert (number - last[rack]) % lap == 0
        last |= {asked.by_id[broker].rack: number for broker in row}


def test_a_list_that_ran_out_stays_so_for_the_partition_a_lap_later_if_it_is_not_asked_before():
    brokers = tuple(Broker(i, f"r{i % 3}", fenced=i < 3 or i == 6) for i in range(7))
    rows = place(Striped, PlacementRequest(8, 2, brokers), 0).placed
    fenced = [(number, broker) for number, row in enumerate(rows) for broker in row if brokers[broker].fenced]
    assert fenced
    for number, broker in fenced:
        before = rows[number - 2 : number]
        assert not any(b % 3 == broker % 3 for row in before for b in row)
        assert any(b % 3 == broker % 3 for b in rows[number - 3])


@pytest.mark.parametrize(
    ("brokers", "factor", "message"),
    [
        ((Broker(0),), 0, "replication factor 0"),
        ((), 1, "none of the 0 brokers is unfenced"),
        ((Broker(0, fenced=True),), 1, "none of the 1 brokers is unfenced"),
        ((Broker(0), Broker(1)), 3, "there are only 2 brokers"),
        ((Broker(0, fenced=True),), 2, "is unfenced"),
    ],
)
def test_what_cannot_be_placed_is_refused_under_kafkas_name(brokers, factor, message):
    with pytest.raises(InvalidReplicationFactorError, match=message) as refused:
        Striped().place(PlacementRequest(1, factor, brokers), JavaRandom(0))
    assert refused.value.java_class == "org.apache.kafka.common.errors.InvalidReplicationFactorException"


def test_no_partitions_are_placed_and_fewer_refused():
    assert Striped().place(PlacementRequest(0, 1, (Broker(0),)), JavaRandom(0)) == ()
    with pytest.raises(InvalidPartitionsError):
        Striped().place(PlacementRequest(-1, 1, (Broker(0),)), JavaRandom(0))


def test_a_single_unfenced_broker_leads_everything():
    brokers = (Broker(0), Broker(1, fenced=True))
    assert Striped().place(PlacementRequest(5, 2, brokers), Zeros()) == ((0, 1),) * 5


class Noted:
    """Another source, and what it drew."""

    def __init__(self, random):
        self.random = random
        self.draws = []

    def next_int(self, bound):
        value = self.random.next_int(bound)
        self.draws.append([bound, value])
        return value


def test_the_seed_alone_gives_javas_random_numbers_and_placements():
    """Neither the recorded numbers nor the recorded order of racks is looked at."""
    seeded = 0
    vectors = read_vectors(VECTORS / "replicas-striped.json.gz").vectors
    for vector in vectors:
        seed = re.fullmatch(r"java\.util\.Random\((-?\d+)\)", vector["random_source"])
        if seed is None:
            continue
        seeded += 1
        bare = {key: value for key, value in vector.items() if key != "rack_iteration_order"}
        noted = Noted(JavaRandom(int(seed[1])))
        try:
            rows = Striped().place(read_as(PlacementVector, bare).request, noted)
        except PlacementRefusedError as refused:
            assert refused.java_class == vector["expected"]["error"]
        else:
            assert [[number, list(row)] for number, row in enumerate(rows)] == vector["expected"][
                "assignment"
            ]
        assert noted.draws == vector["random"]
    assert seeded > 200
