"""The words for placers, by hand; other answers are placements on so many brokers each."""

import pytest

from kassay.kinds.placement.oracle import best_of_placement
from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest, PlacementStep
from kassay.properties.registry import Scope
from kassay.properties.sentences.claims import read_sentence
from kassay.properties.sentences.meaning import NOTHING
from kassay.properties.sentences.words.placements import PLACER_WORDS

BROKERS = (Broker(0, "x"), Broker(1, "x"), Broker(2, "y"), Broker(3, "y", fenced=True))
STEP = PlacementStep(PlacementRequest(2, 2, BROKERS, existing=((0, 1),)), ((0, 1), (2, 0)))


def says(text, scope=Scope.OUTCOME, things=(STEP,)):
    read = read_sentence(text, PLACER)
    assert read.scope is scope
    return read.says(PLACER_WORDS.scene(scope, things), NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "max(replicas) == 3 and min(replicas) == 1 and sum(replicas) == 6",
        "max(r: replicas(r)) == 5 and all p: replicas(p) == rf",
        "max(leaders) == 2 and min(leaders) == 0 and sum(r: leaders(r)) == partitions",
        "count(p: racks(p) == 2) == 1 and some p: some r: copies(p, r) == 2",
        "brokers == 3 and racks == 2 and partitions == 3 and existing == 1 and rf == 2",
        "max(r: brokers(r)) == 2",
        "all_racks and equal_racks and not no_racks and not no_existing and not no_fenced",
    ],
)
def test_measures(text):
    assert says(text)


def test_the_best_is_given():
    assert says("gap == 2 and leaders_gap == 2", Scope.OPTIMUM, (STEP, best_of_placement(STEP)))


def test_other_answers_are_placements():
    scenes = list(PLACER_WORDS.others(PLACER_WORDS.scene(Scope.OUTCOME, (STEP,))))
    assert len({scene.step.answer for scene in scenes}) > 3
    for scene in scenes:
        assert [len(set(row)) for row in scene.step.answer] == [2, 2]
        assert {broker for row in scene.step.answer for broker in row} <= STEP.request.unfenced
