"""What a round looked like: claims that contradict each other or the world, shares, and which steps count."""

import pytest

from kassay.assignors.groups.client.range import Range
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind
from kassay.model.groups.group import Assignment, Group, Member, previous_owners
from kassay.model.groups.step import Rebalanced, ShareStep, Step
from kassay.model.kinds import RebalanceProtocol
from tests.assignors.groups.client.groups import tps
from tests.assignors.groups.client.optimal_groups import drawn

BROKEN = Failure(FailureKind.DIED, "gone")


def step_of(case):
    cluster, group = case
    return Step(cluster, group, Range().assign(cluster, group), 9)


def test_claims_contradict_if_any_is_stale_double_or_of_what_is_not_read_or_there():
    for case in drawn(200):
        cluster, group = case
        claims = [(tp, member) for member in group.members for tp in member.owned]
        latest = max(member.generation for member in group.members)
        contradictory = len({tp for tp, _ in claims}) < len(claims) or any(
            member.generation < latest or tp.topic not in member.topics or not cluster.has(tp)
            for tp, member in claims
        )
        assert step_of(case).contradictory == contradictory


def test_what_a_group_was_given_does_not_contradict():
    for cluster, group in drawn(60):
        answer = Range().assign(cluster, group)
        members = (m._replace(owned=answer[m.member_id], generation=3) for m in group.members)
        # The generation of an empty claim says nothing.
        idle = tuple(m if m.owned else m._replace(generation=0) for m in members)
        assert not Step(cluster, Group(idle), answer, 4).contradictory


@pytest.mark.parametrize(
    ("member", "contradictory"),
    [
        (Member("b", ("t",), tps("t-1"), 4), False),
        (Member("b", ("t",), tps("t-1"), 3), True),
        (Member("b", ("t",), tps("t-0"), 4), True),
        (Member("b", ("t",), tps("t-2"), 4), True),
        (Member("b", ("t",), tps("u-0"), 4), True),
        (Member("b", ("t", "ghost"), tps("ghost-0"), 4), True),
        (Member("b", ("t",), (), 3), False),
    ],
    ids=["fits", "stale", "double", "beyond", "unread", "unknown", "empty"],
)
def test_one_bad_claim_is_enough(member, contradictory):
    group = Group((Member("a", ("t",), tps("t-0"), 4), member))
    step = Step(Cluster.of({"t": 2, "u": 1}), group, Assignment({}), 5)
    assert step.contradictory == contradictory


def test_shares_and_loads_are_those_of_the_answer():
    for case in drawn(60):
        step = step_of(case)
        given_ = {(m, tp) for m, own in step.given.items() for tp in own}
        shares = {
            (m, TopicPartition(t, p)) for t, of in step.shares.items() for m, ps in of.items() for p in ps
        }
        assert shares == given_
        assert all(ps == sorted(ps) for of in step.shares.values() for ps in of.values())
        assert step.loads == {
            m.member_id: sum(who == m.member_id for who, _ in given_) for m in step.group.members
        }
        assert step.previous == previous_owners(step.cluster, step.group)
        read = {topic for m in step.group.members for topic in m.topics}
        assert step.unknown == read - step.cluster.counts.keys()
        assert step.known == tuple(
            frozenset(m.topics) & step.cluster.counts.keys() for m in step.group.members
        )


def test_there_is_nothing_given_where_there_is_no_answer():
    with pytest.raises(LookupError, match="gone"):
        _ = Step(Cluster(), Group(()), BROKEN, 1).given


def rounds(protocol, *answers, failed_sync=(), settled=True):
    """A change whose rounds answer these; each round reports what the one before gave."""
    steps, owned = [], ""
    for turn, answer in enumerate(answers):
        group = Group((Member("a", ("t",), tps(owned), turn),))
        given_ = BROKEN if answer is None else Assignment({"a": tps(answer)})
        missed = frozenset("a") if turn in failed_sync else frozenset()
        steps.append(Step(Cluster.of({"t": 3}), group, given_, turn + 1, turn, protocol, failed_sync=missed))
        owned = answer or ""
    return Rebalanced(0, (), tuple(steps), settled, 0)


EAGER, COOPERATIVE = RebalanceProtocol.EAGER, RebalanceProtocol.COOPERATIVE


def test_every_answered_eager_round_is_judged():
    change = rounds(EAGER, "t-0", "t-1", None)
    assert change.outcomes == change.steps[:2]


def test_cooperative_rounds_are_judged_from_the_first_input_to_the_last_answer():
    change = rounds(COOPERATIVE, "t-0", "t-0 t-1", "t-0 t-1 t-2")
    (outcome,) = change.outcomes
    assert (outcome.group, outcome.answer) == (change.steps[0].group, change.steps[2].answer)
    assert (outcome.generation, outcome.turn) == (3, 2)


def test_after_a_failed_sync_the_round_that_follows_is_the_first():
    change = rounds(COOPERATIVE, "t-0", "t-1", "t-2", failed_sync={0})
    (outcome,) = change.outcomes
    assert (outcome.group, outcome.answer) == (change.steps[1].group, change.steps[2].answer)
    assert rounds(COOPERATIVE, "t-0", failed_sync={0}).outcomes == ()


def test_without_rest_or_with_a_failure_nothing_cooperative_is_judged():
    assert rounds(COOPERATIVE, "t-0", "t-1", settled=False).outcomes == ()
    assert rounds(COOPERATIVE, "t-0", None).outcomes == ()
    assert rounds(COOPERATIVE).outcomes == ()


def test_a_change_is_contradictory_if_any_round_is():
    assert not rounds(EAGER, "t-0", "t-1").contradictory
    assert rounds(EAGER, "t-9", "t-1").contradictory


def test_what_is_given_out_and_whether_a_topic_can_be_divided_follow_from_answer_and_subscriptions():
    for case in drawn(100):
        step = step_of(case)
        assert step.given_out == {tp for partitions in step.given.values() for tp in partitions}
        shared = [topic for topic, ids in step.group.subscribers.items() if len(ids) > 1]
        assert step.is_divisible is any(step.cluster.counts.get(topic, 0) > 1 for topic in shared)
        assert step.unknown == step.group.subscribers.keys() - step.cluster.counts.keys()


@pytest.mark.parametrize(
    ("owned", "assignable", "contradictory"),
    [
        (("t", 0), None, False),
        (("t", 1), None, False),
        (("t", 2), None, True),
        (("t", -1), None, True),
        (("t", 0), frozenset({TopicPartition("t", 0)}), False),
        (("t", 1), frozenset({TopicPartition("t", 0)}), True),
        (("gone", 0), frozenset({TopicPartition("t", 0)}), False),
        (("gone", 0), None, False),
    ],
)
def test_a_share_group_contradicts_if_a_copy_is_not_there_or_not_assignable(owned, assignable, contradictory):
    group = Group((Member("a", ("t",), (TopicPartition(*owned),), 1),), assignable=assignable)
    step = ShareStep(Cluster.of({"t": 2}), group, Assignment({"a": ()}), 2)
    assert step.contradictory is contradictory
