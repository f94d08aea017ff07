"""Claims about balance on answers that keep them and on ones that break them."""

from itertools import permutations

import pytest

from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.properties.claims import parse_claim
from kassay.properties.groups.balance import ORDER, RACK_FIRST, Best, order_of
from kassay.properties.registry import applies
from tests.properties.confirming import answered, is_broken
from tests.properties.groups.answers import readers, readings, valid_answers
from tests.properties.groups.priced import brute_best, priced_inputs
from tests.properties.groups.steps import AB, BEST, FAIR, UV, assignment, evidence, member, step


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        ("balanced-within-one", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "a"),
        ("balanced-kip54", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "t-0"),
    ],
)
def test_loads_of_one_round(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


def test_balance_within_one_speaks_of_equal_subscriptions_only():
    mixed = [member("a", "tu"), member("b", "t")]
    assert evidence("balanced-within-one", step(mixed, {"a": "t0 u0 u1", "b": ""}, UV)) is None


def test_the_optimum_claims():
    owners = [member("a", owned="t0 t1"), member("b", owned="t2 t3")]
    assert evidence("balanced-optimal", step(owners, FAIR), BEST) == []
    assert evidence("balanced-optimal", step(owners, {"a": "t0 t1 t2", "b": "t3"}), BEST)
    assert evidence("sticky-minimal", step(owners, FAIR), BEST) == []
    assert evidence("sticky-minimal", step(owners, {"a": "t0 t2", "b": "t1 t3"}), BEST)
    uneven = step(owners, {"a": "t0 t1 t2", "b": "t3"})
    assert evidence("sticky-minimal", uneven, BEST) is None, "judged where the loads are optimal"
    racked = Cluster((Topic("t", 2, ((0,), (1,))),), (Broker(0, "r0"), Broker(1, "r1")))
    members = [member("a", rack="r0"), member("b", rack="r1")]
    best = Best(loads=(1, 1), moved=0, mismatched=0, assignment=assignment({"a": "t0", "b": "t1"}))
    assert evidence("rack-local", step(members, {"a": "t0", "b": "t1"}, racked), best) == []
    assert evidence("rack-local", step(members, {"a": "t1", "b": "t0"}, racked), best)


def test_weighted_spread_goes_by_the_certified_bound():
    heavy = Cluster((Topic("t", 4, weights=(5, 1, 1, 1)),))
    best = BEST._replace(weight_bound=5)
    assert evidence("weighted-spread:1.2", step(AB, {"a": "t0 t1", "b": "t2 t3"}, heavy), best) == []
    assert evidence("weighted-spread:1.1", step(AB, {"a": "t0 t1", "b": "t2 t3"}, heavy), best)
    assert evidence("weighted-spread:2", step(AB, FAIR), BEST) is None, "no weights, no bound"


def _is_kip54(s):
    """No partition could go from a member to a reader of its topic that would still have no more."""
    return not any(
        len(s.given[x]) >= len(s.given[y]) + 2 and y in readers(s, tp)
        for x, y in permutations(s.given, 2)
        for tp in s.given[x]
    )


def test_balance_is_broken_exactly_where_its_statement_is_false(few):
    within_one, kip54 = parse_claim("balanced-within-one", CLIENT), parse_claim("balanced-kip54", CLIENT)
    for asked in few(readings(), 100):
        for one in answered(asked, valid_answers(asked)):
            loads = list(map(len, one.given.values()))
            assert is_broken(within_one, one) is (max(loads) - min(loads) > 1)
            assert is_broken(kip54, one) is not _is_kip54(one)


@pytest.mark.parametrize("kind", CONSUMER_GROUPS, ids=str)
@pytest.mark.parametrize("order", [ORDER, RACK_FIRST])
def test_the_optimum_claims_are_broken_by_every_answer_that_is_worse_and_by_no_other(order, kind, few):
    optimal, sticky, local = (
        parse_claim(spelled, kind)
        for spelled in ("balanced-optimal", "sticky-minimal", f"rack-local:{order}")
    )
    assert (order_of(optimal), order_of(sticky), order_of(local)) == (ORDER, ORDER, order)
    seen = set()
    for asked in few(priced_inputs(True, few.all)):
        best = brute_best(asked, order)
        for one in answered(asked, valid_answers(asked)):
            balanced = sorted(map(len, one.given.values())) == list(best.loads)
            moves = len(moved(one.given, one.previous)) - best.moved
            wrong = len(rack_mismatches(one.cluster, one.group, one.given)) - best.mismatched
            assert is_broken(optimal, one, best) is not balanced
            assert applies(sticky.kind, one, best) is balanced
            assert applies(local.kind, one, best, order) is (balanced and (order == RACK_FIRST or moves == 0))
            if balanced:
                assert is_broken(sticky, one, best) is (moves > 0)
                assert is_broken(local, one, best, order) is (wrong > 0)
                seen.add((moves > 0, wrong > 0))
    assert {(True, False), (False, True), (False, False)} <= seen


def test_loads_are_compared_member_by_member():
    four = [member(name) for name in "abcd"]
    skewed = step(four, {"a": "t0 t1", "b": "t2 t3", "c": "t4 t5", "d": ""}, Cluster.of({"t": 6}))
    best = Best((1, 1, 2, 2), 0, 0, assignment({}))
    assert evidence("balanced-optimal", skewed, best), "of the same range and the same heaviest member"
