"""Proves sentences about rules that are formulas with Z3: for all sizes, or the size of a counterexample.

A sentence is translated if every word in it has a closed form. The form's conditions (`no_racks`) must be
among those of the sentence or the assumptions; otherwise the proof covers less, and says what.

A proof counts only if it says something: there are groups in which the conditions of the sentence hold, and
some answer, though not the rule's, would break it there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.properties.sentences.claims import body_of
from kassay.properties.sentences.grammar import parse
from kassay.solver.proofs.obligation import ProofVerdict

if TYPE_CHECKING:
    from lark import Token, Tree

    from kassay.solver.proofs.closed_forms import AnyAnswer, ClosedForm, Unknowns
    from kassay.solver.proofs.obligation import Obligation, Question

TIME_LIMIT: Final = 5.0
FLAGS: Final = ("no_", "equal_")
SIZES_MAX: Final = 64
"""The sizes at which a least counterexample is searched."""


NO_INPUT: Final = "no input that the rule answers meets the conditions of the claim"
ANY_ANSWER: Final = "whatever a rule answers, the claim holds"


class SizeProof(NamedTuple):
    """Z3's result on a sentence for all sizes.

    `lacking` are the conditions that the formula needs and the sentence lacks. `least` is the size of a least
    counterexample, if the formula is exact. Of a proof, `model` is a size at which the conditions hold, and
    `breakable` one at which another answer would break the sentence. `vacuous` says why there is no such
    size: the verdict is then unknown. If `unwitnessed`, the conditions are about the answer, and the formula
    may allow answers that the rule never gives: an input that meets them has yet to be seen.
    """

    verdict: ProofVerdict
    lacking: tuple[str, ...]
    least: tuple[int, int] | None
    elapsed_s: float
    vacuous: str | None = None
    model: tuple[int, int] | None = None
    breakable: tuple[int, int] | None = None
    unwitnessed: bool = False

    @property
    def for_all_sizes(self) -> bool:
        """Whether the sentence itself is proved."""
        return self.verdict is ProofVerdict.PROVED and not self.lacking


class _UnknownWord(Exception):
    """A word of the sentence has no closed form."""


def prove_sentence(
    spec: str, claim_id: str, assumed: frozenset[str], time_limit: float = TIME_LIMIT
) -> SizeProof | None:
    """Z3's result on the claim for the rule; None if the rule is no formula or a word has no closed form.

    Of several formulas, the one with the widest conditions that proves it, else the first that has its
    words; formulas whose conditions the sentence has come first. The time limit is for all of them together.
    """
    from kassay.solver.proofs.closed_forms import FORMS

    _, conditions = _parts(claim_id)
    given = {*map(_text, conditions)} | assumed
    first, left = None, time_limit
    for form in sorted(FORMS.get(spec, ()), key=lambda form: not form.needs <= given):
        try:
            proof = _proved(form, claim_id, assumed, left)
        except _UnknownWord:
            continue
        if proof.for_all_sizes or proof.least is not None or proof.vacuous:
            return proof
        if first is None or _says_more(proof, first):
            first = proof
        left -= proof.elapsed_s
        if left <= 0:
            break
    return first


def _parts(claim_id: str) -> tuple[Any, tuple[Any, ...]]:
    """The body of a sentence, and its conditions."""
    body, condition = parse(*body_of(claim_id)).children
    assert not isinstance(body, str)
    return body, () if condition is None else _conjuncts(condition)


def _says_more(proof: SizeProof, than: SizeProof) -> bool:
    """Whether it is a proof where the other is none, or one with fewer conditions."""
    if proof.verdict is not ProofVerdict.PROVED:
        return False
    return than.verdict is not ProofVerdict.PROVED or set(proof.lacking) < set(than.lacking)


def _proved(form: ClosedForm, claim_id: str, assumed: frozenset[str], time_limit: float) -> SizeProof:
    from kassay.solver.proofs.prove import prove

    started = time.perf_counter()

    def left() -> float:
        return time_limit - (time.perf_counter() - started)

    question, read = _question(form, form, claim_id)
    given = {*map(_text, _parts(claim_id)[1])} | assumed
    lacking = tuple(sorted(form.needs - given))
    proof = prove(_obligation(claim_id, question), time_limit)
    if proof.verdict is not ProofVerdict.PROVED:
        least, vacuous = None, None
        if proof.verdict is ProofVerdict.REFUTED and form.exact and not read.loose:
            least = _least(question, left())
        if proof.vacuous and not lacking:
            vacuous = NO_INPUT
        return SizeProof(proof.verdict, lacking, least, time_limit - left(), vacuous)
    without_rule, _ = _question(form, form.anything, claim_id)
    other = prove(_obligation(claim_id, without_rule), left())
    if other.verdict is not ProofVerdict.REFUTED:
        # Not known to say anything about the rule, and if another answer can never break it, known not to.
        vacuous = ANY_ANSWER if other.verdict is ProofVerdict.PROVED and not lacking else None
        return SizeProof(ProofVerdict.UNKNOWN, lacking, None, time_limit - left(), vacuous)
    return SizeProof(
        ProofVerdict.PROVED,
        lacking,
        None,
        time_limit - left(),
        model=_size(proof.model),
        breakable=_size(other.counterexample),
        unwitnessed=read.of_answers and not form.exact,
    )


def _obligation(claim_id: str, question: Question) -> Obligation:
    from kassay.solver.proofs.obligation import Obligation

    return Obligation(
        "sentence", "all sizes", claim_id, "the rule's formula", lambda: question, ProofVerdict.PROVED
    )


class _ConditionsRead(NamedTuple):
    """How a sentence was translated: `loose` terms admit more than the words, conditions are `of_answers`."""

    loose: bool
    of_answers: bool


def _question(
    form: ClosedForm, unknowns: ClosedForm | AnyAnswer, claim_id: str
) -> tuple[Question, _ConditionsRead]:
    """Do the conditions of the sentence imply its body, of the form's own answers or of any?"""
    import z3  # type: ignore[import-untyped]

    from kassay.solver.proofs.obligation import Question

    body, conditions = _parts(claim_id)
    whole = unknowns.whole()
    translation = _Translation(form.needs, unknowns.each, dict(whole.terms), list(whole.known))
    where = []
    for each in conditions:
        if _text(each) in form.needs:
            continue
        if _text(each).startswith(FLAGS) and _text(each) not in whole.terms:
            # A condition that no formula has, such as no_static, excludes no plain groups.
            where.append(z3.Bool(_text(each)))
        else:
            where.append(translation.term(each, {}))
    read = _ConditionsRead(translation.loose, any("(" in used for used in translation.used))
    goal = translation.term(body, {}, positive=True)
    read = read._replace(loose=translation.loose)
    return Question((*translation.known, *where), goal, whole.shown), read


