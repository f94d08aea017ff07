"""Claims about formulas, proved for all sizes by Z3, or refuted with the smallest counterexample.

A claim is one or several obligations. Where it covers every member or every partition, base and step of the
induction are obligations of their own: Z3 does not do the induction, the claim does. Witnesses replace
existentials ("the owner of p is ..."), quotients are named where div and mod would be opaque. Some claims are
known to be false, and expected to be refuted.

Contradictory assumptions imply everything, so a proof counts only with values at which its assumptions hold.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.model.errors import InputError
from kassay.reading.documents import one_of
from kassay.solver.proofs.obligation import Obligation, ProofVerdict, Question, obligations

TIME_LIMIT: Final = 20.0
_LADDER: Final = 64


@dataclass(frozen=True)
class Proof:
    """The outcome of an obligation.

    `model` are values at which the assumptions of a proved one hold. `vacuous` says that there are none: the
    verdict is then unknown.
    """

    obligation: Obligation
    verdict: ProofVerdict
    counterexample: Mapping[str, int] | None
    elapsed_s: float
    model: Mapping[str, int] | None = None
    vacuous: bool = False

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one."""
        return self.verdict is self.obligation.expected

    def document(self) -> dict[str, Any]:
        """The proof as `kassay prove --json` has it."""
        return {
            "name": self.obligation.name,
            "sentence": self.obligation.sentence,
            "source": self.obligation.source,
            "verdict": str(self.verdict),
            "expected": str(self.obligation.expected),
            "counterexample": None if self.counterexample is None else dict(self.counterexample),
            "model": None if self.model is None else dict(self.model),
            "vacuous": self.vacuous,
            "elapsed_s": round(self.elapsed_s, 3),
        }


def chosen(names: Iterable[str] = ()) -> list[Obligation]:
    """The obligations of these claims or names, all without any; raises `InputError` for an unknown one."""
    picked = []
    for name in names:
        matching = [each for each in obligations() if name in (each.claim, each.name)]
        if not matching:
            known = dict.fromkeys(each.claim for each in obligations())
            raise InputError(f"NAME: found {name!r}, expected {one_of(known, name)}")
        picked += matching
    return list(dict.fromkeys(picked)) or list(obligations())


def proofs(names: Iterable[str] = (), time_limit: float = TIME_LIMIT) -> Iterator[Proof]:
    """The proofs of these claims, one at a time, each within `time_limit` seconds."""
    for obligation in chosen(names):
        yield prove(obligation, time_limit)


def prove(obligation: Obligation, time_limit: float = TIME_LIMIT) -> Proof:
    """Search with Z3 for a counterexample, and if there is none for values at which the assumptions hold."""
    began = time.perf_counter()
    question, deadline = apart(obligation.ask()), began + time_limit
    solver = _solver(question, deadline)
    solver.push()
    solver.add(z3.Not(question.goal))
    verdict, counterexample, model, vacuous = ProofVerdict.UNKNOWN, None, None, False
    if solver.check() != z3.unsat:
        counterexample = _smallest(solver, question.shown, deadline)
        verdict = ProofVerdict.UNKNOWN if counterexample is None else ProofVerdict.REFUTED
    else:
        solver.pop()
        vacuous = _bounded(solver, deadline).check() == z3.unsat
        model = None if vacuous else _smallest(solver, question.shown, deadline)
        verdict = ProofVerdict.UNKNOWN if model is None else ProofVerdict.PROVED
    elapsed = time.perf_counter() - began
    return Proof(obligation, verdict, counterexample, elapsed, model, vacuous)


def _solver(question: Question, deadline: float) -> Any:
    """A solver that knows the assumptions."""
    solver = z3.Solver(ctx=question.goal.ctx)
    solver.add(*question.assumptions)
    return _bounded(solver, deadline)


def _bounded(solver: Any, deadline: float) -> Any:
    """The solver, whose next check ends at the deadline (`time.perf_counter`)."""
    solver.set("timeout", max(1, int((deadline - time.perf_counter()) * 1000)))
    return solver


def apart(question: Question) -> Question:
    """The question in a context of its own, where earlier queries do not influence Z3's answer.

    In a shared context the search depends on the numbers of terms there: one proof of a tenth of a second was
    not found in five where other terms had been made in between.
    """
    own = z3.Context()
    goal, shown = question.goal.translate(own), tuple(each.translate(own) for each in question.shown)
    return Question(tuple(each.translate(own) for each in question.assumptions), goal, shown)


def _smallest(solver: Any, shown: Sequence[Any], deadline: float) -> dict[str, int] | None:
    """A counterexample whose first unknowns are as small as possible; None if none is found in time.

    Trying 0, 1, 2, ... makes products linear, where minimising them would not end. Bit-vectors are not
    minimised.
    """
    for unknown in shown:
        if z3.is_bv(unknown):
            continue
        for value in range(_LADDER):
            if time.perf_counter() > deadline:
                return None
            solver.push()
            solver.add(unknown == value)
            if _bounded(solver, deadline).check() == z3.sat:
                break
            solver.pop()
    if _bounded(solver, deadline).check() != z3.sat:
        return None
    model = solver.model()
    values = {str(unknown): model.eval(unknown, model_completion=True) for unknown in shown}
    return {name: _number(value) for name, value in values.items()}


def _number(value: Any) -> int:
    number: int = value.as_signed_long() if z3.is_bv(value) else value.as_long()
    return number
