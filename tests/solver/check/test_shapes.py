"""Shapes say what is wrong, and where; a glance at many values lets pass what a look at each does."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import Any, Final

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.shapes import (
    COUNT,
    NAME,
    TEXT,
    WHOLE,
    RefusedError,
    by_name,
    fit,
    nullable,
    one_of,
    pair,
    record,
    rows,
)

SHAPE: Final = record({"id": NAME}, {"kind": one_of("a", "b"), "pairs": rows(pair(NAME, COUNT))})


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "x: found [], expected an object"),
        ({}, "x.id: missing"),
        ({"id": ""}, "x.id: found '', expected a name"),
        ({"id": "a", "kind": "c"}, "x.kind: found 'c', expected 'a' or 'b'"),
        ({"id": "a", "pairs": [["t", 0], ["t"]]}, "x.pairs[1]: found ['t'], expected a list of 2 entries"),
        ({"id": "a", "pairs": [["t", True]]}, "x.pairs[0]: found True, expected a whole number from 0 on"),
        ({"id": "a", "pairs": {}}, "x.pairs: found {}, expected a list"),
    ],
)
def test_a_misfit_is_named_with_its_place(value: Any, complaint: str) -> None:
    with pytest.raises(InputError) as misfit:
        fit(SHAPE, value, "x")
    assert str(misfit.value) == complaint


def test_a_field_that_nobody_checks_is_refused_where_it_stands() -> None:
    with pytest.raises(RefusedError, match=r"^x\.m\['a b'\]\.extra: an unknown field"):
        fit(record({"m": by_name(SHAPE)}), {"m": {"a b": {"id": "a", "extra": 1}}}, "x")


def test_what_may_be_missing_may_be_null() -> None:
    fit(SHAPE, {"id": "a", "kind": None}, "")
    fit(nullable(COUNT), None, "")
    with pytest.raises(InputError):
        fit(SHAPE, {"id": None}, "")


LIKES: Final = ([], [0], [1], [True], [1.0], [-1], ["a"], [""], [None], [[]], ["a", 1], [1, "a"], [["a", 0]])
"""Values of which some equal others that are of another type."""


@pytest.mark.parametrize(
    "shape", [WHOLE, COUNT, TEXT, NAME, rows(COUNT), rows(pair(NAME, COUNT)), by_name(COUNT)]
)
def test_a_glance_at_many_values_lets_nothing_pass_that_a_look_at_each_does_not(shape: Any) -> None:
    passing = 0
    for one, other in product([*LIKES, {"a": [1]}, {"a": True}, {"a": 1}, 1, True, -1, "", "a"], repeat=2):
        fine = 0
        for value in (one, other):
            with suppress(InputError):
                fit(shape, value, "x")
                fine += 1
        assert not shape.glance([one, other]) or fine == 2
        passing += shape.glance([one, other])
    assert passing
