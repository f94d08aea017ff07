"""Sentences put to Z3: what is proved, for which groups, the least size that is not, and what has no closed form."""

import pytest

from kassay.engines.hunts import proofs
from kassay.engines.hunts.proofs import ANY_ANSWER, NO_INPUT, prove_sentence
from kassay.solver.proofs.obligation import ProofVerdict

NONE = frozenset()


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("range", "max(load) - min(load) <= topics where equal_subscriptions and no_racks"),
        ("range", "all t: spread(t) <= 1 where no_racks and no_static"),
        ("range", "all t: spread(t) <= 1 and partitions(t) >= 1 where no_racks"),
        ("range", "name = max(load) >= floor(partitions / members) where equal_subscriptions and no_racks"),
        ("roundrobin", "max(load) - min(load) <= 1 where equal_subscriptions"),
        ("roundrobin", "max(load) <= ceil(partitions / members) where equal_subscriptions and topics == 2"),
        ("ceil-range", "max(load) == ceil(partitions / members) where equal_subscriptions and topics == 1"),
        ("ceil-range", "max(load) - min(load) <= 1 or members > 2 where equal_subscriptions and topics == 1"),
        (
            "placement:rack-unaware",
            "max(leaders) - min(leaders) <= 1 where no_racks and no_existing and no_fenced",
        ),
        (
            "placement:rack-unaware",
            "max(replicas) - min(replicas) <= min(rf, brokers) where no_racks and no_existing and no_fenced",
        ),
        (
            "placement:striped",
            "max(replicas) - min(replicas) <= min(rf, brokers) where no_racks and no_existing and no_fenced",
        ),
        (
            "placement:rack-aware",
            "max(leaders) - min(leaders) <= 1 where all_racks and no_existing and no_fenced",
        ),
        (
            "placement:rack-aware",
            "max(replicas) - min(replicas) <= min(rf, brokers - rf) "
            "where all_racks and equal_racks and no_existing and no_fenced",
        ),
        (
            "placement:rack-aware",
            "all b: replicas(b) <= rf * ceil(partitions / brokers) and leaders(b) <= ceil(partitions / brokers) "
            "where all_racks and equal_racks and no_existing and no_fenced and rf == 3",
        ),
        (
            "placement:rack-aware",
            "all r: replicas(r) <= rf * ceil(partitions / racks) "
            "where all_racks and equal_racks and no_existing and no_fenced and rf == 2 and racks >= 2",
        ),
        (
            "placement:rack-aware",
            "all r: replicas(r) == partitions where all_racks and no_existing and no_fenced and rf == racks",
        ),
        (
            "placement:rack-aware",
            "all p: racks(p) == min(rf, racks) where all_racks and no_existing and no_fenced",
        ),
        (
            "placement:striped",
            "all r: leaders(r) <= ceil(partitions / racks) "
            "where all_racks and equal_racks and no_existing and no_fenced and rf <= racks and brokers > racks",
        ),
        (
            "placement:striped",
            "all r: replicas(r) <= rf * ceil(partitions / racks) where all_racks and equal_racks "
            "and no_existing and no_fenced and rf <= racks and brokers > racks and rf == 2",
        ),
    ],
)
def test_proved_for_all_sizes(spec, text):
    proof = prove_sentence(spec, text, NONE)
    assert proof.for_all_sizes, proof
    assert proof.model is not None and proof.breakable is not None


