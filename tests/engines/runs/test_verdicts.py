"""From counts to verdicts."""

from collections import Counter
from dataclasses import replace

import pytest

from kassay.engines.runs.verdicts import (
    Candidate,
    ClaimCount,
    Tally,
    TriedScope,
    reached_by_id,
    verdict_of,
    without,
)
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Verdict, every_kind
from kassay.properties.claims import parse_claim
from kassay.properties.registry import SENDS_NO_GENERATIONS, load_claims, situations_of
from kassay.writing.text import counted

BALANCED = parse_claim("balanced-within-one", CLIENT)
ENOUGH = BALANCED.kind.minimum
REQUIRED = [name for s in situations_of(CLIENT) if BALANCED.kind.id in s.required_by for name in s.names]


def judged(times, reached=REQUIRED, **counts):
    """The verdict on `BALANCED` with its reason, after so many judgements and these situations."""
    count = ClaimCount(checked=times, **counts)
    tally = Tally(histories=9, counts={BALANCED.id: count}, reached=dict.fromkeys(reached, 1))
    return verdict_of(BALANCED, CLIENT, tally, frozenset())


def test_enough_judgements_and_every_situation_hold():
    assert judged(ENOUGH) == (Verdict.HOLDS, f"{ENOUGH} checks passed")


def test_one_judgement_too_few_is_unknown():
    assert judged(ENOUGH - 1) == (Verdict.UNKNOWN, f"{ENOUGH - 1} checks passed, {ENOUGH} needed")


@pytest.mark.parametrize("part", REQUIRED)
def test_one_part_of_a_situation_that_never_came_up_is_unknown(part):
    rest = [name for name in REQUIRED if name != part]
    assert judged(ENOUGH, rest) == (Verdict.UNKNOWN, f"not reached: {part}")


def test_many_parts_that_never_came_up_are_counted():
    first = ", ".join(REQUIRED[:4])
    assert judged(ENOUGH, ()) == (
        Verdict.UNKNOWN,
        f"not reached: {first} and {len(REQUIRED) - 4} more",
    )


def test_what_was_never_judged_is_unknown():
    assert verdict_of(BALANCED, CLIENT, Tally(), frozenset()) == (Verdict.UNKNOWN, "never judged")


def test_one_failure_is_a_violation_and_says_on_which_input():
    worst = Candidate(False, (0,), 3, {})
    assert judged(1, failed=1, worst=worst) == (Verdict.VIOLATED, "violated in 1 of 9 histories")
    assert judged(1, failed=1, contradictory=1, worst=worst) == (
        Verdict.VIOLATED,
        "violated in 1 of 9 histories, on conflicting input only",
    )


def test_a_scope_tried_to_its_end_needs_no_minimum():
    few = Tally(counts={BALANCED.id: ClaimCount(checked=1)})
    assert verdict_of(BALANCED, CLIENT, few, frozenset(), exhaustive=TriedScope("2x2")) == (
        Verdict.HOLDS,
        "holds on every input to 2x2: 1 check passed",
    )


def test_a_scope_decides_nothing_of_what_it_leaves_out_or_did_not_try():
    few = Tally(counts={BALANCED.id: ClaimCount(checked=1)})
    cut = TriedScope("2x2", {"racks": ("racks-against",), "static members": ("static-mix", "static-return")})
    assert verdict_of(BALANCED, CLIENT, few, frozenset(), cut) == (
        Verdict.UNKNOWN,
        "needs static members, which 2x2 leaves out: 1 check passed",
    )
    assert verdict_of(BALANCED, CLIENT, few, frozenset({"no-static"}), cut)[0] is Verdict.HOLDS
    assert verdict_of(BALANCED, CLIENT, few, frozenset(), TriedScope("2x2", is_finished=False)) == (
        Verdict.UNKNOWN,
        "2x2 was not tried to its end: 1 check passed",
    )
    never = Tally(counts={BALANCED.id: ClaimCount(judged=1)})
    for is_finished, why in ((True, "nothing to judge"), (False, "not applicable")):
        verdict = verdict_of(BALANCED, CLIENT, never, frozenset(), TriedScope("2x2", {}, is_finished))
        assert (verdict[0], verdict[1].startswith(why)) == (Verdict.UNKNOWN, True)


