"""Each claim on an answer that keeps it and on one that breaks it; the evidence names who and what."""

import pytest

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.failure import FailureKind
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.history import StaticReturn
from kassay.model.groups.step import Failure, Look, Probe, Rebalanced, Step
from kassay.model.kinds import Kind
from kassay.properties.groups.balance import Best
from kassay.properties.registry import Scope, load_claims, promise, validity_claims

EAGER, COOPERATIVE = RebalanceProtocol.EAGER, RebalanceProtocol.COOPERATIVE
T4 = Cluster.of({"t": 4})


def tps(text):
    """Partitions written as `t0 t1 u0`: a topic's letter and a number."""
    return tuple(TopicPartition(word[0], int(word[1:])) for word in text.split())


def member(name, topics="t", owned="", generation=None, **extras):
    generation = generation if generation is not None else (1 if owned else -1)
    return Member(name, tuple(topics), tps(owned), generation, **extras)


def step(members, given, cluster=T4, protocol=EAGER, **extras):
    answer = given if isinstance(given, Failure) else Assignment({m: tps(text) for m, text in given.items()})
    return Step(cluster, Group(tuple(members), members[0].member_id), answer, 2, protocol=protocol, **extras)


def rebalanced(*steps, settled=True, revocations=0, **extras):
    return Rebalanced(0, (), tuple(steps), settled, revocations, **extras)


def evidence(spelled, thing, *more):
    found = promise(spelled, Kind.CLIENT)
    claim = found.claim
    if claim.applies is not None and not claim.applies(thing):
        return None
    if claim.argument is not None:
        more = (*more, found.argument if found.argument is not None else claim.argument)
    return list(claim.predicate(thing, *more))