NEW = "no_existing and no_fenced"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("range", "max(load) <= 0 where equal_subscriptions and no_racks and partitions < 0"),
        ("range", "max(load) <= 0 where equal_subscriptions and no_racks and members == 0"),
        ("range", "max(load) <= 0 where equal_subscriptions and no_racks and topics == 0 and partitions > 0"),
        ("range", "max(load) <= 0 where equal_subscriptions and no_racks and max(load) < min(load)"),
        ("roundrobin", "max(load) <= 0 where equal_subscriptions and not equal_subscriptions"),
        ("roundrobin", "max(load) <= 0 where equal_subscriptions and no_static and not no_static"),
        ("roundrobin", "max(load) <= 0 where equal_subscriptions and max(load) - min(load) > 1"),
        ("ceil-range", "max(load) <= 0 where equal_subscriptions and topics == 1 and topics == 2"),
        ("placement:rack-aware", f"max(leaders) <= 0 where {NEW} and no_racks and all_racks"),
        ("placement:rack-aware", f"max(leaders) <= 0 where {NEW} and all_racks and racks == 0"),
        ("placement:rack-unaware", f"max(leaders) <= 0 where {NEW} and no_racks and existing > 0"),
        ("placement:rack-unaware", f"max(leaders) <= 0 where {NEW} and no_racks and not equal_racks"),
        ("placement:striped", f"max(leaders) <= 0 where {NEW} and no_racks and rf > brokers"),
    ],
)
def test_nothing_is_proved_where_no_group_meets_the_conditions(spec, text):
    proof = prove_sentence(spec, text, NONE)
    assert (proof.verdict, proof.vacuous, proof.lacking) == (ProofVerdict.UNKNOWN, NO_INPUT, ())


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("range", "max(load) >= min(load) where equal_subscriptions and no_racks"),
        ("range", "max(load) <= partitions where equal_subscriptions and no_racks"),
        ("range", "max(load) <= 2 where equal_subscriptions and no_racks and max(load) < 2"),
        ("range", "all t: spread(t) <= 5 where no_racks and topics == 0"),
        ("range", "all t: spread(t) <= partitions(t) where no_racks"),
        ("roundrobin", "members * max(load) >= sum(load) where equal_subscriptions and members == 2"),
        ("placement:rack-unaware", f"max(replicas) <= partitions where {NEW} and no_racks"),
        ("placement:rack-unaware", f"max(leaders) <= partitions where {NEW} and no_racks"),
        ("placement:rack-aware", f"all b: leaders(b) <= replicas(b) where {NEW} and all_racks"),
        ("placement:rack-aware", f"all p: racks(p) <= racks where {NEW} and all_racks"),
        ("placement:rack-aware", f"all r: replicas(r) >= 0 where {NEW} and all_racks and equal_racks"),
    ],
)
def test_what_holds_whatever_a_rule_answers_is_not_proved_of_the_rule(spec, text):
    proof = prove_sentence(spec, text, NONE)
    assert proof.verdict is not ProofVerdict.PROVED
    assert proof.vacuous == ANY_ANSWER


def test_an_all_about_nothing_does_not_hide_what_else_the_sentence_says():
    text = "all t: spread(t) <= 1 and topics >= 1 where no_racks"
    assert prove_sentence("range", text, NONE).for_all_sizes
    text = "(all t: spread(t) <= 1) and topics >= 1 where no_racks"
    assert prove_sentence("range", text, NONE).verdict is ProofVerdict.REFUTED


def test_a_formula_that_lacks_conditions_does_not_call_a_sentence_vacuous():
    """Groups with racks break no_racks, but there are such groups."""
    proof = prove_sentence("range", "max(load) <= 0 where equal_subscriptions and not no_racks", NONE)
    assert proof.vacuous is None and proof.verdict is ProofVerdict.UNKNOWN


@pytest.mark.parametrize(
    ("spec", "text", "least"),
    [
        ("range", "max(load) - min(load) <= 5 where equal_subscriptions and no_racks", (2, 6)),
        (
            "range",
            "max(load) - min(load) <= 1 where equal_subscriptions and no_racks and members == 7",
            (7, 2),
        ),
        ("ceil-range", "max(load) - min(load) <= 1 where equal_subscriptions and topics == 1", (3, 4)),
        (
            "ceil-range",
            "min(load) >= 1 where equal_subscriptions and topics == 1 and partitions > members",
            (3, 4),
        ),
        ("roundrobin", "max(load) - min(load) <= 0 where equal_subscriptions", (2, 1)),
    ],
)
def test_the_least_size_of_a_counterexample(spec, text, least):
    proof = prove_sentence(spec, text, NONE)
    assert (proof.verdict, proof.least) == (ProofVerdict.REFUTED, least)


