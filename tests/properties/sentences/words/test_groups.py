"""The words for consumer groups, by hand; other answers are answers that a group could have had."""

import pytest

from kassay.kinds.groups.oracle import best_of_group
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.registry import Scope, validity_claims
from kassay.properties.sentences.claims import read_sentence
from kassay.properties.sentences.meaning import NOTHING
from kassay.properties.sentences.words.groups import GROUP_WORDS


def tps(text):
    return tuple(TopicPartition(each[0], int(each[1:])) for each in text.split())


CLUSTER = Cluster(
    (
        Topic("a", 3, ((0,), (0,), (1,)), (5, 1, 1)),
        Topic("b", 1),
        Topic("c", 4),
    ),
    (Broker(0, "x"), Broker(1, "y")),
)
GROUP = Group(
    (
        Member("m0", ("a",), tps("a0 a1"), 3, rack="x"),
        Member("m1", ("a", "b"), tps("a2 b0"), 3, rack="y"),
        Member("m2", ("b",)),
    )
)
STEP = Step(CLUSTER, GROUP, Assignment({"m0": tps("a0 a2"), "m1": tps("a1"), "m2": tps("b0")}), 4)


def says(text, scope=Scope.OUTCOME, things=(STEP,)):
    read = read_sentence(text, CLIENT)
    assert read.scope is scope
    return read.says(GROUP_WORDS.scene(scope, things), NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "max(load) == 2 and min(load) == 1 and sum(load) == 4",
        "max(weight) == 6 and sum(weight) == 8",
        "members == 3 and topics == 2 and partitions == 4 and racks == 2 and owned == 4",
        "all t: partitions(t) <= 3 and readers(t) == 2",
        "max(spread) == 1 and max(reads) == 2",
        "some t: some m: share(t, m) == 2",
        "moved == 3 and sum(lost) == 3 and max(lost) == 2",
        "away == 2",
        "max(r: load(r)) == 2",
        "not equal_subscriptions and not no_racks and no_static and no_conflicting_claims",
    ],
)
def test_measures(text):
    assert says(text)


def test_the_best_is_given():
    things = (STEP, best_of_group(STEP, "balance,movement,rack"))
    text = "gap == 0 and best_max == 2 and best_min == 1 and best_moved == 1 and best_away <= 4"
    assert says(text, Scope.OPTIMUM, things)


def test_rounds_leave_out_the_one_that_shows_the_rest():
    rest = Rebalanced(0, (), (STEP, STEP, STEP), settled=True, revocations=1)
    assert says("rounds == 2 and revocations == 1", Scope.REBALANCE, (rest,))
    restless = Rebalanced(0, (), (STEP,) * 9, settled=False, revocations=1)
    assert says("rounds == 9", Scope.REBALANCE, (restless,))


def test_other_answers_are_valid():
    scenes = list(GROUP_WORDS.others(GROUP_WORDS.scene(Scope.OUTCOME, (STEP,))))
    assert len({tuple(sorted(scene.step.answer.items())) for scene in scenes}) > 3
    for scene in scenes:
        for claim in validity_claims(CLIENT):
            if claim.kind.scope is Scope.STEP and not claim.kind.looks:
                assert list(claim.kind.predicate(scene.step)) == []
