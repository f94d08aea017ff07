"""The words for planners, by hand; other answers are plans of moves that can be made."""

import pytest

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Move, Plan, PlanRequest, PlanStep
from kassay.properties.placement.plans import BestPlan
from kassay.properties.registry import Scope
from kassay.properties.sentences.claims import read_sentence
from kassay.properties.sentences.meaning import NOTHING
from kassay.properties.sentences.words.plans import PLAN_WORDS

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
BROKERS = (Broker(0, "x"), Broker(1, "x"), Broker(2, "y"), Broker(4, "y"))
REQUEST = PlanRequest(BROKERS, ((T0, (0, 1)), (T1, (0, 3))), 2)
MOVES = (Move(T0, None, 2), Move(T0, 1), Move(T1, 3, 1))
STEP = PlanStep(REQUEST, Plan(BROKERS, REQUEST.before, MOVES, 2))


def says(text, scope=Scope.OUTCOME, things=(STEP,)):
    read = read_sentence(text, PLANNER)
    assert read.scope is scope
    return read.says(PLAN_WORDS.scene(scope, things), NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "max(b: replicas(b)) == 2 and max(r: replicas(r)) == 3 and all p: replicas(p) == rf",
        "max(leaders) == 2 and max(p: racks(p)) == 2 and min(p: racks(p)) == 1",
        "max(most) == 3 and min(most) == 2 and min(fewest) == 2",
        "moves == 3 and copied == 2 and max(p: moves(p)) == 2 and max(b: copied(b)) == 1",
        "brokers == 4 and going == 1 and coming == 2 and racks == 2 and partitions == 2 and rf == 2",
        "not no_racks and all_racks and not no_going and not no_coming",
    ],
)
def test_measures(text):
    assert says(text)


def test_the_best_is_given():
    assert says("gap == 2 and best_copied == 3", Scope.OPTIMUM, (STEP, BestPlan((1, 1, 1, 1), 3)))


def test_other_answers_are_plans_of_moves_that_can_be_made():
    scenes = list(PLAN_WORDS.others(PLAN_WORDS.scene(Scope.OUTCOME, (STEP,))))
    assert len({scene.step.answer.moves for scene in scenes}) > 3
    for scene in scenes:
        for move, before, after in scene.step.answer.states():
            assert move.source is None or move.source in before
            assert len(set(after)) == len(after)
    ends = [scene.step.answer.after for scene in scenes]
    assert all(len(row) == 2 for end in ends for _, row in end)
