"""Differences as documents: what is written is read, and nothing else is."""

import pytest

from kassay.engines.diff.compare import By, Lead
from kassay.engines.diff.document import SCHEMA, Side, TargetDifference, difference_of, is_difference
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.model.trace import Conditions

DIFFERENCE = TargetDifference(
    kind=CLIENT,
    left=Side("range", None, RebalanceProtocol.EAGER, {"kassay": "1"}),
    right=Side("a.py:A", "ab", RebalanceProtocol.COOPERATIVE),
    by=By.QUALITY,
    lead=Lead.RIGHT,
    contradictory=True,
    case={"changes": []},
    lines=("balance",),
    conditions=Conditions(config={"a": "b"}),
    narration=({"change": 0},),
    seed=3,
    index=None,
)


def test_what_is_written_is_read():
    document = DIFFERENCE.to_json()
    assert is_difference(document)
    assert difference_of(document, "f") == DIFFERENCE


def test_another_schema_is_no_difference():
    assert not is_difference({"schema": "kassay/trace/3"})
    assert not is_difference([])
    with pytest.raises(InputError, match=f"f: schema: expected '{SCHEMA}'"):
        difference_of({"schema": "kassay/trace/3"}, "f")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("by", "taste", "by"),
        ("lead", 1, "lead"),
        ("lines", "x", "lines"),
        ("more", 1, "more"),
        ("left", {}, "left"),
    ],
)
def test_a_wrong_field_is_named(field, value, words):
    with pytest.raises(InputError, match=f"f: {words}"):
        difference_of({**DIFFERENCE.to_json(), field: value}, "f")
