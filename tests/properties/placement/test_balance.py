"""Even loads, held against a best that is worked out by trying everything."""

from itertools import combinations, product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kassay.assignors.placement.striped import Striped
from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest, PlacementStep, place
from kassay.properties.placement.balance import BestPlacement, gap, leaders_even, replicas_even
from kassay.properties.placement.replicas import rack_rule
from kassay.properties.placement.scenarios import PlacementProfile, request
from kassay.properties.registry import load_claims
from kassay.properties.sources import Drawn
from tests.mutants.placers import FavoursFirst, Sound

TINY = PlacementProfile(brokers_max=4, partitions_max=3, fenced=False, too_few_brokers=False)
requests = st.composite(lambda draw: request(Drawn(draw), TINY))()


def best(asked: PlacementRequest) -> BestPlacement:
    """All sets of brokers for all partitions, and all leaders."""
    racks = {b.broker_id: b.rack for b in asked.brokers}
    rule = rack_rule(asked.brokers, asked.replication_factor)
    sets = [
        some
        for some in combinations([b.broker_id for b in asked.brokers], asked.replication_factor)
        if not asked.has_racks or not rule.broken_by(some, racks)
    ]
    chosen = product(sets, repeat=asked.partitions)
    replicas = (PlacementStep(asked, rows).replica_loads.values() for rows in chosen)
    led = product(sorted(asked.unfenced), repeat=asked.partitions)
    leaders = (PlacementStep(asked, tuple((one,) for one in row)).leader_loads.values() for row in led)
    return BestPlacement(_evenest(replicas), _evenest(leaders))


def _evenest(all_loads):
    return min((tuple(sorted(loads)) for loads in all_loads), key=lambda loads: sum(x * x for x in loads))


@settings(max_examples=40, deadline=None)
@given(asked=requests)
def test_only_what_is_less_even_than_the_best_is_evidence(asked):
    assume(asked.partitions <= 3 and not asked.has_partial_racks)
    certified = best(asked)
    step = place(Sound, asked)
    for loads, wanted, found in (
        (step.replica_loads, certified.replicas, list(replicas_even(step, certified))),
        (step.leader_loads, certified.leaders, list(leaders_even(step, certified))),
    ):
        worse = gap(loads.values(), wanted)
        assert worse >= 0
        assert bool(found) == (worse > 0)


def test_a_placer_that_favours_a_broker_is_found():
    asked = PlacementRequest(4, 2, tuple(Broker(i) for i in range(4)))
    even = BestPlacement((2, 2, 2, 2), (1, 1, 1, 1))
    assert (
        list(replicas_even(place(Sound, asked), even)) == list(leaders_even(place(Sound, asked), even)) == []
    )
    faulty = place(FavoursFirst, asked)
    (found,) = leaders_even(faulty, even)
    assert found.facts == {"are": {0: 4, 1: 0, 2: 0, 3: 0}, "could be": (1, 1, 1, 1), "squares too many": 12}
    (found,) = replicas_even(faulty, even)
    assert found.facts["squares too many"] == 16


def test_existing_partitions_count():
    """Broker 0 leads one partition; a second one for it is not even, although each call by itself is."""
    asked = PlacementRequest(1, 1, (Broker(0), Broker(1), Broker(2)), existing=((0,), (1,)))
    assert list(leaders_even(PlacementStep(asked, ((2,),)), BestPlacement((1, 1, 1), (1, 1, 1)))) == []
    (found,) = leaders_even(PlacementStep(asked, ((0,),)), BestPlacement((1, 1, 1), (1, 1, 1)))
    assert found.facts["are"] == {0: 2, 1: 1, 2: 0}


def test_a_placer_may_leave_fenced_brokers_empty():
    asked = PlacementRequest(4, 1, (Broker(0), Broker(1), Broker(2, fenced=True)))
    even = BestPlacement((2, 2), (2, 2))
    assert list(replicas_even(PlacementStep(asked, ((0,), (1,), (0,), (1,))), even)) == []
    (found,) = replicas_even(PlacementStep(asked, ((0,),) * 4), even)
    assert found.facts["are"] == {0: 4, 1: 0}


def test_replicas_are_not_judged_where_fenced_brokers_are_used():
    """The one that may lead holds every partition: no other placement is as good and less even."""
    brokers = (Broker(0), Broker(1, fenced=True), Broker(2, fenced=True))
    asked = PlacementRequest(4, 2, brokers)
    step = PlacementStep(asked, ((0, 1), (0, 2), (0, 1), (0, 2)))
    assert list(replicas_even(step, BestPlacement(None, (4,)))) == []
    lopsided = PlacementStep(PlacementRequest(2, 1, brokers[:2]), ((1,), (1,)))
    assert list(replicas_even(lopsided, BestPlacement((2,), (2,)))) == []


def test_the_striped_placer_evens_racks_not_brokers():
    """KAFKA-15354: the lone broker of its rack leads every other partition."""
    racks = ("a", "a", "a", "b")
    asked = PlacementRequest(4, 1, tuple(Broker(i, rack) for i, rack in enumerate(racks)))
    (found,) = leaders_even(place(Striped, asked, 1), BestPlacement((1, 1, 1, 1), (1, 1, 1, 1)))
    assert found.facts["are"][3] == 2


def test_leaders_that_cannot_be_less_even_than_the_best_prove_nothing():
    asked = PlacementRequest(2, 1, (Broker(0), Broker(1)))
    step = PlacementStep(asked, ((0,), (0,)))
    breakable = load_claims()[PLACER, "leaders-even"].breakable
    assert breakable(step, BestPlacement((1, 1), (1, 1)))
    assert not breakable(step, BestPlacement((2, 0), (2, 0)))
