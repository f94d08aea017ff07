"""Proof obligations on replica placement: distinct brokers, and leaders that come out even.

Without racks the replicas of a partition are its first broker f and, for j = 0, 1, ..., broker
(f + 1 + (shift + j) mod (B - 1)) mod B.
"""

from __future__ import annotations

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.solver.proofs.obligation import ProofVerdict, Question, obligation

_STRIPED: Final = "Kafka AdminUtils.assignReplicasToBrokers without racks"
_LEADERS: Final = "theorem 3 of the optimality notes"


def _placed(rf: Any, brokers: Any) -> Question:
    first, shift, j, k = z3.Ints("first shift j k")

    def follower(index: Any) -> Any:
        return (first + 1 + (shift + index) % (brokers - 1)) % brokers

    known = [brokers >= 2, first >= 0, first < brokers, shift >= 0, j >= 0, j < k, k < rf - 1]
    goal = z3.And(follower(j) != follower(k), follower(j) != first, follower(k) != first)
    return Question(known, goal, (brokers, first, shift, j, k))


@obligation("replicas-distinct", "all", "RF <= brokers gives distinct replicas", _STRIPED)
def _distinct() -> Question:
    rf, brokers = z3.Ints("RF B")
    question = _placed(rf, brokers)
    return question._replace(assumptions=[*question.assumptions, rf <= brokers])


@obligation("replicas-distinct", "quotients", "the same with every quotient named", _STRIPED)
def _named_quotients() -> Question:
    """The same with every quotient named: steps a and b, their brokers x and y, and the lemma's instances."""
    rf, brokers, first, shift, j, k = z3.Ints("RF B first shift j k")
    a, b, c, d, x, y, s, t = z3.Ints("a b c d x y s t")
    known = [brokers >= 2, rf <= brokers, first >= 0, first < brokers, shift >= 0, j >= 0, j < k, k < rf - 1]
    steps = [shift + j == c * (brokers - 1) + a, a >= 0, a < brokers - 1]
    steps += [shift + k == d * (brokers - 1) + b, b >= 0, b < brokers - 1]
    places = [first + 1 + a == s * brokers + x, x >= 0, x < brokers]
    places += [first + 1 + b == t * brokers + y, y >= 0, y < brokers]
    lemma = [k - j != (d - c) * (brokers - 1), 1 + a != s * brokers]
    lemma += [z3.Or(a == b, a - b != (s - t) * brokers), 1 + b != t * brokers]
    return Question(
        [*known, *steps, *places, *lemma],
        z3.And(x != y, x != first, y != first),
        (brokers, first, shift, j, k),
    )


@obligation("replicas-distinct", "lemma", "no multiple of d lies strictly between 0 and d", _STRIPED)
def _no_multiple() -> Question:
    d, k, p = z3.Ints("d k p")
    return Question([k > 0, k < d], k != p * d, (d, k, p))


@obligation("replicas-distinct", "step", "different steps reach different brokers", _STRIPED)
def _linear_step() -> Question:
    """Given the lemma for j and k, the rest is linear: a step of 1 .. B - 1 wraps at most once."""
    brokers, first, a, b = z3.Ints("B first a b")

    def wrapped(step: Any) -> Any:
        return z3.If(first + step >= brokers, first + step - brokers, first + step)

    known = [brokers >= 2, first >= 0, first < brokers, a >= 1, a < brokers, b >= 1, b < brokers, a != b]
    goal = z3.And(wrapped(a) != wrapped(b), wrapped(a) != first, wrapped(b) != first)
    return Question(known, goal, (brokers, first, a, b))


@obligation(
    "replicas-beyond",
    "all",
    "RF = brokers + 1 gives distinct replicas",
    _STRIPED,
    expected=ProofVerdict.REFUTED,
)
def _one_too_many() -> Question:
    brokers = z3.Int("B")
    return _placed(brokers + 1, brokers)


@obligation("leaders-even", "all", "ceil((Q + 1) / RF) <= Q div RF + 1", _LEADERS)
def _leaders() -> Question:
    q, rf, a, b, c, d = z3.Ints("Q RF a b c d")
    floor = [q == a * rf + b, b >= 0, b < rf]
    ceiling = [q + 1 + rf - 1 == c * rf + d, d >= 0, d < rf]
    return Question([q >= 0, rf >= 1, *floor, *ceiling], c <= a + 1, (rf, q))