def test_a_proof_says_which_conditions_it_takes_beside_those_of_the_sentence():
    bare = "max(load) - min(load) <= topics"
    proof = prove_sentence("range", bare, NONE)
    assert proof.verdict is ProofVerdict.PROVED and not proof.for_all_sizes
    assert proof.lacking == ("equal_subscriptions", "no_racks")
    assert prove_sentence("range", bare, frozenset({"equal_subscriptions", "no_racks"})).for_all_sizes


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("max(replicas) - min(replicas) <= rf where all_racks", ("equal_racks", "no_existing", "no_fenced")),
        ("max(leaders) - min(leaders) <= 1 where all_racks", ("no_existing", "no_fenced")),
        ("max(leaders) - min(leaders) <= 1 where no_racks", ("no_existing", "no_fenced")),
    ],
)
def test_of_several_proofs_the_one_of_fewer_conditions_is_told(text, lacking):
    proof = prove_sentence("placement:rack-aware", text, NONE)
    assert (proof.verdict, proof.lacking) == (ProofVerdict.PROVED, lacking)


def test_all_formulas_of_a_rule_share_the_time(monkeypatch):
    asked = []

    def proved(form, claim_id, assumed, time_limit):
        asked.append((sorted(form.needs)[0], time_limit))
        return proofs.SizeProof(ProofVerdict.UNKNOWN, ("more",), None, 0.75 * time_limit)

    monkeypatch.setattr(proofs, "_proved", proved)
    text = "max(leaders) <= 1 where all_racks and no_existing and no_fenced"
    prove_sentence("placement:rack-aware", text, NONE, 8.0)
    assert asked == [("all_racks", 8.0), ("no_existing", 2.0), ("all_racks", 0.5)]


@pytest.mark.slow
def test_what_unequal_racks_break_is_proved_of_equal_ones_alone():
    text = "max(replicas) <= rf * ceil(partitions / brokers) where all_racks and no_existing and no_fenced"
    proof = prove_sentence("placement:rack-aware", text, NONE)
    assert proof.lacking == ("equal_racks",) and not proof.for_all_sizes


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("sticky", "gap == 0"),
        ("range", "moved <= partitions"),
        ("range", "some t: spread(t) <= 1 where no_racks"),
        ("range", "not (all t: spread(t) <= 1) where no_racks"),
        ("range", "partitions / topics >= 0 where equal_subscriptions and no_racks"),
        ("roundrobin", "all m: load(m) <= partitions where equal_subscriptions"),
    ],
)
def test_what_has_no_closed_form_is_not_proved(spec, text):
    assert prove_sentence(spec, text, NONE) is None


def test_a_form_that_allows_more_than_there_is_refutes_nothing():
    proof = prove_sentence("placement:rack-unaware", "max(replicas) - min(replicas) <= 0", NONE)
    assert (proof.verdict, proof.least) == (ProofVerdict.REFUTED, None)


@pytest.mark.parametrize("members", [1, 2, 3, 5])
@pytest.mark.parametrize("rest", [0, 1, 2, 4])
@pytest.mark.parametrize("name", ["ceil", "floor"])
def test_a_rounded_quotient_has_its_value_in_z3_and_no_other(members, rest, name):
    """A false sentence must not be proved: the right value is possible, any other is not."""
    partitions = 2 * members + rest
    right = -(-partitions // members) if name == "ceil" else partitions // members
    size = f"where equal_subscriptions and members == {members} and partitions == {partitions}"
    quotient = f"{name}(partitions / members)"
    for value in (right - 1, right, right + 1):
        denied = prove_sentence("roundrobin", f"{quotient} != {value} and max(load) >= 0 {size}", NONE)
        assert (denied.verdict is ProofVerdict.REFUTED) == (value == right)


@pytest.mark.parametrize("name", ["ceil", "floor"])
def test_a_rounded_sum_is_itself(name):
    denied = prove_sentence(
        "roundrobin", f"{name}(members + 1) != members + 1 where equal_subscriptions", NONE
    )
    assert denied.verdict is ProofVerdict.REFUTED
