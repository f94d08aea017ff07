"""`any-balanced` against every assignment there is: the flattest, of them the stickiest, less what is withheld."""

from itertools import product
from random import Random

import pytest

from kassay.model.protocols.clients.any_balanced import (
    AnyBalanced,
    balanced,
    balanced_targets,
    claims,
    stickiest,
    tps_of,
    withheld,
)
from kassay.model.protocols.clients.classic_state import Ask
from kassay.model.protocols.values.choices import TargetAsk, TargetMember
from kassay.model.protocols.values.requests import Subscription, TopicImage, image_of
from tests.assignors.client.groups import tps

IMAGE = image_of({"t": 2, "u": 2}.items())
NONE = frozenset()


def drawn(count):
    """Members with subscriptions and claims of any generation."""
    for seed in range(count):
        rng = Random(seed)
        members = []
        for i in range(rng.randint(1, 3)):
            topics = tuple(sorted(rng.sample("tu", rng.randint(1, 2))))
            owned = tuple(sorted(rng.sample(tps("t-0 t-1 u-0 u-1"), rng.randint(0, 2))))
            members.append((f"m{i}", "", Subscription(topics, owned, rng.randint(0, 2))))
        yield tuple(members)


def test_balanced_are_all_assignments_with_the_flattest_loads():
    for members in drawn(60):
        readers = tuple((member, metadata.topics) for member, _, metadata in members)
        wanted = tps_of(IMAGE, {topic for _, topics in readers for topic in topics})
        every = set()
        for owners in product(range(len(readers)), repeat=len(wanted)):
            if all(tp.topic in readers[o][1] for tp, o in zip(wanted, owners)):
                every.add(
                    tuple(
                        (m, tuple(tp for tp, o in zip(wanted, owners) if o == i))
                        for i, (m, _) in enumerate(readers)
                    )
                )
        loads = {answer: sorted((len(own) for _, own in answer), reverse=True) for answer in every}
        flattest = {answer for answer in every if loads[answer] == min(loads.values())}
        answers = balanced(readers, IMAGE)
        assert set(answers) == flattest
        assert len(answers) == len(flattest)


def test_the_only_claimant_of_the_latest_generation_wins():
    for members in drawn(120):
        expected = {}
        for tp in {tp for _, _, m in members for tp in m.owned}:
            latest = max(m.generation for _, _, m in members if tp in m.owned)
            names = [name for name, _, m in members if tp in m.owned and m.generation == latest]
            if len(names) == 1:
                expected[tp] = names[0]
        assert claims(members, NONE) == expected


def test_cooperative_answers_are_the_stickiest_without_what_another_claims():
    for members in drawn(60):
        owner = claims(members, NONE)
        ask = Ask("any-balanced", members, IMAGE)
        sticky = AnyBalanced("eager", sticky=True)(ask)
        kept = [
            sum(owner.get(tp) == m for m, own in answer for tp in own) for answer in AnyBalanced("eager")(ask)
        ]
        for answer in sticky:
            assert sum(owner.get(tp) == m for m, own in answer for tp in own) == max(kept)
        cooperative = AnyBalanced("cooperative")(ask)
        assert set(cooperative) == {withheld(answer, owner) for answer in sticky}
        assert all(owner.get(tp, m) == m for answer in cooperative for m, own in answer for tp in own)
        if any(withheld(answer, owner) != answer for answer in sticky):
            bare = AnyBalanced("cooperative", switches=frozenset({"no_withhold"}))(ask)
            assert set(bare) == set(sticky)


@pytest.mark.parametrize(
    ("switch", "winners"),
    [("", {}), ("dup_claim_unchecked", {"t-0": "a"}), ("max_gen_only", {})],
)
def test_switches_change_who_wins_a_partition_claimed_twice(switch, winners):
    members = [(name, "", Subscription(("t",), tps("t-0"), 1)) for name in "ab"]
    assert {str(tp): name for tp, name in claims(members, frozenset({switch})).items()} == winners


def test_a_rule_that_validates_naively_throws_on_claims_that_contradict():
    members = tuple(
        (name, "", Subscription(("t",), tps("t-0"), generation)) for name, generation in (("a", 1), ("b", 2))
    )
    naive = AnyBalanced("cooperative", switches=frozenset({"naive_validation"}))
    assert naive(Ask("any-balanced", members, IMAGE)) == ()
    assert naive(Ask("any-balanced", members[:1], IMAGE)) != ()


def test_targets_move_least_from_the_former_one_and_name_topics_by_id():
    image = (TopicImage("t", "t-again", 2),)
    members = (TargetMember("a", "", ("t",), tps("t-again-1")), TargetMember("b", "", ("t",), ()))
    assert balanced_targets(TargetAsk("uniform", members, image)) == (
        (("a", tps("t-again-1")), ("b", tps("t-again-0"))),
    )


def test_without_answers_there_is_no_stickiest():
    assert stickiest((), {}) == ()


def test_withheld_is_what_another_still_claims_and_nothing_else():
    answer = (("a", tps("t-0 t-1")), ("b", tps("u-0 u-1")))
    owner = dict(zip(tps("t-0 t-1 u-0"), "aba"))
    assert withheld(answer, owner) == (("a", tps("t-0")), ("b", tps("u-1")))
