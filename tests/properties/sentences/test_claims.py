"""Sentences as claims: what is broken, where a judgement counts, and how they are spelled."""

import pytest

from kassay.model.cluster import Cluster
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.step import Step
from kassay.model.placement.kinds import PLACER
from kassay.model.protocols.kinds import COORDINATOR
from kassay.properties.claims import claim_kind_of, parse_claim, require_claims
from kassay.properties.registry import Scope, is_sentence, load_claims, split_claims
from kassay.properties.sentences.claims import (
    read_sentence,
    require_sentence,
    sentence_claim,
    vocabulary_of,
)


def step(*shares, partitions=3, topics=("t",)):
    members = tuple(Member(f"m{i}", topics) for i in range(len(shares)))
    numbers = iter(range(partitions))
    answer = Assignment(
        {f"m{i}": tuple(("t", next(numbers)) for _ in range(n)) for i, n in enumerate(shares)}
    )
    return Step(Cluster.of({"t": partitions}), Group(members), answer, 1)


def test_no_claim_is_spelled_like_a_sentence_and_no_sentence_like_a_claim():
    assert not any(is_sentence(claim_id) for _, claim_id in load_claims())
    assert not is_sentence("scales:2,5,100x1000") and not is_sentence("rack-local:balance,rack,movement")
    assert is_sentence("rounds <= 2") and is_sentence("few = moved < 1") and is_sentence("gap == 0")


def test_the_promise_holds_the_sentence_by_which_it_is_made_again():
    claim = parse_claim("  few =  moved   <= max(1,  members) ", CLIENT)
    assert claim.id == claim.kind.id == "few = moved <= max(1, members)"
    assert parse_claim(claim.id, CLIENT).kind.sentence == "Always moved <= max(1, members)."
    assert claim_kind_of(CLIENT, claim.id).scope is Scope.OUTCOME
    assert claim_kind_of(PLACER, claim.id) is None
    assert parse_claim("rounds <= 2", CLIENT).kind.confirm


def test_a_list_of_claims_is_split_between_sentences():
    text = "complete, max(1, moved) <= 3,rack-local:balance,rack,movement, few = moved <= min(2, (3))"
    assert split_claims(text) == (
        "complete",
        "max(1, moved) <= 3",
        "rack-local:balance,rack,movement",
        "few = moved <= min(2, (3))",
    )
    require_claims(split_claims(text))


def test_a_broken_sentence_says_what_its_measures_are_and_of_whom():
    even = parse_claim("max(load) - min(load) <= 1", CLIENT).kind
    (evidence,) = even.predicate(step(3, 0))
    assert (evidence.subject, dict(evidence.facts)) == ("the group", {"load": {"m0": 3, "m1": 0}})
    assert list(even.predicate(step(2, 1))) == []
    few = parse_claim("all m: load(m) <= ceil(partitions / members)", CLIENT).kind
    (evidence,) = few.predicate(step(1, 2, 0, partitions=3))
    assert evidence.subject == "member m1"
    assert evidence.facts == {"partitions": 3, "members": 3}


def test_it_is_judged_where_its_conditions_hold_and_all_values_are_there():
    held = parse_claim("max(load) <= 1 where members > 1", CLIENT).kind
    assert held.applies(step(3, 0)) and not held.applies(step(3))
    no_racks = parse_claim("max(r: load(r)) <= 1", CLIENT).kind
    assert not no_racks.applies(step(3, 0))


@pytest.mark.parametrize(
    ("text", "breakable"),
    [
        ("max(load) - min(load) <= 1", True),
        ("max(load) - min(load) <= 3", False),
        ("min(load) == 0", True),
        ("all t: spread(t) <= 2", True),
        ("moved <= 0", False),
        ("partitions == 3", False),
    ],
)
def test_a_judgement_counts_where_another_answer_would_break_it(text, breakable):
    assert parse_claim(text, CLIENT).kind.breakable(step(2, 1)) is breakable


def test_what_is_about_no_kind_is_refused_by_the_kind_that_reads_furthest():
    require_sentence("all r: replicas(r) <= 1")
    with pytest.raises(InputError, match="column 18: no measure 'repicas'"):
        require_sentence("all r: 1 < 2 and repicas(r) <= 1")
    with pytest.raises(InputError, match="no sentences about targets of kind coordinator"):
        vocabulary_of(COORDINATOR)
    with pytest.raises(InputError, match="column 1: no measure 'replicas'"):
        sentence_claim("replicas <= 1", CLIENT)


def test_the_columns_of_a_named_sentence_are_those_of_the_whole_text():
    with pytest.raises(InputError, match="column 12"):
        read_sentence("even = max(laod) <= 1", CLIENT)
