"""Proof obligations on 32-bit words and on heartbeats.

`toPositive` clears the sign bit, as Kafka's `Utils.toPositive` does; Java's `Math.abs` negates, and
leaves Integer.MIN_VALUE negative.
"""

from __future__ import annotations

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.solver.proofs.obligation import ProofVerdict, Question, obligation

_TO_POSITIVE: Final = "Kafka Utils.toPositive"
_ABS: Final = "java.lang.Math.abs"
_HEARTBEAT: Final = "heartbeat.interval.ms and session.timeout.ms"
_MIN_VALUE: Final = -(1 << 31)


def _to_positive(x: Any) -> Any:
    return x & 0x7FFFFFFF


def _abs(x: Any) -> Any:
    return z3.If(x < 0, -x, x)


def _word(name: str = "x") -> Any:
    return z3.BitVec(name, 32)


@obligation("to-positive", "sign", "toPositive(x) >= 0 for all 32-bit x", _TO_POSITIVE)
def _not_negative() -> Question:
    x = _word()
    return Question([], _to_positive(x) >= 0, (x,))


@obligation("to-positive", "range", "toPositive(x) % n is in [0, n) for n > 0", _TO_POSITIVE)
def _in_range() -> Question:
    x, n = _word(), _word("n")
    chosen = z3.SRem(_to_positive(x), n)
    return Question([n > 0], z3.And(chosen >= 0, chosen < n), (x, n))


@obligation("to-positive", "abs", "on negatives it equals abs at -2^30 alone", _TO_POSITIVE)
def _agree() -> Question:
    x = _word()
    return Question([x < 0, _to_positive(x) == _abs(x)], x == -(1 << 30), (x,))


@obligation("abs", "sign", "abs(x) >= 0 for all 32-bit x", _ABS, expected=ProofVerdict.REFUTED)
def _abs_not_negative() -> Question:
    x = _word()
    return Question([], _abs(x) >= 0, (x,))


@obligation("abs", "only", "MIN_VALUE is the only exception", _ABS)
def _abs_only() -> Question:
    x = _word()
    return Question([_abs(x) < 0], x == _MIN_VALUE, (x,))


@obligation(
    "three-heartbeats",
    "one-short",
    "a session of 3 intervals less 1 ms holds 3 beats",
    _HEARTBEAT,
    arguments=(1,),
    expected=ProofVerdict.REFUTED,
)
@obligation("three-heartbeats", "all", "a session of 3 intervals holds 3 beats", _HEARTBEAT)
def _three_beats(short: int = 0) -> Question:
    """Beats come at multiples of h; k h is the first one after t, named by the quotient of t."""
    h, session, t, q, r = z3.Ints("heartbeat session t q r")
    k = q + 1
    known = [h > 0, t >= 0, t == q * h + r, r >= 0, r < h, session >= 3 * h - short]
    return Question(known, z3.And(t < k * h, (k + 2) * h <= t + session), (h, session, t))


@obligation(
    "three-heartbeats",
    "overflow",
    "3 * interval is positive in 32 bits",
    _HEARTBEAT,
    expected=ProofVerdict.REFUTED,
)
def _no_overflow() -> Question:
    h = _word("heartbeat")
    return Question([h > 0], 3 * h > 0, (h,))