def _size(values: Mapping[str, int] | None) -> tuple[int, int] | None:
    """The two unknowns of the form that are shown."""
    if values is None:
        return None
    members, partitions = values.values()
    return members, partitions


def _least(question: Question, time_limit: float) -> tuple[int, int] | None:
    """The least values of both unknowns, the first one first; None if Z3 cannot rule out a smaller one."""
    import z3

    from kassay.solver.proofs.prove import apart

    deadline = time.perf_counter() + time_limit
    question = apart(question)
    solver = z3.Solver(ctx=question.goal.ctx)
    solver.add(*question.assumptions, z3.Not(question.goal))
    values = []
    for unknown in question.shown:
        for value in range(SIZES_MAX):
            solver.set("timeout", max(1, int((deadline - time.perf_counter()) * 1000)))
            answer = solver.check(unknown == value)
            if answer == z3.sat:
                solver.add(unknown == value)
                values.append(value)
                break
            if answer == z3.unknown:
                return None
        else:
            return None
    members, partitions = values
    return members, partitions


def _conjuncts(node: Any) -> tuple[Any, ...]:
    if node.data == "both":
        return (*_conjuncts(node.children[0]), *_conjuncts(node.children[1]))
    return (node,)


def _text(node: Any) -> str:
    """The node as text if it is a name or a comparison; otherwise it is no condition of a formula."""
    if isinstance(node, str):
        return str(node)
    if node.data in ("name", "number", "compared"):
        return " ".join(map(_text, node.children))
    return f"<{node.data}>"


