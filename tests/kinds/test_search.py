"""What searches share: a measure of the claim language, how far it is apart, and the least squares."""

from kassay.kinds.search import apart, least_squares, measured
from kassay.model.cluster import Broker
from kassay.model.placement.request import PlacementRequest, PlacementStep
from kassay.properties.sentences.words.placements import PLACER_WORDS, PlacementScene

SCENE = PlacementScene(PlacementStep(PlacementRequest(2, 1, (Broker(0), Broker(1))), ((0,), (0,))))


def test_a_measure_is_read_off_a_scene_or_a_thing_in_it():
    assert measured(PLACER_WORDS, "rf", SCENE) == 1
    assert measured(PLACER_WORDS, "leaders", SCENE, 0) == 2
    assert apart(PLACER_WORDS, "leaders", SCENE, "brokers") == 2


def test_even_shares_have_the_least_squares():
    assert [least_squares(total, 3) for total in range(5)] == [0, 1, 2, 3, 6]