AB = [member("a"), member("b")]
FAIR = {"a": "t0 t1", "b": "t2 t3"}
UV = Cluster.of({"t": 2, "u": 2})


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        ("members", step(AB, FAIR), step(AB, {"a": "t0 t1 t2 t3"}), "b"),
        ("members", step(AB, FAIR), step(AB, {**FAIR, "z": ""}), "z"),
        ("single-owner", step(AB, FAIR), step(AB, {"a": "t0 t1", "b": "t1 t2 t3"}), "t-1"),
        ("exists", step(AB, FAIR), step(AB, {"a": "t0 t1", "b": "t2 t3 t4"}), "t-4"),
        ("exists", step(AB, FAIR), step(AB, {"a": "t0 t1", "b": "t2 t3 x0"}), "x-0"),
        (
            "subscribed",
            step(AB, FAIR),
            step([member("a"), member("b", "u")], {"a": "t0 t1 t2", "b": "t3"}),
            "t-3",
        ),
        ("balanced-within-one", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "a"),
        ("balanced-kip54", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "t-0"),
        ("topic-even", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "t"),
        ("contiguous", step(AB, FAIR), step(AB, {"a": "t0 t2", "b": "t1 t3"}), "t"),
        ("contiguous", step(AB, FAIR), step(AB, {"a": "t2 t3", "b": "t0 t1"}), "t"),
        (
            "copartitioned",
            step([member("a", "tu"), member("b", "tu")], {"a": "t0 u0", "b": "t1 u1"}, UV),
            step([member("a", "tu"), member("b", "tu")], {"a": "t0 u1", "b": "t1 u0"}, UV),
            "u",
        ),
        (
            "cooperative",
            step([member("a", owned="t0 t1 t2 t3"), member("b")], {"a": "t0 t1", "b": ""}),
            step([member("a", owned="t0 t1 t2 t3"), member("b")], {"a": "t0 t1", "b": "t2 t3"}),
            "t-2",
        ),
        (
            "active-passive",
            step(AB, {"a": "", "b": "t0 t1 t2 t3"}, configs={"a": {"assignment.consumer.priority": "1"}}),
            step(AB, {"a": "t0 t1 t2 t3", "b": ""}, configs={"a": {"assignment.consumer.priority": "1"}}),
            "t",
        ),
    ],
)
def test_claims_over_one_round(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


def test_cooperative_minds_only_the_newest_claims():
    stale = [member("a", owned="t0", generation=1), member("b", owned="t1", generation=2), member("c")]
    assert evidence("cooperative", step(stale, {"a": "", "b": "t1", "c": "t0"}))
    newer = [member("a", owned="t0", generation=1), member("b", owned="t0", generation=2)]
    assert evidence("cooperative", step(newer, {"a": "", "b": "t0"})) == []
    assert evidence("cooperative", step(newer, {"a": "t0", "b": ""}))


def test_a_failure_is_not_total_or_does_not_terminate():
    crash = step(AB, Failure(FailureKind.RAISED, "raised KeyError: 'a'"))
    slow = step(AB, Failure(FailureKind.TIMEOUT, "no answer within 2 s"))
    assert "KeyError" in str(evidence("total", crash)[0].facts)
    assert evidence("total", slow) == []
    assert evidence("terminates", slow)
    assert evidence("terminates", crash) == []


def test_a_documented_refusal_is_an_answer_of_the_coordinator_only_for_unknown_topics():
    refused = Failure(FailureKind.RAISED, "raised", ("PartitionAssignorException",))
    total = load_claims()[Kind.SERVER, "total"].predicate
    assert list(total(step([member("a", "x")], refused))) == []
    assert list(total(step([member("a", "t")], refused)))
    assert evidence("total", step([member("a", "x")], refused))


def test_complete_lets_a_cooperative_round_withhold_what_is_claimed():
    owner = [member("a", owned="t0 t1 t2 t3"), member("b")]
    first = step(owner, {"a": "t0 t1", "b": ""}, protocol=COOPERATIVE)
    second = step(
        [member("a", owned="t0 t1"), member("b", generation=2)],
        {"a": "t0 t1", "b": "t2 t3"},
        protocol=COOPERATIVE,
    )
    assert evidence("complete", rebalanced(first, second)) == []
    assert evidence("complete", rebalanced(step(owner, {"a": "t0 t1", "b": ""}))), "an eager one may not"
    forgotten = step([member("a", owned="t0"), member("b")], {"a": "t0", "b": ""}, protocol=COOPERATIVE)
    assert [e.subject for e in evidence("complete", rebalanced(forgotten, settled=False))] == [
        "t-1",
        "t-2",
        "t-3",
    ]
    assert evidence("complete", rebalanced(first, first)), "at the fixpoint none may be left"


@pytest.mark.parametrize("look", list(Look))
def test_second_looks(look):
    same = step(
        AB, FAIR, probes=(Probe(look, Assignment({"b": tps("t3 t2"), "a": tps("t0 t1")}), Group(())),)
    )
    other = step(
        AB, FAIR, probes=(Probe(look, Assignment({"a": tps("t0"), "b": tps("t1 t2 t3")}), Group(())),)
    )
    broken = step(AB, FAIR, probes=(Probe(look, Failure(FailureKind.RAISED, "oh"), Group(())),))
    minded = {
        Look.AGAIN: {"pure", "deterministic"},
        Look.OTHER: {"pure", "deterministic"},
        Look.PERMUTED: {"order-independent"},
        Look.PROCESS: {"deterministic"},
    }[look]
    for claim in ("pure", "deterministic", "order-independent"):
        assert evidence(claim, same) == []
        for bad in (other, broken):
            assert bool(evidence(claim, bad)) is (claim in minded)


def test_a_changed_input_is_not_pure():
    assert evidence("pure", step(AB, FAIR, mutated="members[0]['owned']"))


def test_balance_within_one_speaks_of_equal_subscriptions_only():
    mixed = [member("a", "tu"), member("b", "t")]
    assert evidence("balanced-within-one", step(mixed, {"a": "t0 u0 u1", "b": ""}, UV)) is None


def test_contiguous_is_not_judged_where_racks_match():
    racked = Cluster((Topic("t", 4, ((0,), (1,), (0,), (1,))),), (Broker(0, "r0"), Broker(1, "r1")))
    members = [member("a", rack="r0"), member("b", rack="r1")]
    assert evidence("contiguous", step(members, {"a": "t0 t2", "b": "t1 t3"}, racked)) is None


BEST = Best(loads=(2, 2), moved=0, mismatched=0)


def test_the_optimum_claims():
    owners = [member("a", owned="t0 t1"), member("b", owned="t2 t3")]
    assert evidence("balanced-optimal", step(owners, FAIR), BEST) == []
    assert evidence("balanced-optimal", step(owners, {"a": "t0 t1 t2", "b": "t3"}), BEST)
    assert evidence("sticky-minimal", step(owners, FAIR), BEST) == []
    assert evidence("sticky-minimal", step(owners, {"a": "t0 t2", "b": "t1 t3"}), BEST)
    uneven = step(owners, {"a": "t0 t1 t2", "b": "t3"})
    assert evidence("sticky-minimal", uneven, BEST) == [], "judged where the loads are optimal"
    racked = Cluster((Topic("t", 2, ((0,), (1,))),), (Broker(0, "r0"), Broker(1, "r1")))
    members = [member("a", rack="r0"), member("b", rack="r1")]
    best = Best(loads=(1, 1), moved=0, mismatched=0)
    assert evidence("rack-local", step(members, {"a": "t0", "b": "t1"}, racked), best) == []
    assert evidence("rack-local", step(members, {"a": "t1", "b": "t0"}, racked), best)


def test_weighted_spread_goes_by_the_certified_bound():
    heavy = Cluster((Topic("t", 4, weights=(5, 1, 1, 1)),))
    best = Best((2, 2), 0, 0, weight_bound=5)
    assert evidence("weighted-spread:1.2", step(AB, {"a": "t0 t1", "b": "t2 t3"}, heavy), best) == []
    assert evidence("weighted-spread:1.1", step(AB, {"a": "t0 t1", "b": "t2 t3"}, heavy), best)
    assert evidence("weighted-spread:2", step(AB, FAIR), best) is None


def test_convergence():
    one = step(AB, FAIR)
    assert evidence("converges", rebalanced(one, one)) == []
    assert evidence("converges", rebalanced(one, one, settled=False))
    assert evidence("converges", rebalanced(one, one, one, revocations=1)), "eager: nobody revokes again"
    coop = step(AB, FAIR, protocol=COOPERATIVE)
    assert evidence("converges", rebalanced(coop, coop, coop, revocations=2)) == []
    assert evidence("converges", rebalanced(*[coop] * 4, revocations=3))
    assert evidence("converges:1", rebalanced(coop, coop, coop))
    assert evidence("converges:2", rebalanced(coop, coop, coop)) == []
    failed = step(AB, FAIR, failed_sync=frozenset({"a"}))
    assert evidence("converges", rebalanced(failed, one, one, revocations=1)) is None


def test_stability():
    one, other = step(AB, FAIR), step(AB, {"a": "t2 t3", "b": "t0 t1"})
    assert evidence("stable", rebalanced(one, one)) == []
    assert evidence("stable", rebalanced(one, other))
    assert evidence("stable", rebalanced(one)) is None
    assert evidence("stable", rebalanced(one, quiet=True, before=other.given))
    coop = step(AB, FAIR, protocol=COOPERATIVE)
    assert evidence("stable", rebalanced(coop, coop)) is None, "rounds of one change are no second asking"


def test_static_members_keep_what_they_had():
    back = [member("a2", owned="t0 t1", instance_id="i"), member("b", owned="t2 t3")]
    change = (StaticReturn("a", "a2"),)
    kept = Rebalanced(
        0, change, (step(back, {"a2": "t0 t1", "b": "t2 t3"}),), True, 0, renamed=(("a", "a2"),)
    )
    lost = Rebalanced(
        0, change, (step(back, {"a2": "t2 t3", "b": "t0 t1"}),), True, 0, renamed=(("a", "a2"),)
    )
    assert evidence("static-stable", kept) == []
    assert evidence("static-stable", lost)[0].subject == "a2"


def test_every_claim_says_what_it_is():
    for (kind, claim_id), claim in load_claims().items():
        assert claim.sentence.endswith("."), claim_id
        assert claim.source, claim_id
        assert claim.minimum > 0, claim_id
        assert kind in claim.kinds


def test_validity_is_what_the_claims_document_lists():
    assert {found.id for found in validity_claims(Kind.CLIENT)} == {
        "members", "single-owner", "exists", "subscribed", "complete", "total", "terminates", "pure",
    }  # fmt: skip
    timed = {claim.id for claim in load_claims().values() if claim.scope is Scope.TIMING}
    assert timed <= {"scales"}
