"""A judgement of consumer and share groups counts if and only if some well-formed answer breaks the claim.

Brute force over answers on every small input, in both directions; a sample of the inputs by default.
"""

import random
from dataclasses import replace
from itertools import product

import pytest

from kassay.kinds.groups.oracle import best_of_group, best_of_share_group
from kassay.model.calls import Failure, Look, Probe
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import FailureKind
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.history import History, Join, NewLeader, StaticReturn
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS, GROUPS, SHARE
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced, ShareStep
from kassay.properties.claims import parse_claim
from kassay.properties.groups.balance import ORDER
from kassay.properties.registry import Scope, load_claims, validity_claims
from tests.properties.confirming import SAMPLE, answered, both_seen, confirm, is_broken
from tests.properties.groups.answers import (
    IDS,
    SPLITS,
    answers_in_shape,
    dealt,
    nonexistent,
    partitions,
    readers,
    readings,
    step_of,
    subscriptions,
    valid_answers,
)
from tests.properties.groups.priced import brute_best
from tests.properties.groups.steps import COOPERATIVE, EAGER


def one_round(step):
    """The step as a rebalance that is at rest if nobody gave up or gained anything."""
    at_rest = all(set(m.owned) == set(step.given.get(m.member_id, ())) for m in step.group.members)
    return Rebalanced(0, (), (step,), settled=step.protocol is EAGER or at_rest, revocations=0)


def pasts(members_max=2, sizes=SPLITS[:3]):
    """Inputs of both protocols with every set of claims at every generation, of partitions that are not there too."""
    for split in sizes:
        cluster = Cluster(tuple(Topic(name, size) for name, size in zip("tuv", split)))
        tps = [*partitions(cluster), TopicPartition("t", split[0])]
        for chosen in subscriptions(split, members_max):
            for owned in product(product((False, True), repeat=len(tps)), repeat=len(chosen)):
                for generations in product((1, 2), repeat=len(chosen)):
                    members = [
                        Member(i, own, tuple(tp for tp, has in zip(tps, held) if has), generation)
                        for i, own, held, generation in zip(IDS, chosen, owned, generations)
                    ]
                    yield step_of(cluster, members, COOPERATIVE)
                    yield step_of(cluster, members, EAGER)


def larger_pasts(size, seed=5):
    """As many inputs of three members and three partitions with claims and generations at random."""
    rng = random.Random(seed)
    for _ in range(size):
        split = rng.choice(SPLITS[3:])
        cluster = Cluster(tuple(Topic(name, count) for name, count in zip("tuv", split)))
        tps = [*partitions(cluster), TopicPartition("t", 9), TopicPartition("x", 0)]
        members = [
            Member(
                i,
                tuple(name for name in "tuvx" if rng.random() < 0.5),
                tuple(tp for tp in tps if rng.random() < 0.4),
                rng.choice((-1, 1, 2)),
            )
            for i in IDS[: rng.randint(1, 3)]
        ]
        yield step_of(cluster, members, rng.choice((EAGER, COOPERATIVE)))


# Which claims are confirmed where: together they are all of the kind.
OF_SHAPE = {"members", "single-owner", "exists", "subscribed", "complete"}
OF_CALLS = {"total", "terminates", "pure"}
OF_LOOKS = {"deterministic", "order-independent"}
OF_LOADS = {
    "balanced-within-one",
    "balanced-kip54",
    "topic-even",
    "contiguous",
    "copartitioned",
    "active-passive",
    "shared-evenly",
}
OF_WITHHELD = {"assignable"}
OF_OPTIMUM = {"balanced-optimal", "sticky-minimal", "rack-local", "weighted-spread", "fewest-taken-back"}
OF_ROUNDS = {"cooperative", "converges", "leader-neutral", "stable", "static-stable"}
TIMED = {"scales"}


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_every_claim_is_confirmed_below(kind):
    confirmed = OF_SHAPE | OF_CALLS | OF_LOOKS | OF_LOADS | OF_OPTIMUM | OF_ROUNDS | OF_WITHHELD | TIMED
    claims = {claim_id for of, claim_id in load_claims() if of is kind}
    assert claims <= confirmed
    assert {p.kind.id for p in validity_claims(kind)} == OF_SHAPE | OF_CALLS


