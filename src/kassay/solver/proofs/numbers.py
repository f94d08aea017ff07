"""Proof obligations on 32-bit arithmetic and on heartbeats.

`toPositive` clears the sign bit, as Kafka's `Utils.toPositive` does; Java's `Math.abs` negates, and
leaves Integer.MIN_VALUE negative.
"""

from __future__ import annotations

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.solver.proofs.prove import Obligation, ProofVerdict, Question

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


def _not_negative() -> Question:
    x = _word()
    return Question([], _to_positive(x) >= 0, (x,))


def _abs_not_negative() -> Question:
    x = _word()
    return Question([], _abs(x) >= 0, (x,))


def _abs_only() -> Question:
    x = _word()
    return Question([_abs(x) < 0], x == _MIN_VALUE, (x,))


def _in_range() -> Question:
    x, n = _word(), _word("n")
    chosen = z3.SRem(_to_positive(x), n)
    return Question([n > 0], z3.And(chosen >= 0, chosen < n), (x, n))


def _agree() -> Question:
    x = _word()
    return Question([x < 0, _to_positive(x) == _abs(x)], x == -(1 << 30), (x,))


def _three_beats(short: int = 0) -> Question:
    """Beats come at multiples of h; k h is the first one after t, named by the quotient of t."""
    h, session, t, q, r = z3.Ints("heartbeat session t q r")
    k = q + 1
    known = [h > 0, t >= 0, t == q * h + r, r >= 0, r < h, session >= 3 * h - short]
    return Question(known, z3.And(t < k * h, (k + 2) * h <= t + session), (h, session, t))


def _no_overflow() -> Question:
    h = _word("heartbeat")
    return Question([h > 0], 3 * h > 0, (h,))


OBLIGATIONS: Final = (
    Obligation("to-positive", "sign", "toPositive(x) >= 0 for all 32-bit x", _TO_POSITIVE, _not_negative),
    Obligation("to-positive", "range", "toPositive(x) % n is in [0, n) for n > 0", _TO_POSITIVE, _in_range),
    Obligation("to-positive", "abs", "on negatives it equals abs at -2^30 alone", _TO_POSITIVE, _agree),
    Obligation("abs", "sign", "abs(x) >= 0 for all 32-bit x", _ABS, _abs_not_negative, ProofVerdict.REFUTED),
    Obligation("abs", "only", "MIN_VALUE is the only exception", _ABS, _abs_only),
    Obligation("three-heartbeats", "all", "a session of 3 intervals holds 3 beats", _HEARTBEAT, _three_beats),
    Obligation(
        "three-heartbeats",
        "one-short",
        "a session of 3 intervals less 1 ms holds 3 beats",
        _HEARTBEAT,
        lambda: _three_beats(1),
        ProofVerdict.REFUTED,
    ),
    Obligation(
        "three-heartbeats",
        "overflow",
        "3 * interval is positive in 32 bits",
        _HEARTBEAT,
        _no_overflow,
        ProofVerdict.REFUTED,
    ),
)
