from __future__ import annotations

import pytest
import z3  # type: ignore[import-untyped]

from kassay.model.errors import InputError
from kassay.solver.proofs.obligation import Obligation, ProofVerdict, Question, obligations
from kassay.solver.proofs.prove import apart, chosen, proofs, prove


@pytest.mark.parametrize("obligation", obligations(), ids=lambda each: each.name)
def test_every_obligation_comes_out_as_known(obligation: Obligation) -> None:
    proof = prove(obligation)
    assert proof.verdict is obligation.expected
    assert (proof.counterexample is None) == (proof.verdict is not ProofVerdict.REFUTED)
    assert (proof.model is None) == (proof.verdict is not ProofVerdict.PROVED)
    assert not proof.vacuous


def obligation_of(question: Question) -> Obligation:
    return Obligation("test", "all", "", "", lambda: question, ProofVerdict.PROVED)


def test_contradictory_assumptions_prove_nothing() -> None:
    x = z3.Int("x")
    proof = prove(obligation_of(Question((x > 1, x < 1), x == 7, (x,))))
    assert (proof.verdict, proof.vacuous, proof.model) == (ProofVerdict.UNKNOWN, True, None)


def test_a_proof_shows_the_smallest_values_at_which_its_assumptions_hold() -> None:
    x = z3.Int("x")
    proof = prove(obligation_of(Question((x > 1, x < 9), x > 0, (x,))))
    assert (proof.verdict, proof.vacuous, proof.model) == (ProofVerdict.PROVED, False, {"x": 2})


def test_names_are_unique_and_inductions_have_base_and_step() -> None:
    names = [each.name for each in obligations()]
    assert len(set(names)) == len(names)
    for claim in ("range-contiguous", "range-cover", "roundrobin-count"):
        assert {"base", "step"} <= {each.part for each in chosen([claim])}


def test_refuted_claims_show_their_smallest_counterexample() -> None:
    found = {proof.obligation.name: proof.counterexample for proof in proofs(["ceil-range-even", "abs"])}
    assert found["ceil-range-even/all"] == {"P": 4, "C": 3, "N": 2}
    assert found["abs/sign"] == {"x": -(1 << 31)}


def test_a_spent_time_limit_is_unknown() -> None:
    # Asked for a counterexample with no time to find one, nothing may be called refuted or proved wrongly.
    proof = prove(chosen(["replicas-distinct/all"])[0], time_limit=0.001)
    assert proof.verdict in (ProofVerdict.UNKNOWN, ProofVerdict.PROVED)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InputError, match="found 'nope'"):
        chosen(["nope"])


def test_a_question_is_put_in_a_context_of_its_own() -> None:
    x, y = z3.Ints("x y")
    question = Question((x > 0, y > x), y > 1, (x, y))
    own = apart(question)
    assert own.goal.ctx != z3.main_ctx()
    assert {each.ctx for each in (*own.assumptions, *own.shown)} == {own.goal.ctx}
    for before, after in zip(
        (*question.assumptions, question.goal, *question.shown),
        (*own.assumptions, own.goal, *own.shown),
        strict=True,
    ):
        assert after.sexpr() == before.sexpr()
