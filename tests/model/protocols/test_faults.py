"""Budgets of faults: written and read, spent one at a time, and checked against what a model knows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.protocols.faults import KNOWN, NO_FAULTS, Faults, check_faults, parse_faults, spend

counts = st.dictionaries(st.sampled_from(Faults._fields), st.integers(0, 9), max_size=5)


@settings(max_examples=40)
@given(counts)
def test_a_budget_is_read_as_it_is_written(budget):
    assert parse_faults(",".join(f"{name}={count}" for name, count in budget.items())) == Faults(**budget)


@settings(max_examples=40)
@given(counts, st.sampled_from(Faults._fields))
def test_a_fault_costs_one_of_its_own_and_nothing_else(budget, name):
    before = Faults(**budget)
    after = spend(before, name)
    if getattr(before, name) == 0:
        assert after is None
    else:
        assert after == before._replace(**{name: getattr(before, name) - 1})
    assert before.spent == (sum(before) == 0)


def test_a_fault_without_a_count_happens_once():
    assert parse_faults(" crash , pause=2,") == Faults(crash=1, pause=2)
    assert parse_faults("") == NO_FAULTS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fire", "--faults: unknown fault 'fire'; expected one of crash, pause"),
        ("crash=", "--faults: 'crash=': expected crash=N with N from 0 to 9"),
        ("crash=10", "expected crash=N with N from 0 to 9"),
        ("crash=-1", "expected crash=N with N from 0 to 9"),
        pytest.param("crash=" + "9" * 5000, "expected crash=N with N from 0 to 9", id="long"),
        ("crash=1,pause,crash=2", "--faults: 'crash=2': crash is given twice, expected once"),
        (",", "--faults ',': expected at least one, such as crash=1"),
        ("crash=²", "expected crash=N with N from 0 to 9"),
    ],
)
def test_what_is_no_budget_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_faults(text)


@pytest.mark.parametrize("model", KNOWN)
def test_a_model_takes_the_faults_that_it_knows_and_no_others(model):
    assert KNOWN[model] <= set(Faults._fields)
    for name in Faults._fields:
        if name in KNOWN[model]:
            check_faults(model, Faults(**{name: 1}))
        else:
            with pytest.raises(InputError, match=f"--faults: {model} has no fault {name}; expected one of"):
                check_faults(model, Faults(**{name: 1}))
    check_faults(model, NO_FAULTS)