@pytest.mark.parametrize("kind", GROUPS, ids=str)
@pytest.mark.parametrize("claim_id", sorted(OF_SHAPE))
def test_a_validity_claim_counts_where_an_answer_breaks_it_and_no_other(kind, claim_id, few):
    """Cooperative rounds are below; what breaks `exists` or `members` is only looked for where it matters."""
    found = parse_claim(claim_id, kind)
    others = [p for p in validity_claims(kind) if p.kind.id in OF_SHAPE - {claim_id}]

    def thing(other, step):
        return one_round(step) if other.kind.scope is Scope.REBALANCE else step

    outcomes = set()
    for step in few(readings(unknown=True), 12):
        breaks_alone = any(
            is_broken(found, thing(found, each))
            and not any(is_broken(other, thing(other, each)) for other in others)
            for each in (replace(step, answer=answer) for answer in answers_in_shape(step, claim_id))
        )
        assert found.kind.breakable(thing(found, step)) is breaks_alone, step.group
        outcomes.add(breaks_alone)
    assert outcomes == ({True} if claim_id == "members" else {True, False})


def test_what_is_not_there_and_who_is_not_there_break_their_claims_in_any_answer():
    step = step_of(Cluster.of({"t": 2}), [Member("a", ("t", "x")), Member("b", ())])
    foreign = {"z": ()}
    for kind in GROUPS:
        for nowhere in nonexistent(step):
            assert is_broken(
                parse_claim("exists", kind), replace(step, answer=Assignment({"a": (nowhere,), "b": ()}))
            )
        assert is_broken(
            parse_claim("members", kind), replace(step, answer=Assignment({"a": (), "b": (), **foreign}))
        )


def test_a_cooperative_round_must_give_out_what_nobody_claims(few):
    found = parse_claim("complete", CLIENT)
    validity = [parse_claim(claim_id, CLIENT) for claim_id in OF_SHAPE - {"complete"}]
    outcomes = set()
    for step in [*few(pasts(), 400), *larger_pasts(len(few(range(2000), 100)))]:
        if step.protocol is COOPERATIVE:
            free = [[*readers(step, tp), None] for tp in partitions(step.cluster)]
            answers = [
                dealt(step, {tp: (to,) for tp, to in zip(partitions(step.cluster), chosen) if to is not None})
                for chosen in product(*free)
            ]
            things = answered(step, answers)
            assert not any(is_broken(other, each) for other in validity for each in things)
            outcomes.add(confirm(found, [one_round(each) for each in things]))
    both_seen(outcomes)


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_claims_about_calls_count_everywhere(kind, few):
    raised = Failure(FailureKind.RAISED, "raised ValueError", ("ValueError", "Exception"))
    for step in few(readings(unknown=True), 20):
        assert confirm(parse_claim("total", kind), [replace(step, answer=raised)])
        assert confirm(
            parse_claim("terminates", kind), [replace(step, answer=Failure(FailureKind.TIMEOUT, "late"))]
        )
        assert confirm(parse_claim("pure", kind), [replace(step, mutated="members")])


