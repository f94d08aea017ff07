"""Tables with titles: words where they can be counted, places where they cannot."""

import pytest

from kassay.model.errors import InputError
from kassay.reading.kafka.columns import Columns
from kassay.reading.kafka.lines import Place

AT = Place("f", 2)


def test_words_are_counted_whatever_the_blanks_between_them():
    assert Columns("A   B C").row("1 2      3", AT) == {"A": "1", "B": "2", "C": "3"}


def test_a_blank_cell_is_told_by_its_place():
    titles = "GROUP GROUP-INSTANCE-ID HOST"
    assert Columns(titles).row("g                       /h", AT) == {
        "GROUP": "g",
        "GROUP-INSTANCE-ID": "",
        "HOST": "/h",
    }
    assert Columns(titles).row("g /h", AT)["GROUP-INSTANCE-ID"] == ""


def test_a_coordinator_is_one_cell():
    row = Columns("GROUP COORDINATOR (ID) STATE").row("g broker1:9092  (1) Stable", AT)
    assert row == {"GROUP": "g", "COORDINATOR (ID)": "broker1:9092 (1)", "STATE": "Stable"}


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"f:2: row: found '1 2', expected 3 columns: A, B, C"):
        Columns("A B C").row("1 2", AT)
