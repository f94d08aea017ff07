"""What is known of an answer: each fact says what it says of itself, and nothing is taken over that is not so."""

from collections import Counter
from dataclasses import replace

import pytest

from kassay.assignors.groups.client.cooperative_sticky import CooperativeSticky
from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.sticky import Sticky
from kassay.kinds.groups.controls.consumers import (
    CountsToTheEnd,
    DealsToAll,
    GivesOneTwice,
    LosesLast,
    NamesAStranger,
)
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.metrics import AssignmentFacts
from kassay.model.groups.player import Player
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.sources import Seeded
from tests.assignors.groups.client.groups import tps

EAGER = (Range, Sticky, GivesOneTwice, LosesLast, NamesAStranger, DealsToAll, CountsToTheEnd)
RULES = [(rule, RebalanceProtocol.EAGER) for rule in EAGER]
RULES.append((CooperativeSticky, RebalanceProtocol.COOPERATIVE))
HISTORIES = 12


def steps_of(rule, protocol):
    for seed in range(HISTORIES):
        player = Player(lambda _: rule(), protocol, confirm=True)
        for rebalanced in player.play(history(Seeded(seed), GroupProfile())):
            yield from (step for step in rebalanced.steps if not isinstance(step.answer, Failure))


@pytest.mark.parametrize(("rule", "protocol"), RULES, ids=[rule.__name__ for rule, _ in RULES])
def test_every_fact_is_what_its_sentence_says(rule, protocol):
    for step in steps_of(rule, protocol):
        counts, readers, facts = step.cluster.counts, step.group.subscribers, step.facts
        given = [(tp, member_id) for member_id, listed in step.answer.items() for tp in listed]
        taken = Counter(tp for tp, _ in given)
        read = {tp for topic in readers if topic in counts for tp in step.cluster.partitions[topic]}
        once = not taken or max(taken.values()) == 1
        assert facts.owners.keys() == taken.keys() == step.given_out
        assert facts.is_given_once == once
        assert facts.left == len(read - taken.keys())
        assert facts.is_of_read_topics == (taken.keys() <= read)
        assert facts.is_sound == (
            once and taken.keys() <= read and all(member_id in readers[tp.topic] for tp, member_id in given)
        )
        assert facts.is_whole == (facts.is_sound and read == taken.keys())
        assert facts.loads == {m.member_id: len(step.answer.get(m.member_id, ())) for m in step.group.members}


@pytest.mark.parametrize(("rule", "protocol"), RULES, ids=[rule.__name__ for rule, _ in RULES])
def test_what_is_known_of_the_answer_before_changes_no_fact(rule, protocol):
    repeated = held = 0
    for step in steps_of(rule, protocol):
        alone = replace(step, held=None)
        assert step.contradictory == alone.contradictory
        for fact in (
            "owners",
            "by_number",
            "left",
            "is_given_once",
            "is_of_read_topics",
            "is_sound",
            "loads",
        ):
            assert getattr(step.facts, fact) == getattr(alone.facts, fact)
        repeated += step.facts.repeats
        claiming = [member for member in step.group.members if member.owned]
        held += step.held is not None and len(step.held.with_other_ownership(step.cluster, claiming)) < len(
            claiming
        )
    assert repeated
    # Of an answer that is not sound nothing is taken for granted.
    assert held or rule in {GivesOneTwice, NamesAStranger, DealsToAll, CountsToTheEnd}


CLUSTER = Cluster.of({"t": 2, "u": 1})
GIVEN = Assignment({"a": tps("t-0"), "b": tps("t-1 u-0")})


def joined(a=None, b=None):
    """The group that owns what it was given, but for these values of its members."""
    first = Member("a", ("t",), GIVEN["a"], 4)
    second = Member("b", ("t", "u"), GIVEN["b"], 4)
    return Group((first._replace(**(a or {})), second._replace(**(b or {}))))


def test_what_was_dealt_is_held_by_who_owns_just_that_and_still_may():
    group = joined()
    facts = AssignmentFacts(CLUSTER, group, GIVEN)
    for cluster in (CLUSTER, Cluster.of({"t": 3, "u": 1})):
        assert not facts.with_other_ownership(cluster, group.members)
    assert not facts.with_other_ownership(CLUSTER, group.members[:1])
    assert facts.with_other_ownership(Cluster.of({"t": 2}), group.members) == group.members
    for changed in ({"member_id": "c"}, {"topics": ("u",)}, {"owned": tps("t-1")}):
        first = group.members[0]._replace(**changed)
        assert facts.with_other_ownership(CLUSTER, (first, group.members[1])) == [first]


@pytest.mark.parametrize(
    ("owned", "twice"), [("t-0", False), ("t-1", True), ("t-0 u-0", True), ("t-7", False), ("t-0 t-0", True)]
)
def test_a_claim_beside_what_was_dealt_is_of_two_where_another_still_claims_it(owned, twice):
    facts = AssignmentFacts(CLUSTER, joined(), GIVEN)
    members = joined(a={"owned": tps(owned)}).members
    assert facts.is_owned_by_two(members, members[:1]) is twice


def test_what_a_member_was_dealt_that_claims_anew_is_free_for_others():
    facts = AssignmentFacts(CLUSTER, joined(), GIVEN)
    swapped = joined(a={"owned": GIVEN["b"]}, b={"owned": GIVEN["a"]}).members
    assert not facts.is_owned_by_two(swapped, swapped)


def test_an_answer_in_another_order_is_the_same_again_and_no_other_is():
    facts = AssignmentFacts(CLUSTER, joined(), GIVEN)
    turned = Assignment({"a": tps("t-0"), "b": tps("u-0 t-1")})
    assert facts.then(CLUSTER, joined(), GIVEN).repeats
    assert facts.then(CLUSTER, joined(), turned).repeats
    assert facts.then(CLUSTER, joined(), turned).given is turned
    assert not facts.then(CLUSTER, joined(), Assignment({"a": tps("t-1"), "b": tps("t-0 u-0")})).repeats
    assert not facts.then(CLUSTER, joined(), Assignment({"a": tps("t-0"), "b": tps("t-1")})).repeats
    assert not facts.then(Cluster.of({"t": 2, "u": 1}), joined(), GIVEN).repeats
    assert not facts.then(CLUSTER, joined(a={"topics": ("t", "u")}), GIVEN).repeats
    assert not facts.then(CLUSTER, joined(a={"member_id": "c"}), GIVEN).repeats
