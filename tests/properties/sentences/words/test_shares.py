"""The words for share groups, by hand; other answers are answers that a group could have had."""

import pytest

from kassay.kinds.groups.oracle import best_of_share_group
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import SHARE
from kassay.model.groups.step import Rebalanced, ShareStep
from kassay.properties.registry import Scope, validity_claims
from kassay.properties.sentences.claims import read_sentence
from kassay.properties.sentences.meaning import NOTHING
from kassay.properties.sentences.words.shares import SHARE_WORDS


def tps(text):
    return tuple(TopicPartition(each[0], int(each[1:])) for each in text.split())


CLUSTER = Cluster((Topic("a", 3), Topic("b", 1), Topic("c", 4)))
GROUP = Group(
    (Member("m0", ("a",), tps("a0 a1")), Member("m1", ("a", "b"), tps("a0")), Member("m2", ("b",))),
    assignable=frozenset(tps("a0 a1 b0")),
)
STEP = ShareStep(CLUSTER, GROUP, Assignment({"m0": tps("a0"), "m1": tps("a0 a1 b0"), "m2": tps("b0")}), 4)


def says(text, scope=Scope.OUTCOME, things=(STEP,)):
    read = read_sentence(text, SHARE)
    assert read.scope is scope
    return read.says(SHARE_WORDS.scene(scope, things), NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "max(load) == 3 and min(load) == 1 and copies == 5",
        "max(sharing) == 2 and min(sharing) == 1 and count(p: sharing(p) == 2) == 2",
        "some m: some t: share(t, m) == 2",
        "max(spread) == 1 and min(spread) == 0",
        "members == 3 and topics == 2 and partitions == 3 and withheld == 1 and owned == 3",
        "max(t: partitions(t)) == 2 and max(readers) == 2 and max(reads) == 2",
        "taken_back == 1",
        "not even and not no_withheld and not equal_subscriptions and no_unknown_topics",
    ],
)
def test_measures(text):
    assert says(text)


def test_the_best_is_given():
    best = best_of_share_group(CLUSTER, GROUP)
    assert says("taken_back >= best_taken_back", Scope.OPTIMUM, (STEP, best))


def test_rounds_leave_out_the_one_that_shows_the_rest():
    rest = Rebalanced(0, (), (STEP, STEP), settled=True, revocations=1)
    assert says("rounds == 1", Scope.REBALANCE, (rest,))


def test_other_answers_are_valid():
    scenes = list(SHARE_WORDS.others(SHARE_WORDS.scene(Scope.OUTCOME, (STEP,))))
    assert len({tuple(sorted(scene.step.answer.items())) for scene in scenes}) > 3
    for scene in scenes:
        for claim in validity_claims(SHARE):
            if claim.kind.scope is Scope.STEP and not claim.kind.looks:
                assert list(claim.kind.predicate(scene.step)) == []
