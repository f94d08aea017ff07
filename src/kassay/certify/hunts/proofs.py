"""Proves sentences about rules that are formulas with Z3: for all sizes, or the size of a counterexample.

A sentence is translated if every word in it has a closed form. The form's conditions (`no_racks`) must be
among those of the sentence or the assumptions; otherwise the proof covers less, and says what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.properties.sentences.claims import body_of
from kassay.properties.sentences.grammar import parse
from kassay.solver.proofs.obligation import ProofVerdict

if TYPE_CHECKING:
    from lark import Token, Tree

    from kassay.solver.proofs.obligation import Question
    from kassay.solver.proofs.unknowns import ClosedForm

TIME_LIMIT: Final = 5.0
FLAGS: Final = ("no_", "equal_")
SIZES_MAX: Final = 64
"""The sizes at which a least counterexample is searched."""


class SizeProof(NamedTuple):
    """Z3's result on a sentence for all sizes.

    `lacking` are the conditions that the formula needs and the sentence lacks. `least` is the size of a least
    counterexample, if the formula is exact.
    """

    verdict: ProofVerdict
    lacking: tuple[str, ...]
    least: tuple[int, int] | None
    elapsed_s: float

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
        if proof.for_all_sizes or proof.least is not None:
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
    import z3  # type: ignore[import-untyped]

    from kassay.solver.proofs.obligation import Obligation, Question
    from kassay.solver.proofs.prove import prove

    body, conditions = _parts(claim_id)
    whole = form.whole()
    translation = _Translation(form, dict(whole.terms), list(whole.known))
    where = z3.BoolVal(True)
    given = {_text(each) for each in conditions} | assumed
    for each in conditions:
        # A condition that no formula has, such as no_static, excludes no plain groups.
        if _text(each) not in form.needs and not _text(each).startswith(FLAGS):
            where = z3.And(where, translation.term(each, {}))
    goal = translation.term(body, {}, positive=True)
    question = Question((*translation.known, where), goal, whole.shown)
    obligation = Obligation(
        "sentence", "all sizes", claim_id, "the rule's formula", lambda: question, ProofVerdict.PROVED
    )
    proof = prove(obligation, time_limit)
    least = None
    if proof.verdict is ProofVerdict.REFUTED and form.exact and not translation.loose:
        least = _least(question, time_limit)
    lacking = tuple(sorted(form.needs - given))
    return SizeProof(proof.verdict, lacking, least, proof.elapsed_s)


def _least(question: Question, time_limit: float) -> tuple[int, int] | None:
    """The least values of both unknowns, the first one first; None if Z3 cannot rule out a smaller one."""
    import z3

    from kassay.solver.proofs.prove import apart

    question = apart(question)
    solver = z3.Solver(ctx=question.goal.ctx)
    solver.set("timeout", int(time_limit * 1000))
    solver.add(*question.assumptions, z3.Not(question.goal))
    values = []
    for unknown in question.shown:
        for value in range(SIZES_MAX):
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
    """Translates trees into terms of Z3; `loose` if a term admits more values than the word does."""

    form: ClosedForm
    terms: dict[str, Any]
    known: list[Any]
    loose: bool = False
    fresh: int = 0
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

        if name in self.form.needs:
            return z3.BoolVal(True)
        if name in self.terms:
            return self.terms[name]
        if name.startswith(FLAGS):
            self.loose = True
            return z3.Bool(name)
        raise _UnknownWord

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
        """An `all` that must hold, expressed for one arbitrary item."""
        quantifier, binder, body = children
        variable, name = str(binder.children[0]), binder.children[1]
        letters = {"t": "topics", "m": "members", "b": "brokers", "r": "racks", "p": "partitions"}
        things = str(name) if name is not None else letters.get(variable, "")
        if quantifier.type != "ALL" or not positive or things not in self.form.each:
            raise _UnknownWord
        self.fresh += 1
        unknowns = self.form.each[things](f"{variable}{self.fresh}")
        self.known += unknowns.known
        self.things[f"{variable}{self.fresh}"] = unknowns.terms
        return self.term(body, {**bound, variable: f"{variable}{self.fresh}"}, positive)

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
                return self.terms[f"{name}({argument})"]
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
