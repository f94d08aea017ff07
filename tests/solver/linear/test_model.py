"""Linear models: their limits and their steps."""

import pytest

from kassay.model.errors import InputError
from kassay.solver.linear import model
from kassay.solver.linear.model import LinearModel, Objective, Part, mps, squares


def test_unit_steps_add_up_to_squares():
    assert [sum(squares(0, n)) for n in range(5)] == [0, 1, 4, 9, 16]
    assert sum(squares(3, 5)) == 25 - 9


def test_a_model_that_is_too_large_is_an_error(monkeypatch):
    monkeypatch.setattr(model, "COLUMNS_MOST", 2)
    part = Part()
    part.column("x")
    part.column("y")
    with pytest.raises(InputError, match="too large for MPS: expected at most 2 columns"):
        part.column("z")


def test_a_level_is_fixed_in_the_smallest_numbers_and_a_constant_is_a_negated_right_hand_side():
    part = Part(whole=["x", "y"])
    levels = [Objective("first", [("x", 6), ("y", 10)], 4, 20), Objective("second", [("y", 1)], 3)]
    lines = list(mps(LinearModel([], part, levels), 1, "m"))
    assert [line for line in lines if " c0 " in line] == [" x c0 3", " y c0 5", " rhs c0 8"]
    assert " rhs second -3" in lines