def test_what_is_left_out_is_told_in_one_phrase():
    assert without(()) == ""
    assert without({"racks": (), "weights": ()}) == "without racks, weights"


NONE = frozenset()


def tally_of(found, reached=True, **counts):
    """A tally of one claim, with every situation of its kind reached or none."""
    kind = found.kind
    seen = Counter(name for each in situations_of(kind) for name in each.names) if reached else Counter()
    return Tally(histories=9, counts={found.claim.id: ClaimCount(**counts)}, reached=seen)


class Of:
    """A claim on targets of a kind."""

    def __init__(self, spelled, kind=CLIENT):
        self.claim, self.kind = parse_claim(spelled, kind), kind

    def verdict(self, assume=NONE, exhaustive=None, **tally):
        return verdict_of(self.claim, self.kind, tally_of(self, **tally), frozenset(assume), exhaustive)


def test_a_verdict_needs_enough_judgements_that_could_have_failed():
    found = Of("members")
    assert found.verdict(judged=50, checked=50) == (Verdict.HOLDS, "50 checks passed")
    assert found.verdict(judged=10**6, checked=49) == (
        Verdict.UNKNOWN,
        "49 checks passed (1,000,000 evaluated, the rest vacuous), 50 needed",
    )
    assert found.verdict(checked=1, judged=1, failed=1)[0] is Verdict.VIOLATED
    assert found.verdict(checked=0, judged=1, failed=1)[0] is Verdict.VIOLATED, "evidence stands"


@pytest.mark.parametrize("kind", list(every_kind()), ids=str)
def test_a_claim_that_never_counted_is_unknown(kind):
    for of, claim_id in load_claims():
        if of is kind:
            found = Of(claim_id, kind)
            for judged in (0, 10**6):
                verdict, why = found.verdict(judged=judged)
                assert verdict is Verdict.UNKNOWN
                assert ("no answer could break it" in why) is (judged > 0)
                verdict, why = found.verdict(judged=judged, exhaustive=TriedScope("2x2"))
                assert verdict is Verdict.UNKNOWN
                assert why.startswith("nothing to judge")


@pytest.mark.parametrize(
    ("exhaustive", "reason"),
    [
        (None, "vacuous: none of 9 histories meets the conditions of the claim"),
        (TriedScope("2x2"), "vacuous: no input to 2x2 meets the conditions of the claim"),
    ],
)
def test_a_sentence_whose_conditions_never_held_is_vacuous(exhaustive, reason):
    stated = parse_claim("max(load) < 0 where partitions < 0", CLIENT)
    assert verdict_of(stated, CLIENT, Tally(9), NONE, exhaustive) == (Verdict.UNKNOWN, reason)


@pytest.mark.parametrize("kind", list(every_kind()), ids=str)
def test_each_part_of_each_required_situation_is_needed(kind):
    for claim_id in [claim_id for of, claim_id in load_claims() if of is kind]:
        found = Of(claim_id, kind)
        full = tally_of(found, checked=10**6, judged=10**6, elsewhere=9)
        for situation in situations_of(kind):
            for name in situation.names:
                less = Tally(1, 0, full.counts, full.reached - Counter([name]))
                verdict, why = verdict_of(found.claim, kind, less, NONE)
                needed = claim_id in (*situation.required_by, *situation.defines)
                assert (verdict is Verdict.UNKNOWN and why == f"not reached: {name}") is needed


@pytest.mark.parametrize(
    ("claim_id", "situation_id", "assumption"),
    [
        ("rack-local", "racks-against", "no-racks"),
        ("static-stable", "static-return", "no-static"),
        ("weighted-spread", "weights", "no-weights"),
    ],
)
def test_no_assumption_waives_what_a_claim_is_about(claim_id, situation_id, assumption):
    found = Of(claim_id)
    verdict, why = found.verdict({assumption}, checked=10**6, reached=False)
    assert verdict is Verdict.UNKNOWN
    assert situation_id in why


