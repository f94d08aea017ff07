"""Claims about share groups on answers that keep them and on ones that break them.

Situations of share groups, in and out of each.
"""

from dataclasses import replace

import pytest
from hypothesis import given

from kassay.assignors.groups.server.share_simple_4_2 import ShareEvenly
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group
from kassay.model.groups.kinds import SHARE
from kassay.model.groups.step import Rebalanced, ShareStep, Step
from kassay.properties.claims import parse_claim
from kassay.properties.groups import sharing as share_situations
from kassay.properties.groups.sharing import BestSharing
from tests.assignors.groups.server.groups import situations
from tests.properties.groups.steps import AB, EAGER, UV, assignment, member, step, tps

ABC = [member("a"), member("b"), member("c")]
T2 = Cluster.of({"t": 2})
MIXED = [member("a", "tu"), member("b", "t"), member("c", "t")]


def evidence(claim, thing):
    return list(parse_claim(claim, SHARE).kind.predicate(thing))


def test_what_may_not_be_given_out_is_given_to_nobody_who_did_not_have_it():
    had = [member("a", "t", "t0"), member("b", "t")]
    withheld = frozenset(tps("t1"))

    def given(answer):
        asked = step(had, answer, T2)
        return replace(asked, group=replace(asked.group, assignable=withheld))

    assert evidence("assignable", given({"a": "t0 t1", "b": "t1"})) == []
    (told,) = evidence("assignable", given({"a": "t1", "b": "t0"}))
    assert (told.subject, told.facts["newly assigned to"]) == ("t-0", "b")
    assert evidence("assignable", step(had, {"a": "t1", "b": "t0"}, T2)) == []


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        (
            "shared-evenly",
            step(ABC, {"a": "t0 t1", "b": "t0", "c": "t1"}, T2),
            step(ABC, {"a": "t0 t1", "b": "t0", "c": "t0"}, T2),
            "t-0",
        ),
        (
            "shared-evenly",
            step(MIXED, {"a": "t0 u0 u1", "b": "t0 t1", "c": "t1"}, UV),
            step(MIXED, {"a": "t0 u0 u1", "b": "t0 t1", "c": "t0"}, UV),
            "t-0",
        ),
        (
            "balanced-within-one",
            step(AB, {"a": "t0", "b": "t1"}, T2),
            step(AB, {"a": "t0 t1", "b": ""}, T2),
            "a",
        ),
        (
            "balanced-within-one",
            step(MIXED, {"a": "u0 u1 t0", "b": "t0", "c": "t1"}, UV),
            step(MIXED, {"a": "u0 u1", "b": "t0 t1", "c": "t1"}, UV),
            "b",
        ),
    ],
)
def test_sharing_and_counts(claim, good, bad, subject):
    assert evidence(claim, good) == []
    (broken,) = evidence(claim, bad)
    assert broken.subject == subject
    assert broken.facts


def test_topics_are_compared_with_each_other_only_where_all_members_read_the_same():
    three = Cluster.of({"t": 1, "u": 1})
    given_out = {"a": "t0 u0", "b": "t0", "c": "t0"}
    equal = step([member(m, "tu") for m in "abc"], given_out, three)
    assert [each.subject for each in evidence("shared-evenly", equal)] == ["t-0"]
    assert evidence("shared-evenly", step(MIXED, given_out, three)) == []


BEFORE = [member("a", owned="t0 t1"), member("b", owned="t0"), member("c")]


def test_taking_back_is_counted_where_all_is_even_and_against_the_fewest():
    claim = parse_claim("fewest-taken-back", SHARE).kind
    best = BestSharing(0)
    kept = step(BEFORE, {"a": "t0 t1", "b": "t0", "c": "t1"}, T2)
    taken = step(BEFORE, {"a": "t0", "b": "t0 t1", "c": "t1"}, T2)
    uneven = step(BEFORE, {"a": "t0", "b": "t0", "c": "t1"}, T2)
    assert [claim.applies(each, best) for each in (kept, taken, uneven)] == [True, True, False]
    assert list(claim.predicate(kept, best)) == []
    (broken,) = claim.predicate(taken, best)
    assert (broken.subject, broken.facts) == ("1 copy", {"revoked": ("t-1 from a",), "needed": 0})
    assert list(claim.predicate(taken, BestSharing(1))) == []


def test_what_may_not_be_given_out_needs_nobody():
    group = Group(tuple(ABC), "a", assignable=frozenset(tps("t0")))
    one = ShareStep(T2, group, assignment({"a": "t0", "b": "t0", "c": "t0"}), 2)
    assert evidence("shared-evenly", one) == evidence("complete", Rebalanced(0, (), (one,), True, 0)) == []
    none = replace(one, answer=assignment({"a": "t1"}))
    (left_out,) = evidence("complete", Rebalanced(0, (), (none,), True, 0))
    assert left_out.subject == "t-0"


@pytest.mark.parametrize(
    ("owned", "contradictory"), [("t0", False), ("x7", False), ("t1", True), ("t2", True), ("", False)]
)
def test_only_what_cannot_be_given_contradicts_the_world(owned, contradictory):
    members = (member("a", "t", owned), member("b", "u", "t0"))
    group = Group(members, "a", assignable=frozenset(tps("t0 u0 u1")))
    assert ShareStep(UV, group, assignment({}), 2).contradictory is contradictory


@given(situations())
def test_a_new_group_of_4_2_keeps_both(situation):
    cluster, group = situation
    fresh = Group(tuple(each._replace(owned=()) for each in group.members))
    played = Step(cluster, fresh, ShareEvenly().assign(cluster, fresh), 2, protocol=EAGER)
    assert evidence("shared-evenly", played) == []
    assert evidence("balanced-within-one", played) == []


T2U1 = Cluster.of({"t": 2, "u": 1})


def one(members, cluster=T2, assignable=None):
    able = None if assignable is None else frozenset(tps(assignable))
    group = Group(tuple(members), members[0].member_id, assignable=able)
    return Rebalanced(0, (), (ShareStep(cluster, group, assignment({}), 2),), True, 0)


@pytest.mark.parametrize(
    ("reached", "inside", "outside"),
    [
        (share_situations.unassignable, one([member("a")], assignable="t0"), one([member("a")])),
        (
            share_situations.unassignable,
            one([member("a")], assignable="t1"),
            one([member("a")], assignable=""),
        ),
        (
            share_situations.outnumbered,
            one([member(m) for m in "abc"]),
            one([member(m) for m in "abcd"]),
        ),
        (
            share_situations.outnumbered,
            one([member("a", "tu"), member("b"), member("c")], T2U1),
            one([member(m, "tu") for m in "abc"], T2U1),
        ),
        (
            share_situations.outnumbered,
            one([member(m, "tu") for m in "abcd"], T2U1, "t0 t1 u0"),
            one([member(m, "tu") for m in "abcd"], T2U1, "t0 u0"),
        ),
        (
            share_situations.unread_owned,
            one([member("a", "u", "t0"), member("b", "u")], T2U1),
            one([member("a", "u", "t0"), member("b", "t")], T2U1),
        ),
        (share_situations.unread_owned, one([member("a", "", "t1")]), one([member("a", "", "x1")])),
    ],
)
def test_a_situation_is_what_its_sentence_says(reached, inside, outside):
    assert reached(inside)
    assert not reached(outside)
