"""What the gaps of all families of instances have in common: a document that says each figure once."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from kassay.solver.gap import Gap, Least

FIGURES = st.none() | st.integers(0, 9)


class Problem(NamedTuple):
    name: str


@given(balance=FIGURES, spread=FIGURES, movement=FIGURES, rack=FIGURES)
def test_the_document_says_what_was_judged_and_leaves_what_was_not_null(balance, spread, movement, rack):
    gap = Gap(
        problem=Problem("p"),
        best=Least((1, 1), 2),
        loads=(0, 2),
        moved=3,
        missing=1,
        balance=balance,
        spread=spread,
        movement=movement,
        rack=rack,
    )
    assert gap.document() == {
        "name": "p",
        "loads": [0, 2],
        "optimal_loads": [1, 1],
        "moved": 3,
        "rack_mismatch": 0,
        "missing": 1,
        "balance": balance,
        "spread": spread,
        "movement": movement,
        "rack": rack,
    }