def test_an_assumption_waives_the_situations_that_it_excludes_and_no_others():
    for assume, needed in ((NONE, True), ({"no-racks"}, False)):
        verdict, why = Of("copartitioned").verdict(assume, checked=50, reached=False)
        assert verdict is Verdict.UNKNOWN
        assert "equal-topics" in why
        assert ("racks-against" in why) is needed
    assert Of("copartitioned").verdict({"no-static"}, checked=50, reached=False)[0] is Verdict.UNKNOWN
    assert Of("single-owner").verdict({"no-racks"}, checked=50, reached=False)[0] is Verdict.UNKNOWN
    assert (
        Of("single-owner").verdict({"no-conflicting-claims"}, checked=50, reached=False)[0] is Verdict.HOLDS
    )


@pytest.mark.parametrize("kind", list(every_kind()), ids=str)
def test_checks_across_processes_are_told_apart_and_needed(kind):
    found = Of("deterministic", kind)
    for exhaustive in (None, TriedScope("2x2")):
        verdict, why = found.verdict(checked=10**6, exhaustive=exhaustive)
        assert verdict is Verdict.UNKNOWN
        assert "in another process" in why
        verdict, why = found.verdict(checked=10**6, elsewhere=7, exhaustive=exhaustive)
        assert verdict is Verdict.HOLDS
        assert "7 across processes" in why


def test_tallies_add_up_whatever_their_order():
    one = ClaimCount(1, 2, 3, 4, 5, Candidate(False, (2,), 1, {}))
    two = ClaimCount(10, 20, 30, 40, 50, Candidate(False, (1,), 2, {}))
    for first, second in ((one, two), (two, one)):
        total = replace(first)
        total.add(second)
        assert total == ClaimCount(11, 22, 33, 44, 55, two.worst)


def test_a_situation_that_the_target_cannot_meet_is_neither_required_nor_told_of():
    subject = parse_claim("single-owner", CLIENT)
    met = Tally(counts={"single-owner": ClaimCount(checked=1000, judged=1000)})
    for each in situations_of(CLIENT):
        if each.id != "skipped-generation":
            met.reached.update(each.names)
    traits = frozenset({SENDS_NO_GENERATIONS})
    lacking = "not reached: skipped-generation"
    assert verdict_of(subject, CLIENT, met, frozenset()) == (Verdict.UNKNOWN, lacking)
    assert verdict_of(subject, CLIENT, met, traits)[0] is Verdict.HOLDS
    assert reached_by_id(CLIENT, met, [subject])["skipped-generation"] == 0
    assert "skipped-generation" not in reached_by_id(CLIENT, met, [subject], traits)
    met.reached["skipped-generation"] = 2
    assert reached_by_id(CLIENT, met, [subject], traits)["skipped-generation"] == 2


def test_a_situation_that_defines_a_claim_is_told_of_where_that_is_asked_or_it_came_up():
    kind = CLIENT
    defining = {s.id: s.defines for s in situations_of(kind) if s.defines}
    everything = {s.id for s in situations_of(kind)}
    assert defining
    assert everything - set(reached_by_id(kind, Tally(), ())) == set(defining)
    for situation_id, claims in defining.items():
        assert reached_by_id(kind, Tally(), [parse_claim(claims[0], kind)])[situation_id] == 0
        came_up = Tally(reached=Counter({situation_id: 3}))
        assert reached_by_id(kind, came_up, ())[situation_id] == 3


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (0, "member", "0 members"),
        (1, "member", "1 member"),
        (2, "process", "2 processes"),
        (2, "history", "2 histories"),
        (2, "event after the start", "2 events after the start"),
        (2, "new partition", "2 new partitions"),
        (3, "connector or task", "3 connectors or tasks"),
    ],
)
def test_numbers_have_their_noun(number, noun, said):
    assert counted(number, noun) == said
