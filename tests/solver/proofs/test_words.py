"""The 32-bit formulas are what Java does with words, at the edges and between."""

from __future__ import annotations

import pytest
import z3  # type: ignore[import-untyped]

from kassay.solver.proofs.prove import chosen, prove
from kassay.solver.proofs.words import _abs, _to_positive

EDGES = [0, 1, -1, 2**30, -(2**30), 2**31 - 1, -(2**31 - 1), -(2**31), 123456789, -987654321]


def signed(formula: object) -> int:
    """The value of a constant formula as Java's int."""
    return int(z3.simplify(formula).as_signed_long())


@pytest.mark.parametrize("word", EDGES)
def test_formulas_at_one_word(word: int) -> None:
    x = z3.BitVecVal(word, 32)
    assert signed(_to_positive(x)) == (word if word >= 0 else word + 2**31)
    assert signed(_abs(x)) == (abs(word) if word != -(2**31) else word)


def test_three_heartbeats_need_three_intervals_to_the_millisecond() -> None:
    whole, short = (chosen([f"three-heartbeats/{part}"])[0] for part in ("all", "one-short"))
    assert prove(whole).counterexample is None
    shown = prove(short).counterexample
    assert shown is not None
    heartbeat, session, t = shown["heartbeat"], shown["session"], shown["t"]
    assert session == 3 * heartbeat - 1
    beats = [
        k * heartbeat for k in range(t // heartbeat + 1, t // heartbeat + 9) if k * heartbeat <= t + session
    ]
    assert len(beats) < 3


def test_an_interval_whose_triple_overflows_is_shown() -> None:
    shown = prove(chosen(["three-heartbeats/overflow"])[0]).counterexample
    assert shown is not None
    assert (3 * shown["heartbeat"] + 2**31) % 2**32 - 2**31 <= 0 < shown["heartbeat"]
