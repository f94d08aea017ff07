"""`kassay.prove` is what the command shows."""

import pytest

import kassay
from kassay.model.errors import InputError
from tests.api.same import without_times


def test_the_function_returns_what_the_command_writes(command):
    function = kassay.prove("ceil-range-even", "abs").to_json()
    assert without_times(function) == without_times(command("prove", "ceil-range-even", "abs"))


def test_a_result_is_a_table_and_a_page():
    proofs = kassay.prove("ceil-range-even")
    assert [row["verdict"] for row in proofs.rows()] == ["refuted", "proved", "proved"]
    assert "proofs for all sizes" in proofs.page()
    assert proofs._repr_html_().startswith("<iframe srcdoc=")
    assert proofs.unexpected == ()


def test_an_unknown_name_is_misuse():
    with pytest.raises(InputError, match="'ceil', expected"):
        kassay.prove("ceil")
