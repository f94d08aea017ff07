"""Validity on answers that keep it and on ones that break it; the evidence names who and what."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from kassay.model.calls import Failure, Look, Probe
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS, GROUPS, SERVER, SHARE
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Scope, load_claims, validity_claims
from tests.properties.confirming import is_broken
from tests.properties.groups.answers import partitions, readers, step_of, valid_answers
from tests.properties.groups.steps import (
    AB,
    COOPERATIVE,
    EAGER,
    FAIR,
    evidence,
    member,
    rebalanced,
    step,
    tps,
)


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
    ],
)
def test_what_every_answer_must_do(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


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


def test_validity_is_what_the_claims_document_lists():
    assert {found.id for found in validity_claims(CLIENT)} == {
        "members", "single-owner", "exists", "subscribed", "complete", "total", "terminates", "pure",
    }  # fmt: skip
    timed = {claim.id for claim in load_claims().values() if claim.scope is Scope.TIMING}
    assert timed <= {"scales"}


def _exist(s):
    return all(
        0 <= tp.partition < s.cluster.counts.get(tp.topic, 0) for tps in s.given.values() for tp in tps
    )


def _are_read(s):
    return all(
        tp.topic in s.group.by_id[m].topics for m, tps in s.given.items() if m in s.group.by_id for tp in tps
    )


def _all_out(s):
    out = {tp for tps in s.given.values() for tp in tps}
    kept_back = {tp for m in s.group.members for tp in m.owned} if s.protocol is COOPERATIVE else set()
    return all(tp in out or tp in kept_back or not readers(s, tp) for tp in partitions(s.cluster))


STATEMENTS = {
    (CLIENT, "members"): lambda s: s.given.keys() == s.group.by_id.keys(),
    **dict.fromkeys(
        [(SERVER, "members"), (SHARE, "members")], lambda s: s.given.keys() <= s.group.by_id.keys()
    ),
    **dict.fromkeys(
        [(CLIENT, "single-owner"), (SERVER, "single-owner")],
        lambda s: max(Counter(tp for tps in s.given.values() for tp in tps).values(), default=1) == 1,
    ),
    (SHARE, "single-owner"): lambda s: all(len(set(tps)) == len(tps) for tps in s.given.values()),
    **{(kind, "exists"): _exist for kind in GROUPS},
    **{(kind, "subscribed"): _are_read for kind in GROUPS},
    **{(kind, "complete"): _all_out for kind in CONSUMER_GROUPS},
    (SHARE, "complete"): lambda s: _all_out(replace(s, protocol=EAGER)),
}
"""What each claim says, put plainly."""


def any_step(rng):
    """A round of up to three members, static ones among them, and an answer that may be wrong in any way."""
    cluster = Cluster.of({"t": rng.randint(1, 3), "u": rng.randint(0, 2)})
    somewhere = [
        *partitions(cluster),
        TopicPartition("t", -1),
        TopicPartition("t", 3),
        TopicPartition("x", 0),
    ]
    members = [
        member(
            name,
            [topic for topic in "tux" if rng.random() < 0.7],
            instance_id=rng.choice((None, f"i-{name}")),
        )._replace(
            owned=tuple(tp for tp in somewhere if rng.random() < 0.2), generation=rng.choice((-1, 1, 2))
        )
        for name in "abc"[: rng.randint(1, 3)]
    ]
    asked = step_of(cluster, members, rng.choice((EAGER, COOPERATIVE)))
    given = {m: list(tps) for m, tps in rng.choice(valid_answers(asked)).items()}
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        name = rng.choice([*given, "z"])
        if rng.random() < 0.3 and name in given:
            del given[name]
        elif given.get(name) and rng.random() < 0.5:
            change = rng.choice((given[name].remove, given[name].append))
            change(rng.choice(given[name]))
        else:
            given.setdefault(name, []).extend(rng.sample(somewhere, rng.randint(0, 1)))
    return replace(asked, answer=Assignment(given))


@pytest.mark.parametrize(("kind", "claim_id"), STATEMENTS)
def test_a_validity_claim_is_broken_exactly_where_its_statement_is_false(kind, claim_id):
    rng = random.Random(f"{kind} {claim_id}")
    found = parse_claim(claim_id, kind)
    seen = Counter()
    for _ in range(700):
        one = any_step(rng)
        thing = rebalanced(one, settled=False) if claim_id == "complete" else one
        broken = is_broken(found, thing)
        assert broken is not STATEMENTS[kind, claim_id](one), one
        seen[broken] += 1
    assert min(seen[True], seen[False]) > 20


def test_evidence_against_purity_names_the_member_whose_partitions_differ():
    other = Assignment({"a": tps("t0 t2"), "b": tps("t1 t3")})
    swapped = Assignment({"a": tps("t0 t1"), "b": tps("t3 t2")})
    for look in (Look.AGAIN, Look.OTHER):
        differs = evidence("pure", step(AB, FAIR, probes=(Probe(look, other),)))
        assert [each.subject for each in differs] == ["a"]
        assert evidence("pure", step(AB, FAIR, probes=(Probe(look, swapped),))) == [], (
            "lists are compared as sets"
        )
    fewer = Assignment({"b": tps("t2 t3"), "a": tps("t0 t1"), "c": ()})
    assert [e.subject for e in evidence("pure", step(AB, FAIR, probes=(Probe(Look.OTHER, fewer),)))] == [
        "the answer"
    ]


@pytest.mark.parametrize("look", Look)
def test_a_second_look_without_an_answer_breaks_total_or_terminates(look):
    for kind, claim_id in ((FailureKind.RAISED, "total"), (FailureKind.TIMEOUT, "terminates")):
        lost = step(AB, FAIR, probes=(Probe(look, Failure(kind, "oh")),))
        broken = [name for name in ("total", "terminates") if evidence(name, lost)]
        assert broken == [claim_id]