@pytest.mark.parametrize("kind", GROUPS, ids=str)
@pytest.mark.parametrize("claim_id", sorted(OF_LOOKS))
@pytest.mark.parametrize("look", Look)
def test_second_looks_count_where_another_answer_is_valid(kind, claim_id, look, few):
    found = parse_claim(claim_id, kind)
    inputs = readings() if kind is not CLIENT else [*readings(), *few(pasts(), 1200)]
    outcomes = set()
    for step in few(inputs, SAMPLE // 4):
        answers = valid_answers(step, kind)
        pairs = [
            replace(step, answer=first, probes=(Probe(look, second),))
            for first, second in product(answers[:3], answers)
        ]
        outcomes.add(confirm(found, pairs))
        assert not confirm(found, answered(step, answers)), "without a second look nothing can be seen"
    assert outcomes == ({True, False} if look in found.kind.looks else {False})


@pytest.mark.parametrize(
    ("kind", "claim_id"),
    [key for key in load_claims() if key[0] in GROUPS and key[1] in OF_LOADS],
)
def test_a_claim_about_loads_counts_where_a_valid_answer_breaks_it(kind, claim_id, few):
    found = parse_claim(claim_id, kind)
    both_seen(confirm(found, answered(step, valid_answers(step, kind))) for step in few(readings()))


@pytest.mark.parametrize("kind", CONSUMER_GROUPS, ids=str)
def test_the_best_balance_counts_where_a_valid_answer_has_another(kind, few):
    found = parse_claim("balanced-optimal", kind)
    both_seen(confirm(found, answered(s, valid_answers(s)), brute_best(s)) for s in few(readings()))


@pytest.mark.parametrize("ratio", ["1", "1.5", "2"])
def test_the_heaviest_member_counts_where_it_may_carry_too_much(ratio, few):
    found = parse_claim(f"weighted-spread:{ratio}", CLIENT)
    rng = random.Random(3)
    outcomes = set()
    for step in few(readings(), SAMPLE):
        topics = tuple(
            topic._replace(weights=tuple(rng.choice((1, 2, 9)) for _ in range(topic.partitions)))
            for topic in step.cluster.topics
        )
        step = step_of(Cluster(topics), step.group.members)
        things = answered(step, valid_answers(step))
        outcomes.add(confirm(found, things, best_of_group(step, ORDER)))
    both_seen(outcomes)


def test_taking_too_early_counts_where_another_owns(few):
    found = parse_claim("cooperative", CLIENT)
    inputs = [*few(pasts(), 600), *larger_pasts(len(few(range(6000), 300)))]
    both_seen(confirm(found, answered(step, valid_answers(step))) for step in inputs)


class Restless(AssignorBase):
    """Gives whatever is valid and changes something, as long as there is such an answer."""

    name = "restless"

    def __init__(self, protocol):
        self.protocol = protocol

    def assign(self, cluster, group):
        answers = valid_answers(step_of(cluster, group.members, self.protocol))
        owned = {m.member_id: set(m.owned) for m in group.members}
        return next((a for a in answers if {m: set(tps) for m, tps in a.items()} != owned), answers[0])


@pytest.mark.parametrize("protocol", [EAGER, COOPERATIVE])
@pytest.mark.parametrize("spelled", ["converges", "converges:1", "converges:12"])
def test_rest_counts_where_an_assignor_may_go_on_for_ever(spelled, protocol, few):
    found = parse_claim(spelled, CLIENT)
    outcomes = set()
    for step in few(readings(), SAMPLE // 3):
        history = History(step.cluster, (tuple(Join(member) for member in step.group.members),))
        player = Player(lambda config: Restless(protocol), protocol, confirm=True)
        outcomes.add(confirm(found, list(player.play(history))))
    both_seen(outcomes)


@pytest.mark.parametrize("protocol", [EAGER, COOPERATIVE])
@pytest.mark.parametrize("kind", CONSUMER_GROUPS, ids=str)
def test_a_group_at_rest_counts_where_it_may_get_another_answer(kind, protocol, few):
    found = parse_claim("stable", kind)
    outcomes = set()
    for step in few(readings()):
        for before in valid_answers(step)[:3]:
            settled = [m._replace(owned=before[m.member_id], generation=2) for m in step.group.members]
            again = step_of(step.cluster, settled, protocol)
            quiet = [
                Rebalanced(1, (), (each,), True, 0, quiet=True, before=before)
                for each in answered(again, valid_answers(again))
            ]
            outcomes.add(confirm(found, quiet))
            if protocol is EAGER:
                first = replace(step, answer=before)
                twice = [
                    Rebalanced(0, (), (first, each), True, 0)
                    for each in answered(again, valid_answers(again))
                ]
                outcomes.add(confirm(found, twice))
    both_seen(outcomes)


@pytest.mark.parametrize("protocol", [EAGER, COOPERATIVE])
def test_another_leader_counts_where_it_may_answer_otherwise(protocol, few):
    found = parse_claim("leader-neutral", CLIENT)
    outcomes = set()
    for step in few(readings()):
        change = (NewLeader(step.group.members[-1].member_id),)
        for before in valid_answers(step)[:3]:
            settled = [m._replace(owned=before[m.member_id], generation=2) for m in step.group.members]
            again = step_of(step.cluster, settled, protocol)
            led = [
                Rebalanced(1, change, (each,), True, 0, before=before)
                for each in answered(again, valid_answers(again))
            ]
            outcomes.add(confirm(found, led))
    both_seen(outcomes)


def share_rounds(size, seed=8):
    """As many rounds of share groups in which members have anything, and part of it may not be given out."""
    rng = random.Random(seed)
    for step in rng.choices(list(readings()), k=size):
        tps = partitions(step.cluster)
        members = [
            m._replace(owned=tuple(tp for tp in tps if rng.random() < 0.5)) for m in step.group.members
        ]
        able = None if rng.random() < 0.5 else frozenset(tp for tp in tps if rng.random() < 0.7)
        group = Group(tuple(members), members[0].member_id, assignable=able)
        yield ShareStep(step.cluster, group, Assignment({}), 2)


@pytest.mark.parametrize("claim_id", ["shared-evenly", "balanced-within-one", "deterministic", "complete"])
def test_what_may_not_be_given_out_counts_for_no_claim_of_share_groups(claim_id, few):
    found = parse_claim(claim_id, SHARE)
    outcomes = set()
    for step in few(share_rounds(400), 60):
        answers = valid_answers(step, SHARE)
        things = answered(step, answers)
        if claim_id == "deterministic":
            things = [replace(things[0], probes=(Probe(Look.PROCESS, other),)) for other in answers]
        elif claim_id == "complete":
            everything = answers_in_shape(step, claim_id) if len(step.group.members) < 3 else [Assignment({})]
            things = [one_round(each) for each in answered(step, everything)]
        outcomes.add(confirm(found, things))
    both_seen(outcomes)


def test_the_withheld_counts_where_somebody_could_be_given_it_anew(few):
    found = parse_claim("assignable", SHARE)
    outcomes = set()
    for step in few(share_rounds(400), 60):
        readers = [m.member_id for m in step.group.members]
        answers = [Assignment({m: (tp,)}) for m in readers for tp in partitions(step.cluster)]
        outcomes.add(confirm(found, answered(step, [Assignment({}), *answers])))
    both_seen(outcomes)


def test_the_fewest_copies_taken_back_count_where_an_even_answer_takes_back_more(few):
    found = parse_claim("fewest-taken-back", SHARE)
    outcomes = set()
    for step in few(share_rounds(2000), 200):
        best = best_of_share_group(step.cluster, step.group)
        outcomes.add(confirm(found, answered(step, valid_answers(step, SHARE)), best))
    both_seen(outcomes)


def test_a_share_group_at_rest_counts_where_it_may_get_another_answer(few):
    found = parse_claim("stable", SHARE)
    outcomes = set()
    for step in few(share_rounds(400), 60):
        answers = valid_answers(step, SHARE)
        for before in answers[:2]:
            quiet = [
                Rebalanced(1, (), (each,), True, 0, quiet=True, before=before)
                for each in answered(step, answers)
            ]
            outcomes.add(confirm(found, quiet))
    both_seen(outcomes)


def test_a_static_return_counts_where_it_may_get_other_partitions(few):
    found = parse_claim("static-stable", CLIENT)
    outcomes = set()
    for step in few([*pasts(sizes=SPLITS[:3]), *larger_pasts(3000)], 500):
        back = step.group.members[0].member_id
        at_rest = [
            Rebalanced(0, (StaticReturn("old", back),), (each,), True, 0, renamed=(("old", back),))
            for each in answered(replace(step, protocol=EAGER), valid_answers(replace(step, protocol=EAGER)))
        ]
        outcomes.add(confirm(found, at_rest))
    both_seen(outcomes)
    gone = step_of(Cluster.of({"t": 2}), [Member("b", ("t",))])
    left = Rebalanced(
        0,
        (StaticReturn("a", "a2"),),
        (replace(gone, answer=valid_answers(gone)[0]),),
        True,
        0,
        renamed=(("a", "a2"),),
    )
    assert not confirm(found, [left]), "whoever left again gets nothing, and had nothing"


def test_nothing_is_judged_of_a_group_without_a_member_or_an_answer():
    assert not step_of(Cluster.of({"t": 2}), [Member("a", ())]).is_read
    empty = replace(step_of(Cluster(), [Member("a", ("t",))]), group=Group(()))
    assert not (empty.is_read or empty.is_contested or empty.is_open)