@dataclass
class _Translation:
    """Translates trees into terms of Z3; `loose` if a term admits more values than the word does.

    Words that are among `needs` are true. `each` has the unknowns of one thing, `used` the terms that were
    used.
    """

    needs: frozenset[str]
    each: Mapping[str, Callable[[str], Unknowns]]
    terms: dict[str, Any]
    known: list[Any]
    loose: bool = False
    fresh: int = 0
    used: set[str] = field(default_factory=set)
    things: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def term(self, node: Tree[Token], bound: Mapping[str, str], positive: bool = False) -> Any:
        """The term of the node; if `positive`, an `all` may be proved for one arbitrary item."""
        import z3

        children: list[Any] = list(node.children)
        match node.data:
            case "number":
                text = str(children[0])
                return z3.RealVal(text) if "." in text else z3.IntVal(text)
            case "name":
                return self._name(str(children[0]))
            case "both":
                return z3.And(*(self.term(child, bound, positive) for child in children))
            case "either":
                return z3.Or(*(self.term(child, bound) for child in children))
            case "negated":
                return z3.Not(self.term(children[0], bound))
            case "negative":
                return -self.term(children[1], bound)
            case "arithmetic":
                return self._arithmetic(children, bound)
            case "compared":
                return self._compared(children, bound)
            case "quantified":
                return self._quantified(children, bound, positive)
            case "call":
                return self._call(children, bound)
        raise _UnknownWord

    def _name(self, name: str) -> Any:
        import z3

        if name in self.needs:
            return z3.BoolVal(True)
        if name in self.terms:
            return self._used(name)
        if name.startswith(FLAGS):
            self.loose = True
            return z3.Bool(name)
        raise _UnknownWord

    def _used(self, name: str) -> Any:
        self.used.add(name)
        return self.terms[name]

    def _arithmetic(self, children: list[Any], bound: Mapping[str, str]) -> Any:
        import z3

        left, right = self.term(children[0], bound), self.term(children[2], bound)
        match str(children[1]):
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
        self._require_positive(right)
        return z3.ToReal(left) / z3.ToReal(right) if z3.is_int(left) and z3.is_int(right) else left / right

    def _compared(self, children: list[Any], bound: Mapping[str, str]) -> Any:
        import z3

        values = [self.term(child, bound) for child in children[::2]]
        signs = {
            "<=": lambda a, b: a <= b,
            ">=": lambda a, b: a >= b,
            "<": lambda a, b: a < b,
            ">": lambda a, b: a > b,
            "==": lambda a, b: a == b,
            "!=": lambda a, b: a != b,
        }
        pairs = zip(children[1::2], values, values[1:])
        return z3.And(*(signs[str(sign)](left, right) for sign, left, right in pairs))

    def _quantified(self, children: list[Any], bound: Mapping[str, str], positive: bool) -> Any:
        """An `all` that must hold, expressed for one arbitrary item, if there is any."""
        import z3

        quantifier, binder, body = children
        variable, name = str(binder.children[0]), binder.children[1]
        letters = {"t": "topics", "m": "members", "b": "brokers", "r": "racks", "p": "partitions"}
        things = str(name) if name is not None else letters.get(variable, "")
        if quantifier.type != "ALL" or not positive or things not in self.each:
            raise _UnknownWord
        self.fresh += 1
        unknowns = self.each[things](f"{variable}{self.fresh}")
        self.known += unknowns.known
        self.things[f"{variable}{self.fresh}"] = unknowns.terms
        says = self.term(body, {**bound, variable: f"{variable}{self.fresh}"}, positive)
        # Of no things everything is true.
        return z3.Implies(self.terms[things] >= 1, says) if things in self.terms else says

    def _call(self, children: list[Any], bound: Mapping[str, str]) -> Any:
        import z3

        name, arguments = str(children[0]), children[1:]
        if name in ("ceil", "floor"):
            return self._rounded(name, arguments[0], bound)
        if len(arguments) == 1 and arguments[0].data == "name":
            argument = str(arguments[0].children[0])
            if argument in bound:
                terms = self.things[bound[argument]]
                if name not in terms:
                    raise _UnknownWord
                return terms[name]
            if f"{name}({argument})" in self.terms:
                return self._used(f"{name}({argument})")
        values = [self.term(argument, bound) for argument in arguments]
        if name in ("max", "min") and len(values) > 1:
            return reduce(lambda a, b: z3.If(a >= b, a, b) if name == "max" else z3.If(a <= b, a, b), values)
        if name == "abs":
            return z3.If(values[0] >= 0, values[0], -values[0])
        raise _UnknownWord

    def _rounded(self, name: str, node: Tree[Token], bound: Mapping[str, str]) -> Any:
        """The whole number w with (w - 1) d < n <= w d, or w d <= n < (w + 1) d, of a quotient n / d."""
        import z3

        children: list[Any] = list(node.children)
        if node.data == "arithmetic" and str(children[1]) == "/":
            dividend, divisor = self.term(children[0], bound), self.term(children[2], bound)
            self._require_positive(divisor)
        else:
            dividend, divisor = self.term(node, bound), z3.IntVal(1)
        self.fresh += 1
        whole = z3.Int(f"{name} {self.fresh}")
        if name == "ceil":
            self.known += [whole * divisor >= dividend, (whole - 1) * divisor < dividend]
        else:
            self.known += [whole * divisor <= dividend, (whole + 1) * divisor > dividend]
        return whole

    def _require_positive(self, divisor: Any) -> None:
        """Give up if the divisor could be 0: the claim is then not evaluated, which no term expresses."""
        import z3

        solver = z3.Solver()
        solver.set("timeout", 1000)
        solver.add(*self.known, divisor < 1)
        if solver.check() != z3.unsat:
            raise _UnknownWord
